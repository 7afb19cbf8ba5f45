//! Elements of the page: where they lie, what has the focus, where something happened.

use domain::work::drag::RowExtent;
use leptos::{
    prelude::{document, window},
    task::{spawn_local, tick},
    wasm_bindgen::{JsCast, JsValue},
};
use web_sys::{
    DomRect, Element, Event, EventInit, HtmlElement, HtmlInputElement, PointerEvent,
    ScrollIntoViewOptions, ScrollLogicalPosition,
};

/// More steps than any change takes to reach the page.
const STEPS: u8 = 8;

/// Where an element lies in the window.
pub fn rect_of(id: &str) -> Option<DomRect> {
    Some(document().get_element_by_id(id)?.get_bounding_client_rect())
}

/// Width and height of the window, in pixels.
pub fn window_size() -> (f64, f64) {
    let number = |value: Result<JsValue, JsValue>| value.ok().and_then(|it| it.as_f64());
    let window = window();
    (
        number(window.inner_width()).unwrap_or_default(),
        number(window.inner_height()).unwrap_or_default(),
    )
}

/// Sets a custom property of an element. Style attributes in HTML are forbidden by the page's
/// policy; this is not.
pub fn set_style(element: &HtmlElement, property: &str, value: &str) {
    // Fails only for a name or value that is none.
    let _ = element.style().set_property(property, value);
}

/// Focuses an element and brings it into sight, once what changes now is in the page, and before
/// the next key comes: what is typed at once goes there.
pub fn focus_soon(id: String) {
    spawn_local(async move {
        // Changes reach the page in steps, each of which the browser does before it looks for input.
        for _ in 0..STEPS {
            tick().await;
        }
        focus(&id);
    });
}

/// Focuses an element at once and brings it into sight.
pub fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
        show(&element);
    }
}

/// Leaves what has the focus, so that what was typed there is taken.
pub fn blur_focused() {
    let focused = document().active_element();
    if let Some(element) = focused.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        let _ = element.blur();
    }
}

/// Brings an element into sight, moving the page as little as possible.
pub fn show(element: &HtmlElement) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Whether what happened did so in a place where people type.
pub fn is_typing(event: &Event) -> bool {
    let Some(target) = event
        .target()
        .and_then(|it| it.dyn_into::<HtmlElement>().ok())
    else {
        return false;
    };
    let name = target.tag_name();
    let types = target.get_attribute("type").is_none_or(|it| it != "range");
    target.is_content_editable()
        || name == "TEXTAREA"
        || name == "SELECT"
        || (name == "INPUT" && types)
}

/// Whether a dialog lies over the page.
pub fn has_dialog() -> bool {
    document()
        .query_selector("dialog[open]")
        .is_ok_and(|it| it.is_some())
}

/// Types into a field, as a person would who starts afresh in it.
pub fn type_into(id: &str, text: &str) {
    let Some(input) = element(id).and_then(|it| it.dyn_into::<HtmlInputElement>().ok()) else {
        return;
    };
    let _ = input.focus();
    input.set_value(text);
    let options = EventInit::new();
    options.set_bubbles(true);
    if let Ok(event) = Event::new_with_event_init_dict("input", &options) {
        let _ = input.dispatch_event(&event);
    }
}

/// Where a row lies on the page.
pub fn row_position(id: &str) -> Option<RowExtent> {
    let rect = rect_of(id)?;
    let scrolled = window().scroll_y().unwrap_or_default();
    Some(RowExtent {
        top: rect.top() + scrolled,
        height: rect.height(),
    })
}

/// How much of the window's top is covered by what stays in sight.
pub fn sticky_height() -> f64 {
    let source = document().query_selector(".source").ok().flatten();
    source.map_or(0.0, |it| it.get_bounding_client_rect().bottom().max(0.0))
}

/// Whether a press was on a grip: a finger on anything else scrolls.
pub fn is_on_grip(event: &PointerEvent) -> bool {
    let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
    target.is_some_and(|it| it.closest(".grip").is_ok_and(|it| it.is_some()))
}

/// The attribute `name` of the element at a place of the window, or of one around it.
pub fn attribute_at((x, y): (f64, f64), name: &str) -> Option<String> {
    // Pixels of a window fit.
    let under = document().elements_from_point(x as f32, y as f32);
    let holder = |it: JsValue| {
        let element = it.dyn_into::<Element>().ok()?;
        element
            .closest(&format!("[{name}]"))
            .ok()??
            .get_attribute(name)
    };
    under.iter().find_map(holder)
}

/// The number that the element where something happened, or one around it, has as an attribute.
pub fn number_at_target(event: &Event, name: &str) -> Option<usize> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let holder = target.closest(&format!("[{name}]")).ok()??;
    holder.get_attribute(name)?.parse().ok()
}
