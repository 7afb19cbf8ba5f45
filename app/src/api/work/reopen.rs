//! Reopening a submitted source.

use domain::ids::AssignmentId;
use leptos::prelude::*;

use crate::{error::Refusal, json::Json};

/// Reopens a source: its answers do not count until it is submitted again.
///
/// # Errors
/// [`Refusal::Invalid`] where it was not submitted, or can be judged only once.
#[server(endpoint = "work/reopen/v1", input = Json, output = Json)]
pub async fn reopen(assignment: AssignmentId) -> Result<(), Refusal> {
    use crate::{
        request::{refuse, signed_in_rater},
        services,
    };

    let person = signed_in_rater().await?;

    let services = services();
    let opened = services
        .store
        .reopen(person.id, assignment, services.context.now_ms())
        .await;

    opened.map_err(refuse)?.ok_or(Refusal::NotFound)
}
