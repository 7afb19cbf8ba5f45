use leptos::prelude::*;
use store::assignments::UpcomingAssignment;

use super::next_action::NextAction;
use app::{
    error::Refusal,
    layout::{StudyTab, study_page},
    markdown::Markdown,
    request::{RequestAccess, refuse},
    services,
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

    let next = next_source(&access).await?;

    Ok(view! {
        <h1>"Guidelines"</h1>
        {guidelines}
        {next}
        {sheet}
    })
}

/// The card that leads to the annotator's next source, if there is one.
async fn next_source(access: &RequestAccess) -> Result<Option<AnyView>, Refusal> {
    if access.require_annotator().is_err()
        || access.must_consent()
        || access.study.closed_at.is_some()
    {
        return Ok(None);
    }

    let services = services();
    let now = services.context.now_ms();
    let next = services
        .store
        .upcoming_assignment(access.study.id, access.person.id, now)
        .await
        .map_err(refuse)?;
    let next = next.filter(|next| {
        matches!(
            next,
            UpcomingAssignment::Open(..) | UpcomingAssignment::Source(_)
        )
    });

    let slug = access.study.slug.to_string();
    Ok(next.map(|next| {
        view! {
            <section class="card ahead" aria-label="What to do next">
                <p>"You can open the guidelines again at any time while you judge."</p>
                <NextAction slug next ended=None primary=true/>
            </section>
        }
        .into_any()
    }))
}
