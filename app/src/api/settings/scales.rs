//! Dimensions, questions, and the types and levels of marked spans.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::{fields, step_fields},
    crate::api::ssr::*,
    domain::protocol::{ProtocolStep, StudyProtocol},
};

/// One dimension as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DimensionField {
    /// The name; empty for none.
    pub name: String,
    pub low: String,
    pub high: String,
    /// The control: `slider`, `hidden` (a slider without its number) or `levels`; empty for a slider.
    pub control: String,
    /// The label of a slider's low end; empty for the usual one.
    pub low_label: String,
    /// The label of a slider's high end; empty for the usual one.
    pub high_label: String,
    /// The labels of the levels, lowest first, one per line.
    pub levels: String,
}

/// Sets the dimensions that outputs are rated on. Existing ratings do not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for invalid names
/// or scales.
#[server(endpoint = "set-dimensions")]
pub async fn set_dimensions(
    slug: String,
    /// The dimensions in order; those without a name are left out.
    dimensions: Vec<DimensionField>,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let dimensions = step_fields::dimensions(&dimensions)?;

    let settings = StudySettings {
        dimensions,
        ..access.study.settings.clone()
    };
    fields::check_groups(&settings)?;

    store_settings(access.study.id, &settings).await?;

    let message = "The dimensions have been saved.";
    redirect_with(StudyPage::ScaleSettings, &slug, message)
}

/// One question as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionField {
    /// The place among the questions; empty for the current one.
    pub place: String,
    /// The wording; empty for no question.
    pub text: String,
    /// The key; empty to derive it from the wording.
    pub key: String,
    pub hint: String,
    /// The text that the question is about: `output` or `source`.
    pub about: String,
    /// The kind of answer: `one` option, `several`, or a `text`.
    pub kind: String,
    /// The options, one per line: the wording, or the key, an equals sign and the wording.
    pub options: String,
    /// The most characters of a text; empty for 500.
    pub length: String,
    /// Whether an answer is required; empty for no.
    pub required: String,
    /// The condition for showing the question: empty for always, `category`, or the key of an earlier question.
    pub condition: String,
    /// The keys of the answers, or the categories, that meet the condition, separated by spaces.
    pub answers: String,
}

/// Sets the questions that annotators answer. Existing answers do not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the questions make
/// no valid step, or the study asks none.
#[server(endpoint = "set-questions")]
pub async fn set_questions(
    slug: String,
    /// The questions; those without a wording are left out.
    #[server(default)]
    questions: Vec<QuestionField>,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let questions = step_fields::questions(&questions)?;

    let lacking = "Nothing was saved: this study asks no questions. Choose “Answer questions” under Protocol first.";
    change_step(&access, lacking, |step| match step {
        ProtocolStep::Answer(step) => {
            step.questions.clone_from(&questions);
            true
        }
        _ => false,
    })
    .await?;

    let message = "The questions have been saved.";
    redirect_with(StudyPage::ScaleSettings, &slug, message)
}

/// One type of marked spans as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpanTypeField {
    /// The name; empty for none.
    pub name: String,
    /// The text that its words are in: `source`, `output` or `both`.
    pub sides: String,
    pub description: String,
    /// The forms of automatic edits that become marks of this type, separated by spaces.
    pub prefill: String,
}

/// One level of marked spans as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MarkLevelField {
    /// The name; empty for none.
    pub name: String,
    pub value: String,
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
    let access = lead_access(&slug).await?;
    let taxonomy = step_fields::taxonomy(&types, &levels, &rules)?;

    let lacking =
        "Nothing was saved: this study marks no spans. Choose “Mark spans” under Protocol first.";
    change_step(&access, lacking, |step| match step {
        ProtocolStep::MarkSpans(step) => {
            step.taxonomy.clone_from(&taxonomy);
            true
        }
        _ => false,
    })
    .await?;

    let message = "The types and levels have been saved.";
    redirect_with(StudyPage::ScaleSettings, &slug, message)
}

/// Stores the study's protocol with one step changed. `change` returns whether it changed the step.
///
/// # Errors
/// [`Refusal::Invalid`] with the sentence `lacking` where the protocol has no such step, or where it would not be valid.
#[cfg(feature = "ssr")]
async fn change_step(
    access: &RequestAccess,
    lacking: &str,
    change: impl FnMut(&mut ProtocolStep) -> bool,
) -> Result<(), Refusal> {
    let settings = access.study.settings.clone();

    let mut steps = settings.protocol.steps().to_vec();
    if !steps.iter_mut().any(change) {
        return Err(Refusal::invalid(lacking));
    }

    let protocol = StudyProtocol::new(steps)
        .map_err(|bad| Refusal::invalid(format!("Nothing was saved: {bad}.")))?;
    let settings = StudySettings {
        protocol,
        ..settings
    };
    store_settings(access.study.id, &settings).await
}
