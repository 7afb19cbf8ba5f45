//! Including a participant's answers again.

use leptos::prelude::*;

use crate::error::Refusal;

/// Counts the answers of an excluded participant or the ratings of an excluded crowd rater again; the crowd
/// rater can continue.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where their texts
/// have been given to others.
#[server(endpoint = "include-reader")]
pub async fn include_reader(slug: String, participant: String) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use super::{redirect_to_comprehension, redirect_to_crowd};
    use crate::{
        request::{audited, lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;

    let (study, id) = (access.study.id, parse::id(&participant)?);
    let now = services().context.now_ms();
    let store = audited(
        AuditKind::ParticipantIncluded,
        Some(study),
        AuditSubject::Participant(id),
    );

    let included = store.include_participant(study, id, now).await;
    // The id may be a crowd rater's.
    if !included.map_err(refuse)? {
        let included = store.include_crowd_rater(study, id, now).await;
        if !included.map_err(refuse)? {
            return Err(Refusal::NotFound);
        }
        redirect_to_crowd(
            &slug,
            "The crowd rater can continue, and their ratings count.",
        );
        return Ok(());
    }

    redirect_to_comprehension(&slug, "The participant’s answers count again.");
    Ok(())
}
