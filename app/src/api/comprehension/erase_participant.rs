//! Erasing a participant of reading comprehension, or a crowd rater.

use leptos::prelude::*;

use crate::error::Refusal;

/// Deletes a participant or crowd rater with all of their answers, times and comments. Their texts can then
/// go to other participants.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] without their
/// confirmation; [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "erase-participant")]
pub async fn erase_participant(
    slug: String,
    participant: String,
    /// `yes` to confirm.
    #[server(default)]
    sure: String,
) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use super::{redirect_to_comprehension, redirect_to_crowd};
    use crate::{
        request::{audited, lead_access_to_any, parse, refuse, require_confirmed},
        services,
    };

    let access = lead_access_to_any(&slug).await?;
    require_confirmed()?;

    let id = parse::id(&participant)?;
    if sure != "yes" {
        return Err(Refusal::invalid(
            "Tick the box to confirm that the participant is to be erased.",
        ));
    }

    let (study, now) = (access.study.id, services().context.now_ms());
    let raters = services().store.crowd_raters(study).await.map_err(refuse)?;
    let is_rater = raters.iter().any(|rater| rater.id == id);

    let erased = audited(
        AuditKind::ParticipantErased,
        Some(study),
        AuditSubject::Nothing,
    )
    .erase_participant(study, id, now)
    .await;
    if !erased.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }

    if is_rater {
        redirect_to_crowd(
            &slug,
            "The crowd rater and all of their ratings have been erased. Backups still hold them.",
        );
        return Ok(());
    }
    redirect_to_comprehension(
        &slug,
        "The participant and all of their answers have been erased. Backups still hold them.",
    );
    Ok(())
}
