//! Taking a source back from an annotator.

use leptos::prelude::*;

use crate::error::Refusal;

/// Takes back an open source, so that another annotator can get it. Answers so far are kept.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it isn't open any more.
#[server(endpoint = "release")]
pub async fn release(
    slug: String,
    assignment: String,
    /// The reason shown to the annotator; may be empty.
    #[server(default)]
    reason: String,
) -> Result<(), Refusal> {
    use super::{find_assignment, redirect_to_assignments};
    use crate::{
        request::{lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;

    let assignment = find_assignment(&access, &assignment).await?;
    let reason = parse::optional_line(&reason, "The reason", 200)?;
    let reason = if reason.is_empty() {
        "revoked by the lead"
    } else {
        &reason
    };

    let services = services();
    let now = services.context.now_ms();
    let released = services
        .store
        .release(assignment, reason, now)
        .await
        .map_err(refuse)?;

    redirect_to_assignments(
        &slug,
        released.is_some(),
        "The assignment has been revoked. Another annotator can get the source now.",
    )
}
