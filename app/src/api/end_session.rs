//! Signing out another device.

use leptos::prelude::*;

use crate::error::Refusal;

/// Signs out one of the devices on which the person is signed in.
///
/// # Errors
/// [`Refusal::Invalid`] where it is not signed in any more.
#[server(endpoint = "end-session")]
pub async fn end_session(
    /// The session's name in forms.
    session: String,
) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links,
        request::{audited, refuse, see_other_with, signed_in},
        services, sessions,
    };

    let person = signed_in().await?;

    let services = services();
    let now = services.context.now_ms();
    let own = services.store.sessions(person.id, now).await;
    let named = |hash: &str| sessions::form_name(hash) == session;
    let found = own
        .map_err(refuse)?
        .into_iter()
        .find(|entry| named(&entry.token_hash));
    let found = found.ok_or_else(|| {
        Refusal::invalid("This device is not signed in any more. Reload the page.")
    })?;

    audited(AuditKind::SessionEnded, None, AuditSubject::Nothing)
        .end_session(&found.token_hash)
        .await
        .map_err(refuse)?;

    see_other_with(links::ACCOUNT, "The device has been signed out.");
    Ok(())
}
