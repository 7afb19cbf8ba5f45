//! Signing out everywhere else.

use leptos::prelude::*;

use crate::error::Refusal;

/// Signs out all of the person's other devices.
///
/// # Errors
/// [`Refusal::Internal`] only.
#[server(endpoint = "end-other-sessions")]
pub async fn end_other_sessions() -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links,
        request::{audited, refuse, see_other_with, signed_in, visitor},
    };

    let person = signed_in().await?;
    let session = visitor().session.ok_or(Refusal::NotSignedIn)?;

    let ended = audited(AuditKind::SessionEnded, None, AuditSubject::Nothing)
        .end_other_sessions(person.id, &session.token.hash())
        .await
        .map_err(refuse)?;

    let message = match ended {
        0 => "You were not signed in anywhere else.".to_owned(),
        1 => "1 other device has been signed out.".to_owned(),
        ended => format!("{ended} other devices have been signed out."),
    };
    see_other_with(links::ACCOUNT, message);
    Ok(())
}
