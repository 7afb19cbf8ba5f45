//! Which event is the newest of each study, for whoever waits for news.

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::ids::StudyId;
use store::Store;
use tokio::{
    sync::{Notify, watch},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

/// How often the studies' counters are read while somebody waits.
const EVERY: Duration = Duration::from_secs(1);

/// After a write in this process the counters are read at once, but not more often than so.
const AT_MOST: Duration = Duration::from_millis(100);

/// The newest event of each study. The truth is the database's counter, which is read every second:
/// so the news of other processes comes too, whatever the engine. A write in this process only
/// shortens the wait.
#[derive(Clone, Default)]
pub(crate) struct News(Arc<Inner>);

#[derive(Default)]
struct Inner {
    newest: watch::Sender<HashMap<StudyId, i64>>,
    bell: Notify,
}

/// Somebody who waits for news.
pub(crate) type Waiting = watch::Receiver<HashMap<StudyId, i64>>;

impl News {
    /// Says that this process wrote something.
    pub(crate) fn ring(&self) {
        self.0.bell.notify_one();
    }

    /// The newest events, as they change from now on.
    pub(crate) fn wait(&self) -> Waiting {
        let waiting = self.0.newest.subscribe();
        self.ring();
        waiting
    }

    /// Reads the counters while somebody waits, until `stop`.
    pub(crate) async fn follow(self, store: Store, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(EVERY) => {}
                () = self.0.bell.notified() => {}
            }
            if self.0.newest.receiver_count() > 0 {
                match store.newest_events().await {
                    Ok(events) => self.tell(events.into_iter().collect()),
                    Err(error) => tracing::warn!(%error, "the studies' events cannot be read"),
                }
                sleep(AT_MOST).await;
            }
        }
    }

    fn tell(&self, events: HashMap<StudyId, i64>) {
        self.0.newest.send_if_modified(|known| {
            let changed = *known != events;
            *known = events;
            changed
        });
    }
}
