//! A word that waits for the next page: how a form says no without JavaScript, and what went well.
//!
//! It travels in a cookie and not in the address, so that no link can put words in our mouth and
//! no one-time link stays in a history.

use cookie::Cookie;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{cookies, error::Refusal};

const NAME: &str = "flash";
const SECONDS: i64 = 60;

/// The header by which a script says that nobody is shown the page that it asks for.
const IN_BACKGROUND: &str = "x-in-background";

/// What the next page says first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flash {
    /// Something was refused.
    Refused(Refusal),
    /// Something went well.
    Done(String),
    /// A link was made that is shown this once: a sentence about it, and the address.
    Link(String, String),
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

/// Lets the next page begin with this.
pub fn set(flash: &Flash) {
    cookies::send(NAME, &text(flash), SECONDS);
}

/// The word that waits for this page, if any; it is said once. A page that nobody is shown leaves it to
/// the next one.
pub fn take() -> Option<Flash> {
    let request = use_context::<http::request::Parts>()?;
    if request.headers.contains_key(IN_BACKGROUND) {
        return None;
    }
    let text = cookies::read(NAME)?;
    cookies::send(NAME, "", 0);
    serde_json::from_str(&text).ok()
}

fn text(flash: &Flash) -> String {
    serde_json::to_string(flash).expect("a flash is plain data")
}
