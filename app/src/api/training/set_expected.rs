//! Expected answers.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// The fields of one output; without a category, a rating and an explanation, the output has no
/// expected answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpectedAnswerFields {
    pub output: String,
    /// The expected answer that the page showed, as JSON: an output whose fields did not change is not
    /// written, so that two leads who fill in different outputs do not undo each other's work.
    pub was: String,
    /// The category; empty for none.
    pub category: String,
    /// The rating on the first dimension; empty for none.
    pub rating: String,
    /// The tolerance of the rating, in points; empty for 0.
    pub tolerance: String,
    /// The explanation for the annotator.
    pub explanation: String,
}

/// Sets the expected answers to the outputs of a tutorial, training, qualification or attention source: all of
/// them, or none where one field is refused.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for a rating
/// off the scale, naming the output and the field.
#[server(endpoint = "set-expected")]
pub async fn set_expected(
    slug: String,
    source: String,
    /// The outputs, by their number on the page.
    #[server(default)]
    outputs: Vec<ExpectedAnswerFields>,
) -> Result<(), Refusal> {
    use domain::{
        ids::SourceId, score::RatingScale, study::SourcePurpose, work::task::ExpectedAnswer,
    };

    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other_with},
        services,
    };

    fn answer(
        fields: &ExpectedAnswerFields,
        scale: RatingScale,
    ) -> Result<Option<ExpectedAnswer>, Refusal> {
        let is_filled = |text: &str| !text.trim().is_empty();
        let category = is_filled(&fields.category)
            .then(|| parse::choice(&fields.category))
            .transpose()?;
        let rating = is_filled(&fields.rating)
            .then(|| parse::integer(&fields.rating, "The rating", scale.low..=scale.high))
            .transpose()?;
        let tolerance = match fields.tolerance.trim() {
            "" => 0,
            text => parse::integer(text, "The tolerance (±)", 0..=scale.high - scale.low)?,
        };
        let explanation = parse::text(&fields.explanation, "The explanation")?;
        let none = category.is_none() && rating.is_none() && explanation.is_empty();
        Ok((!none).then_some(ExpectedAnswer {
            category,
            rating,
            tolerance,
            explanation,
            choices: vec![],
        }))
    }

    let access = lead_access(&slug).await?;
    let source: SourceId = parse::id(&source)?;
    let (services, study) = (services(), access.study.id);
    let store = &services.store;
    let entry = store.source(study, source).await.map_err(refuse)?;
    let entry = entry.ok_or(Refusal::NotFound)?;
    if entry.purpose == SourcePurpose::Main {
        return Err(Refusal::invalid(
            "Only training and attention items have expected answers. Make this source one of them first.",
        ));
    }
    let stored = store.source_outputs(source).await.map_err(refuse)?;
    let scale = access
        .study
        .settings
        .dimensions
        .first()
        .map(|dimension| dimension.scale)
        .unwrap_or_default();
    let mut changed = Vec::new();
    for (number, fields) in (1..).zip(&outputs) {
        let output = parse::id(&fields.output)?;
        let Some(stored_output) = stored.iter().find(|candidate| candidate.id == output) else {
            return Err(Refusal::NotFound);
        };
        let was: Option<ExpectedAnswer> = serde_json::from_str(&fields.was).unwrap_or_default();
        let mut expected = answer(fields, scale).map_err(|refusal| match refusal {
            Refusal::Invalid(sentence) => Refusal::Invalid(format!(
                "Output {number} ({}): {sentence} Nothing has been saved.",
                stored_output.system
            )),
            refusal => refusal,
        })?;
        // The form has no fields for these.
        let choices = was.iter().flat_map(|was| was.choices.clone());
        let choices: Vec<_> = choices.collect();
        if !choices.is_empty() {
            expected.get_or_insert_default().choices = choices;
        }
        if expected != was || fields.was.is_empty() {
            changed.push((output, expected));
        }
    }
    let now = services.context.now_ms();
    store
        .set_expected(study, &changed, now)
        .await
        .map_err(refuse)?;
    let message = match changed.len() {
        0 => "Nothing changed.".to_owned(),
        1 => "One expected answer has been saved.".to_owned(),
        many => format!("{many} expected answers have been saved."),
    };
    see_other_with(&StudyPage::ExpectedAnswers(source).path(&slug), message);
    Ok(())
}
