//! An annotator's home in a study: the introduction, the next step and past work.

mod guidelines;
mod information_sheet;
mod next_step;
mod preparing;
mod sources;
mod withdrawal;

use domain::study::Role;
use leptos::prelude::*;
use store::assignments::UpcomingAssignment;

use self::{
    information_sheet::InformationSheet, next_step::NextStep, sources::MySources,
    withdrawal::WithdrawalForm,
};
use crate::{
    components::Moment,
    error::Refusal,
    layout::{StudyTab, study_page},
    request::{RequestAccess, refuse},
    services,
};

pub use guidelines::Guidelines;

/// An annotator's home in a study.
#[component]
pub fn Work() -> impl IntoView {
    study_page("Work", StudyTab::Work, require_annotator_role, work)
}

/// Lets annotators pass, including those who have withdrawn.
fn require_annotator_role(access: &RequestAccess) -> Result<(), Refusal> {
    if access.role == Some(Role::Annotator) {
        Ok(())
    } else {
        Err(Refusal::NotAllowed)
    }
}

async fn work(access: RequestAccess) -> Result<AnyView, Refusal> {
    if let Some(at) = access.withdrawn_at {
        return Ok(view! { <Withdrawn at/> }.into_any());
    }
    if access.must_consent() {
        return Ok(view! { <InformationSheet access/> }.into_any());
    }
    let services = services();
    let (store, study, me) = (services.store, access.study.id, access.person.id);
    let outlook = store
        .upcoming_work(study, me, services.context.now_ms())
        .await
        .map_err(refuse)?;
    let outlook = outlook.ok_or(Refusal::NotFound)?;
    if outlook.next == UpcomingAssignment::Preparing {
        services.job_monitor.request_alignment_check();
    }
    let mine = store.assignments_of(study, me).await.map_err(refuse)?;
    let slug = access.study.slug.to_string();
    let closed = access.study.closed_at.is_some();
    Ok(view! {
        <h1>{access.study.name.clone()}</h1>
        <NextStep slug=slug.clone() outlook closed/>
        <MySources slug=slug.clone() mine/>
        <WithdrawalForm slug/>
    }
    .into_any())
}

#[component]
fn Withdrawn(at: i64) -> impl IntoView {
    view! {
        <h1>"You have withdrawn"</h1>
        <p class="lead">
            "You left this study on " <Moment ms=at/> ". What you handed in does not count. \
             Thank you for your time."
        </p>
    }
}
