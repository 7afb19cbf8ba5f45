//! A participant withdraws their answers.

use leptos::prelude::*;

use crate::error::Refusal;

/// Ends the participant's session; their answers no longer count.
///
/// # Errors
/// [`Refusal::Invalid`] where the session is unknown or has already ended.
#[server(endpoint = "reading/withdraw")]
pub async fn withdraw_reader() -> Result<(), Refusal> {
    use super::reader;
    use crate::{
        links,
        request::{refuse, see_other},
        services,
    };

    let session = reader()?;

    let services = services();
    let now = services.context.now_ms();
    services
        .store
        .withdraw_participant(&session, now)
        .await
        .map_err(refuse)?;

    see_other(links::READ);
    Ok(())
}
