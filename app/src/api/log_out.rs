//! Signing out.

use leptos::prelude::*;

use crate::error::Refusal;

/// Signs out the person who is signed in and leads to the start page.
///
/// # Errors
/// [`Refusal::Internal`] only.
#[server(endpoint = "log-out")]
pub async fn log_out() -> Result<(), Refusal> {
    use http::{HeaderName, HeaderValue};
    use leptos_axum::ResponseOptions;

    use crate::{request::see_other, sessions};

    /// Of what the browser keeps, only copies of pages. Its storage may hold answers that the server does not have,
    /// also of other people: `sign_out.js` removes what may be removed.
    const CLEARED: HeaderValue = HeaderValue::from_static("\"cache\"");

    sessions::end().await?;
    let response = expect_context::<ResponseOptions>();
    response.insert_header(HeaderName::from_static("clear-site-data"), CLEARED);
    see_other("/");
    Ok(())
}
