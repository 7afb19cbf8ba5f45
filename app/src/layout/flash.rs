//! A refusal that waits for the next page: how a form says no without JavaScript.
//!
//! It travels in a cookie and not in the address, so that no link can put words in our mouth.

use cookie::Cookie;

use crate::{cookies, error::Refusal};

const NAME: &str = "refused";
const SECONDS: i64 = 60;

/// The cookie that carries a refusal to the next page.
pub fn cookie(refusal: &Refusal, secure: bool) -> Cookie<'static> {
    let text = serde_json::to_string(refusal).expect("a refusal is plain data");
    cookies::build(NAME, &text, SECONDS, secure)
}

/// The refusal that waits for this page, if any; it is shown once.
pub fn take() -> Option<Refusal> {
    let text = cookies::read(NAME)?;
    cookies::send(NAME, "", 0);
    serde_json::from_str(&text).ok()
}
