//! Erasing a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Erases a closed study with everything in it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it is open, or where
/// the typed short name differs; [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "erase-study")]
pub async fn erase_study(
    slug: String,
    /// The short name, typed to confirm.
    #[server(default)]
    short_name: String,
) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links,
        request::{audited, lead_access_to_any, refuse, require_confirmed, see_other_with},
        services,
    };

    let access = lead_access_to_any(&slug).await?;
    require_confirmed()?;

    let study = &access.study;
    if short_name.trim() != study.slug.as_str() {
        return Err(Refusal::invalid(format!(
            "Type “{}” to confirm. Nothing has been erased.",
            study.slug
        )));
    }

    let now = services().context.now_ms();
    let subject = AuditSubject::Named(study.name.clone());
    audited(AuditKind::StudyErased, Some(study.id), subject)
        .erase_study(study.id, now)
        .await
        .map_err(refuse)?;

    let message = format!(
        "The study “{}” has been erased. Backups still hold it.",
        study.name
    );
    see_other_with(links::HOME, message);
    Ok(())
}
