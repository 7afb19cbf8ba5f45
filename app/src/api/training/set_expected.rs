//! The answers that a lead expects.

use leptos::prelude::*;

use crate::error::Refusal;

/// Says what answers are expected to an output of a tutorial, training or qualification source;
/// with neither a group nor a rating nor an explanation, none are.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for a rating
/// off the scale.
#[server(endpoint = "set-expected")]
pub async fn set_expected(
    /// The study's short name.
    slug: String,
    /// The output's source.
    source: String,
    /// The output.
    output: String,
    /// The group; empty for none.
    #[server(default)]
    category: String,
    /// The rating on the first dimension; empty for none.
    #[server(default)]
    rating: String,
    /// How far a rating may lie from it, in points.
    #[server(default)]
    tolerance: String,
    /// Why, for the annotator.
    #[server(default)]
    explanation: String,
) -> Result<(), Refusal> {
    use domain::{
        ids::{OutputId, SourceId},
        study::SourcePurpose,
        work::task::Expected,
    };

    use crate::{
        api::{access, parse, refuse, see_other, services},
        layout::flash::{self, Flash},
    };

    let access = access(&slug).await?;
    access.leads()?;
    let source: SourceId = parse::id(&source)?;
    let output: OutputId = parse::id(&output)?;
    let (services, study) = (services(), access.study.id);
    let entry = services.store.source(study, source).await.map_err(refuse)?;
    let entry = entry.ok_or(Refusal::NotFound)?;
    if entry.purpose == SourcePurpose::Main {
        return Err(Refusal::invalid(
            "Nothing is expected of a source that is judged: make it a training item first.",
        ));
    }
    let outputs = services
        .store
        .source_outputs(source)
        .await
        .map_err(refuse)?;
    if !outputs.iter().any(|it| it.id == output) {
        return Err(Refusal::NotFound);
    }
    let scale = access
        .study
        .settings
        .dimensions
        .first()
        .map(|it| it.scale)
        .unwrap_or_default();
    let given = |text: &str| !text.trim().is_empty();
    let category = given(&category)
        .then(|| parse::choice(&category))
        .transpose()?;
    let rating = given(&rating)
        .then(|| parse::whole(&rating, "The expected rating", scale.low..=scale.high))
        .transpose()?;
    let tolerance = match tolerance.trim() {
        "" => 0,
        text => parse::whole(text, "The tolerance", 0..=scale.high - scale.low)?,
    };
    let explanation = parse::text(&explanation, "The explanation")?;
    let none = category.is_none() && rating.is_none() && explanation.is_empty();
    let expected = (!none).then_some(Expected {
        category,
        rating,
        tolerance,
        explanation,
    });
    let now = (services.now_ms)();
    let store = &services.store;
    store
        .set_expected(study, output, expected.as_ref(), now)
        .await
        .map_err(refuse)?;
    flash::leave(&Flash::Done("The expected answer is saved.".into()));
    see_other(&format!("/s/{slug}/training/{source}"));
    Ok(())
}
