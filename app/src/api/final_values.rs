//! Final values of outputs, which leads decide on.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    domain::{
        ids::{FinalValueId, OutputId},
        study::SourcePurpose,
    },
    service::figures::RatingScope,
    store::{final_values::NewFinalValue, gold_items::NewGoldItem},
};

/// Replaces the final value of an output on a dimension and its final category, or removes them if both are empty.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] for an unknown output;
/// [`Refusal::Invalid`] for an unknown dimension, or a value off its scale.
#[server(endpoint = "record-final-value")]
pub async fn record_final_value(
    slug: String,
    output: String,
    dimension: String,
    /// The final value; empty for none.
    #[server(default)]
    value: String,
    /// The final category; empty for none.
    #[server(default)]
    category: String,
    #[server(default)] reason: String,
    /// The query of the form's page, to return to it.
    #[server(default)]
    query: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let (services, study) = (services(), &access.study);

    let output: OutputId = parse::id(&output)?;
    let dimensions = services.dimensions(study, RatingScope::HandedIn).await;
    let dimensions = dimensions.map_err(refuse)?;
    let on = dimensions.iter().find(|known| known.name == dimension);
    let on = on.ok_or_else(|| Refusal::invalid("Choose one of the study's dimensions."))?;

    let range = f64::from(on.scale.low)..=f64::from(on.scale.high);
    let is_filled = |text: &str| !text.trim().is_empty();
    let value = is_filled(&value)
        .then(|| parse::number(&value, "The final value", range))
        .transpose()?;
    let category = is_filled(&category)
        .then(|| parse::choice(&category))
        .transpose()?;
    let reason = parse::optional_line(&reason, "The reason", 300)?;
    let query = parse::optional_line(&query, "The address of the page", 500)?;

    let text = services.store.output_text(study.id, output).await;
    let text = text.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    let is_removal = value.is_none() && category.is_none();
    let (kind, message) = match is_removal {
        true => (
            AuditKind::FinalValueRemoved,
            "The final value has been removed.",
        ),
        false => (
            AuditKind::FinalValueRecorded,
            "The final value has been saved.",
        ),
    };

    let new = NewFinalValue {
        ids: [services.context.new_id(), services.context.new_id()].map(FinalValueId),
        output,
        dimension: &on.name,
        value,
        category,
        reason: if is_removal { "" } else { &reason },
        decided_by: access.person.id,
    };
    let now = services.context.now_ms();
    let changed = audited(kind, Some(study.id), AuditSubject::Named(text.source_key))
        .record_final_value(study.id, new, now)
        .await
        .map_err(refuse)?
        .ok_or(Refusal::NotFound)?;

    let message = if changed { message } else { "Nothing changed." };
    let page = StudyPage::Ratings.path(&slug);
    let page = with_query(&page, &query);
    see_other_with(&format!("{page}#{}", links::rated_output(output)), message);
    Ok(())
}

/// The path with the query, which is left out unless it has plain characters only.
#[cfg(feature = "ssr")]
fn with_query(path: &str, query: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "=&%-_.~".contains(c);
    if query.is_empty() || !query.chars().all(is_plain) {
        return path.to_owned();
    }
    format!("{path}?{query}")
}

/// Copies the source of an output as a training, qualification or attention item that expects the final values.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for another purpose, for a
/// tolerance off the scale, or where no output of the source has a final value.
#[server(endpoint = "make-gold-item")]
pub async fn make_gold_item(
    slug: String,
    output: String,
    /// `tutorial`, `training`, `qualification` or `attention`.
    purpose: String,
    /// The tolerance of the expected ratings, in points; empty for 0.
    #[server(default)]
    tolerance: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let output = parse::id(&output)?;
    let purpose: SourcePurpose = parse::choice(&purpose)?;
    if purpose == SourcePurpose::Main {
        return Err(Refusal::invalid(
            "Choose whether it is for the tutorial, training, qualification or attention.",
        ));
    }

    let dimensions = &access.study.settings.dimensions;
    let scale = dimensions.first().map(|dimension| dimension.scale);
    let scale = scale.unwrap_or_default();
    let tolerance = match tolerance.trim() {
        "" => 0,
        text => parse::integer(text, "The tolerance (±)", 0..=scale.high - scale.low)?,
    };

    let new = NewGoldItem {
        output,
        purpose,
        tolerance,
    };
    let services = services();
    let (new_id, now) = (services.context.ids, services.context.now_ms());
    let item = services
        .store
        .make_gold_item(access.study.id, new, new_id, now)
        .await
        .map_err(refuse)?;
    let item = item.ok_or_else(|| {
        Refusal::invalid("No output of this source has a final value. Record one first.")
    })?;

    let message = match purpose {
        SourcePurpose::Attention => {
            "The attention item is ready. Check its expected answers.".to_owned()
        }
        purpose => format!("The item is ready for {purpose}. Check its expected answers."),
    };
    redirect_with(StudyPage::ExpectedAnswers(item), &slug, message)
}
