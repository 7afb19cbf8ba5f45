//! The newest event of each study, for subscribers.

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::ids::StudyId;
use store::Store;
use tokio::{
    sync::{Notify, watch},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

/// How often the counters are read while there are subscribers.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The shortest time between two reads. After a write in this process, the counters are read at once.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// The newest event of each study. The database's counters are authoritative: they are read every second, so that
/// events of other processes arrive too, on either database. A write in this process only shortens the wait.
#[derive(Clone, Default)]
pub(crate) struct EventFeed(Arc<FeedState>);

#[derive(Default)]
struct FeedState {
    newest: watch::Sender<HashMap<StudyId, i64>>,
    wakeup: Notify,
}

/// A subscription to the newest events.
pub(crate) type EventReceiver = watch::Receiver<HashMap<StudyId, i64>>;

impl EventFeed {
    /// Reports that this process wrote something.
    pub(crate) fn notify(&self) {
        self.0.wakeup.notify_one();
    }

    /// Subscribes to the newest events.
    pub(crate) fn subscribe(&self) -> EventReceiver {
        let receiver = self.0.newest.subscribe();
        self.notify();
        receiver
    }

    /// Reads the counters while there are subscribers, until `stop`.
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
        self.0.newest.send_if_modified(|newest| {
            let changed = *newest != events;
            *newest = events;
            changed
        });
    }
}
