//! A receiver of notices on this machine, which answers as a test tells it.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, Response, StatusCode, header},
};
use futures::{StreamExt as _, stream};
use tokio::net::TcpListener;

/// How the receiver answers a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReceiverAnswer {
    Status(u16),
    /// With a success, after a while.
    Slow(Duration),
    /// Never.
    Hang,
    /// With a redirect to itself.
    Redirect,
    /// With a success, and a body without an end.
    Endless,
}

/// A request that arrived.
#[derive(Debug, Clone)]
pub(super) struct ReceivedNotice {
    pub(super) target: String,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

impl ReceivedNotice {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().expect("plain characters")
    }
}

/// The receiver.
#[derive(Clone)]
pub(super) struct TestReceiver {
    pub(super) address: SocketAddr,
    state: Arc<Mutex<ReceiverState>>,
}

#[derive(Default)]
struct ReceiverState {
    answers: VecDeque<ReceiverAnswer>,
    received: Vec<ReceivedNotice>,
}

impl TestReceiver {
    /// Gives these answers, one after the other, and then successes.
    pub(super) async fn start(answers: &[ReceiverAnswer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let receiver = Self {
            address: listener.local_addr().expect("bound"),
            state: Arc::default(),
        };
        receiver.lock().answers.extend(answers);
        let router = Router::new()
            .fallback(receive)
            .with_state(receiver.state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        receiver
    }

    /// The address of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far.
    pub(super) fn received(&self) -> Vec<ReceivedNotice> {
        self.lock().received.clone()
    }

    /// Waits for a number of requests.
    pub(super) async fn wait_for(&self, count: usize) -> Vec<ReceivedNotice> {
        for _ in 0..2_000 {
            let received = self.received();
            if received.len() >= count {
                return received;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{} of {count} requests came", self.received().len());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ReceiverState> {
        self.state.lock().expect("no test panics with it")
    }
}

async fn receive(
    State(state): State<Arc<Mutex<ReceiverState>>>,
    request: Request,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 100_000).await.expect("a body");
    let answer = {
        let mut state = state.lock().expect("no test panics with it");
        state.received.push(ReceivedNotice {
            target: head.uri.to_string(),
            headers: head.headers,
            body: String::from_utf8(body.to_vec()).expect("a text"),
        });
        state.answers.pop_front()
    };

    let answer_with = |status: StatusCode, body: Body| {
        let mut answer = Response::new(body);
        *answer.status_mut() = status;
        answer
    };

    match answer {
        None => answer_with(StatusCode::NO_CONTENT, Body::empty()),
        Some(ReceiverAnswer::Status(status)) => {
            let status = StatusCode::from_u16(status).expect("a status");
            answer_with(status, Body::from("the receiver's own words"))
        }
        Some(ReceiverAnswer::Slow(pause)) => {
            tokio::time::sleep(pause).await;
            answer_with(StatusCode::OK, Body::empty())
        }
        Some(ReceiverAnswer::Hang) => std::future::pending().await,
        Some(ReceiverAnswer::Redirect) => {
            let mut answer = answer_with(StatusCode::FOUND, Body::empty());
            let elsewhere = "/elsewhere".parse().expect("a header");
            answer.headers_mut().insert(header::LOCATION, elsewhere);
            answer
        }
        Some(ReceiverAnswer::Endless) => {
            let chunks = stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 4096]));
            answer_with(StatusCode::OK, Body::from_stream(chunks.boxed()))
        }
    }
}
