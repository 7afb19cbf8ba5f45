//! Excluding a participant's answers, or a crowd rater's ratings.

use leptos::prelude::*;

use crate::error::Refusal;

/// Excludes a reader's answers or a crowd rater's ratings from all figures, and stores the reason with them.
/// Their texts can then go to other participants.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] without a reason.
#[server(endpoint = "exclude-reader")]
pub async fn exclude_reader(
    slug: String,
    participant: String,
    #[server(default)] reason: String,
) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use super::{redirect_to_comprehension, redirect_to_crowd};
    use crate::{
        request::{audited, lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;

    let (study, id) = (access.study.id, parse::id(&participant)?);
    let reason = parse::line(&reason, "The reason", 200)?;

    let now = services().context.now_ms();
    let store = audited(
        AuditKind::ParticipantExcluded,
        Some(study),
        AuditSubject::Participant(id),
    );

    let excluded = store.exclude_participant(study, id, &reason, now).await;
    // The id may be a crowd rater's.
    if !excluded.map_err(refuse)? {
        let excluded = store.exclude_crowd_rater(study, id, &reason, now).await;
        if !excluded.map_err(refuse)? {
            return Err(Refusal::NotFound);
        }
        redirect_to_crowd(
            &slug,
            "The crowd rater is excluded, and all figures have been updated.",
        );
        return Ok(());
    }

    redirect_to_comprehension(
        &slug,
        "The participant’s answers are excluded, and all figures have been updated.",
    );
    Ok(())
}
