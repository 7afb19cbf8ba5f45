//! A participant erases their answers.

use leptos::prelude::*;

use crate::error::Refusal;

/// Deletes everything that is stored of the participant, and ends their session.
///
/// # Errors
/// [`Refusal::Invalid`] where the session is unknown or the study is closed.
#[server(endpoint = "reading/erase")]
pub async fn erase_reader() -> Result<(), Refusal> {
    use store::audit::{AuditActor, AuditKind, AuditSubject};

    use super::{READER, reader};
    use crate::{
        cookies, links,
        request::{audit_entry, refuse, see_other, visitor},
        services,
    };

    let session = reader()?;

    let services = services();
    let now = services.context.now_ms();

    // The session determines the study. The entry names neither the participant nor their address, which are
    // erased too.
    let kind = AuditKind::ParticipantErased;
    let mut entry = audit_entry(&services, &visitor(), kind, None, AuditSubject::Nothing);
    entry.actor = AuditActor::Nobody;
    entry.address.clear();
    services
        .store
        .audited(entry)
        .erase_own_participation(&session, now)
        .await
        .map_err(refuse)?;

    cookies::send(READER, "", 0);
    see_other(links::READ_ERASED);
    Ok(())
}
