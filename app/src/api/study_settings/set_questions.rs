//! The questions that annotators answer.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// One question as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionField {
    /// The place among the questions; empty for the current one.
    #[serde(default)]
    pub place: String,
    /// The wording; empty for no question.
    #[serde(default)]
    pub text: String,
    /// The key; empty to derive it from the wording.
    #[serde(default)]
    pub key: String,
    #[serde(default)]
    pub hint: String,
    /// The text that the question is about: `output` or `source`.
    #[serde(default)]
    pub about: String,
    /// The kind of answer: `one` option, `several`, or a `text`.
    #[serde(default)]
    pub kind: String,
    /// The options, one per line: the wording, or the key, an equals sign and the wording.
    #[serde(default)]
    pub options: String,
    /// The most characters of a text; empty for 500.
    #[serde(default)]
    pub length: String,
    /// Whether an answer is required; empty for no.
    #[serde(default)]
    pub required: String,
    /// The condition for showing the question: empty for always, `category`, or the key of an earlier question.
    #[serde(default)]
    pub condition: String,
    /// The keys of the answers, or the categories, that meet the condition, separated by spaces.
    #[serde(default)]
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
    use domain::{
        protocol::{ProtocolStep, StudyProtocol},
        study::StudySettings,
    };

    use super::{fields, redirect_to_settings, store_settings};
    use crate::{links::StudyPage, request::lead_access};

    let access = lead_access(&slug).await?;
    let questions = fields::questions(&questions)?;
    let settings = access.study.settings.clone();

    let mut steps = settings.protocol.steps().to_vec();
    let mut asking = steps.iter_mut().filter_map(|step| match step {
        ProtocolStep::Answer(step) => Some(step),
        _ => None,
    });
    let Some(current) = asking.next() else {
        let refusal = "Nothing was saved: this study asks no questions. Choose “Answer questions” under Protocol first.";
        return Err(Refusal::invalid(refusal));
    };
    current.questions = questions;

    let bad = |bad| Refusal::invalid(format!("Nothing was saved: {bad}."));
    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).map_err(bad)?,
        ..settings
    };

    store_settings(access.study.id, &settings).await?;
    let message = "The questions have been saved.";
    redirect_to_settings(StudyPage::ScaleSettings, &slug, message);
    Ok(())
}
