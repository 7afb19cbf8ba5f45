//! The answers that a lead expects.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// The fields of one output; with neither a group nor a rating nor an explanation, nothing is
/// expected of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpectedAnswerFields {
    /// The output.
    pub output: String,
    /// The answer that the page showed, as JSON: an output whose fields were left alone is not
    /// written, so that two leads who fill in different outputs do not undo each other's work.
    pub was: String,
    /// The group; empty for none.
    pub category: String,
    /// The rating on the first dimension; empty for none.
    pub rating: String,
    /// How far a rating may lie from it, in points; empty for 0.
    pub tolerance: String,
    /// Why, for the annotator.
    pub explanation: String,
}

/// Sets the answers expected to the outputs of a tutorial, training or qualification source: all of
/// them, or none where one field is refused.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for a rating
/// off the scale, with the output and the field that it is in.
#[server(endpoint = "set-expected")]
pub async fn set_expected(
    /// The study's short name.
    slug: String,
    /// The outputs' source.
    source: String,
    /// The outputs, as the page numbers them.
    #[server(default)]
    outputs: Vec<ExpectedAnswerFields>,
) -> Result<(), Refusal> {
    use domain::{
        ids::SourceId, score::RatingScale, study::SourcePurpose, work::task::ExpectedAnswer,
    };

    use crate::{
        flash::{self, Flash},
        request::{access, parse, refuse, see_other},
        services,
    };

    fn answer(
        fields: &ExpectedAnswerFields,
        scale: RatingScale,
    ) -> Result<Option<ExpectedAnswer>, Refusal> {
        let given = |text: &str| !text.trim().is_empty();
        let category = given(&fields.category)
            .then(|| parse::choice(&fields.category))
            .transpose()?;
        let rating = given(&fields.rating)
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
        }))
    }

    let access = access(&slug).await?;
    access.require_lead()?;
    let source: SourceId = parse::id(&source)?;
    let (services, study) = (services(), access.study.id);
    let store = &services.store;
    let entry = store.source(study, source).await.map_err(refuse)?;
    let entry = entry.ok_or(Refusal::NotFound)?;
    if entry.purpose == SourcePurpose::Main {
        return Err(Refusal::invalid(
            "Nothing is expected of a source that is judged: make it a training item first.",
        ));
    }
    let stored = store.source_outputs(source).await.map_err(refuse)?;
    let scale = access
        .study
        .settings
        .dimensions
        .first()
        .map(|it| it.scale)
        .unwrap_or_default();
    let mut changed = Vec::new();
    for (number, fields) in (1..).zip(&outputs) {
        let output = parse::id(&fields.output)?;
        let Some(of) = stored.iter().find(|it| it.id == output) else {
            return Err(Refusal::NotFound);
        };
        let expected = answer(fields, scale).map_err(|refusal| match refusal {
            Refusal::Invalid(sentence) => Refusal::Invalid(format!(
                "Output {number} ({}): {sentence} Nothing is saved yet.",
                of.system
            )),
            refusal => refusal,
        })?;
        let was: Option<ExpectedAnswer> = serde_json::from_str(&fields.was).unwrap_or_default();
        if expected != was || fields.was.is_empty() {
            changed.push((output, expected));
        }
    }
    let now = services.context.now_ms();
    store
        .set_expected(study, &changed, now)
        .await
        .map_err(refuse)?;
    flash::set(&Flash::Done(match changed.len() {
        0 => "Nothing was changed.".into(),
        1 => "One expected answer is saved.".into(),
        many => format!("{many} expected answers are saved."),
    }));
    see_other(&format!("/s/{slug}/training/{source}"));
    Ok(())
}
