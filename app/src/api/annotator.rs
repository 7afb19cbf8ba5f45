//! An annotator's decisions about taking part.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {super::ssr::*, super::work::assign_next_source};

/// Records that the annotator has read the information sheet and takes part.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person is an annotator.
#[server(endpoint = "consent")]
pub async fn consent(slug: String) -> Result<(), Refusal> {
    let access = access(&slug).await?;
    access.require_annotator()?;

    let (store, now) = store_and_now();
    store
        .consent(access.study.id, access.person.id, now)
        .await
        .map_err(refuse)?;

    redirect_to(StudyPage::Work, &access.study.slug)
}

/// Assigns the next source to the annotator and redirects to it, or back where none is available.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person is an annotator; [`Refusal::Invalid`] before consent or where
/// the study is closed.
#[server(endpoint = "next-source")]
pub async fn next_source(slug: String) -> Result<(), Refusal> {
    let access = access(&slug).await?;
    access.require_annotator()?;
    if access.must_consent() {
        return Err(Refusal::invalid(
            "Read the information sheet and agree to take part first.",
        ));
    }

    let study = &access.study;
    match assign_next_source(access.person.id, study.id, &study.slug).await? {
        Some(path) => see_other(&path),
        None => {
            see_other_with(
                &StudyPage::Work.path(&study.slug),
                "There is nothing for you to judge at the moment.",
            );
        }
    }
    Ok(())
}

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
    let access = access(&slug).await?;
    access.require_annotator()?;
    if sure != "yes" {
        return Err(Refusal::invalid(
            "Tick the box to confirm that you want to withdraw.",
        ));
    }

    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Nothing;
    audited(AuditKind::MemberWithdrew, Some(study), subject)
        .withdraw(study, access.person.id, now)
        .await
        .map_err(refuse)?;

    redirect_to(StudyPage::Work, &access.study.slug)
}
