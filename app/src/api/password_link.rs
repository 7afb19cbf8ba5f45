//! One-time links for setting a password.

use leptos::prelude::*;

use crate::error::Refusal;

/// Creates a link with which the person sets a new password, and shows it to the administrator.
///
/// # Errors
/// [`Refusal::NotFound`] unless the person is an administrator, or where the other person is unknown;
/// [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "make-password-link")]
pub async fn make_password_link(
    /// The id of the person who gets the link.
    person: String,
) -> Result<(), Refusal> {
    use super::set_admin::person_named_by;
    use crate::{
        links,
        request::{admin, require_confirmed, see_other},
    };

    admin().await?;
    require_confirmed()?;

    make_password_link_for(&person_named_by(&person).await?).await?;

    see_other(links::PEOPLE);
    Ok(())
}

/// Creates a link that the next page shows.
#[cfg(feature = "ssr")]
pub(super) async fn make_password_link_for(person: &store::Person) -> Result<(), Refusal> {
    use crate::{
        flash::{self, Flash},
        links,
        request::{absolute, audited, refuse},
        services,
    };
    use service::accounts::SecretToken;
    use store::audit::{AuditKind, AuditSubject};

    const DAYS: i64 = 7;

    let services = services();
    let (token, now) = (
        SecretToken::new(services.context.random_bytes()),
        services.context.now_ms(),
    );
    let until = now + DAYS * 24 * 60 * 60 * 1000;

    let subject = AuditSubject::Person(person.id);
    let result = audited(AuditKind::PasswordLinkMade, None, subject)
        .create_password_link(&token.hash(), person.id, now, until)
        .await;
    result.map_err(refuse)?;

    flash::set(&Flash::Link(
        format!(
            "Send this link to {} so that they can choose a password. It works once, for {DAYS} days, \
             and is not shown again.",
            person.name
        ),
        absolute(&links::password_link(token.secret())),
    ));
    Ok(())
}
