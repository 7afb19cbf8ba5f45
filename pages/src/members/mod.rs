//! The people of a study: members, invitations, assignments.

mod assignments;
mod invitations;
mod people;
mod qualification;
mod waiting;

use leptos::prelude::*;
use store::InvitationTarget;

use app::{
    error::Refusal,
    layout::{StudyTab, study_page},
    request::{RequestAccess, refuse},
    services,
};

pub use self::{
    assignments::AssignmentsPage,
    qualification::QualificationPage,
    waiting::{WaitingAnnotator, waiting},
};
use self::{invitations::Invitations, people::People};

/// The members of a study, and the links for joining it.
#[component]
pub fn MembersPage() -> impl IntoView {
    study_page(
        "Members",
        StudyTab::People,
        RequestAccess::require_lead,
        members,
    )
}

async fn members(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let services = services();
    let (store, study, now) = (&services.store, access.study.id, services.context.now_ms());
    let members = store.members(study).await.map_err(refuse)?;
    let mut invitations = store.invitations(study).await.map_err(refuse)?;
    invitations.retain(|link| matches!(link.target, InvitationTarget::Membership(_)));

    let wanted = access.study.settings.wanted_raters();
    let progress = services.live.progress(store, study, wanted).await;
    let progress = progress.map_err(refuse)?.overview.raters.clone();
    let waiting = waiting(&access.study, &members).await?;
    let crowd = store.crowd_raters(study).await.map_err(refuse)?;

    let slug = access.study.slug.to_string();
    let settings = access.study.settings.clone();

    Ok(view! {
        <h1>"Members"</h1>
        <People
            slug=slug.clone()
            me=access.person.id
            members
            progress
            waiting
            crowd
            codes=settings.crowd.codes
            qualification=settings.qualification
            groups=settings.groups.clone()
            informed=!access.study.information.is_empty()
        />
        <Invitations slug invitations now groups=settings.groups/>
    })
}
