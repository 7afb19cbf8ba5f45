//! A simulated annotator who rates one source over and over.

use std::{io, net::SocketAddr, ops::Range, time::Duration};

use domain::{
    ids::AnnotationId,
    random::SeededRandom,
    score::RatingScale,
    study::OVERALL,
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
    },
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    time::{Instant, sleep},
};
use uuid::Uuid;

use super::setup::AnnotatorDesk;
use crate::fresh_id;

/// One save after the other, each sent once the one before is acknowledged.
pub(super) struct LoadAnnotator {
    desk: AnnotatorDesk,
    address: SocketAddr,
    think_ms: Range<u64>,
    random: SeededRandom,
    /// The newest rating of each output.
    current: Vec<Option<AnnotationId>>,
    tab: Uuid,
    begun: Instant,
}

impl LoadAnnotator {
    pub(super) fn new(
        desk: AnnotatorDesk,
        address: SocketAddr,
        think_ms: Range<u64>,
        random: SeededRandom,
    ) -> Self {
        Self {
            current: vec![None; desk.outputs.len()],
            desk,
            address,
            think_ms,
            random,
            tab: fresh_id(),
            begun: Instant::now(),
        }
    }

    /// Saves until `end`, and returns how long each save took.
    ///
    /// # Errors
    /// Where the server refuses a save, or the connection breaks.
    pub(super) async fn save_until(mut self, end: Instant) -> Result<Vec<Duration>, String> {
        let connected = TcpStream::connect(self.address).await;
        let mut connection = BufReader::new(connected.map_err(|error| error.to_string())?);
        let mut waits = Vec::new();
        // Not all at the same moment.
        self.think(0).await;
        for number in 0.. {
            let (id, request) = self.next_save(number);
            let sent = Instant::now();
            if sent >= end {
                break;
            }
            let answer = exchange(&mut connection, &request).await;
            waits.push(sent.elapsed());
            let answer = answer.map_err(|error| format!("no answer: {error}"))?;
            let body: Value = serde_json::from_str(&answer).unwrap_or_default();
            let saved = body.pointer("/outcomes/0/saved/id").and_then(Value::as_str);
            if saved != Some(&id.to_string()) {
                return Err(format!("the server answered {answer}"));
            }
            self.think(self.think_ms.start).await;
        }
        Ok(waits)
    }

    async fn think(&mut self, from_ms: u64) {
        if self.think_ms.is_empty() {
            return;
        }
        let span = usize::try_from(self.think_ms.end - from_ms).expect("a short time");
        let time = from_ms + self.random.below(span) as u64;
        sleep(Duration::from_millis(time)).await;
    }

    /// The next rating with the active time so far, as a browser sends them.
    fn next_save(&mut self, number: usize) -> (AnnotationId, String) {
        let at = number % self.desk.outputs.len();
        let id = AnnotationId(fresh_id());
        let score = i32::try_from(self.random.below(101)).expect("at most 100");
        let change = AnnotationChange {
            id,
            supersedes: self.current[at].replace(id),
            slot: AnnotationSlot::Rating {
                output: self.desk.outputs[at],
                dimension: OVERALL.to_owned(),
            },
            answer: AnnotationAnswer::Rating(Some(RatingScale::PERCENT.clamp(score))),
        };
        let report = ActivityReport {
            tab: self.tab,
            rate_ms: u64::try_from(self.begun.elapsed().as_millis()).expect("a short time"),
            ..ActivityReport::default()
        };
        let batch = json!({
            "person": self.desk.person,
            "assignment": self.desk.assignment,
            "changes": [change],
            "activity": [report],
        });
        let body = json!({ "batch": batch }).to_string();
        let request = format!(
            "POST /api/work/save-changes/v1 HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\
             content-type: application/json\r\ncontent-length: {}\r\ncookie: {}\r\n\r\n{body}",
            body.len(),
            self.desk.cookie
        );
        (id, request)
    }
}

/// Sends a request on a connection that stays open, and returns the body of the answer.
async fn exchange(connection: &mut BufReader<TcpStream>, request: &str) -> io::Result<String> {
    connection.write_all(request.as_bytes()).await?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ")
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await?;
    String::from_utf8(body).map_err(io::Error::other)
}
