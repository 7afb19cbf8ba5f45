use http::StatusCode;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;

use super::{flash_message::flash_message, page_title::PageTitle};
use crate::{
    error::Refusal,
    flash::{self, Flash},
};

/// The page around a participant's session, without links that lead away from it.
#[component]
pub fn ParticipantFrame(
    /// The name of the study.
    title: String,
    /// The place in the session, for the browser's tab.
    #[prop(optional_no_strip)]
    place: Option<String>,
    inner: AnyView,
) -> impl IntoView {
    let message = flash::take();

    let place = place.map(|place| format!("{place} · ")).unwrap_or_default();
    // A form without scripts was redirected here: the page has the refusal's status.
    if let Some(Flash::Refused(Refusal::TooMany(_))) = message {
        expect_context::<ResponseOptions>().set_status(StatusCode::TOO_MANY_REQUESTS);
    }

    view! {
        <PageTitle text=format!("{place}{title} · Rank & Rate")/>
        <a class="skip" href="#main">"Skip to the content"</a>
        <header class="site-header still">
            <div class="bar"><span class="where">{title}</span></div>
        </header>
        <main id="main" tabindex="-1" class="take">
            {message.map(flash_message)}
            {inner}
        </main>
    }
}
