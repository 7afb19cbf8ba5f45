//! The visitor behind a request, identified once before any page or server function runs.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Once,
};

use app::{Services, error::Refusal, request::refuse_as, sessions, visitor::Visitor};
use axum::{
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderValue, Uri, header},
    middleware::Next,
    response::Response,
};

use super::{connections::ConnectionLimits, forms, request_log::RequestPerson, study_access};

/// The path of the server functions for readers in reading comprehension.
const READING: &str = "/api/reading/";

/// The header in which proxies name their client.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The services and settings that identify a visitor.
#[derive(Debug, Clone)]
pub(super) struct VisitorLookup {
    pub(super) services: Services,
    /// Number of proxies that add to `X-Forwarded-For`; with none, the header is ignored.
    pub(super) proxies: u8,
    /// Notes the addresses from which people work.
    pub(super) limits: ConnectionLimits,
}

/// Tells pages and server functions who the visitor is, and extends the session in use.
pub(super) async fn identify_visitor(
    State(visitors): State<VisitorLookup>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = peer_address(&request);
    if visitors.proxies == 0 && request.headers().contains_key(FORWARDED_FOR) {
        warn_of_proxy();
    }
    let address = client_address(peer, request.headers(), visitors.proxies);

    let (session, cookie) = match sessions::resume(&visitors.services, request.headers()).await {
        Ok(resumed) => resumed,
        Err(error) => {
            let refusal = refuse_as(error, visitors.services.context);
            return refuse_request(&refusal, request.uri());
        }
    };

    let reads = request.uri().path().starts_with(READING);
    let person = session.as_ref().map(|session| session.person.id);
    request
        .extensions_mut()
        .insert(Visitor { address, session });
    let mut response = next.run(request).await;

    if let Some(person) = person {
        response.extensions_mut().insert(RequestPerson(person));
    }
    // Readers have no account; their requests succeed only within a session.
    if person.is_some() || (reads && response.status().is_success()) {
        visitors.limits.note_work(peer);
    }

    let cookie =
        cookie.and_then(|cookie| HeaderValue::from_str(&cookie.encoded().to_string()).ok());
    // A request that signs in or out has set the cookie already.
    if let Some(cookie) = cookie.filter(|_| !sessions::is_set(response.headers())) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// A refusal before the visitor is known: as data for server functions, else as a sentence.
fn refuse_request(refusal: &Refusal, uri: &Uri) -> Response {
    match uri.path().starts_with(forms::SERVER_FUNCTIONS) {
        true => forms::refusal_response(refusal),
        false => study_access::refusal_response(refusal, uri),
    }
}

/// The address of the client behind a request.
pub(super) fn request_address(request: &Request, proxies: u8) -> IpAddr {
    client_address(peer_address(request), request.headers(), proxies)
}

/// The address at the other end of the connection.
fn peer_address(request: &Request) -> IpAddr {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip())
}

/// Warns once that a proxy's header is ignored. Behind a proxy that the settings do not name, everybody shares the
/// proxy's address and its limits.
fn warn_of_proxy() {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| {
        tracing::warn!(
            "a request came with X-Forwarded-For, which is ignored: where a proxy is in front of the server, \
             start it with --proxies 1 (RANKRATE_PROXIES)"
        );
    });
}

/// The client's address: the peer's, or, behind known proxies, the one that the outermost of them saw. Entries
/// further left in the header may be forged.
fn client_address(peer: IpAddr, headers: &HeaderMap, proxies: u8) -> IpAddr {
    let Some(hops) = usize::from(proxies).checked_sub(1) else {
        return peer;
    };

    let lines = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .filter_map(|line| line.to_str().ok());
    let named: Vec<&str> = lines
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .collect();

    named
        .into_iter()
        .rev()
        .nth(hops)
        .and_then(|address| address.parse().ok())
        .unwrap_or(peer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_believed_as_far_as_proxies_are_known() {
        let peer: IpAddr = "10.0.0.1".parse().unwrap();
        for (proxies, lines, expect) in [
            (0, vec!["192.0.2.1"], "10.0.0.1"),
            (1, vec![], "10.0.0.1"),
            (1, vec!["192.0.2.1"], "192.0.2.1"),
            (1, vec!["192.0.2.9, 192.0.2.1"], "192.0.2.1"),
            (1, vec!["192.0.2.9", "192.0.2.1"], "192.0.2.1"),
            (2, vec!["192.0.2.9, 192.0.2.1, 10.0.0.2"], "192.0.2.1"),
            (2, vec!["192.0.2.1"], "10.0.0.1"),
            (1, vec!["nonsense"], "10.0.0.1"),
            (1, vec!["2001:db8::1"], "2001:db8::1"),
        ] {
            let headers = lines
                .iter()
                .map(|line| ("x-forwarded-for".parse().unwrap(), line.parse().unwrap()))
                .collect();
            let actual = client_address(peer, &headers, proxies).to_string();
            assert_eq!(actual, expect, "{proxies} {lines:?}");
        }
    }
}
