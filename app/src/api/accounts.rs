//! Accounts: created, given rights, deactivated and erased by administrators, or erased by their owners.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    crate::request::admin as require_admin,
    domain::ids::PersonId,
    store::{Person, erasure::AccountErasure, people::folded_name},
};

/// Creates the first administrator from the one-time link that the server printed, and signs them in.
///
/// # Errors
/// [`Refusal::NotFound`] where the link does not work; [`Refusal::Invalid`] where the name or password is not
/// accepted.
#[server(endpoint = "become-admin")]
pub async fn become_admin(
    /// The token at the end of the link.
    token: String,
    name: String,
    new: String,
) -> Result<(), Refusal> {
    let (services, token) = (services(), SecretToken::from_text(&token).hash());
    let id = PersonId(services.context.new_id());
    let now = services.context.now_ms();

    // Only valid links are worth the cost of hashing a password.
    if !services
        .store
        .is_first_admin_link(&token, now)
        .await
        .map_err(refuse)?
    {
        return Err(Refusal::NotFound);
    }

    let hash = hash_password(&name, &new).await?;
    let person = audited_as(id, AuditKind::AdminAdded, None, AuditSubject::Person(id))
        .redeem_first_admin_link(&token, id, &name, &hash, now)
        .await;

    sessions::begin(&person.map_err(refuse)?, &hash).await?;
    see_other("/");
    Ok(())
}

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
    require_admin().await?;
    require_confirmed()?;

    let services = services();
    let id = PersonId(services.context.new_id());
    let now = services.context.now_ms();
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
    require_admin().await?;
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
    require_admin().await?;
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

/// Erases the account of a person: name, password, sessions and roles.
///
/// # Errors
/// [`Refusal::NotFound`] unless the person is an administrator, or where the other person is unknown;
/// [`Refusal::Invalid`] where the typed name differs, or a study or the platform would have nobody to run it;
/// [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "erase-person")]
pub async fn erase_person(
    /// The id of the person to erase.
    person: String,
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
    require_admin().await?;
    require_confirmed()?;

    let person = person_named_by(&person).await?;
    let was_known = erase(&person, &name, &comments, &ratings).await?;
    require_found(was_known)?;

    let message = format!(
        "The account of {} has been erased. Backups still hold it.",
        person.name
    );
    see_other_with(links::PEOPLE, message);
    Ok(())
}

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
    let person = signed_in().await?;
    require_confirmed()?;

    erase(&person, &name, &comments, &ratings).await?;

    sessions::end().await?;
    see_other_with(links::LOGIN, "Your account has been erased.");
    Ok(())
}

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
    require_admin().await?;
    require_confirmed()?;

    make_password_link_for(&person_named_by(&person).await?).await?;

    see_other(links::PEOPLE);
    Ok(())
}

/// Creates a link that the next page shows.
#[cfg(feature = "ssr")]
async fn make_password_link_for(person: &Person) -> Result<(), Refusal> {
    const DAYS: i64 = 7;

    let services = services();
    let token = SecretToken::new(services.context.random_bytes());
    let now = services.context.now_ms();
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

/// The person with that id.
#[cfg(feature = "ssr")]
async fn person_named_by(id: &str) -> Result<Person, Refusal> {
    let id = id.parse().map_err(|_| Refusal::NotFound)?;
    services()
        .store
        .person(id)
        .await
        .map_err(refuse)?
        .ok_or(Refusal::NotFound)
}

/// Erases an account with what the form's boxes say. Returns whether it existed.
///
/// # Errors
/// [`Refusal::Invalid`] unless the typed name, in any case, is that of the account, or where the store refuses.
#[cfg(feature = "ssr")]
async fn erase(
    person: &Person,
    typed: &str,
    comments: &str,
    ratings: &str,
) -> Result<bool, Refusal> {
    let name = &person.name;
    if folded_name(typed).is_none_or(|typed| Some(typed) != folded_name(name)) {
        return Err(Refusal::invalid(format!(
            "Type “{name}” to confirm. Nothing has been erased."
        )));
    }

    let also = AccountErasure {
        comments: comments == "yes",
        ratings: ratings == "yes",
    };
    let now = services().context.now_ms();

    audited(
        AuditKind::PersonErased,
        None,
        AuditSubject::Person(person.id),
    )
    .erase_person(person.id, also, now)
    .await
    .map_err(refuse)
}
