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
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// After a write in this process the counters are read at once, but not more often than so.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// The newest event of each study. The truth is the database's counter, which is read every second:
/// so the news of other processes comes too, whatever the engine. A write in this process only
/// shortens the wait.
#[derive(Clone, Default)]
pub(crate) struct EventFeed(Arc<FeedState>);

#[derive(Default)]
struct FeedState {
    newest: watch::Sender<HashMap<StudyId, i64>>,
    wakeup: Notify,
}

/// Somebody who waits for news.
pub(crate) type EventReceiver = watch::Receiver<HashMap<StudyId, i64>>;

impl EventFeed {
    /// Says that this process wrote something.
    pub(crate) fn notify(&self) {
        self.0.wakeup.notify_one();
    }

    /// The newest events, as they change from now on.
    pub(crate) fn subscribe(&self) -> EventReceiver {
        let waiting = self.0.newest.subscribe();
        self.notify();
        waiting
    }

    /// Reads the counters while somebody waits, until `stop`.
    pub(crate) async fn poll_counters(self, store: Store, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(POLL_INTERVAL) => {}
                () = self.0.wakeup.notified() => {}
            }
            if self.0.newest.receiver_count() > 0 {
                match store.newest_events().await {
                    Ok(events) => self.publish(events.into_iter().collect()),
                    Err(error) => tracing::warn!(%error, "the studies' events cannot be read"),
                }
                sleep(MIN_INTERVAL).await;
            }
        }
    }

    fn publish(&self, events: HashMap<StudyId, i64>) {
        self.0.newest.send_if_modified(|known| {
            let changed = *known != events;
            *known = events;
            changed
        });
    }
}
