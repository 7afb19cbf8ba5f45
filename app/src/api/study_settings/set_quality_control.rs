//! Quality-control items.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets how often sources get quality-control items (one source in n; 0 for none) and how often raters get
/// attention items. Adds missing quality-control items to sources that have not been assigned yet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for numbers out
/// of range.
#[server(endpoint = "set-quality-control")]
pub async fn set_quality_control(
    slug: String,
    /// One source in this many gets an unchanged copy.
    copy_every: String,
    /// One source in this many gets an output with its words scrambled.
    scrambled_every: String,
    /// One source in this many gets one of its outputs twice.
    repeated_every: String,
    /// A rater gets one attention item for this many sources.
    attention_every: String,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;

    use super::{fields, redirect_to_settings, store_settings};
    use crate::{
        links::StudyPage,
        request::{lead_access, refuse},
        services,
    };
    use service::automatic_annotation::annotate_automatically;

    let access = lead_access(&slug).await?;
    let quality_control = fields::quality_control(
        &copy_every,
        &scrambled_every,
        &repeated_every,
        &attention_every,
    )?;

    let settings = StudySettings {
        quality_control,
        ..access.study.settings.clone()
    };

    let (services, study) = (services(), access.study.id);
    let (store, now) = (&services.store, services.context.now_ms());
    store_settings(study, &settings).await?;

    let added = match access.study.closed_at {
        Some(_) => 0,
        None => {
            let seed = services.context.new_id().as_u64_pair().1;
            let annotate = |source: &str, output: &str| {
                annotate_automatically(&settings, source, output, None)
            };
            store
                .add_quality_control(study, seed, now, services.context.ids, annotate)
                .await
                .map_err(refuse)?
        }
    };

    let message = match added {
        0 => "The quality-control items have been saved.".to_owned(),
        1 => "The quality-control items have been saved, and one was added.".to_owned(),
        added => format!("The quality-control items have been saved, and {added} were added."),
    };
    redirect_to_settings(StudyPage::QualityControlSettings, &slug, &message);
    Ok(())
}
