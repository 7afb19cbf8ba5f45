//! Creating an account, by an administrator.

use leptos::prelude::*;

use crate::error::Refusal;

/// Adds a person and shows the administrator a one-time link for setting the password.
///
/// # Errors
/// [`Refusal::NotFound`] unless the person is an administrator; [`Refusal::Invalid`] where the name is not
/// valid or already taken; [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "add-person")]
pub async fn add_person(
    name: String,
    /// `yes` for an administrator.
    #[server(default)]
    admin: String,
) -> Result<(), Refusal> {
    use domain::ids::PersonId;
    use store::audit::{AuditKind, AuditSubject};

    use super::password_link::make_password_link_for;
    use crate::{
        links,
        request::{admin as require_admin, audited, refuse, require_confirmed, see_other},
        services,
    };

    require_admin().await?;
    require_confirmed()?;

    let services = services();
    let (id, now) = (
        PersonId(services.context.new_id()),
        services.context.now_ms(),
    );
    let kind = match admin.as_str() {
        "yes" => AuditKind::AdminAdded,
        _ => AuditKind::AccountAdded,
    };

    let person = audited(kind, None, AuditSubject::Person(id))
        .create_person(id, &name, None, admin == "yes", now)
        .await;
    make_password_link_for(&person.map_err(refuse)?).await?;

    see_other(links::PEOPLE);
    Ok(())
}
