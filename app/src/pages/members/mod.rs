//! Members, invitations and assignments of a study.

mod assignments;
mod invitations;
mod people;
mod qualification;
mod waiting;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use store::InvitationTarget;

use crate::{
    error::Refusal,
    layout::{StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, refuse},
    services,
};

use self::{assignments::Assignments, invitations::Invitations, people::People};
pub use self::{
    qualification::QualificationPage,
    waiting::{WaitingAnnotator, waiting},
};

#[component]
pub fn MembersPage() -> impl IntoView {
    let all = use_query_map().with_untracked(|query| query.get("show").is_some());
    study_page(
        "People",
        StudyTab::People,
        RequestAccess::require_lead,
        move |access| members(access, all),
    )
}

async fn members(access: RequestAccess, all: bool) -> Result<impl IntoView, Refusal> {
    let services = services();
    let (store, study, now) = (&services.store, access.study.id, services.context.now_ms());
    let members = store.members(study).await.map_err(refuse)?;
    let mut invitations = store.invitations(study).await.map_err(refuse)?;
    invitations.retain(|link| link.target != InvitationTarget::Comprehension);
    let assignments = store.assignments(study).await.map_err(refuse)?;
    let progress = store.rater_progress(study).await.map_err(refuse)?;
    let waiting = waiting(&access.study, &members).await?;
    let slug = access.study.slug.to_string();
    let settings = access.study.settings.clone();
    let log = StudyPage::Log.address(&slug);
    Ok(view! {
        <h1>"People"</h1>
        <p><a href=log>"Log of changes"</a></p>
        <People
            slug=slug.clone()
            me=access.person.id
            members=members.clone()
            progress
            waiting
            qualification=settings.qualification
            informed=!access.study.information.is_empty()
        />
        <Invitations slug=slug.clone() invitations now/>
        <Assignments slug members assignments all now/>
    })
}
