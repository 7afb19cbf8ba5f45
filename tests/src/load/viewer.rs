//! A person who looks at a live page. The page listens for the study's newest event and is fetched again when there is
//! one, as its own script does (`app/src/layout/live.js`).

use std::{io, net::SocketAddr, time::Duration};

use tokio::{
    select,
    sync::watch,
    time::{Instant, sleep_until, timeout_at},
};

use super::setup::STUDY;
use crate::servers::{connection::HttpConnection, event_stream::follow_events};

/// Live pages of a lead, by their paths below the study's.
pub(super) const LIVE_PAGES: [&str; 2] = ["", "/agreement"];

/// The shortest pause after a fetch during which another event came.
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);

/// A live page in the browser of a lead.
#[derive(Debug)]
pub(super) struct LiveViewer {
    pub(super) address: SocketAddr,
    /// Its path below the study's.
    pub(super) page: &'static str,
    pub(super) cookie: String,
}

impl LiveViewer {
    /// Keeps the page up to date until `end`, and returns how long each fetch took.
    ///
    /// # Errors
    /// Where the server refuses the page or its events.
    pub(super) async fn watch_until(self, end: Instant) -> Result<Vec<Duration>, String> {
        let mut connection = HttpConnection::new(self.address);
        let known = self.open(&mut connection).await?;
        let (sender, newest) = watch::channel(known);
        let mut waits = Vec::new();

        let watching = async {
            select! {
                reason = self.keep_up_to_date(&mut connection, newest, known, &mut waits) => reason,
                error = self.follow_news(&sender) => format!("no more news: {error}"),
            }
        };

        match timeout_at(end, watching).await {
            Ok(reason) => Err(reason),
            Err(_) => Ok(waits),
        }
    }

    /// Listens for events again and again, until an error: the server ends each stream after a while.
    async fn follow_news(&self, newest: &watch::Sender<i64>) -> io::Error {
        loop {
            let news = format!("/s/{STUDY}/news?after={}", *newest.borrow());
            if let Err(error) = follow_events(self.address, &news, &self.cookie, newest).await {
                return error;
            }
        }
    }

    /// Opens the page, and returns the newest event that it shows.
    async fn open(&self, connection: &mut HttpConnection) -> Result<i64, String> {
        let page = self.fetch(connection, "").await?;
        let page = String::from_utf8_lossy(&page);
        let number = page.split_once("data-event=\"");
        let number = number.and_then(|(_, rest)| rest.split_once('"')?.0.parse().ok());
        number.ok_or_else(|| "the page is not live".to_owned())
    }

    /// Fetches the page whenever there is a newer event than it shows; once that fails, returns the reason.
    async fn keep_up_to_date(
        &self,
        connection: &mut HttpConnection,
        mut newest: watch::Receiver<i64>,
        mut known: i64,
        waits: &mut Vec<Duration>,
    ) -> String {
        const AS_A_BROWSER: &str = "accept-encoding: gzip, deflate, br\r\nx-in-background: 1\r\n";
        let mut retry = None;
        loop {
            select! {
                changed = newest.changed() => if let Err(ended) = changed { return ended.to_string() },
                () = sleep_until(retry.unwrap_or_else(Instant::now)), if retry.is_some() => {}
            }

            retry = None;
            let at_begin = *newest.borrow_and_update();
            if at_begin <= known {
                continue;
            }

            let begun = Instant::now();
            if let Err(reason) = self.fetch(connection, AS_A_BROWSER).await {
                return reason;
            }
            waits.push(begun.elapsed());

            // The page may show a newer one, but it is compressed, so this is not looked up.
            known = at_begin;
            if *newest.borrow_and_update() > known {
                retry = Some(Instant::now() + SHORTEST_PAUSE.max(3 * begun.elapsed()));
            }
        }
    }

    async fn fetch(
        &self,
        connection: &mut HttpConnection,
        headers: &str,
    ) -> Result<Vec<u8>, String> {
        let Self {
            address,
            page,
            cookie,
        } = self;
        let request = format!(
            "GET /s/{STUDY}{page} HTTP/1.1\r\nhost: {address}\r\naccept: */*\r\ncookie: {cookie}\r\n{headers}\r\n"
        );

        let answer = connection.exchange(&request).await;
        let answer = answer.map_err(|error| format!("a live page does not come: {error}"))?;
        match answer.status {
            200 => Ok(answer.body),
            status => Err(format!("a live page answers {status}")),
        }
    }
}
