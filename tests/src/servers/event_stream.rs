//! The numbers of events that a live page listens for.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    sync::watch,
};

/// Listens to a stream of Server-Sent Events, and keeps the newest number. Ends with the stream.
///
/// # Errors
/// Where the server refuses, or the connection breaks.
pub(crate) async fn follow_events(
    address: SocketAddr,
    path: &str,
    cookie: &str,
    newest: &watch::Sender<i64>,
) -> io::Result<()> {
    // HTTP/1.0, so that the stream has lines and no chunks.
    let request = format!(
        "GET {path} HTTP/1.0\r\nhost: {address}\r\naccept: text/event-stream\r\ncookie: {cookie}\r\n\r\n"
    );

    let mut stream = BufReader::new(TcpStream::connect(address).await?);
    stream.write_all(request.as_bytes()).await?;

    let mut lines = stream.lines();
    let status = lines.next_line().await?.unwrap_or_default();
    if status.split(' ').nth(1) != Some("200") {
        return Err(io::Error::other(format!(
            "the server answers “{status}” to {path}"
        )));
    }

    while let Some(line) = lines.next_line().await? {
        if let Some(number) = event_number(&line) {
            newest.send_if_modified(|known| {
                let is_newer = number > *known;
                *known = number.max(*known);
                is_newer
            });
        }
    }
    Ok(())
}

/// The number in a line of data; `None` for ids, heartbeats and headers.
fn event_number(line: &str) -> Option<i64> {
    line.strip_prefix("data:")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_data_are_numbers_of_events() {
        for (line, expect) in [
            ("data: 42", Some(42)),
            ("data:7", Some(7)),
            ("id: 42", None),
            (":", None),
            ("", None),
            ("data: none", None),
            ("content-type: text/event-stream", None),
        ] {
            assert_eq!(event_number(line), expect, "{line}");
        }
    }
}
