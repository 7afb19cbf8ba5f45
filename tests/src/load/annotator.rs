//! A simulated annotator: one save after the other.

use std::{net::SocketAddr, ops::Range, time::Duration};

use domain::random::SeededRandom;
use serde::Serialize;
use tokio::time::{Instant, sleep};

use crate::servers::connection::HttpConnection;

/// How long an annotator waits after a failure, so as not to flood a server that is gone.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

/// Makes the requests of an annotator.
pub(super) trait SaveSource {
    /// The request with that number, counted from 0.
    fn next_save(&mut self, number: usize) -> SaveRequest;
}

/// A request that saves one rating.
#[derive(Debug)]
pub(super) struct SaveRequest {
    pub(super) text: String,
    /// A text that the answer contains when the rating was stored.
    pub(super) expect: String,
    pub(super) saves: SavedValue,
}

/// A rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SavedValue {
    /// The place of the request among those of its annotator.
    pub request: usize,
    /// The rating.
    pub value: i32,
}

/// One save after the other, each sent once the one before is acknowledged.
pub(super) struct LoadAnnotator<S> {
    pub(super) source: S,
    pub(super) address: SocketAddr,
    pub(super) think_ms: Range<u64>,
    pub(super) random: SeededRandom,
}

/// How long an annotator's saves took, and whether they succeeded.
#[derive(Debug, Default)]
pub(super) struct AnnotatorRecord {
    /// The time that each acknowledged save took.
    pub(super) waits: Vec<Duration>,
    pub(super) failures: usize,
    pub(super) first_failure: Option<String>,
    /// The last rating, if it was acknowledged: after a failure it is unknown what is stored.
    pub(super) last_saved: Option<SavedValue>,
}

impl<S: SaveSource> LoadAnnotator<S> {
    /// Saves until `end`.
    pub(super) async fn save_until(mut self, end: Instant) -> AnnotatorRecord {
        let mut connection = HttpConnection::new(self.address);
        let mut record = AnnotatorRecord::default();

        // Annotators do not all begin at the same moment.
        self.think(0).await;
        for number in 0.. {
            let request = self.source.next_save(number);
            let sent = Instant::now();
            if sent >= end {
                break;
            }

            match save(&mut connection, &request).await {
                Ok(()) => {
                    record.waits.push(sent.elapsed());
                    record.last_saved = Some(request.saves);
                }
                Err(reason) => {
                    record.failures += 1;
                    record.last_saved = None;
                    record.first_failure.get_or_insert(reason);
                    sleep(AFTER_FAILURE).await;
                }
            }

            self.think(self.think_ms.start).await;
        }
        record
    }

    async fn think(&mut self, from_ms: u64) {
        if self.think_ms.is_empty() {
            return;
        }
        let span = usize::try_from(self.think_ms.end - from_ms).expect("a short time");
        let time = from_ms + self.random.below(span) as u64;
        sleep(Duration::from_millis(time)).await;
    }
}

/// Sends a request, and checks that the answer says that the rating was stored.
async fn save(connection: &mut HttpConnection, request: &SaveRequest) -> Result<(), String> {
    let answer = connection.exchange(&request.text).await;
    let answer = answer.map_err(|error| format!("no answer: {error}"))?;
    let body = String::from_utf8_lossy(&answer.body);
    match (200..300).contains(&answer.status) && body.contains(&request.expect) {
        true => Ok(()),
        false => Err(format!("the server answered {}: {body}", answer.status)),
    }
}
