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
        accounts::{attempts, sessions},
        api::{hash_password, refuse, see_other, services, signed_in, visitor},
        layout::flash::{self, Flash},
    };

    let person = signed_in().await?;
    let services = services();
    let same = attempts::check(&services, &visitor(), &person.name, &current).await;
    same.map_err(|refusal| match refusal {
        Refusal::Invalid(_) => Refusal::invalid("The password so far is a different one."),
        refusal => refusal,
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
