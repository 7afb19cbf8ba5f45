//! Erasing a person's account.

use leptos::prelude::*;

use crate::error::Refusal;

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
    require_typed_name(&name, &person.name)?;
    let also = account_erasure(&comments, &ratings);

    let now = services().context.now_ms();
    let subject = AuditSubject::Person(person.id);
    let erased = audited(AuditKind::PersonErased, None, subject)
        .erase_person(person.id, also, now)
        .await;
    if !erased.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }

    let message = format!(
        "The account of {} has been erased. Backups still hold it.",
        person.name
    );
    see_other_with(links::PEOPLE, message);
    Ok(())
}

/// The data to erase with an account, from the form's boxes.
#[cfg(feature = "ssr")]
pub(super) fn account_erasure(comments: &str, ratings: &str) -> store::erasure::AccountErasure {
    store::erasure::AccountErasure {
        comments: comments == "yes",
        ratings: ratings == "yes",
    }
}

/// Refuses unless the typed name, in any case, is that of the account to erase.
#[cfg(feature = "ssr")]
pub(super) fn require_typed_name(typed: &str, name: &str) -> Result<(), Refusal> {
    use store::people::folded_name;

    match folded_name(typed) {
        Some(typed) if Some(&typed) == folded_name(name).as_ref() => Ok(()),
        _ => Err(Refusal::invalid(format!(
            "Type “{name}” to confirm. Nothing has been erased."
        ))),
    }
}
