//! Erasing a study: what is deleted, and the confirmation.

use leptos::{either::Either, prelude::*};

use app::{
    api::EraseStudy,
    components::Field,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{KeepUnsaved, StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, refuse},
    services,
};

/// The confirmation for erasing a study, or the reason why it cannot be erased.
#[component]
pub fn EraseStudyPage() -> impl IntoView {
    study_page(
        "Erase the study",
        StudyTab::Privacy,
        RequestAccess::require_lead,
        page,
    )
}

async fn page(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = &access.study;
    let holdings = services().store.study_holdings(study.id).await;
    let holdings = holdings.map_err(refuse)?;

    let slug = study.slug.to_string();
    let (settings, export) = (
        StudyPage::PrivacySettings.address(&slug),
        StudyPage::Export.address(&slug),
    );
    let fact = |count: u32, what: &'static str| {
        view! { <div><dt>{what}</dt><dd>{count.to_string()}</dd></div> }
    };

    let content = if study.closed_at.is_some() {
        Either::Left(view! { <EraseForm slug/> })
    } else {
        Either::Right(view! {
            <p class="alert">"This study is open. Close it on its overview first, so that nobody works in it."</p>
        })
    };

    Ok(view! {
        <p class="crumb"><a href=settings>"Privacy"</a></p>
        <h1>"Erase this study?"</h1>
        <p>
            "Everything in it is deleted, for everybody and for good: sources, outputs, ratings, answers, \
             participants, members, uploaded files, metrics and trained models. Accounts stay."
        </p>
        <dl class="facts">
            {fact(holdings.sources, "sources")}
            {fact(holdings.outputs, "outputs")}
            {fact(holdings.ratings, "ratings")}
            {fact(holdings.participants, "participants")}
            {fact(holdings.members, "members")}
        </dl>
        <p><a href=export>"Export the study first"</a>" if its data may still be needed."</p>
        <p class="caution">
            "Backups of the database made before still hold the study, and so do the copies that the program \
             makes beside it before an upgrade (“.before-…”) or a restore (“.replaced-…”). Ask the administrator \
             to delete them if no copy may remain. Exports that were downloaded before remain as well."
        </p>
        {content}
        <KeepUnsaved/>
    })
}

/// The confirmation: the short name to type.
#[component]
fn EraseForm(slug: String) -> impl IntoView {
    let action = links::action::<EraseStudy>();

    view! {
        <EnhancedForm action=action class="card" label="Erase the study">
            <input type="hidden" name="slug" value=slug.clone()/>
            <Field id="short-name" label=format!("Type “{slug}” to confirm")>
                <input
                    id="short-name"
                    name="short_name"
                    required
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                />
            </Field>
            <div class="actions"><button class="danger">"Erase the study"</button></div>
        </EnhancedForm>
    }
}
