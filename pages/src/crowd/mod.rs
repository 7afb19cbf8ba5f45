//! Crowd raters for leads: the settings, the links and the raters.

mod links;
mod raters;
mod settings;

use leptos::prelude::*;
use store::InvitationTarget;

pub use self::raters::{describe_end, platform_ids};
use self::{
    links::CrowdLinks,
    raters::{CrowdRaterForms, CrowdRaters},
    settings::CrowdSetUp,
};
use app::{
    error::Refusal,
    layout::{StudyTab, study_page},
    request::{RequestAccess, refuse},
    services,
};

/// The crowd raters of a study.
#[component]
pub fn CrowdPage() -> impl IntoView {
    study_page(
        "Crowd raters",
        StudyTab::Crowd,
        RequestAccess::require_lead,
        content,
    )
}

async fn content(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let (services, study) = (services(), access.study.id);
    let store = &services.store;
    let raters = store.crowd_raters(study).await.map_err(refuse)?;
    let mut made = store.invitations(study).await.map_err(refuse)?;
    made.retain(|link| link.target == InvitationTarget::Crowd);

    let now = services.context.now_ms();
    let slug = access.study.slug.to_string();
    let informed = !access.study.information.trim().is_empty();
    let crowd = access.study.settings.crowd.clone();
    let lacking = access.study.settings.ends_without_code();
    let groups = access.study.settings.groups.clone();

    Ok(view! {
        <h1>"Crowd raters"</h1>
        <p class="lead">
            "People from a recruitment platform, or anybody with a link, can judge without an account. They get the \
             study’s own tutorial, training and sources, and a code at the end."
        </p>
        <CrowdRaters slug=slug.clone() raters=raters.clone() crowd=crowd.clone()/>
        <CrowdRaterForms slug=slug.clone() raters/>
        <CrowdLinks slug=slug.clone() made now informed is_open=crowd.is_open groups/>
        <CrowdSetUp slug crowd informed lacking/>
    })
}
