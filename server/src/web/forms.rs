//! Responses of server functions, for the workspace, for scripts and for plain forms.
//!
//! The workspace gets the answer, or a refusal as JSON with its status. A script that sends a form (and accepts
//! `text/plain`) gets the refusal as a sentence. A plain form, sent by a browser without JavaScript, is redirected:
//! on success to where the server function says or else back, on refusal back, with the sentence in a cookie for
//! the next page. If the password has to be confirmed, all of them are led to the page that asks for it.

use app::{error::Refusal, flash, layout::confirm_address, links};
use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    middleware::Next,
    response::Response,
};
use http_body_util::{BodyExt as _, Limited};
use leptos::{prelude::FromServerFnError as _, server_fn::error::SERVER_FN_ERROR_HEADER};

use super::{base_path, request_log::RefusalStatus};

/// The path under which Leptos serves server functions.
pub(super) const SERVER_FUNCTIONS: &str = "/api/";
/// The longest refusal, in bytes; it is a few sentences.
const MAX_REFUSAL: usize = 64 * 1024;

/// Limits and cookie settings of server functions.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormSettings {
    /// The largest body that isn't an upload, in bytes.
    pub(super) max_form: usize,
    /// The largest upload, in bytes.
    pub(super) max_upload: usize,
    /// Whether cookies are sent over https only.
    pub(super) secure_cookies: bool,
}

/// Adapts Leptos's response to a call of a server function to the caller.
pub(super) async fn answer(
    State(forms): State<FormSettings>,
    mut request: Request,
    next: Next,
) -> Response {
    if !request.uri().path().starts_with(SERVER_FUNCTIONS) {
        return next.run(request).await;
    }

    let plain = is_plain_form(request.headers());
    let in_words = starts_with(request.headers(), header::ACCEPT, "text/plain");
    let back = back_to(request.headers());
    // Leptos always answers with data; the redirect of a plain form is decided here.
    request
        .headers_mut()
        .insert(header::ACCEPT, HeaderValue::from_static("application/json"));

    let response = if !is_upload(request.headers()) {
        request = request.map(|body| Body::new(Limited::new(body, forms.max_form)));
        next.run(request).await
    } else if length(request.headers()) > forms.max_upload as u64 {
        drain(request.into_body(), forms.max_upload).await;
        let most = forms.max_upload / (1024 * 1024);
        refusal_response(&Refusal::invalid(format!(
            "This is more than the {most} MB that you can upload at once. Split the file and upload one \
             part after the other, or ask the people who run the server to import it."
        )))
    } else {
        next.run(request).await
    };

    let refused = response.headers().contains_key(SERVER_FN_ERROR_HEADER);
    if !refused {
        return if plain {
            redirect(response, back)
        } else {
            response
        };
    }

    let (parts, body) = response.into_parts();
    let body = to_bytes(body, MAX_REFUSAL).await.unwrap_or_default();
    let refusal = Refusal::de(body.clone());
    let mut response = Response::from_parts(parts, Body::from(body));
    response
        .extensions_mut()
        .insert(RefusalStatus(refusal.status()));

    if refusal == Refusal::ConfirmPassword {
        return ask_for_password(response, &back, plain);
    }

    if plain {
        let waiting = flash::cookie(&refusal, forms.secure_cookies)
            .encoded()
            .to_string();
        if let Ok(waiting) = HeaderValue::from_str(&waiting) {
            response.headers_mut().append(header::SET_COOKIE, waiting);
        }
        response.headers_mut().remove(header::LOCATION);
        redirect(response, back)
    } else {
        *response.status_mut() =
            StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if in_words {
            return replace_with_sentence(response, &refusal);
        }
        response
    }
}

/// A refusal in the form in which Leptos answers.
pub(super) fn refusal_response(refusal: &Refusal) -> Response {
    let mut response = Response::new(Body::from(refusal.ser()));
    response
        .headers_mut()
        .insert(SERVER_FN_ERROR_HEADER, HeaderValue::from_static("upload"));
    response
}

/// The same response with the refusal as a sentence. Cookies are kept.
fn replace_with_sentence(response: Response, refusal: &Refusal) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    parts.headers.insert(header::CONTENT_TYPE, text);
    Response::from_parts(parts, Body::from(refusal.to_string()))
}

/// Reads the rest of a body, up to four times the largest upload: a browser that is answered before it has sent
/// everything may report a lost connection.
async fn drain(body: Body, max_upload: usize) {
    let mut body = Limited::new(body, max_upload.saturating_mul(4));
    while let Some(Ok(_)) = body.frame().await {}
}

fn length(headers: &HeaderMap) -> u64 {
    let content_length = headers.get(header::CONTENT_LENGTH);
    let length = content_length.and_then(|length| length.to_str().ok()?.parse().ok());
    length.unwrap_or_default()
}

/// Leads to the page that asks for the password, and from there back to the page of the form. A script follows the
/// address as it does after a success.
fn ask_for_password(mut response: Response, back: &HeaderValue, plain: bool) -> Response {
    let address = links::to(&confirm_address(&path_within_site(back)));
    let address = HeaderValue::from_str(&address).expect("it is percent-encoded");

    if plain {
        response.headers_mut().remove(header::LOCATION);
        return redirect(response, address);
    }

    let headers = response.headers_mut();
    headers.remove(SERVER_FN_ERROR_HEADER);
    headers.insert(header::LOCATION, address);
    *response.status_mut() = StatusCode::OK;
    response
}

/// The path and query of an address, without the base path; empty if it cannot be read.
fn path_within_site(address: &HeaderValue) -> String {
    let address = address.to_str().ok();
    let Some(uri) = address.and_then(|text| text.parse::<Uri>().ok()) else {
        return String::new();
    };
    let uri = base_path::strip_prefix(&uri, links::base()).unwrap_or(uri);
    uri.path_and_query()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Redirects to the page that the server function named, or else `back`. Cookies are kept.
fn redirect(response: Response, back: HeaderValue) -> Response {
    let (mut parts, _) = response.into_parts();
    for entity in [header::CONTENT_TYPE, header::CONTENT_LENGTH] {
        parts.headers.remove(entity);
    }
    parts.headers.entry(header::LOCATION).or_insert(back);
    parts.status = StatusCode::SEE_OTHER;
    Response::from_parts(parts, Body::empty())
}

/// The page that holds the form, or the start page if the browser does not say.
fn back_to(headers: &HeaderMap) -> HeaderValue {
    headers.get(header::REFERER).cloned().unwrap_or_else(|| {
        HeaderValue::from_str(&links::to("/")).expect("a base path is letters, digits and -_./")
    })
}

/// Whether a browser sent the form without a script and will show the response as a page.
fn is_plain_form(headers: &HeaderMap) -> bool {
    starts_with(headers, header::ACCEPT, "text/html")
}

fn is_upload(headers: &HeaderMap) -> bool {
    starts_with(headers, header::CONTENT_TYPE, "multipart/form-data")
}

fn starts_with(headers: &HeaderMap, name: HeaderName, start: &str) -> bool {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|text| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use axum::{
        body::{Body, to_bytes},
        http::{Request, StatusCode, header},
    };

    use crate::web::testing::TestSite;

    const SENTENCE: &str = "Choose light, dark or system colours.";

    #[tokio::test]
    async fn a_script_gets_a_refusal_in_words_and_the_workspace_as_data() {
        let site = TestSite::new().await;
        let as_data = format!(r#"{{"invalid":"{SENTENCE}"}}"#);
        for (accept, is_words, expect) in [
            ("text/plain", true, SENTENCE),
            ("application/json", false, as_data.as_str()),
        ] {
            let request = Request::post("/api/theme")
                .header(header::ACCEPT, accept)
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(Body::from("theme=purple"))
                .unwrap();

            let (parts, body) = site.send(request).await.into_parts();
            assert_eq!(parts.status, StatusCode::UNPROCESSABLE_ENTITY, "{accept}");
            let body = to_bytes(body, usize::MAX).await.unwrap();
            assert_eq!(String::from_utf8_lossy(&body), expect, "{accept}");

            let content_type = parts.headers.get(header::CONTENT_TYPE);
            let is_text = content_type.is_some_and(|value| value == "text/plain; charset=utf-8");
            assert_eq!(is_text, is_words, "{accept}: {content_type:?}");
        }
    }

    #[tokio::test]
    async fn a_script_follows_the_address_of_what_it_sent() {
        let site = TestSite::new().await;
        let request = Request::post("/api/log-out")
            .header(header::ACCEPT, "text/plain")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::empty())
            .unwrap();
        let answer = site.send(request).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()[header::LOCATION], "/");
    }
}
