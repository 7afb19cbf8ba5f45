//! Request bodies that must keep arriving.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use super::ConnectionTimeouts;

/// The lowest average rate of a body, in bytes per second: far below any line that works.
pub(super) const MIN_BYTES_PER_SECOND: u64 = 64;

/// A request's body that fails when nothing arrives for too long, or when it arrives too slowly.
///
/// Only the time for which the server waits counts: an upload is not cut off because the database was slow to store it.
#[derive(Debug)]
pub(super) struct TimedBody {
    body: Incoming,
    timeouts: ConnectionTimeouts,
    /// When waiting for the next piece began, and the timer that ends the wait.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    waited: Duration,
    bytes: u64,
}

impl TimedBody {
    pub(super) const fn new(body: Incoming, timeouts: ConnectionTimeouts) -> Self {
        Self {
            body,
            timeouts,
            waiting: None,
            waited: Duration::ZERO,
            bytes: 0,
        }
    }

    fn is_too_slow(&self) -> bool {
        self.waited > self.timeouts.body_grace
            && self.bytes < self.waited.as_secs() * MIN_BYTES_PER_SECOND
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = &mut *self;
        let late = || Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())));

        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) else {
            let pause = this.timeouts.body_pause;
            let (_, end) = this
                .waiting
                .get_or_insert_with(|| (Instant::now(), Box::pin(sleep(pause))));
            return if end.as_mut().poll(cx).is_ready() {
                late()
            } else {
                Poll::Pending
            };
        };

        if let Some((since, _)) = this.waiting.take() {
            this.waited += since.elapsed();
        }

        let Some(frame) = frame else {
            return Poll::Ready(None);
        };
        let frame = frame.map_err(io::Error::other)?;
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        this.bytes = this.bytes.saturating_add(bytes as u64);

        if this.is_too_slow() {
            return late();
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
