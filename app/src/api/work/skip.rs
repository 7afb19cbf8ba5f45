//! Skipping a source.

use domain::ids::AssignmentId;
use leptos::prelude::*;

use crate::{error::Refusal, json::Json};

/// Skips a source, with a reason for the lead, and returns where to continue.
///
/// # Errors
/// [`Refusal::Invalid`] without a reason, or where the source isn't open.
#[server(endpoint = "work/skip/v1", input = Json, output = Json)]
pub async fn skip(assignment: AssignmentId, reason: String) -> Result<String, Refusal> {
    use super::next::{load_task, next_address};
    use crate::{
        request::{refuse, signed_in_rater},
        services,
    };

    let person = signed_in_rater().await?;

    let services = services();
    let now = services.context.now_ms();
    let skipped = services
        .store
        .skip(person.id, assignment, &reason, now)
        .await;
    skipped.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    Ok(next_address(person.id, &load_task(person.id, assignment).await?).await)
}
