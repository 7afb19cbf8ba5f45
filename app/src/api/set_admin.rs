//! Administrators of the platform.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes a person an administrator, or takes that right away.
///
/// # Errors
/// [`Refusal::NotFound`] unless the person is an administrator, or where the other person is unknown;
/// [`Refusal::Invalid`] where no administrator would be left;
/// [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "set-admin")]
pub async fn set_admin(
    /// The id of the person to change.
    person: String,
    /// `yes` or `no`.
    to: String,
) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links,
        request::{admin, audited, refuse, require_confirmed, see_other_with},
    };

    admin().await?;
    require_confirmed()?;
    let person = person_named_by(&person).await?;

    let is_admin = to == "yes";
    let kind = match is_admin {
        true => AuditKind::AdminGranted,
        false => AuditKind::AdminRevoked,
    };

    audited(kind, None, AuditSubject::Person(person.id))
        .set_admin(person.id, is_admin)
        .await
        .map_err(refuse)?;

    let change = if is_admin {
        "is now an administrator"
    } else {
        "is no longer an administrator"
    };
    see_other_with(links::PEOPLE, format!("{} {change}.", person.name));
    Ok(())
}

/// The person with that id.
#[cfg(feature = "ssr")]
pub(super) async fn person_named_by(id: &str) -> Result<store::Person, Refusal> {
    use crate::{request::refuse, services};

    let id = id.parse().map_err(|_| Refusal::NotFound)?;
    services()
        .store
        .person(id)
        .await
        .map_err(refuse)?
        .ok_or(Refusal::NotFound)
}
