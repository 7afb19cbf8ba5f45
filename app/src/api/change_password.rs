//! Changing one's password.

use leptos::prelude::*;

use crate::error::Refusal;

/// Changes the password of the person who is signed in, and ends all of their other sessions.
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
        links,
        request::{
            audited, check_password, hash_password, refuse, refuse_login, see_other_with, signed_in,
        },
        sessions,
    };
    use service::accounts::attempts::LoginError;
    use store::audit::{AuditKind, AuditSubject};

    let person = signed_in().await?;
    let checked = check_password(&person.name, &current);
    checked.await.map_err(|error| match error {
        LoginError::Wrong => Refusal::invalid("The current password is not correct."),
        error => refuse_login(error),
    })?;
    let hash = hash_password(&person.name, &new).await?;
    audited(AuditKind::PasswordChanged, None, AuditSubject::Nothing)
        .set_password_hash(person.id, Some(&hash))
        .await
        .map_err(refuse)?;
    sessions::begin(&person).await?;
    see_other_with(
        links::ACCOUNT,
        "Your password has been changed. Other devices have been signed out.",
    );
    Ok(())
}
