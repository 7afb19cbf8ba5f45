use leptos::prelude::*;

use crate::{links::StudyPage, page_script::PageScript};

/// Keeps a page up to date: each element with an id and `data-live` is fetched and replaced when the study
/// has a newer event than `event`. Without scripts the page does not change until it is reloaded.
#[component]
pub fn LiveSign(
    slug: String,
    /// The number of the newest event that the page shows.
    event: i64,
) -> impl IntoView {
    let events = StudyPage::Events.address(&slug);
    view! {
        <span class="live-sign" role="status" data-news=events data-event=event.to_string()></span>
        <PageScript name="live"/>
    }
}
