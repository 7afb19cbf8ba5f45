//! Signing out.

use leptos::prelude::*;

use crate::error::Refusal;

/// Signs out the person who is signed in and leads to the start page.
///
/// # Errors
/// [`Refusal::Internal`] only.
#[server(endpoint = "log-out")]
pub async fn log_out() -> Result<(), Refusal> {
    use crate::{request::see_other, sessions};

    sessions::end().await?;
    see_other("/");
    Ok(())
}
