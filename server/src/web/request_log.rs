//! The name under which a request is logged.

use axum::extract::Request;
use tracing::Span;

/// Pages whose address ends in a secret that opens them.
const SECRET_PAGES: [&str; 4] = ["/invite/", "/resume/", "/take/", "/welcome/"];

/// The span of a request: its method, and its path without secrets. Queries are left out, since they hold
/// such paths as well.
pub(super) fn request_span(request: &Request) -> Span {
    let path = path_to_log(request.uri().path());
    tracing::debug_span!("request", method = %request.method(), path)
}

fn path_to_log(path: &str) -> &str {
    let ends = SECRET_PAGES
        .iter()
        .filter_map(|page| path.find(page).map(|at| at + page.len()));
    ends.min().map_or(path, |end| &path[..end])
}

#[cfg(test)]
mod tests {
    use super::path_to_log;

    #[test]
    fn secrets_are_not_logged() {
        for (path, expect) in [
            ("/s/river/quality", "/s/river/quality"),
            ("/invite/abc-def", "/invite/"),
            ("/resume/0123abcd", "/resume/"),
            ("/rate/take/abc", "/rate/take/"),
            ("/welcome/abc/take/def", "/welcome/"),
        ] {
            assert_eq!(path_to_log(path), expect);
        }
    }
}
