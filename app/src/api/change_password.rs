//! Changing one's password.

use leptos::prelude::*;

use crate::error::Refusal;

/// Changes the password of the person who is signed in, ends all of their other sessions, and forgets their
/// other devices and their links for a new password.
///
/// # Errors
/// [`Refusal::Invalid`] where the current password is wrong or the new one is not accepted.
#[server(endpoint = "change-password")]
pub async fn change_password(
    /// The current password.
    current: String,
    /// The new password.
    new: String,
) -> Result<(), Refusal> {
    use crate::{
        known_devices::login_origin,
        links,
        request::{audited, check_own_password, hash_password, refuse, see_other_with, signed_in},
        sessions,
    };
    use store::audit::{AuditKind, AuditSubject};

    let person = signed_in().await?;
    check_own_password(login_origin(), &person, &current).await?;

    let hash = hash_password(&person.name, &new).await?;
    audited(AuditKind::PasswordChanged, None, AuditSubject::Nothing)
        .set_password_hash(person.id, Some(&hash))
        .await
        .map_err(refuse)?;

    sessions::begin(&person, &hash).await?;
    see_other_with(
        links::ACCOUNT,
        "Your password has been changed. Other devices have been signed out, and your tokens revoked.",
    );
    Ok(())
}
