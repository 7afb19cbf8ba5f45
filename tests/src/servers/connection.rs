//! Requests on a connection that stays open where the server lets it, as a browser sends them.

use std::{io, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    time::timeout,
};

/// How long an answer may take: a server with more requests than it can handle makes all of them wait.
const PATIENCE: Duration = Duration::from_secs(120);

/// A connection to a server. It is opened for the first request, and again after the server closed it.
#[derive(Debug)]
pub(crate) struct HttpConnection {
    address: SocketAddr,
    stream: Option<BufReader<TcpStream>>,
}

/// A whole answer, its body as it was sent, compressed or not.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ConnectionAnswer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    stays_open: bool,
}

/// The end of the body, as the answer's head states it.
#[derive(Debug, Clone, Copy)]
enum BodyEnd {
    Bytes(usize),
    Chunks,
    Close,
}

impl HttpConnection {
    pub(crate) const fn new(address: SocketAddr) -> Self {
        Self {
            address,
            stream: None,
        }
    }

    /// Sends a request and waits for the answer.
    ///
    /// # Errors
    /// Where no whole answer comes. The next request then opens a new connection.
    pub(crate) async fn exchange(&mut self, request: &str) -> io::Result<ConnectionAnswer> {
        timeout(PATIENCE, self.exchange_patiently(request)).await?
    }

    async fn exchange_patiently(&mut self, request: &str) -> io::Result<ConnectionAnswer> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(TcpStream::connect(self.address).await?),
        };
        stream.write_all(request.as_bytes()).await?;
        let answer = read_answer(&mut stream).await?;
        if answer.stays_open {
            self.stream = Some(stream);
        }
        Ok(answer)
    }
}

async fn read_answer(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<ConnectionAnswer> {
    let status_line = read_line(stream).await?;
    let status = status_line
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok());
    let status = status.ok_or_else(|| io::Error::other(format!("no status: {status_line}")))?;

    let mut stays_open = status_line.starts_with("HTTP/1.1");
    let mut end = if status == 204 {
        BodyEnd::Bytes(0)
    } else {
        BodyEnd::Close
    };

    loop {
        let line = read_line(stream).await?.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        match (name, value.trim()) {
            ("content-length", length) => {
                end = BodyEnd::Bytes(length.parse().map_err(io::Error::other)?);
            }
            ("transfer-encoding", "chunked") => end = BodyEnd::Chunks,
            ("connection", "close") => stays_open = false,
            _ => {}
        }
    }

    stays_open &= !matches!(end, BodyEnd::Close);
    Ok(ConnectionAnswer {
        status,
        body: read_body(stream, end).await?,
        stays_open,
    })
}

async fn read_body(stream: &mut (impl AsyncBufRead + Unpin), end: BodyEnd) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    match end {
        BodyEnd::Bytes(length) => {
            body.resize(length, 0);
            stream.read_exact(&mut body).await?;
        }
        BodyEnd::Chunks => loop {
            let line = read_line(stream).await?;
            let length = usize::from_str_radix(&line, 16).map_err(io::Error::other)?;
            let begin = body.len();
            body.resize(begin + length, 0);
            stream.read_exact(&mut body[begin..]).await?;
            // The line's end after the chunk; after the last one, that of the empty trailer.
            read_line(stream).await?;
            if length == 0 {
                break;
            }
        },
        BodyEnd::Close => {
            stream.read_to_end(&mut body).await?;
        }
    }
    Ok(body)
}

/// A line without its end.
async fn read_line(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    if !line.ends_with('\n') {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    line.truncate(line.trim_end().len());
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &str) -> io::Result<(u16, String, bool)> {
        let answer = read_answer(&mut text.as_bytes()).await?;
        let body = String::from_utf8(answer.body).expect("the test's bodies are texts");
        Ok((answer.status, body, answer.stays_open))
    }

    #[tokio::test]
    async fn a_body_ends_where_the_head_says() {
        for (text, status, body, stays_open) in [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1",
                200,
                "ok",
                true,
            ),
            (
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
                200,
                "ok",
                false,
            ),
            (
                "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
                200,
                "ok",
                false,
            ),
            (
                "HTTP/1.1 500 Internal Server Error\r\n\r\nall of it",
                500,
                "all of it",
                false,
            ),
            ("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\neleven text\r\n2\r\ns.\r\n0\r\n\r\n",
                200,
                "eleven texts.",
                true,
            ),
        ] {
            let answer = read(text).await.unwrap();
            assert_eq!(answer, (status, body.to_owned(), stays_open), "{text}");
        }
    }

    #[tokio::test]
    async fn an_answer_that_was_cut_off_is_none() {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull";
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).await.is_err(), "{}", &whole[..end]);
        }
    }
}
