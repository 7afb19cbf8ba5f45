//! An annotator's home in a study: what it is about, what to do next, what was done.

mod ahead;
mod guidelines;
mod leave;
mod preparing;
mod sheet;
mod sources;

use domain::study::Role;
use leptos::prelude::*;
use store::assignments::Ahead;

use self::{ahead::WhatNext, leave::Leave, sheet::InformationSheet, sources::MySources};
use crate::{
    api::{Access, refuse, services},
    components::Moment,
    error::Refusal,
    layout::{Tab, study_page},
};

pub use guidelines::Guidelines;

/// An annotator's home in a study.
#[component]
pub fn Work() -> impl IntoView {
    study_page("Work", Tab::Work, is_annotator, work)
}

/// Lets annotators pass, those who withdrew too.
fn is_annotator(access: &Access) -> Result<(), Refusal> {
    if access.role == Some(Role::Annotator) {
        Ok(())
    } else {
        Err(Refusal::NotAllowed)
    }
}

async fn work(access: Access) -> Result<AnyView, Refusal> {
    if let Some(at) = access.withdrawn_at {
        return Ok(view! { <Withdrawn at/> }.into_any());
    }
    if access.must_consent() {
        return Ok(view! { <InformationSheet access/> }.into_any());
    }
    let services = services();
    let (store, study, me) = (services.store, access.study.id, access.person.id);
    let outlook = store
        .outlook(study, me, (services.now_ms)())
        .await
        .map_err(refuse)?;
    let outlook = outlook.ok_or(Refusal::NotFound)?;
    if outlook.ahead == Ahead::Preparing {
        services.at_work.look_again();
    }
    let mine = store.assignments_of(study, me).await.map_err(refuse)?;
    let slug = access.study.slug.to_string();
    let closed = access.study.closed_at.is_some();
    Ok(view! {
        <h1>{access.study.name.clone()}</h1>
        <WhatNext slug=slug.clone() outlook closed/>
        <MySources slug=slug.clone() mine/>
        <Leave slug/>
    }
    .into_any())
}

#[component]
fn Withdrawn(at: i64) -> impl IntoView {
    view! {
        <h1>"You have withdrawn"</h1>
        <p class="lead">
            "Since " <Moment ms=at/> " you do not take part in this study, and what you handed in \
             does not count. Thank you for your time."
        </p>
    }
}
