//! Elements of the page: position, focus and event targets.

use domain::work::drag::RowExtent;
use leptos::{
    prelude::{document, request_animation_frame, window},
    task::{spawn_local, tick},
    wasm_bindgen::{JsCast, JsValue},
};
use web_sys::{
    DomRect, Element, Event, EventInit, HtmlElement, HtmlInputElement, MouseEvent, PointerEvent,
    ScrollIntoViewOptions, ScrollLogicalPosition,
};

use super::number_text;

/// More microtask steps than any change takes to reach the page.
const STEPS: u8 = 8;

/// Frames after which elements that came near the window have their real heights.
const FRAMES: u8 = 4;

/// The position of an element in the window.
pub fn rect_of(id: &str) -> Option<DomRect> {
    Some(document().get_element_by_id(id)?.get_bounding_client_rect())
}

/// Width and height of the window, in pixels.
pub fn window_size() -> (f64, f64) {
    let number = |value: Result<JsValue, JsValue>| value.ok().and_then(|number| number.as_f64());
    let window = window();
    (
        number(window.inner_width()).unwrap_or_default(),
        number(window.inner_height()).unwrap_or_default(),
    )
}

/// Sets a custom property of an element. The page's policy forbids style attributes in HTML, but not this.
fn set_style(element: &HtmlElement, property: &str, value: &str) {
    // Fails only for an invalid name or value.
    let _ = element.style().set_property(property, value);
}

/// Sets a custom property of an element to a number.
pub fn set_number(element: &HtmlElement, property: &str, number: f64) {
    set_style(element, property, &number_text(number));
}

/// Sets a custom property of an element to a length in pixels.
pub fn set_length(element: &HtmlElement, property: &str, pixels: f64) {
    set_style(element, property, &(number_text(pixels) + "px"));
}

/// Focuses an element and scrolls it into view, after pending changes have reached the page and before the
/// next key press, so that text typed right away goes there.
pub fn focus_soon(id: String) {
    soon(move || focus(&id));
}

/// Runs a function after pending changes have reached the page and before the next key press.
pub fn soon(act: impl FnOnce() + 'static) {
    spawn_local(async move {
        page_changes().await;
        act();
    });
}

/// Scrolls an element into view after pending changes have reached the page.
pub fn show_soon(id: String) {
    spawn_local(async move {
        page_changes().await;
        if let Some(element) = element(&id) {
            show(&element);
        }
    });
}

/// Focuses an element of a page that was just loaded, unless something else has the focus. Scrolls the
/// element into view if `is_shown`; otherwise the page does not scroll.
pub fn focus_at_start(id: String, is_shown: bool) {
    spawn_local(async move {
        page_changes().await;

        let focused = document().active_element();
        if focused.is_none_or(|focused| focused.tag_name() == "BODY")
            && let Some(element) = element(&id)
        {
            let scrolled = window().scroll_y().unwrap_or_default();
            let _ = element.focus();
            match is_shown {
                true => show(&element),
                false => window().scroll_to_with_x_and_y(0.0, scrolled),
            }
        }
    });
}

/// The value of an attribute of the only element that has it.
pub fn page_attribute(name: &str) -> Option<String> {
    let element = document().query_selector(&["[", name, "]"].concat());
    element.ok()??.get_attribute(name)
}

/// Waits until pending changes have reached the page.
async fn page_changes() {
    // Changes reach the page in microtasks, which the browser runs before it handles input.
    for _ in 0..STEPS {
        tick().await;
    }
}

/// Focuses an element at once and scrolls it into view.
pub fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
        show(&element);
    }
}

/// Whether an element is on the page and not hidden.
pub fn is_shown(id: &str) -> bool {
    element(id).is_some_and(|element| element.offset_parent().is_some())
}

/// Focuses a text field and selects its text, so that typing replaces it.
pub fn select_text(id: &str) {
    focus(id);
    if let Some(input) = input(id) {
        input.select();
    }
}

/// Whether the event's target shows its focus, as it does after a key but not after a click.
pub fn shows_focus(event: &Event) -> bool {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|element| element.matches(":focus-visible").unwrap_or_default())
}

/// Removes the focus, so that a field commits its text. Returns the element that had it.
pub fn blur_focused() -> Option<HtmlElement> {
    let focused = document().active_element()?;
    let element = focused.dyn_into::<HtmlElement>().ok()?;
    let _ = element.blur();
    Some(element)
}

/// Scrolls an element into view, moving the page as little as possible.
// Not inlined: a copy in each caller would make the later steps larger.
#[inline(never)]
pub fn show(element: &HtmlElement) {
    show_for_frames(element.clone(), FRAMES);
}

/// Keeps an element in view for some frames: those near it that were out of sight have estimated heights until the
/// browser draws them.
fn show_for_frames(element: HtmlElement, frames: u8) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);

    if frames > 1 {
        request_animation_frame(move || show_for_frames(element, frames - 1));
    }
}

fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

fn input(id: &str) -> Option<HtmlInputElement> {
    element(id)?.dyn_into().ok()
}

/// Whether the event's target is a text field.
pub fn is_typing(event: &Event) -> bool {
    let Some(target) = event
        .target()
        .and_then(|target| target.dyn_into::<HtmlElement>().ok())
    else {
        return false;
    };

    let name = target.tag_name();
    let types = target
        .get_attribute("type")
        .is_none_or(|input_type| input_type != "range" && input_type != "radio");

    target.is_content_editable()
        || name == "TEXTAREA"
        || name == "SELECT"
        || (name == "INPUT" && types)
}

/// Whether a dialog is open.
pub fn has_dialog() -> bool {
    document()
        .query_selector("dialog[open]")
        .is_ok_and(|dialog| dialog.is_some())
}

/// Replaces the text of a field, as if typed.
pub fn type_into(id: &str, text: &str) {
    let Some(input) = input(id) else {
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

/// Folds all rows to one line, around this one, which keeps its place in the window; or unfolds them.
pub fn fold(row: &str, folded: bool) {
    let Some(row) = element(row) else { return };
    let main = row.closest("main").ok().flatten();
    let Some(main) = main.and_then(|main| main.dyn_into::<HtmlElement>().ok()) else {
        return;
    };

    let middle = || {
        let rect = row.get_bounding_client_rect();
        rect.top() + rect.height() / 2.0
    };

    let (before, height) = (middle(), main.offset_height());
    set_style(&main, "--fold-by", "0px");
    let _ = main.class_list().toggle_with_force("folded", folded);

    if folded {
        // The page keeps its height, so that it need not scroll.
        set_length(&main, "--fold-height", height.into());
        set_length(&main, "--fold-by", before - middle());
    }
}

/// Offsets a row from its place, in pixels downwards.
pub fn offset_row(row: &str, by: f64) {
    if let Some(row) = element(row) {
        set_length(&row, "--offset", by);
    }
}

/// The place of a row on the page.
pub fn row_position(id: &str) -> Option<RowExtent> {
    let rect = rect_of(id)?;
    let scrolled = window().scroll_y().unwrap_or_default();
    Some(RowExtent {
        top: rect.top() + scrolled,
        height: rect.height(),
    })
}

/// The height of the sticky header that covers the window's top.
pub fn sticky_height() -> f64 {
    let source = document().query_selector(".source").ok().flatten();
    source.map_or(0.0, |element| {
        element.get_bounding_client_rect().bottom().max(0.0)
    })
}

/// Whether the pointer is on a grip: a finger on anything else scrolls.
pub fn is_on_grip(event: &PointerEvent) -> bool {
    is_within(event, ".grip")
}

/// Whether a press grabs its row: on its handle, or with a mouse anywhere except on its other controls. With
/// Shift or Alt it selects text instead.
pub fn takes_row(event: &PointerEvent) -> bool {
    is_within(event, ".handle")
        || (event.pointer_type() == "mouse"
            && !selects_text(event)
            && !is_within(event, "button, input, textarea, label, a, .merged .out"))
}

/// Whether a press with the mouse selects text: with Shift or Alt held, or on a repeated click.
pub fn selects_text(event: &MouseEvent) -> bool {
    event.shift_key() || event.alt_key() || event.detail() > 1
}

/// Whether the event's target, or an ancestor of it, matches a selector.
pub fn is_within(event: &Event, selector: &str) -> bool {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|element| element.closest(selector).is_ok_and(|found| found.is_some()))
}

/// The attribute `name` of the element at a point of the window, or of its closest ancestor that has it.
pub fn attribute_at((x, y): (f64, f64), name: &str) -> Option<String> {
    // Window coordinates fit into the smaller type.
    let under = document().elements_from_point(x as f32, y as f32);
    let holder = |node: JsValue| {
        let element = node.dyn_into::<Element>().ok()?;
        element
            .closest(&format!("[{name}]"))
            .ok()??
            .get_attribute(name)
    };
    under.iter().find_map(holder)
}

/// The number in an attribute of the event's target or its closest ancestor that has it.
pub fn number_at_target(event: &Event, name: &str) -> Option<usize> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let holder = target.closest(&format!("[{name}]")).ok()??;
    holder.get_attribute(name)?.parse().ok()
}
