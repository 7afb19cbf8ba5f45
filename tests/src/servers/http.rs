//! Requests to the servers, as a browser sends them.

use std::{io, net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request, ready to be sent any number of times.
#[derive(Debug, Clone)]
pub(crate) struct HttpRequest(String);

/// A whole answer of a server.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl HttpRequest {
    /// A page. `cookie` is empty for a visitor who is not signed in.
    pub(crate) fn page(path: &str, cookie: &str) -> Self {
        // HTTP/1.0: the connection ends with the answer.
        Self(format!(
            "GET {path} HTTP/1.0\r\nhost: localhost\r\naccept: text/html\r\ncookie: {cookie}\r\n\r\n"
        ))
    }

    /// A server function that takes the fields of a form, encoded as in an address.
    pub(crate) fn form(endpoint: &str, cookie: &str, fields: &str) -> Self {
        Self::post(
            endpoint,
            cookie,
            "application/x-www-form-urlencoded",
            fields,
        )
    }

    /// A server function that takes JSON.
    pub(crate) fn json(endpoint: &str, cookie: &str, arguments: &Value) -> Self {
        Self::post(endpoint, cookie, "application/json", &arguments.to_string())
    }

    fn post(endpoint: &str, cookie: &str, content_type: &str, body: &str) -> Self {
        let length = body.len();
        Self(format!(
            "POST /api/{endpoint} HTTP/1.0\r\nhost: localhost\r\naccept: application/json\r\n\
             content-type: {content_type}\r\ncontent-length: {length}\r\ncookie: {cookie}\r\n\r\n{body}"
        ))
    }
}

impl HttpAnswer {
    /// The values of the headers of this name.
    pub(crate) fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let named = lines.filter(move |(header, _)| header.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value)
    }

    fn parse(bytes: Vec<u8>) -> Option<Self> {
        let text = String::from_utf8(bytes).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        let answer = Self {
            status: head.split(' ').nth(1)?.parse().ok()?,
            head: head.to_owned(),
            body: body.to_owned(),
        };

        let length = answer.headers("content-length").next();
        let is_whole = length.is_none_or(|length| length.parse::<usize>() == Ok(answer.body.len()));
        is_whole.then_some(answer)
    }
}

/// Sends a request on a connection of its own.
///
/// # Errors
/// Where no whole answer comes; the server may still have done what was asked.
pub(crate) async fn send(address: SocketAddr, request: &HttpRequest) -> io::Result<HttpAnswer> {
    timeout(PATIENCE, send_patiently(address, request)).await?
}

/// As [`send`], however long the answer takes.
///
/// # Errors
/// Where no whole answer comes.
pub(crate) async fn send_patiently(
    address: SocketAddr,
    request: &HttpRequest,
) -> io::Result<HttpAnswer> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.0.as_bytes()).await?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await?;
    HttpAnswer::parse(bytes).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_was_cut_off_is_none() {
        let parse = |text: &str| HttpAnswer::parse(text.as_bytes().to_vec());
        let whole = "HTTP/1.0 200 OK\r\nContent-Length: 4\r\nset-cookie: a=b; Path=/\r\n\r\nnull";
        let answer = parse(whole).expect("it is whole");
        assert_eq!((answer.status, &*answer.body), (200, "null"));
        assert_eq!(
            answer.headers("set-cookie").collect::<Vec<_>>(),
            ["a=b; Path=/"]
        );
        assert!((0..whole.len()).all(|end| parse(&whole[..end]).is_none()));
    }
}
