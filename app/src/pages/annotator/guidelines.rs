use leptos::prelude::*;

use crate::{
    api::Access,
    error::Refusal,
    layout::{Tab, study_page},
    markdown::Markdown,
};

/// How to judge, and what the study is about, for whoever takes part.
#[component]
pub fn Guidelines() -> impl IntoView {
    study_page(
        "Guidelines",
        Tab::Guidelines,
        Access::takes_part,
        guidelines,
    )
}

async fn guidelines(access: Access) -> Result<impl IntoView, Refusal> {
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
