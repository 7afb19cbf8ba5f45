use http::{HeaderValue, StatusCode, header};
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{NotFound, Page};
use crate::{error::Refusal, links};

/// The page shown in place of a refused one. People who are not signed in are redirected to sign in and back;
/// others see the reason.
pub fn refusal_page(refusal: &Refusal) -> AnyView {
    let response = expect_context::<ResponseOptions>();
    let status = StatusCode::from_u16(refusal.status());
    response.set_status(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));

    match refusal {
        Refusal::NotSignedIn => {
            redirect_to(&sign_in_address(&requested_path()));
            ().into_any()
        }
        Refusal::NotFound => view! { <NotFound/> }.into_any(),
        refusal => {
            let sentence = refusal.to_string();
            let title = if *refusal == Refusal::NotAllowed {
                "Not allowed"
            } else {
                "Something went wrong"
            };
            view! {
                <Page title>
                    <h1>{title}</h1>
                    <p class="lead">{sentence}</p>
                    <p><a href=links::to(links::HOME)>"Go to the start page"</a></p>
                </Page>
            }
            .into_any()
        }
    }
}

/// Redirects the browser from the requested page to another one of the site.
pub fn redirect_to(path: &str) {
    let response = expect_context::<ResponseOptions>();
    if let Ok(address) = HeaderValue::from_str(&links::to(path)) {
        response.insert_header(header::LOCATION, address);
        response.set_status(StatusCode::SEE_OTHER);
    }
}

/// The page for an expired link, with the reason.
pub fn expired_link_page(sentence: &str) -> AnyView {
    expect_context::<ResponseOptions>().set_status(StatusCode::GONE);
    let sentence = sentence.to_owned();
    view! {
        <Page title="This link does not work">
            <h1>"This link does not work"</h1>
            <p class="lead">{sentence}</p>
            <p><a href=links::to(links::HOME)>"Go to the start page"</a></p>
        </Page>
    }
    .into_any()
}

/// The address for signing in and then continuing to `path` of the site.
pub fn sign_in_address(path: &str) -> String {
    address_before(links::LOGIN, path)
}

/// The address for typing the password again and then going back to `path` of the site.
pub fn confirm_address(path: &str) -> String {
    address_before(links::CONFIRM, path)
}

/// The address of a page from which people then continue to `path`.
fn address_before(page: &str, path: &str) -> String {
    let next = utf8_percent_encode(path, NON_ALPHANUMERIC);
    format!("{page}?next={next}")
}

/// The path and query of the requested page.
fn requested_path() -> String {
    use_context::<http::request::Parts>()
        .and_then(|parts| parts.uri.path_and_query().map(ToString::to_string))
        .unwrap_or_default()
}
