//! A source that was handed in is taken up again.

use domain::ids::AssignmentId;
use leptos::prelude::*;

use crate::{error::Refusal, json::Json};

/// Opens a source again: until it is handed in anew its answers do not count.
///
/// # Errors
/// [`Refusal::Invalid`] where it was not handed in, or is judged once only.
#[server(endpoint = "work/reopen/v1", input = Json, output = Json)]
pub async fn reopen(
    /// Which source.
    assignment: AssignmentId,
) -> Result<(), Refusal> {
    use crate::{
        request::{refuse, signed_in},
        services,
    };

    let person = signed_in().await?;
    let services = services();
    let opened = services
        .store
        .reopen(person.id, assignment, services.context.now_ms())
        .await;
    opened.map_err(refuse)?.ok_or(Refusal::NotFound)
}
