//! Closing an account, and opening it again.

use leptos::prelude::*;

use crate::error::Refusal;

/// Shuts a person out and ends their sessions, or lets them in again. What they did stays.
///
/// # Errors
/// [`Refusal::NotFound`] for others than administrators, or where there is no such person;
/// [`Refusal::Invalid`] where nobody would be left to administer.
#[server(endpoint = "set-disabled")]
pub async fn set_disabled(
    /// Whom, by id.
    person: String,
    /// `yes` or `no`.
    to: String,
) -> Result<(), Refusal> {
    use super::set_admin::person_named_by;
    use crate::{
        flash::{self, Flash},
        request::{admin, refuse, see_other},
        services,
    };

    admin().await?;
    let person = person_named_by(&person).await?;
    let (services, disabled) = (services(), to == "yes");
    let now = services.context.now_ms();
    if disabled {
        services
            .store
            .disable_person(person.id, now)
            .await
            .map_err(refuse)?;
    } else {
        services
            .store
            .enable_person(person.id)
            .await
            .map_err(refuse)?;
    }
    let what = if disabled {
        "is closed"
    } else {
        "is open again"
    };
    flash::set(&Flash::Done(format!(
        "The account of {} {what}.",
        person.name
    )));
    see_other("/people");
    Ok(())
}
