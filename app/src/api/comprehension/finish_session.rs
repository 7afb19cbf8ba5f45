//! A participant is done.

use leptos::prelude::*;

use crate::error::Refusal;

/// Ends the participant's session, with what they want to say.
///
/// # Errors
/// [`Refusal::Invalid`] where a question has no answer, or the session has ended otherwise.
#[server(endpoint = "reading/finish")]
pub async fn finish_session(
    /// What they want to say; may be empty.
    #[server(default)]
    comment: String,
) -> Result<(), Refusal> {
    use super::reader;
    use crate::{
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
    see_other("/read");
    Ok(())
}
