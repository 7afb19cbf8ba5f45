//! The sender of a request, as the server found out before a page is asked for.

use std::net::IpAddr;

use store::Person;

use service::accounts::SecretToken;

/// Who a request comes from, as the server found out before it asked for a page.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The network address, of the browser where the proxies in between are known.
    pub address: IpAddr,
    /// The session that the cookie names, where it is one that lives.
    pub session: Option<VisitorSession>,
}

/// A session that lives.
#[derive(Debug, Clone)]
pub struct VisitorSession {
    /// The value of its cookie.
    pub token: SecretToken,
    /// Who is signed in.
    pub person: Person,
}
