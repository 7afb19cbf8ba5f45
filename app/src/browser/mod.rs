//! The browser, as the workspace needs it. No other part of the interface reads the page's address, the
//! browser's clock or its random source.

mod elements;
mod storage;

use domain::ids::AnnotationId;
use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::{document, window};

pub use elements::{
    attribute_at, blur_focused, focus, focus_at_start, focus_soon, fold, has_dialog, is_on_grip,
    is_shown, is_typing, is_within, number_at_target, offset_row, page_attribute, rect_of,
    row_position, select_text, selects_text, set_length, set_number, show_soon, shows_focus, soon,
    sticky_height, takes_row, type_into, window_size,
};
pub use storage::{session_item, set_session_item};

/// The path under which the site lives, from the page (`<html data-base>`).
pub fn base_path() -> String {
    document()
        .document_element()
        .and_then(|html| html.get_attribute("data-base"))
        .unwrap_or_default()
}

/// Goes to `address`. If that is the current page, it reloads the page exactly once: a second load would lose
/// the page's flash message.
pub fn go_to(address: &str) {
    let location = window().location();
    let current_address =
        location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();

    // These fail only if the browser refuses to leave the page, and then the page stays.
    let _ = match address.split_once('#') {
        // Navigating to the same address would only scroll.
        Some((page, place)) if page == current_address => {
            location.set_hash(place).and_then(|()| location.reload())
        }
        _ => location.set_href(address),
    };
}

/// Reloads the page.
pub fn reload() {
    let _ = window().location().reload();
}

/// A new id for an answer. It sorts by time, which keeps the database's index compact.
#[expect(
    clippy::disallowed_methods,
    reason = "answers are named by the browser that makes them"
)]
pub fn new_id() -> AnnotationId {
    AnnotationId(uuid::Uuid::now_v7())
}

/// A number as text. The browser writes numbers with a fraction, because the bundle would otherwise need
/// Rust's tables for that. Tests have no browser.
pub fn number_text(number: f64) -> String {
    #[cfg(target_family = "wasm")]
    return js_sys::Number::from(number)
        .to_string_with_radix(10)
        .map(String::from)
        .unwrap_or_default();
    #[cfg(not(target_family = "wasm"))]
    number.to_string()
}

/// Milliseconds since the page was loaded, by a monotonic clock.
pub fn now_ms() -> u64 {
    // Positive, and small enough for centuries.
    window().performance().map_or(0, |clock| clock.now() as u64)
}

pub async fn sleep(ms: u32) {
    TimeoutFuture::new(ms).await;
}

/// The result of `work`, or `None` if it takes longer than `ms`.
pub async fn with_timeout<T>(ms: u32, work: impl Future<Output = T>) -> Option<T> {
    match select(std::pin::pin!(work), TimeoutFuture::new(ms)).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}

/// The page's path within the site, percent-encoded for a query.
pub fn path_here() -> String {
    let path = window().location().pathname().unwrap_or_default();
    let within = path.strip_prefix(crate::links::base()).unwrap_or(&path);
    js_sys::encode_uri_component(within).into()
}
