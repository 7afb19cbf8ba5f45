//! The end of a participant's session.

use leptos::prelude::*;

use crate::error::Refusal;

/// Ends the participant's session and stores their comment.
///
/// # Errors
/// [`Refusal::Invalid`] where a question has no answer, or the session has already ended.
#[server(endpoint = "reading/finish")]
pub async fn finish_session(
    /// An optional comment.
    #[server(default)]
    comment: String,
) -> Result<(), Refusal> {
    use super::reader;
    use crate::{
        links,
        request::{parse, refuse, see_other},
        services,
    };

    let session = reader()?;
    let comment = parse::text(&comment, "The comment")?;

    let services = services();
    let now = services.context.now_ms();
    let finished = services
        .store
        .finish_participant_session(&session, &comment, now)
        .await;
    finished.map_err(refuse)?;

    see_other(links::READ);
    Ok(())
}
