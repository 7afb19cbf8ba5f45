//! Flash messages for the next page: a form's refusal without JavaScript, or its success.
//!
//! A message travels in a cookie and not in the address, so that no link can make the site display other
//! people's words, and no one-time link stays in a browser's history.

use cookie::Cookie;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{cookies, error::Refusal};

const NAME: &str = "flash";
const SECONDS: i64 = 60;

/// The header with which a script says that it fetches a page without displaying it.
pub const IN_BACKGROUND: &str = "x-in-background";

/// A message at the top of the next page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flash {
    Refused(Refusal),
    Done(String),
    /// The password has been typed; the form that asked for it has to be sent again.
    SendAgain,
    /// A new link that is shown only once: a sentence about it, and the address.
    Link(String, String),
    /// As [`Flash::Link`], for crowd raters: recruitment platforms add their IDs to the address.
    CrowdLink(String, String),
    /// A new secret that is shown only once: a sentence about it, and the secret.
    Secret(String, String),
}

/// The cookie that carries a refusal to the next page.
pub fn cookie(refusal: &Refusal, secure: bool) -> Cookie<'static> {
    cookies::build(
        NAME,
        &text(&Flash::Refused(refusal.clone())),
        SECONDS,
        secure,
    )
}

/// Shows a message at the top of the next page.
pub fn set(flash: &Flash) {
    cookies::send(NAME, &text(flash), SECONDS);
}

/// The message for this page, if any; it is shown once. A page that is fetched but not displayed leaves it
/// for the next one.
pub fn take() -> Option<Flash> {
    if is_in_background() {
        return None;
    }
    let text = cookies::read(NAME)?;
    cookies::send(NAME, "", 0);
    serde_json::from_str(&text).ok()
}

/// Whether a script fetches the page to look for news without displaying it.
pub fn is_in_background() -> bool {
    use_context::<http::request::Parts>()
        .is_none_or(|request| request.headers.contains_key(IN_BACKGROUND))
}

fn text(flash: &Flash) -> String {
    serde_json::to_string(flash).expect("a flash is plain data")
}
