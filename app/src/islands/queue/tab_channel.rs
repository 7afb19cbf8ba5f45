//! Messages between the tabs of one browser.

use domain::{
    ids::AssignmentId,
    work::change::{AnnotationChange, SaveOutcome},
};
use leptos::{
    wasm_bindgen::{JsCast, closure::Closure},
    web_sys::{BroadcastChannel, MessageEvent},
};
use serde::{Deserialize, Serialize};

use crate::json::{from_json, to_json};

/// A message between tabs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TabMessage {
    /// New answers given in a tab.
    Given {
        assignment: AssignmentId,
        changes: Vec<AnnotationChange>,
    },
    /// The server's outcomes of changes.
    Settled {
        assignment: AssignmentId,
        /// Each change with its outcome.
        outcomes: Vec<(AnnotationChange, SaveOutcome)>,
    },
    /// The annotator is active in that tab, and so not in this one.
    AtWork,
}

/// The channel to the other tabs of the same person and study.
pub(super) struct TabChannel(Option<BroadcastChannel>);

impl TabChannel {
    /// Listens for as long as the page lives.
    pub(super) fn listen(name: &str, on_message: impl Fn(TabMessage) + 'static) -> Self {
        let Ok(channel) = BroadcastChannel::new(name) else {
            return Self(None);
        };

        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let message = event
                .data()
                .as_string()
                .and_then(|text| from_json(&text).ok());
            if let Some(message) = message {
                on_message(message);
            }
        });

        channel.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget();
        Self(Some(channel))
    }

    /// Sends a message to the other tabs.
    pub(super) fn post(&self, message: &TabMessage) {
        let text = to_json(message);
        if let Some(channel) = &self.0 {
            // Fails only if the channel was closed with the page.
            let _ = channel.post_message(&text.into());
        }
    }
}
