//! Participants of reading comprehension, and crowd raters, as leads exclude and erase them.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use crate::api::ssr::*;

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
    let access = lead_access(&slug).await?;

    let (study, id) = (access.study.id, parse::id(&participant)?);
    let reason = parse::line(&reason, "The reason", 200)?;

    let now = services().context.now_ms();
    let subject = AuditSubject::Participant(id);
    let store = audited(AuditKind::ParticipantExcluded, Some(study), subject);

    let excluded = store.exclude_participant(study, id, &reason, now).await;
    // The id may be a crowd rater's.
    if !excluded.map_err(refuse)? {
        let excluded = store.exclude_crowd_rater(study, id, &reason, now).await;
        require_found(excluded.map_err(refuse)?)?;
        return redirect_with(
            StudyPage::Crowd,
            &slug,
            "The crowd rater is excluded, and all figures have been updated.",
        );
    }

    redirect_with(
        StudyPage::Reading,
        &slug,
        "The participant’s answers are excluded, and all figures have been updated.",
    )
}

/// Counts the answers of an excluded participant or the ratings of an excluded crowd rater again; the crowd
/// rater can continue.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where their texts
/// have been given to others.
#[server(endpoint = "include-reader")]
pub async fn include_reader(slug: String, participant: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let (study, id) = (access.study.id, parse::id(&participant)?);
    let now = services().context.now_ms();
    let subject = AuditSubject::Participant(id);
    let store = audited(AuditKind::ParticipantIncluded, Some(study), subject);

    let included = store.include_participant(study, id, now).await;
    // The id may be a crowd rater's.
    if !included.map_err(refuse)? {
        let included = store.include_crowd_rater(study, id, now).await;
        require_found(included.map_err(refuse)?)?;
        return redirect_with(
            StudyPage::Crowd,
            &slug,
            "The crowd rater can continue, and their ratings count.",
        );
    }

    redirect_with(
        StudyPage::Reading,
        &slug,
        "The participant’s answers count again.",
    )
}

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

    let subject = AuditSubject::Nothing;
    let erased = audited(AuditKind::ParticipantErased, Some(study), subject)
        .erase_participant(study, id, now)
        .await;
    require_found(erased.map_err(refuse)?)?;

    if is_rater {
        return redirect_with(
            StudyPage::Crowd,
            &slug,
            "The crowd rater and all of their ratings have been erased. Backups still hold them.",
        );
    }
    redirect_with(
        StudyPage::Reading,
        &slug,
        "The participant and all of their answers have been erased. Backups still hold them.",
    )
}
