//! The settings for crowd raters.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// The codes shown at the end, as form fields; empty for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeFields {
    /// The code for raters who did their sources.
    pub completed: String,
    /// The code for raters who are screened out.
    pub screened_out: String,
    /// The code for raters who failed attention items.
    pub failed_checks: String,
    /// The code for raters who come when no place is left.
    pub quota_full: String,
    /// The return link shown next to the codes.
    pub return_link: String,
}

/// The rule for failed attention items, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailedItemFields {
    /// The number of failed items that has a consequence; 0 for never.
    pub from: String,
    /// The consequence.
    pub consequence: String,
}

/// Opens the study to crowd raters or closes it, and saves what they are asked and told.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for invalid fields, and for opening a
/// study without an information sheet, or without a code for each end.
#[server(endpoint = "set-crowd")]
pub async fn set_crowd(
    slug: String,
    /// Present where crowd raters may begin.
    #[server(default)]
    is_open: Option<String>,
    /// Sources for each crowd rater; 0 for all.
    sources_each: String,
    /// Present where crowd raters need the platform's ID in their link.
    #[server(default)]
    needs_platform_id: Option<String>,
    /// Screening questions, one a line.
    #[server(default)]
    screening: String,
    /// The rule for failed attention items.
    #[server(default)]
    failed: FailedItemFields,
    /// The codes shown at the end.
    #[server(default)]
    codes: CodeFields,
) -> Result<(), Refusal> {
    use domain::{
        crowd::{CompletionCodes, CrowdSettings, FailedChecksRule},
        screening::RaterScreening,
        study::StudySettings,
    };

    use super::require_codes;
    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    if is_open.is_some() && access.study.information.trim().is_empty() {
        return Err(Refusal::invalid(
            "There is no information sheet yet that crowd raters can agree to. Write it under Settings, Texts, then \
             open the study to them.",
        ));
    }

    let experiment = services().store.experiment_of(access.study.id).await;
    if is_open.is_some() && experiment.map_err(refuse)?.is_some() {
        return Err(Refusal::invalid(
            "This study is part of an experiment. Crowd raters see one study only, so they cannot take part in it: invite \
             annotators.",
        ));
    }

    let return_link = parse::optional_line(&codes.return_link, "The link at the end", 2_000)?;
    if !return_link.is_empty() && !return_link.starts_with("https://") {
        return Err(Refusal::invalid(
            "The link at the end must start with https://.",
        ));
    }

    let screening = parse::text(&screening, "The screening questions")?;
    let screening = RaterScreening::parse(&screening)
        .map_err(|bad| Refusal::invalid(format!("Screening questions, {bad}.")))?;

    let code =
        |text: &str, name: &str| parse::optional_line(text, name, CrowdSettings::LONGEST_CODE);
    let crowd = CrowdSettings {
        is_open: is_open.is_some(),
        sources_each: parse::integer(
            &sources_each,
            "The number of sources",
            0..=CrowdSettings::MOST_SOURCES,
        )?,
        needs_platform_id: needs_platform_id.is_some(),
        screening,
        failed_checks: FailedChecksRule {
            from: parse::integer(
                &failed.from,
                "The number of failed attention items",
                0..=FailedChecksRule::MOST,
            )?,
            consequence: parse::choice(&failed.consequence)?,
        },
        codes: CompletionCodes {
            completed: code(&codes.completed, "The completion code")?,
            screened_out: code(
                &codes.screened_out,
                "The code for people who are screened out",
            )?,
            failed_checks: code(&codes.failed_checks, "The code for failed attention items")?,
            quota_full: code(&codes.quota_full, "The code for when all places are taken")?,
        },
        return_link,
    };

    let settings = StudySettings {
        crowd,
        ..access.study.settings.clone()
    };
    require_codes(&settings)?;

    let services = services();
    let now = services.context.now_ms();
    services
        .store
        .set_settings(access.study.id, &settings, now)
        .await
        .map_err(refuse)?;

    let message = match settings.crowd.is_open {
        true => "The settings have been saved. Crowd raters can begin by a link.",
        false => "The settings have been saved. Nobody new can begin by a link.",
    };
    see_other_with(&StudyPage::Crowd.path(&slug), message);
    Ok(())
}
