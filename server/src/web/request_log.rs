//! The name under which a request is logged, and the log of refused requests.

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, StatusCode},
    middleware::Next,
    response::Response,
};
use domain::ids::PersonId;
use tracing::Span;

use super::{api, forms};
use crate::clock;

/// Pages whose address ends in a secret that opens them.
const SECRET_PAGES: [&str; 4] = ["/invite/", "/resume/", "/take/", "/welcome/"];

/// The response header with the request's id, which people quote in reports.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request, for its span and its response.
#[derive(Debug, Clone)]
struct RequestId(String);

/// The person who made the request, as an extension of the response.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestPerson(pub(super) PersonId);

/// The status of a refusal. The response itself may have another: a plain form is redirected.
#[derive(Debug, Clone, Copy)]
pub(super) struct RefusalStatus(pub(super) u16);

/// Gives a request an id, and its response as well.
pub(super) async fn name_request(mut request: Request, next: Next) -> Response {
    let id = clock::new_id().simple().to_string();
    let value = HeaderValue::from_str(&id).expect("an id is plain");
    request.extensions_mut().insert(RequestId(id));
    let mut response = next.run(request).await;
    response.headers_mut().insert(REQUEST_ID, value);
    response
}

/// The span of a request: its id, its method, and its path without secrets. Queries are left out because they hold
/// such paths as well.
pub(super) fn request_span(request: &Request) -> Span {
    let path = path_to_log(request.uri().path());
    let id = request.extensions().get::<RequestId>();
    let id = id.map_or("", |id| id.0.as_str());
    tracing::info_span!("request", id, method = %request.method(), path)
}

/// Logs refused requests: those that are forbidden, those of signed-in people for something that they cannot reach, and
/// those of programs whose tokens do not work.
pub(super) async fn log_refusals(request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let id = request.extensions().get::<RequestId>().cloned();
    let is_api = path.starts_with(api::PATH);
    let is_guarded = is_api || path.starts_with("/s/") || path.starts_with(forms::SERVER_FUNCTIONS);

    let response = next.run(request).await;
    let extensions = response.extensions();
    let person = extensions.get::<RequestPerson>().map(|person| person.0);
    let hidden = extensions.get::<RefusalStatus>();
    let status = hidden.map_or_else(|| response.status().as_u16(), |status| status.0);

    let is_refused = match StatusCode::from_u16(status) {
        Ok(StatusCode::FORBIDDEN) => true,
        // A page without a session leads to the sign-in page, and the workspace asks again when a session ends.
        Ok(StatusCode::UNAUTHORIZED) => is_api,
        // Without a role, a study looks as if it did not exist.
        Ok(StatusCode::NOT_FOUND) => person.is_some() && is_guarded,
        _ => false,
    };

    if is_refused {
        let person = person.map(|person| person.to_string());
        let (path, id) = (path_to_log(&path), id.map(|id| id.0));
        // The span has path and id as well, but only if its level is logged.
        tracing::warn!(status, person, path, id, "a request was refused");
    }
    response
}

fn path_to_log(path: &str) -> &str {
    let ends = SECRET_PAGES
        .iter()
        .filter_map(|page| path.find(page).map(|at| at + page.len()));
    ends.min().map_or(path, |end| &path[..end])
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use axum::{
        body::Body,
        http::{Request, header},
    };
    use domain::study::Role;
    use tracing_subscriber::fmt;

    use super::{REQUEST_ID, path_to_log};
    use crate::web::testing::TestSite;

    /// A log in memory.
    #[derive(Clone, Default)]
    struct TestLog(Arc<Mutex<Vec<u8>>>);

    impl io::Write for TestLog {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl TestLog {
        /// The lines about refusals since the last call.
        fn take_refusals(&self) -> Vec<String> {
            let bytes = std::mem::take(&mut *self.0.lock().unwrap());
            let text = String::from_utf8(bytes).unwrap();
            let refusals = text
                .lines()
                .filter(|line| line.contains("a request was refused"));
            refusals.map(str::to_owned).collect()
        }
    }

    #[tokio::test]
    async fn refusals_leave_a_line_with_person_route_and_id() {
        let log = TestLog::default();
        let writer = log.clone();
        let lines = fmt().with_ansi(false).with_writer(move || writer.clone());
        let _log = tracing::subscriber::set_default(lines.finish());

        let site = TestSite::new().await;
        let study = site.study("river").await;
        let annotator = site.member(study, "ann", Role::Annotator).await;
        let cookie = site.sign_in(annotator).await;
        let person = format!("person=\"{annotator}\"");

        for (path, status) in [
            ("/s/river/import", 403),
            ("/s/lake", 404),
            ("/s/river/export/tidy.zip", 403),
        ] {
            let request = Request::get(path).header(header::COOKIE, &cookie);
            let answer = site.send(request.body(Body::empty()).unwrap()).await;
            assert_eq!(answer.status(), status, "{path}");
            let id = answer.headers()[REQUEST_ID].to_str().unwrap().to_owned();

            let lines = log.take_refusals();
            assert_eq!(lines.len(), 1, "{path}: {lines:?}");
            for part in [
                &*person,
                &format!("status={status}"),
                &format!("path=\"{path}\""),
                &id,
            ] {
                assert!(lines[0].contains(part), "{part}: {}", lines[0]);
            }
        }

        // A plain form is redirected to its page; the log has the refusal's status.
        let plain = Request::post("/api/close-study")
            .header(header::COOKIE, &cookie)
            .header(header::ACCEPT, "text/html")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        let answer = site
            .send(plain.body(Body::from("slug=river")).unwrap())
            .await;
        assert_eq!(answer.status(), 303);

        let lines = log.take_refusals();
        assert!(
            lines.len() == 1 && lines[0].contains("status=403"),
            "{lines:?}"
        );

        let wrong =
            Request::get("/api/v1/studies").header(header::AUTHORIZATION, "Bearer rankrate_none");
        site.send(wrong.body(Body::empty()).unwrap()).await;
        let lines = log.take_refusals();
        assert!(
            lines.len() == 1 && lines[0].contains("status=401"),
            "{lines:?}"
        );
        assert!(!lines[0].contains("rankrate_none"));

        // Permitted requests, and requests without a session for what is hidden or missing, leave no line.
        for (cookie, path) in [(Some(&*cookie), "/"), (None, "/s/river"), (None, "/none")] {
            site.open(cookie, path).await;
        }
        assert_eq!(log.take_refusals(), Vec::<String>::new());
    }

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
