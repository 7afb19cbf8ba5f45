//! Connections: how many are open, from where, and how long each may take.
//!
//! A client that opens connections and sends nothing, or half a request, or a byte now and then, costs the
//! server a file and memory for each. So each phase of a request has a time limit, and connections are
//! limited in number, per address and in all. A quarter of them is kept for addresses from which signed-in
//! people have worked lately.

mod body;
mod head;
mod limits;
#[cfg(test)]
mod tests;
mod writes;

use std::{
    io,
    net::SocketAddr,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{Router, body::Body, extract::ConnectInfo, http::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::sleep,
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

pub(crate) use self::limits::{ConnectionLimits, raise_file_limit};
use self::{body::TimedBody, limits::ConnectionPermit, writes::StallGuard};

/// Time limits for clients.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionTimeouts {
    /// From the connection to the end of its first request's head.
    pub(crate) first_head: Duration,
    /// From the end of a response to the end of the next request's head. Longer than proxies keep idle connections, so
    /// that they do not send a request while the connection is being closed.
    pub(crate) next_head: Duration,
    /// Between two pieces of a request's body.
    pub(crate) body_pause: Duration,
    /// The total wait for a body before it must have arrived at [`body::MIN_BYTES_PER_SECOND`] or faster.
    pub(crate) body_grace: Duration,
    /// The wait for a client that does not read on.
    pub(crate) write_pause: Duration,
}

impl Default for ConnectionTimeouts {
    fn default() -> Self {
        Self {
            first_head: Duration::from_secs(15),
            next_head: Duration::from_secs(75),
            body_pause: Duration::from_secs(30),
            body_grace: Duration::from_secs(60),
            write_pause: Duration::from_secs(120),
        }
    }
}

/// Serves the site until `stop`, and then until open requests are answered.
pub(crate) async fn serve(
    listener: TcpListener,
    site: Router,
    limits: ConnectionLimits,
    timeouts: ConnectionTimeouts,
    stop: CancellationToken,
) {
    let (open, mut all_closed) = mpsc::channel::<()>(1);
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                pause_after(&error).await;
                continue;
            }
        };

        let Some(permit) = limits.admit(peer.ip()) else {
            reject(&stream);
            continue;
        };

        // Small responses go out at once instead of waiting for more to fill a packet.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was not set");
        }

        let (site, stop, open) = (site.clone(), stop.clone(), open.clone());
        tokio::spawn(async move {
            serve_connection(stream, peer, site, timeouts, permit, stop).await;
            drop(open);
        });
    }

    drop((listener, open));
    // Nothing is ever sent here: the channel closes when the last connection drops its end.
    all_closed.recv().await;
}

/// Serves one connection, from its first request to its end.
async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    site: Router,
    timeouts: ConnectionTimeouts,
    _permit: ConnectionPermit,
    stop: CancellationToken,
) {
    let has_asked = Arc::new(AtomicBool::new(false));
    let answer = {
        let has_asked = has_asked.clone();
        service_fn(move |request: Request<Incoming>| {
            has_asked.store(true, Ordering::Relaxed);
            let refusal = head::refuse(&request);
            let mut request = request.map(|body| Body::new(TimedBody::new(body, timeouts)));
            request.extensions_mut().insert(ConnectInfo(peer));
            let site = site.clone();
            async move {
                match refusal {
                    Some(refusal) => Ok(refusal),
                    None => site.oneshot(request).await,
                }
            }
        })
    };

    let stream = TokioIo::new(StallGuard::new(stream, timeouts.write_pause));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(timeouts.next_head)
            .serve_connection(stream, answer)
    );

    // Ends only if no request has arrived in time.
    let silent = async {
        sleep(timeouts.first_head).await;
        if has_asked.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    let mut silent = pin!(silent);

    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = &mut silent => return,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection => ended,
                () = silent => return,
            }
        }
    };

    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// Refuses a connection with the shortest HTTP response, and drops what cannot be sent at once.
fn reject(stream: &TcpStream) {
    const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\n\
        content-length: 0\r\nconnection: close\r\n\r\n";
    if let Err(error) = stream.try_write(FULL) {
        tracing::debug!(%error, "a client was turned away without a word");
    }
}

/// Pauses after a failed accept that the client did not cause. If the system has run out of files, retrying at once
/// would only keep it busy.
async fn pause_after(error: &io::Error) {
    let of_the_client = matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    );
    if !of_the_client {
        tracing::error!(%error, "no connection could be accepted");
        sleep(Duration::from_secs(1)).await;
    }
}
