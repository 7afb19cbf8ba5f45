//! The settings of a study: one form for each topic, each saved separately.

mod assignment;
mod description;
mod dimensions;
mod quality_control;
mod retention;
mod rule;

use leptos::prelude::*;

use crate::{
    error::Refusal,
    layout::{StudyTab, study_page},
    links::StudyPage,
    request::RequestAccess,
};

use self::{
    assignment::Assignment, description::Description, dimensions::Dimensions,
    quality_control::QualityControlItems, retention::Retention, rule::CategoryRules,
};
pub use {
    retention::{RetentionHint, RetentionState},
    rule::RuleFields,
};

/// The settings of a study.
#[component]
pub fn SettingsPage() -> impl IntoView {
    study_page(
        "Settings",
        StudyTab::Settings,
        RequestAccess::require_lead,
        settings,
    )
}

async fn settings(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = access.study.clone();
    let slug = study.slug.to_string();
    let settings = study.settings.clone();
    let training = StudyPage::Training.address(&slug);
    Ok(view! {
        <h1>"Settings"</h1>
        <nav class="on-page" aria-label="On this page">
            <a href="#texts">"Name and texts"</a>
            <a href="#assignment">"Assignment"</a>
            <a href="#dimensions">"Dimensions"</a>
            <a href="#categories">"Categories"</a>
            <a href="#quality-control">"Quality control"</a>
            <a href="#personal-data">"Personal data"</a>
            <a href=training>"Training items"</a>
        </nav>
        <Description study=study.clone()/>
        <Assignment slug=slug.clone() settings=settings.clone()/>
        <Dimensions slug=slug.clone() dimensions=settings.dimensions.clone()/>
        <CategoryRules slug=slug.clone() settings=settings.clone()/>
        <QualityControlItems slug items=settings.quality_control/>
        <Retention study/>
    })
}
