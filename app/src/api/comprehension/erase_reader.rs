//! A participant erases their answers.

use leptos::prelude::*;

use crate::error::Refusal;

/// Deletes everything that is stored of the participant, and ends their session.
///
/// # Errors
/// [`Refusal::Invalid`] where the session is unknown or the study is closed.
#[server(endpoint = "reading/erase")]
pub async fn erase_reader() -> Result<(), Refusal> {
    use super::{READER, reader};
    use crate::{
        cookies, links,
        request::{refuse, see_other},
        services,
    };

    let session = reader()?;
    let services = services();
    let now = services.context.now_ms();
    services
        .store
        .erase_own_participation(&session, now)
        .await
        .map_err(refuse)?;
    cookies::send(READER, "", 0);
    see_other(links::READ_ERASED);
    Ok(())
}
