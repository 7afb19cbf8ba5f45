//! The visitor behind a request, identified before a page is rendered.

use std::net::IpAddr;

use store::Person;

use service::accounts::SecretToken;

/// The visitor behind a request.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The network address; the browser's own where the proxies in between are known.
    pub address: IpAddr,
    /// The session of the cookie, where it is valid.
    pub session: Option<VisitorSession>,
}

/// A valid session.
#[derive(Debug, Clone)]
pub struct VisitorSession {
    /// The value of its cookie.
    pub token: SecretToken,
    /// The person who is signed in.
    pub person: Person,
}
