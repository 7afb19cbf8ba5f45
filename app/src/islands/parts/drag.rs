//! Dragging with any pointer: mouse, pen or finger.

use std::{cell::RefCell, rc::Rc};

use domain::work::drag::scroll_distance;
use leptos::{
    ev::{self, KeyboardEvent, PointerEvent},
    leptos_dom::helpers::WindowListenerHandle,
    prelude::*,
    wasm_bindgen::JsCast,
};
use web_sys::Element;

use crate::browser;

/// Events of a dragged element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DragEvent {
    /// The element is picked up: from now on it follows the pointer.
    Lift,
    /// The pointer has moved.
    Move {
        /// The pointer's position in the window.
        at: (f64, f64),
        /// The distance moved over the page, scrolling included.
        by: (f64, f64),
    },
    /// The element is dropped.
    Drop,
    /// The drag is cancelled: the element returns to its place.
    Cancel,
}

/// The distance that the pointer moves before a press becomes a drag, in pixels.
const TREMBLE: f64 = 5.0;

struct DragState {
    on_drag: Box<dyn Fn(DragEvent)>,
    start: (f64, f64),
    at: (f64, f64),
    lifted: bool,
    ended: bool,
    listening: Vec<WindowListenerHandle>,
}

type SharedDragState = Rc<RefCell<DragState>>;

/// Follows the pointer from a press on. The window scrolls at its edges, and Escape cancels.
pub fn follow(press: &PointerEvent, tell: impl Fn(DragEvent) + 'static) {
    if press.button() != 0 {
        return;
    }

    let at = position(press);
    let state = Rc::new(RefCell::new(DragState {
        on_drag: Box::new(tell),
        start: on_page(at),
        at,
        lifted: false,
        ended: false,
        listening: vec![],
    }));

    let pointer = press.pointer_id();
    let mine = move |event: &PointerEvent| event.pointer_id() == pointer;
    let element = press
        .current_target()
        .and_then(|target| target.dyn_into::<Element>().ok());

    let (moved, dropped, cancelled, escaped) =
        (state.clone(), state.clone(), state.clone(), state.clone());
    state.borrow_mut().listening = vec![
        window_event_listener(ev::pointermove, move |event| {
            if mine(&event) {
                if follow_to(&moved, position(&event))
                    && let Some(element) = &element
                {
                    // Fails only if the pointer no longer exists, and then its end is reported as well.
                    let _ = element.set_pointer_capture(pointer);
                }
                event.prevent_default();
            }
        }),
        window_event_listener(ev::pointerup, move |event| {
            if mine(&event) {
                end(&dropped, DragEvent::Drop);
            }
        }),
        window_event_listener(ev::pointercancel, move |event| {
            if mine(&event) {
                end(&cancelled, DragEvent::Cancel);
            }
        }),
        window_event_listener(ev::keydown, move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                end(&escaped, DragEvent::Cancel);
            }
        }),
    ];
}

/// Records a movement of the pointer. Returns whether it started the drag.
fn follow_to(held: &SharedDragState, at: (f64, f64)) -> bool {
    let mut state = held.borrow_mut();
    state.at = at;
    let by = distance(&state);

    let lifts = !state.lifted && by.0.hypot(by.1) >= TREMBLE;
    if lifts {
        state.lifted = true;
        drop(state);
        (held.borrow().on_drag)(DragEvent::Lift);
        scroll_along(held.clone());
    } else {
        drop(state);
    }

    notify_move(held);
    lifts
}

fn notify_move(held: &SharedDragState) {
    let state = held.borrow();
    if state.lifted && !state.ended {
        (state.on_drag)(DragEvent::Move {
            at: state.at,
            by: distance(&state),
        });
    }
}

fn end(held: &SharedDragState, how: DragEvent) {
    let mut state = held.borrow_mut();
    if state.ended {
        return;
    }
    state.ended = true;

    let (listening, lifted) = (std::mem::take(&mut state.listening), state.lifted);
    drop(state);

    for listener in listening {
        listener.remove();
    }

    if lifted {
        (held.borrow().on_drag)(how);
    }
}

/// Scrolls at the window's edges, frame by frame, during a drag.
fn scroll_along(held: SharedDragState) {
    request_animation_frame(move || {
        if held.borrow().ended {
            return;
        }

        let (_, height) = browser::window_size();
        let by = scroll_distance(held.borrow().at.1, browser::sticky_height(), height);
        if by != 0.0 {
            window().scroll_by_with_x_and_y(0.0, by);
            notify_move(&held);
        }
        scroll_along(held);
    });
}

fn distance(held: &DragState) -> (f64, f64) {
    let at = on_page(held.at);
    (at.0 - held.start.0, at.1 - held.start.1)
}

fn position(event: &PointerEvent) -> (f64, f64) {
    (f64::from(event.client_x()), f64::from(event.client_y()))
}

fn on_page((x, y): (f64, f64)) -> (f64, f64) {
    let window = window();
    (
        x + window.scroll_x().unwrap_or_default(),
        y + window.scroll_y().unwrap_or_default(),
    )
}
