//! Submitting a source.

use domain::ids::AssignmentId;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{error::Refusal, json::Json};

/// The outcome of submitting a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HandInResponse {
    /// It was submitted: continue at this address.
    In {
        /// The next source, the annotator's home, or this source with its expected answers.
        next: String,
    },
    /// It is still open: that number of answers is missing.
    Missing(usize),
}

/// Submits a source and returns the address to continue at.
///
/// # Errors
/// [`Refusal::Invalid`] where it cannot be submitted any more, or where the person isn't an annotator any more.
#[server(endpoint = "work/hand-in/v1", input = Json, output = Json)]
pub async fn hand_in(assignment: AssignmentId) -> Result<HandInResponse, Refusal> {
    use domain::study::SourcePurpose;
    use store::annotator_answers::HandInOutcome as Done;

    use super::next::{load_task, next_address};
    use crate::{
        links::StudyPage,
        request::{refuse, signed_in_rater},
        services,
    };

    let person = signed_in_rater().await?;

    let services = services();
    let outcome = services
        .store
        .hand_in(person.id, assignment, services.context.now_ms())
        .await;

    match outcome.map_err(refuse)?.ok_or(Refusal::NotFound)? {
        Done::Missing(missing) => Ok(HandInResponse::Missing(missing.len())),
        Done::Done => {
            let task = load_task(person.id, assignment).await?;
            // A submitted training source shows its expected answers.
            let next = match task.purpose {
                SourcePurpose::Training => StudyPage::Workspace(assignment).address(&task.slug),
                _ => next_address(person.id, &task).await,
            };
            Ok(HandInResponse::In { next })
        }
    }
}
