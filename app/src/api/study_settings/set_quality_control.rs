//! Items that watch over the quality of the answers.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets which quality-control items sources get (one source in so many, 0 for none) and adds those
/// that are lacking to sources that nobody was given yet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for numbers out
/// of range.
#[server(endpoint = "set-quality-control")]
pub async fn set_quality_control(
    /// The study's short name.
    slug: String,
    /// One source in so many gets an unchanged copy.
    copy_every: String,
    /// One source in so many gets an output with its words scrambled.
    scrambled_every: String,
    /// One source in so many gets one of its outputs once more.
    repeated_every: String,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;

    use super::{fields, redirect_to_settings};
    use crate::{
        request::{access, refuse},
        services,
    };
    use service::automatic_annotation::annotate_automatically;

    let access = access(&slug).await?;
    access.require_lead()?;
    let quality_control = fields::quality_control(&copy_every, &scrambled_every, &repeated_every)?;
    let settings = StudySettings {
        quality_control,
        ..access.study.settings.clone()
    };
    let (services, study) = (services(), access.study.id);
    let (store, now) = (&services.store, services.context.now_ms());
    store
        .set_settings(study, &settings, now)
        .await
        .map_err(refuse)?;
    let added = match access.study.closed_at {
        Some(_) => 0,
        None => {
            let seed = services.context.new_id().as_u64_pair().1;
            let made = |source: &str, output: &str| {
                annotate_automatically(&settings, source, output, None)
            };
            store
                .add_quality_control(study, seed, now, services.context.ids, made)
                .await
                .map_err(refuse)?
        }
    };
    let said = match added {
        0 => "The quality-control items are saved.".to_owned(),
        1 => "The quality-control items are saved; one is placed.".to_owned(),
        added => format!("The quality-control items are saved; {added} are placed."),
    };
    redirect_to_settings(&slug, &said);
    Ok(())
}
