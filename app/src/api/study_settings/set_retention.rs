//! How long a study keeps personal data.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets how long the study keeps personal data after it was closed.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for another choice;
/// [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "set-retention")]
pub async fn set_retention(
    slug: String,
    /// The period's name.
    retention: String,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;
    use store::audit::{AuditKind, AuditSubject};

    use super::redirect_to_settings;
    use crate::{
        links::StudyPage,
        request::{audited, lead_access, parse, refuse, require_confirmed},
        services,
    };

    let access = lead_access(&slug).await?;
    require_confirmed()?;

    let settings = StudySettings {
        retention: parse::choice(&retention)?,
        ..access.study.settings.clone()
    };

    if settings.retention != access.study.settings.retention {
        let (study, now) = (access.study.id, services().context.now_ms());
        audited(AuditKind::RetentionSet, Some(study), AuditSubject::Nothing)
            .set_settings(study, &settings, now)
            .await
            .map_err(refuse)?;
    }

    let message = "The time for which personal data is kept has been saved.";
    redirect_to_settings(StudyPage::PrivacySettings, &slug, message);
    Ok(())
}
