//! What the tabs of one browser tell each other.

use domain::{
    ids::AssignmentId,
    work::change::{AnnotationChange, SaveOutcome},
};
use leptos::{
    wasm_bindgen::{JsCast, closure::Closure},
    web_sys::{BroadcastChannel, MessageEvent},
};
use serde::{Deserialize, Serialize};

/// News from another tab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TabMessage {
    /// Answers were given there.
    Given {
        /// To which source.
        assignment: AssignmentId,
        /// The answers.
        changes: Vec<AnnotationChange>,
    },
    /// The server said what became of changes.
    Settled {
        /// Of which source.
        assignment: AssignmentId,
        /// What became of each.
        outcomes: Vec<(AnnotationChange, SaveOutcome)>,
    },
    /// The annotator is at work there, and so not here.
    AtWork,
}

/// The line to the other tabs of the same person and study.
pub(super) struct TabChannel(Option<BroadcastChannel>);

impl TabChannel {
    /// Listens from now on, as long as the page lives.
    pub(super) fn listen(name: &str, heard: impl Fn(TabMessage) + 'static) -> Self {
        let Ok(channel) = BroadcastChannel::new(name) else {
            return Self(None);
        };
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let news = event
                .data()
                .as_string()
                .and_then(|text| serde_json::from_str(&text).ok());
            if let Some(news) = news {
                heard(news);
            }
        });
        channel.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget();
        Self(Some(channel))
    }

    /// Tells the others.
    pub(super) fn post(&self, news: &TabMessage) {
        let text = serde_json::to_string(news).expect("news are plain data");
        if let Some(channel) = &self.0 {
            // Fails only where the channel was closed, with the page.
            let _ = channel.post_message(&text.into());
        }
    }
}
