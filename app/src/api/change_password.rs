//! A new password in place of the old one.

use leptos::prelude::*;

use crate::error::Refusal;

/// Changes the password of whoever is signed in. Every other session of theirs ends.
///
/// # Errors
/// [`Refusal::Invalid`] where the old password is wrong or the new one is not one to take.
#[server(endpoint = "change-password")]
pub async fn change_password(
    /// The password so far.
    current: String,
    /// The one from now on.
    new: String,
) -> Result<(), Refusal> {
    use crate::{
        flash::{self, Flash},
        request::{hash_password, refuse, refuse_login, see_other, signed_in, visitor},
        services, sessions,
    };
    use service::accounts::attempts::{self, LoginError};

    let person = signed_in().await?;
    let services = services();
    let now = services.context.now_ms();
    let checked = attempts::check(
        &services.store,
        visitor().address,
        &person.name,
        &current,
        now,
    );
    checked.await.map_err(|error| match error {
        LoginError::Wrong => Refusal::invalid("The password so far is a different one."),
        error => refuse_login(error),
    })?;
    let hash = hash_password(&person.name, &new).await?;
    services
        .store
        .set_password_hash(person.id, Some(&hash))
        .await
        .map_err(refuse)?;
    sessions::begin(&person).await?;
    flash::set(&Flash::Done(
        "Your password is changed. Other devices are signed out.".into(),
    ));
    see_other("/account");
    Ok(())
}
