//! Names and answers that most server functions share, on the server only.

use std::fmt::Display;

use domain::ids::StudyId;
pub(super) use domain::study::StudySettings;
pub(super) use service::{
    accounts::{SecretToken, network_hash},
    wording::{count_noun, sentence},
};
pub(super) use store::{
    Store,
    audit::{AuditKind, AuditSubject},
};

use crate::error::Refusal;
pub(super) use crate::{
    flash::{self, Flash},
    links::{self, StudyPage},
    request::{
        RequestAccess, absolute, access, audit_entry, audited, audited_as, hash_password, internal,
        lead_access, lead_access_to_any, parse, refuse, refuse_as, require_confirmed, see_other,
        see_other_with, signed_in, visitor,
    },
    services, sessions,
};

/// Redirects to a page of the study.
pub(super) fn redirect_to(page: StudyPage<'_>, slug: impl Display) -> Result<(), Refusal> {
    see_other(&page.path(slug));
    Ok(())
}

/// Redirects to a page of the study, which then shows `message`.
pub(super) fn redirect_with(
    page: StudyPage<'_>,
    slug: impl Display,
    message: impl Into<String>,
) -> Result<(), Refusal> {
    see_other_with(&page.path(slug), message);
    Ok(())
}

/// Refuses where the item to change was not found.
///
/// # Errors
/// [`Refusal::NotFound`] unless it was.
pub(super) fn require_found(found: bool) -> Result<(), Refusal> {
    found.then_some(()).ok_or(Refusal::NotFound)
}

/// The store, and the time of a change to it.
pub(super) fn store_and_now() -> (Store, i64) {
    let services = services();
    let now = services.context.now_ms();
    (services.store, now)
}

/// Stores the settings of a study.
///
/// # Errors
/// When the database fails.
pub(super) async fn store_settings(
    study: StudyId,
    settings: &StudySettings,
) -> Result<(), Refusal> {
    let (store, now) = store_and_now();
    let stored = store.set_settings(study, settings, now).await;
    stored.map(drop).map_err(refuse)
}
