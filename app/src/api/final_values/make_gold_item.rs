//! Training, qualification and attention items made from outputs with final values.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use domain::study::SourcePurpose;
    use store::gold_items::NewGoldItem;

    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other_with},
        services,
    };

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
    see_other_with(&StudyPage::ExpectedAnswers(item).path(&slug), message);
    Ok(())
}
