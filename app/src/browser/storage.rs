//! Browser storage: texts for the lifetime of the tab.

use leptos::prelude::window;

/// The text stored under a name for the lifetime of the tab.
pub fn session_item(name: &str) -> Option<String> {
    window().session_storage().ok()??.get_item(name).ok()?
}

/// Stores a text under a name for the lifetime of the tab, where the browser allows it.
pub fn set_session_item(name: &str, text: &str) {
    if let Ok(Some(storage)) = window().session_storage() {
        let _ = storage.set_item(name, text);
    }
}
