//! The automatic categories of a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets the rule of step 1 and places every output anew; what annotators answered stays.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an unknown
/// rule or a threshold out of range.
#[server(endpoint = "set-category-rule")]
pub async fn set_category_rule(
    /// The study's short name.
    slug: String,
    /// The rule.
    category_rule: String,
    /// Its threshold; empty for the one that belongs to it.
    #[server(default)]
    category_threshold: String,
) -> Result<(), Refusal> {
    use super::{fields, redirect_to_settings};
    use crate::{
        request::{access, refuse},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let (rule, threshold) = fields::rule(&category_rule, &category_threshold)?;
    let services = services();
    let moved = services
        .store
        .set_category_rule(access.study.id, rule, threshold, services.context.now_ms())
        .await
        .map_err(refuse)?;
    let said = match moved {
        0 => "The rule is saved; no output changed its group.".to_owned(),
        1 => "The rule is saved; one output changed its group.".to_owned(),
        moved => format!("The rule is saved; {moved} outputs changed their group."),
    };
    redirect_to_settings(&slug, &said);
    Ok(())
}
