//! The request that delivers a notice to its receiver.
//!
//! The host is looked up once, and the connection is made to one of the addresses found, after a check, so
//! that a name cannot lead somewhere else in between. Redirects are not followed, and only the response's
//! status counts.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::body::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, Response,
    body::Incoming,
    client::conn::http1,
    header::{CONNECTION, CONTENT_TYPE, HOST, USER_AGENT},
};
use hyper_util::rt::TokioIo;
use service::webhooks::{SignedNotice, WebhookAddress};
use store::webhooks::DeliveryProblem;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, lookup_host},
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};
use url::Host;

/// The most bytes read of a response's head.
const LARGEST_HEAD: usize = 16 * 1024;

/// The most bytes read of a response's body, so that a short one does not look like a broken connection to
/// the receiver. The body is discarded.
const LARGEST_BODY: usize = 16 * 1024;

/// The most addresses of a host that are tried.
const MOST_ADDRESSES: usize = 3;

/// The program's name in requests.
const AGENT: &str = concat!("rankrate/", env!("CARGO_PKG_VERSION"));

/// Time limits of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SendLimits {
    /// The limit for looking up the host, connecting and negotiating encryption.
    pub(crate) connect: Duration,
    /// The limit from the request to the response's status.
    pub(crate) answer: Duration,
}

impl Default for SendLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(10),
        }
    }
}

/// A failure to deliver a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SendFailure {
    pub(crate) problem: DeliveryProblem,
    /// The response's status, if there was a response.
    pub(crate) status: Option<u16>,
}

impl From<DeliveryProblem> for SendFailure {
    fn from(problem: DeliveryProblem) -> Self {
        Self {
            problem,
            status: None,
        }
    }
}

/// Sends notices.
#[derive(Clone)]
pub(crate) struct WebhookClient {
    tls: TlsConnector,
    limits: SendLimits,
}

impl WebhookClient {
    /// A client that trusts the certificate authorities of this system.
    pub(crate) fn new() -> Self {
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::warn!(%error, "certificates of this system cannot be read");
        }

        let mut roots = RootCertStore::empty();
        let (usable, _) = roots.add_parsable_certificates(found.certs);
        if usable == 0 {
            tracing::warn!(
                "this system has no certificates of authorities, so webhooks cannot reach any https address: install \
                 them (Debian: ca-certificates), or name a file of them in SSL_CERT_FILE"
            );
        }
        Self::with_roots(roots, SendLimits::default())
    }

    /// A client that trusts these certificate authorities.
    pub(crate) fn with_roots(roots: RootCertStore, limits: SendLimits) -> Self {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has cipher suites for each of them")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self {
            tls: TlsConnector::from(Arc::new(config)),
            limits,
        }
    }

    /// Sends a notice, and returns the status with which the receiver accepted it.
    pub(crate) async fn send(
        &self,
        address: &WebhookAddress,
        notice: &SignedNotice,
    ) -> Result<u16, SendFailure> {
        let SendLimits { connect, answer } = self.limits;
        let late = |_| SendFailure::from(DeliveryProblem::TimedOut);

        if address.url().scheme() == "http" {
            let stream = timeout(connect, connect_to(address))
                .await
                .map_err(late)??;
            return timeout(answer, exchange(stream, address, notice))
                .await
                .map_err(late)?;
        }

        let encrypted = async {
            let stream = connect_to(address).await?;
            let name = server_name(address).ok_or(DeliveryProblem::Tls)?;
            let encrypted = self.tls.connect(name, stream).await;
            encrypted.map_err(|_| DeliveryProblem::Tls)
        };
        let stream = timeout(connect, encrypted).await.map_err(late)??;
        timeout(answer, exchange(stream, address, notice))
            .await
            .map_err(late)?
    }
}

/// The name that the receiver's certificate must have.
fn server_name(address: &WebhookAddress) -> Option<ServerName<'static>> {
    match address.url().host()? {
        Host::Domain(name) => ServerName::try_from(name.to_owned()).ok(),
        Host::Ipv4(ip) => Some(ServerName::IpAddress(std::net::IpAddr::V4(ip).into())),
        Host::Ipv6(ip) => Some(ServerName::IpAddress(std::net::IpAddr::V6(ip).into())),
    }
}

/// Looks the host up once, and connects to the first of its permitted addresses that can be reached.
async fn connect_to(address: &WebhookAddress) -> Result<TcpStream, DeliveryProblem> {
    let found = resolve(address).await?;
    for socket_address in permitted_addresses(address, found)? {
        if let Ok(stream) = TcpStream::connect(socket_address).await {
            return Ok(stream);
        }
    }
    Err(DeliveryProblem::Unreachable)
}

/// The first of the host's addresses to which a connection is permitted.
fn permitted_addresses(
    address: &WebhookAddress,
    found: Vec<SocketAddr>,
) -> Result<Vec<SocketAddr>, DeliveryProblem> {
    if found.is_empty() {
        return Err(DeliveryProblem::NoAddress);
    }

    let permitted = found
        .into_iter()
        .filter(|found| address.permits(found.ip()));
    let permitted: Vec<_> = permitted.take(MOST_ADDRESSES).collect();
    match permitted.is_empty() {
        true => Err(DeliveryProblem::PrivateAddress),
        false => Ok(permitted),
    }
}

async fn resolve(address: &WebhookAddress) -> Result<Vec<SocketAddr>, DeliveryProblem> {
    let url = address.url();
    let port = url
        .port_or_known_default()
        .ok_or(DeliveryProblem::NoAddress)?;

    Ok(match url.host().ok_or(DeliveryProblem::NoAddress)? {
        Host::Ipv4(ip) => vec![SocketAddr::from((ip, port))],
        Host::Ipv6(ip) => vec![SocketAddr::from((ip, port))],
        Host::Domain(name) => lookup_host((name, port))
            .await
            .map_err(|_| DeliveryProblem::NoAddress)?
            .collect(),
    })
}

/// Sends the request on a connection, and reads the response's status.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    address: &WebhookAddress,
    notice: &SignedNotice,
) -> Result<u16, SendFailure> {
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(LARGEST_HEAD)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(break_off)?;

    // Dropped with this function, so that the connection ends with it.
    let mut driver = JoinSet::new();
    driver.spawn(connection);

    let request = build_request(address, notice).map_err(break_off)?;
    let answer = sender.send_request(request).await.map_err(break_off)?;
    let status = answer.status();
    let outcome = match status {
        _ if status.is_success() => Ok(status.as_u16()),
        _ => Err(SendFailure {
            problem: match status.is_redirection() {
                true => DeliveryProblem::Redirected,
                false => DeliveryProblem::Refused,
            },
            status: Some(status.as_u16()),
        }),
    };

    // The status counts whether or not the body comes to its end.
    drop(timeout(Duration::from_secs(1), drain(answer)).await);
    outcome
}

fn break_off<E>(_: E) -> SendFailure {
    DeliveryProblem::BrokenOff.into()
}

fn build_request(
    address: &WebhookAddress,
    notice: &SignedNotice,
) -> axum::http::Result<Request<Full<Bytes>>> {
    let url = address.url();
    let target = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let host = match url.port() {
        Some(port) => format!("{}:{port}", address.host()),
        None => address.host().to_owned(),
    };

    Request::post(target)
        .header(HOST, host)
        .header(USER_AGENT, AGENT)
        .header(CONTENT_TYPE, "application/json")
        .header(CONNECTION, "close")
        .header("webhook-id", &notice.id)
        .header("webhook-timestamp", notice.timestamp)
        .header("webhook-signature", &notice.signature)
        .body(Full::new(Bytes::from(notice.body.clone())))
}

/// Reads the body, up to [`LARGEST_BODY`].
async fn drain(answer: Response<Incoming>) {
    let (mut body, mut bytes) = (answer.into_body(), 0);
    while bytes < LARGEST_BODY {
        match body.frame().await {
            Some(Ok(frame)) => bytes += frame.data_ref().map_or(0, Bytes::len),
            Some(Err(_)) | None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use service::webhooks::AllowedAddresses;

    use super::*;

    fn choose(entry: &str, found: &[&str]) -> Result<Vec<SocketAddr>, DeliveryProblem> {
        let allowed = AllowedAddresses::new(vec![entry.parse().expect("an entry")]);
        let address = allowed.check(entry).expect("it is allowed");
        let found = found.iter().map(|text| text.parse().expect("an address"));
        permitted_addresses(&address, found.collect())
    }

    #[test]
    fn a_name_that_leads_into_a_private_network_is_not_followed() {
        let name = "https://hooks.example.org/";
        let (public, private) = ("93.184.216.34:443", "169.254.169.254:443");
        let chosen = |text: &str| Ok(vec![text.parse().expect("an address")]);
        assert_eq!(choose(name, &[public]), chosen(public));
        assert_eq!(choose(name, &[private, public]), chosen(public));

        for hidden in [
            private,
            "127.0.0.1:443",
            "[::1]:443",
            "[::ffff:10.0.0.1]:443",
        ] {
            let refused = choose(name, &[hidden, private]);
            assert_eq!(refused, Err(DeliveryProblem::PrivateAddress), "{hidden}");
        }

        assert_eq!(choose(name, &[]), Err(DeliveryProblem::NoAddress));
        let own = "10.0.0.7:443";
        assert_eq!(choose("https://10.0.0.7/", &[own]), chosen(own));
        let local = ["127.0.0.1:80", "10.0.0.7:80"];
        assert_eq!(choose("http://localhost/", &local), chosen(local[0]));
    }
}
