//! A source is done.

use domain::ids::{AssignmentId, OutputId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{error::Refusal, json::Json};

/// What came of handing a source in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HandInResponse {
    /// It is done: go on at this address.
    In {
        /// The next source, the annotator's own page, or this one with what was expected.
        next: String,
    },
    /// It stays open: these outputs have no score yet on some dimension.
    Missing(Vec<OutputId>),
}

/// Hands a source in and says where to go on.
///
/// # Errors
/// [`Refusal::Invalid`] where it cannot be handed in any more, or the person is no longer an annotator.
#[server(endpoint = "work/hand-in/v1", input = Json, output = Json)]
pub async fn hand_in(
    /// Which source.
    assignment: AssignmentId,
) -> Result<HandInResponse, Refusal> {
    use domain::study::SourcePurpose;
    use store::annotator_answers::HandInOutcome as Done;

    use super::next::{load_task, next_address};
    use crate::{
        request::{refuse, signed_in},
        services,
    };

    let person = signed_in().await?;
    let services = services();
    let done = services
        .store
        .hand_in(person.id, assignment, services.context.now_ms())
        .await;
    match done.map_err(refuse)?.ok_or(Refusal::NotFound)? {
        Done::Missing(missing) => Ok(HandInResponse::Missing(
            missing.into_iter().map(|unrated| unrated.output).collect(),
        )),
        Done::Done => {
            let task = load_task(person.id, assignment).await?;
            // What was expected is shown on the source itself, now that it is handed in.
            let next = match task.purpose {
                SourcePurpose::Training => {
                    crate::links::to(&format!("/s/{}/work/{assignment}", task.slug))
                }
                _ => next_address(person.id, &task).await,
            };
            Ok(HandInResponse::In { next })
        }
    }
}
