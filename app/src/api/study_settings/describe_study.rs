//! A study's texts for its annotators.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets a study's guidelines and information sheet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for texts that
/// are not valid.
#[server(endpoint = "describe-study")]
pub async fn describe_study(
    slug: String,
    /// The guidelines, as Markdown.
    #[server(default)]
    guidelines: String,
    /// The information sheet that annotators consent to, as Markdown; may be empty.
    #[server(default)]
    information: String,
) -> Result<(), Refusal> {
    use super::redirect_to_settings;
    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;

    let guidelines = parse::text(&guidelines, "The guidelines")?;
    let information = parse::text(&information, "The information sheet")?;

    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    services
        .store
        .describe_study(study, &access.study.name, &guidelines, &information, now)
        .await
        .map_err(refuse)?;

    redirect_to_settings(StudyPage::TextSettings, &slug, "The texts have been saved.");
    Ok(())
}
