//! Deactivating an account and reactivating it.

use leptos::prelude::*;

use crate::error::Refusal;

/// Deactivates an account and ends its sessions, or reactivates it. The person's work is kept.
///
/// # Errors
/// [`Refusal::NotFound`] unless the person is an administrator, or where the other person is unknown;
/// [`Refusal::Invalid`] where no administrator would be left;
/// [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "set-disabled")]
pub async fn set_disabled(
    /// The id of the person to change.
    person: String,
    /// `yes` or `no`.
    to: String,
) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use super::set_admin::person_named_by;
    use crate::{
        links,
        request::{admin, audited, refuse, require_confirmed, see_other_with},
        services,
    };

    admin().await?;
    require_confirmed()?;
    let person = person_named_by(&person).await?;

    let (disabled, subject) = (to == "yes", AuditSubject::Person(person.id));
    let now = services().context.now_ms();

    if disabled {
        audited(AuditKind::AccountClosed, None, subject)
            .disable_person(person.id, now)
            .await
            .map_err(refuse)?;
    } else {
        audited(AuditKind::AccountReopened, None, subject)
            .enable_person(person.id)
            .await
            .map_err(refuse)?;
    }

    let change = if disabled {
        "has been deactivated"
    } else {
        "is active again"
    };
    let message = format!("The account of {} {change}.", person.name);
    see_other_with(links::PEOPLE, message);
    Ok(())
}
