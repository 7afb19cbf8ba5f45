//! Leaving a study as an annotator.

use leptos::prelude::*;

use crate::error::Refusal;

/// Withdraws the annotator: what they handed in no longer counts.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person is an annotator; [`Refusal::Invalid`] without their confirmation.
#[server(endpoint = "withdraw")]
pub async fn withdraw(
    slug: String,
    /// `yes` to confirm.
    #[server(default)]
    sure: String,
) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{access, audited, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_annotator()?;
    if sure != "yes" {
        return Err(Refusal::invalid(
            "Tick the box to confirm that you want to withdraw.",
        ));
    }

    let (study, now) = (access.study.id, services().context.now_ms());
    audited(
        AuditKind::MemberWithdrew,
        Some(study),
        AuditSubject::Nothing,
    )
    .withdraw(study, access.person.id, now)
    .await
    .map_err(refuse)?;

    see_other(&StudyPage::Work.path(&access.study.slug));
    Ok(())
}
