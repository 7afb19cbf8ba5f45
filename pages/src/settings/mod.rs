//! The settings of a study: a short page for each topic, with one form.

mod archive;
mod dimensions;
mod general;
mod groups;
mod protocol;
mod quality_control;
mod questions;
mod retention;
mod rule;
mod span_types;
mod study_file;
mod texts;

use std::collections::HashMap;

use leptos::prelude::*;

use app::{
    error::Refusal,
    layout::{StudyTab, study_page},
    request::{RequestAccess, refuse},
    services,
};

use self::{
    archive::StudyArchive, dimensions::Dimensions, general::GeneralSettings, groups::Groups,
    protocol::ProtocolForm, quality_control::QualityControlItems, questions::Questions,
    retention::Retention, rule::CategoryRules, span_types::SpanTypes, study_file::StudyCopies,
    texts::AnnotatorTexts,
};
pub use {
    retention::{RetentionHint, RetentionState},
    rule::RuleFields,
    study_file::NewStudyName,
};

/// The name of a study, and how sources are assigned.
#[component]
pub fn SettingsPage() -> impl IntoView {
    study_page(
        "Settings",
        StudyTab::Settings,
        RequestAccess::require_lead,
        general,
    )
}

/// The steps in which annotators judge a source.
#[component]
pub fn ProtocolSettingsPage() -> impl IntoView {
    study_page(
        "Protocol",
        StudyTab::Protocol,
        RequestAccess::require_lead,
        protocol,
    )
}

/// The guidelines and the information sheet.
#[component]
pub fn TextSettingsPage() -> impl IntoView {
    study_page(
        "Texts for annotators",
        StudyTab::Texts,
        RequestAccess::require_lead,
        texts,
    )
}

/// The dimensions with their scales.
#[component]
pub fn ScaleSettingsPage() -> impl IntoView {
    study_page(
        "Scales",
        StudyTab::Scales,
        RequestAccess::require_lead,
        scales,
    )
}

/// The items that check attention.
#[component]
pub fn QualityControlSettingsPage() -> impl IntoView {
    study_page(
        "Quality control",
        StudyTab::QualityControl,
        RequestAccess::require_lead,
        quality_control,
    )
}

/// The groups of annotators.
#[component]
pub fn GroupSettingsPage() -> impl IntoView {
    study_page(
        "Groups",
        StudyTab::Groups,
        RequestAccess::require_lead,
        groups,
    )
}

/// The period for which personal data is kept.
#[component]
pub fn PrivacySettingsPage() -> impl IntoView {
    study_page(
        "Privacy",
        StudyTab::Privacy,
        RequestAccess::require_lead,
        privacy,
    )
}

/// Settings that few studies change.
#[component]
pub fn AdvancedSettingsPage() -> impl IntoView {
    study_page(
        "Advanced settings",
        StudyTab::Advanced,
        RequestAccess::require_lead,
        advanced,
    )
}

async fn general(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = access.study.clone();
    let archived = study.archived_at.is_some();
    Ok(view! {
        <h1>"Settings"</h1>
        {(!archived).then(|| view! {
            <GeneralSettings slug=study.slug.to_string() name=study.name settings=study.settings/>
        })}
        <StudyCopies slug=study.slug.to_string()/>
        <StudyArchive slug=study.slug.to_string() archived/>
    })
}

async fn protocol(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = access.study.clone();
    Ok(view! {
        <h1>"Protocol"</h1>
        <ProtocolForm slug=study.slug.to_string() settings=study.settings/>
    })
}

async fn texts(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    Ok(view! {
        <h1>"Texts for annotators"</h1>
        <AnnotatorTexts study=access.study.clone()/>
    })
}

async fn scales(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = access.study.clone();
    let spans = study.settings.protocol.mark_spans_step().cloned();
    let questions = study.settings.protocol.answer_step().cloned();
    let categorises = study.settings.protocol.categorises();
    Ok(view! {
        <h1>"Scales"</h1>
        <Dimensions slug=study.slug.to_string() dimensions=study.settings.dimensions/>
        {spans.map(|step| view! { <SpanTypes slug=study.slug.to_string() step/> })}
        {questions.map(|step| view! { <Questions slug=study.slug.to_string() step categorises/> })}
    })
}

async fn quality_control(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = access.study.clone();
    Ok(view! {
        <h1>"Quality control"</h1>
        <QualityControlItems slug=study.slug.to_string() settings=study.settings/>
    })
}

async fn groups(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = access.study.clone();
    let members = services().store.members(study.id).await.map_err(refuse)?;
    let mut by_group = HashMap::new();
    for group in members.into_iter().filter_map(|member| member.group) {
        *by_group.entry(group).or_default() += 1;
    }
    Ok(view! {
        <h1>"Groups"</h1>
        <Groups slug=study.slug.to_string() settings=study.settings members=by_group/>
    })
}

async fn privacy(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    Ok(view! {
        <h1>"Privacy"</h1>
        <Retention study=access.study.clone()/>
    })
}

async fn advanced(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = access.study.clone();
    Ok(view! {
        <h1>"Advanced settings"</h1>
        <CategoryRules slug=study.slug.to_string() settings=study.settings/>
    })
}
