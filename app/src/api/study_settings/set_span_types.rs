//! The types and levels of marked spans.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// One type of marked spans as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanTypeField {
    /// The name; empty for none.
    #[serde(default)]
    pub name: String,
    /// The text that its words are in: `source`, `output` or `both`.
    #[serde(default)]
    pub sides: String,
    #[serde(default)]
    pub description: String,
    /// The forms of automatic edits that become marks of this type, separated by spaces.
    #[serde(default)]
    pub prefill: String,
}

/// One level of marked spans as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkLevelField {
    /// The name; empty for none.
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub value: String,
    #[serde(default)]
    pub description: String,
}

/// Sets the types and levels of marked spans, and the rules to judge by. Existing marks do not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where they make no valid
/// taxonomy, or the study marks no spans.
#[server(endpoint = "set-span-types")]
pub async fn set_span_types(
    slug: String,
    /// The types in order; those without a name are left out.
    #[server(default)]
    types: Vec<SpanTypeField>,
    /// The levels in order; those without a name are left out.
    #[server(default)]
    levels: Vec<MarkLevelField>,
    /// The rules, one per line.
    #[server(default)]
    rules: String,
) -> Result<(), Refusal> {
    use domain::{
        protocol::{MarkSpansStep, ProtocolStep, StudyProtocol},
        study::StudySettings,
    };

    use super::{fields, redirect_to_settings, store_settings};
    use crate::{links::StudyPage, request::lead_access};

    let access = lead_access(&slug).await?;
    let taxonomy = fields::taxonomy(&types, &levels, &rules)?;
    let settings = access.study.settings.clone();

    let mut steps = settings.protocol.steps().to_vec();
    let mut marking = steps.iter_mut().filter_map(|step| match step {
        ProtocolStep::MarkSpans(MarkSpansStep { taxonomy, .. }) => Some(taxonomy),
        _ => None,
    });
    let Some(current) = marking.next() else {
        let refusal = "Nothing was saved: this study marks no spans. Choose “Mark spans” under Protocol first.";
        return Err(Refusal::invalid(refusal));
    };
    *current = taxonomy;

    let bad = |bad| Refusal::invalid(format!("Nothing was saved: {bad}."));
    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).map_err(bad)?,
        ..settings
    };

    store_settings(access.study.id, &settings).await?;
    let message = "The types and levels have been saved.";
    redirect_to_settings(StudyPage::ScaleSettings, &slug, message);
    Ok(())
}
