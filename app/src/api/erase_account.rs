//! Erasing one's own account.

use leptos::prelude::*;

use crate::error::Refusal;

/// Erases the account of the person who is signed in, and signs them out.
///
/// # Errors
/// [`Refusal::Invalid`] where the typed name differs, or a study or the platform would have nobody to run it;
/// [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "erase-account")]
pub async fn erase_account(
    /// Their name, typed to confirm.
    #[server(default)]
    name: String,
    /// `yes` to erase their comments as well.
    #[server(default)]
    comments: String,
    /// `yes` to erase their ratings as well.
    #[server(default)]
    ratings: String,
) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use super::erase_person::{account_erasure, require_typed_name};
    use crate::{
        links,
        request::{audited, refuse, require_confirmed, see_other_with, signed_in},
        services, sessions,
    };

    let person = signed_in().await?;
    require_confirmed()?;

    require_typed_name(&name, &person.name)?;
    let also = account_erasure(&comments, &ratings);

    let now = services().context.now_ms();
    let subject = AuditSubject::Person(person.id);
    audited(AuditKind::PersonErased, None, subject)
        .erase_person(person.id, also, now)
        .await
        .map_err(refuse)?;

    sessions::end().await?;
    see_other_with(links::LOGIN, "Your account has been erased.");
    Ok(())
}
