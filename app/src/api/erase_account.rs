//! Erasing one's own account.

use leptos::prelude::*;

use crate::error::Refusal;

/// Erases the account of the person who is signed in, and signs them out.
///
/// # Errors
/// [`Refusal::Invalid`] where the typed name is another one, or a study or the platform would have nobody
/// to run it.
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
    use super::erase_person::{account_erasure, require_typed_name};
    use crate::{
        links,
        request::{refuse, see_other_with, signed_in},
        services, sessions,
    };

    let person = signed_in().await?;
    require_typed_name(&name, &person.name)?;
    let services = services();
    let also = account_erasure(&comments, &ratings);
    let now = services.context.now_ms();
    services
        .store
        .erase_person(person.id, also, now)
        .await
        .map_err(refuse)?;
    sessions::end().await?;
    see_other_with(links::LOGIN, "Your account has been erased.");
    Ok(())
}
