use leptos::prelude::*;

use crate::{
    error::Refusal,
    layout::{StudyTab, study_page},
    markdown::Markdown,
    request::RequestAccess,
};

/// The guidelines and the information sheet of a study.
#[component]
pub fn Guidelines() -> impl IntoView {
    study_page(
        "Guidelines",
        StudyTab::Guidelines,
        RequestAccess::require_member,
        guidelines,
    )
}

async fn guidelines(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = &access.study;
    let guidelines = if study.guidelines.trim().is_empty() {
        view! { <p class="empty">"The lead of this study has not written guidelines yet."</p> }
            .into_any()
    } else {
        view! { <Markdown text=study.guidelines.clone()/> }.into_any()
    };
    let sheet = (!study.information.trim().is_empty()).then(|| {
        view! {
            <section>
                <h2>"Information sheet"</h2>
                <Markdown text=study.information.clone()/>
            </section>
        }
    });
    Ok(view! {
        <h1>"Guidelines"</h1>
        {guidelines}
        {sheet}
    })
}
