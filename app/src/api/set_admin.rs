//! Who administers the platform.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes a person an administrator, or no longer one.
///
/// # Errors
/// [`Refusal::NotFound`] for others than administrators, or where there is no such person;
/// [`Refusal::Invalid`] where nobody would be left to administer.
#[server(endpoint = "set-admin")]
pub async fn set_admin(
    /// Whom, by id.
    person: String,
    /// `yes` or `no`.
    to: String,
) -> Result<(), Refusal> {
    use crate::{
        flash::{self, Flash},
        request::{admin, refuse, see_other},
        services,
    };

    admin().await?;
    let person = person_named_by(&person).await?;
    let is_admin = to == "yes";
    services()
        .store
        .set_admin(person.id, is_admin)
        .await
        .map_err(refuse)?;
    let what = if is_admin {
        "administers the platform now"
    } else {
        "is no administrator now"
    };
    flash::set(&Flash::Done(format!("{} {what}.", person.name)));
    see_other("/people");
    Ok(())
}

/// The person of that id.
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
