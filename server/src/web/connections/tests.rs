//! Clients that behave badly, over real connections on this machine.

use std::{convert::Infallible, net::SocketAddr, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    routing::{get, post},
};
use futures::{StreamExt as _, stream};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::*;

/// Time limits short enough for tests, and different enough to tell which of them ended a connection.
const TIMES: ConnectionTimeouts = ConnectionTimeouts {
    first_head: Duration::from_millis(600),
    next_head: Duration::from_millis(1_500),
    body_pause: Duration::from_millis(600),
    body_grace: Duration::from_millis(1_000),
    write_pause: Duration::from_millis(800),
};

struct TestServer {
    address: SocketAddr,
    stop: CancellationToken,
    ended: JoinHandle<()>,
}

async fn start_server(limits: ConnectionLimits, timeouts: ConnectionTimeouts) -> TestServer {
    let ticks = async || {
        let ticks = stream::unfold(0, |number| async move {
            sleep(Duration::from_millis(250)).await;
            (number < 10).then(|| (Ok::<_, Infallible>(Bytes::from("tick\n")), number + 1))
        });
        Body::from_stream(ticks)
    };

    let flood = async || {
        let piece = Bytes::from(vec![b'x'; 1 << 16]);
        Body::from_stream(stream::repeat(piece).map(Ok::<_, Infallible>))
    };

    let site = Router::new()
        .route("/", get(async || "ok"))
        .route("/upload", post(async |body: Bytes| body.len().to_string()))
        .route("/ticks", get(ticks))
        .route("/flood", get(flood));

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let ended = tokio::spawn(serve(listener, site, limits, timeouts, stop.clone()));
    TestServer {
        address,
        stop,
        ended,
    }
}

impl TestServer {
    /// A connection from this loopback address.
    async fn connect(&self, from: &str) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    async fn ask(&self, from: &str) -> String {
        let mut stream = self.connect(from).await;
        send(
            &mut stream,
            "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
        )
        .await;
        read_to_end(&mut stream).await
    }
}

async fn send(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
}

/// Reads until the server closes the connection.
async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut bytes = vec![];
    let read = timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes));
    // A reset connection has ended as well.
    drop(read.await.expect("the server closes the connection"));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn half_sent_requests_keep_nobody_out_and_end() {
    let limits = ConnectionLimits::new(40, Some(10));
    let served = start_server(limits, TIMES).await;
    let mut half_sent = vec![];
    for _ in 0..60 {
        let mut stream = served.connect("127.0.0.1").await;
        // Connections beyond the limit may be closed already.
        drop(stream.write_all(b"GET / HTTP/1.1\r\nhost: ").await);
        half_sent.push(stream);
    }

    assert!(served.ask("127.0.0.2").await.ends_with("ok"));
    assert!(served.ask("127.0.0.1").await.starts_with("HTTP/1.1 503"));

    let begun = Instant::now();
    for mut stream in half_sent {
        read_to_end(&mut stream).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(
        served.ask("127.0.0.1").await.ends_with("ok"),
        "there is room again"
    );
}

#[tokio::test]
async fn room_is_kept_for_people_at_work() {
    let limits = ConnectionLimits::new(8, None);
    let served = start_server(limits.clone(), TIMES).await;
    let mut half_sent = vec![];
    for _ in 0..20 {
        half_sent.push(served.connect("127.0.0.1").await);
    }

    assert!(served.ask("127.0.0.2").await.starts_with("HTTP/1.1 503"));
    limits.note_work("127.0.0.2".parse().unwrap());
    assert!(served.ask("127.0.0.2").await.ends_with("ok"));
}

#[tokio::test]
async fn a_head_that_comes_byte_by_byte_ends() {
    let served = start_server(ConnectionLimits::new(8, None), TIMES).await;
    let mut stream = served.connect("127.0.0.1").await;

    let begun = Instant::now();
    for byte in "GET / HTTP/1.1\r\nhost: a\r\nx: abcdefghijklmnopqrstuvwxyz".chars() {
        if stream.write_all(&[byte as u8]).await.is_err() {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }

    assert_eq!(read_to_end(&mut stream).await, "");
    assert!(begun.elapsed() < Duration::from_secs(8));
}

#[tokio::test]
async fn a_connection_without_a_further_request_ends() {
    let served = start_server(ConnectionLimits::new(8, None), TIMES).await;
    let mut stream = served.connect("127.0.0.1").await;
    send(&mut stream, "GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;

    // After the time limit for a first request, which this connection has met.
    sleep(Duration::from_millis(900)).await;
    send(&mut stream, "GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;

    let begun = Instant::now();
    assert_eq!(
        read_to_end(&mut stream)
            .await
            .matches("HTTP/1.1 200")
            .count(),
        2
    );
    assert!(begun.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn a_body_that_stops_or_trickles_ends_and_a_slow_one_arrives() {
    let served = start_server(ConnectionLimits::new(8, None), TIMES).await;
    let head =
        "POST /upload HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 4000\r\n\r\n";

    let mut stops = served.connect("127.0.0.1").await;
    send(&mut stops, head).await;
    send(&mut stops, "some of it").await;
    let begun = Instant::now();
    assert!(!read_to_end(&mut stops).await.contains("200 OK"));
    assert!(begun.elapsed() < Duration::from_secs(4));

    // One byte now and then never pauses for long, and never ends.
    let mut trickles = served.connect("127.0.0.1").await;
    send(&mut trickles, head).await;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(6) {
        if trickles.write_all(b"x").await.is_err() {
            break;
        }
        sleep(Duration::from_millis(300)).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(6), "it was cut off");

    let mut slow = served.connect("127.0.0.1").await;
    send(&mut slow, head).await;
    for _ in 0..20 {
        send(&mut slow, &"x".repeat(200)).await;
        sleep(Duration::from_millis(200)).await;
    }
    let answer = read_to_end(&mut slow).await;
    assert!(answer.ends_with("4000"), "{answer}");
}

#[tokio::test]
async fn a_stream_lasts_longer_than_any_pause_of_a_client() {
    let served = start_server(ConnectionLimits::new(8, None), TIMES).await;
    let mut stream = served.connect("127.0.0.1").await;
    send(
        &mut stream,
        "GET /ticks HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
    )
    .await;
    assert_eq!(read_to_end(&mut stream).await.matches("tick").count(), 10);
}

#[tokio::test]
async fn an_answer_that_is_not_read_on_ends() {
    let served = start_server(ConnectionLimits::new(1, None), TIMES).await;
    let mut unread = served.connect("127.0.0.1").await;
    send(&mut unread, "GET /flood HTTP/1.1\r\nhost: a\r\n\r\n").await;
    sleep(Duration::from_millis(300)).await;
    assert!(served.ask("127.0.0.2").await.starts_with("HTTP/1.1 503"));
    sleep(Duration::from_secs(2)).await;
    assert!(
        served.ask("127.0.0.2").await.ends_with("ok"),
        "its place is free again"
    );
}

#[tokio::test]
async fn open_requests_are_answered_before_it_stops() {
    let served = start_server(ConnectionLimits::new(8, None), TIMES).await;
    let mut stream = served.connect("127.0.0.1").await;
    send(&mut stream, "GET /ticks HTTP/1.1\r\nhost: a\r\n\r\n").await;

    let mut idle = served.connect("127.0.0.1").await;
    send(&mut idle, "GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    sleep(Duration::from_millis(300)).await;

    served.stop.cancel();
    assert!(read_to_end(&mut idle).await.contains("ok"));
    assert_eq!(read_to_end(&mut stream).await.matches("tick").count(), 10);

    let ended = timeout(Duration::from_secs(5), served.ended).await;
    ended.expect("nothing is open").unwrap();
}

/// Requests are sent as raw text, since no client library would send them.
#[tokio::test]
async fn requests_that_are_none_for_a_site_are_refused_before_it_sees_them() {
    let served = start_server(ConnectionLimits::new(40, None), TIMES).await;
    for (head, status) in [
        (
            "CONNECT a:1 HTTP/1.1\r\nhost: a:1",
            "405 Method Not Allowed",
        ),
        (
            "CONNECT [::1]:443 HTTP/1.1\r\nhost: a",
            "405 Method Not Allowed",
        ),
        ("CONNECT a:1 HTTP/1.0", "405 Method Not Allowed"),
        ("OPTIONS * HTTP/1.1\r\nhost: a", "400 Bad Request"),
        ("GET / HTTP/1.1", "400 Bad Request"),
        ("GET / HTTP/1.1\r\nhost: a\r\nhost: b", "400 Bad Request"),
        ("GET / HTTP/1.1\r\nhost: a\r\nHost: a", "400 Bad Request"),
        ("GET http://a/ HTTP/1.1\r\nhost: a", "200 OK"),
        ("GET / HTTP/1.0", "200 OK"),
        ("GET / HTTP/1.1\r\nhost: a", "200 OK"),
    ] {
        let mut stream = served.connect("127.0.0.1").await;
        send(&mut stream, &format!("{head}\r\nconnection: close\r\n\r\n")).await;

        let answer = read_to_end(&mut stream).await;
        let line = answer.lines().next().unwrap_or_default();
        assert!(line.ends_with(status), "{head}: {answer}");
    }
}
