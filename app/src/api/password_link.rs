//! One-time links by which a person sets a new password.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes a link by which the person sets a new password, and shows it to the administrator.
///
/// # Errors
/// [`Refusal::NotFound`] for others than administrators, or where there is no such person.
#[server(endpoint = "make-password-link")]
pub async fn make_password_link(
    /// Whose, by id.
    person: String,
) -> Result<(), Refusal> {
    use super::set_admin::person_named_by;
    use crate::request::{admin, see_other};

    admin().await?;
    make_password_link_for(&person_named_by(&person).await?).await?;
    see_other("/people");
    Ok(())
}

/// Makes a link and lets the next page show it.
#[cfg(feature = "ssr")]
pub(super) async fn make_password_link_for(person: &store::Person) -> Result<(), Refusal> {
    use crate::{
        flash::{self, Flash},
        request::{absolute, refuse},
        services,
    };
    use service::accounts::SecretToken;

    const DAYS: i64 = 7;
    let services = services();
    let (token, now) = (
        SecretToken::new(services.context.random_bytes()),
        services.context.now_ms(),
    );
    let until = now + DAYS * 24 * 60 * 60 * 1000;
    let made = services
        .store
        .create_password_link(&token.hash(), person.id, now, until)
        .await;
    made.map_err(refuse)?;
    flash::set(&Flash::Link(
        format!(
            "Send this link to {}: by it they choose a password. It works once, for {DAYS} days, \
             and is not shown again.",
            person.name
        ),
        absolute(&format!("/welcome/{}", token.secret())),
    ));
    Ok(())
}
