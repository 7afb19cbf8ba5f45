//! The browser, as islands need it: the only place in the interface that reads the page's own
//! address, the clock or a random source there, or talks to the server other than through a
//! server function.

use gloo_net::http::{Request, Response};
use leptos::prelude::{FromServerFnError, document, window};
use web_sys::{FormData, UrlSearchParams};

use crate::error::Refusal;

/// What the server says after a form was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Go on at this address.
    GoTo(String),
    /// Stay; what the page shows may have changed.
    Done,
}

/// Sends a form's fields to a server function, as files or as text.
///
/// # Errors
/// The refusal that the server answered, or [`Refusal::Unreachable`].
pub async fn post_form(
    address: &str,
    fields: FormData,
    multipart: bool,
) -> Result<Answer, Refusal> {
    let request = Request::post(address).header("accept", "application/json");
    let request = if multipart {
        request.body(fields)
    } else {
        let text = UrlSearchParams::new_with_str_sequence_sequence(&fields)
            .map_err(|_| Refusal::invalid("This form cannot be sent as text."))?;
        request.body(text)
    };
    let response = match request {
        Ok(request) => request.send().await.map_err(|_| Refusal::Unreachable)?,
        Err(_) => return Err(Refusal::Unreachable),
    };
    if !response.ok() {
        return Err(refusal_in(response).await);
    }
    Ok(response
        .headers()
        .get("location")
        .map_or(Answer::Done, Answer::GoTo))
}

async fn refusal_in(response: Response) -> Refusal {
    match response.binary().await {
        Ok(body) => Refusal::de(body.into()),
        Err(_) => Refusal::Unreachable,
    }
}

/// The path under which the site lives, from the page (`<html data-base>`).
pub fn base_path() -> String {
    document()
        .document_element()
        .and_then(|html| html.get_attribute("data-base"))
        .unwrap_or_default()
}

/// Goes to `address`; where that is the page itself, the page is loaded anew.
pub fn go_to(address: &str) {
    let location = window().location();
    let here = location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();
    // Both fail only where the browser forbids leaving the page, and then the page stays.
    let _ = match address.split('#').next() {
        Some(page) if page == here => location.set_href(address).and_then(|()| location.reload()),
        _ => location.set_href(address),
    };
}

/// Loads the page anew.
pub fn reload() {
    let _ = window().location().reload();
}
