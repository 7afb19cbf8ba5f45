//! A participant takes their answers back.

use leptos::prelude::*;

use crate::error::Refusal;

/// Ends the participant's session; their answers count no more.
///
/// # Errors
/// [`Refusal::Invalid`] where the session is not known or has ended before.
#[server(endpoint = "reading/withdraw")]
pub async fn withdraw_reader() -> Result<(), Refusal> {
    use super::reader;
    use crate::{
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
    see_other("/read");
    Ok(())
}
