//! Excluding a participant's answers.

use leptos::prelude::*;

use crate::error::Refusal;

/// Excludes a participant's answers from all figures, for a reason that is stored with them. Their
/// texts go to other participants.
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

    use super::redirect_to_comprehension;
    use crate::{
        request::{audited, lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;
    let (study, id) = (access.study.id, parse::id(&participant)?);
    let reason = parse::line(&reason, "The reason", 200)?;
    let now = services().context.now_ms();
    let excluded = audited(
        AuditKind::ParticipantExcluded,
        Some(study),
        AuditSubject::Participant(id),
    )
    .exclude_participant(study, id, &reason, now)
    .await;
    if !excluded.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }
    redirect_to_comprehension(
        &slug,
        "The participant’s answers are excluded, and all figures have been updated.",
    );
    Ok(())
}
