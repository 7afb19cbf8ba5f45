//! The automatic categories of a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets the category rule of step 1 and recomputes every output's category; annotators' answers do not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an unknown
/// rule or a threshold out of range.
#[server(endpoint = "set-category-rule")]
pub async fn set_category_rule(
    slug: String,
    category_rule: String,
    /// Its threshold; empty for the rule's default.
    #[server(default)]
    category_threshold: String,
) -> Result<(), Refusal> {
    use super::{fields, redirect_to_settings};
    use crate::{
        links::StudyPage,
        request::{lead_access, refuse},
        services,
    };

    let access = lead_access(&slug).await?;
    let (rule, threshold) = fields::rule(&category_rule, &category_threshold)?;

    let services = services();
    let moved = services
        .store
        .set_category_rule(access.study.id, rule, threshold, services.context.now_ms())
        .await
        .map_err(refuse)?;

    let message = match moved {
        0 => "The rule has been saved. No output changed its category.".to_owned(),
        1 => "The rule has been saved. One output changed its category.".to_owned(),
        moved => format!("The rule has been saved. {moved} outputs changed their category."),
    };
    redirect_to_settings(StudyPage::AdvancedSettings, &slug, &message);
    Ok(())
}
