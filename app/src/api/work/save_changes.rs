//! Answers on their way into the store.

use domain::{
    ids::{AssignmentId, PersonId},
    work::{
        activity::Report,
        change::{Change, Outcome},
    },
};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{error::Refusal, json::Json};

/// Changes to one source, in their order, and the active time with them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Whose answers they are: kept by the browser, they may be older than the session.
    pub person: PersonId,
    /// To which source.
    pub assignment: AssignmentId,
    /// The changes, oldest first.
    pub changes: Vec<Change>,
    /// Active time by tab, as far as it was not reported.
    pub activity: Vec<Report>,
}

/// What became of a [`Batch`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// What became of each change, in their order.
    pub outcomes: Vec<Outcome>,
    /// When they were stored at the latest: the server's clock, in milliseconds since 1970.
    pub now: i64,
}

/// Stores changes: each once, however often it is sent, and none over an answer it did not know.
///
/// # Errors
/// [`Refusal::NotSignedIn`] also where somebody else is signed in than gave the answers: they are
/// kept until that person is back.
#[server(endpoint = "work/save-changes/v1", input = Json, output = Json)]
pub async fn save_changes(
    /// The changes.
    batch: Batch,
) -> Result<Taken, Refusal> {
    use crate::api::{refuse, services, signed_in};

    let person = signed_in().await?.id;
    if person != batch.person {
        return Err(Refusal::NotSignedIn);
    }
    let services = services();
    let (store, now) = (&services.store, (services.now_ms)());
    let Batch {
        assignment,
        changes,
        activity,
        ..
    } = batch;
    let outcomes = store
        .save_changes(person, assignment, &changes, now)
        .await
        .map_err(refuse)?;
    let outcomes = outcomes.ok_or(Refusal::NotFound)?;
    for report in activity {
        let spent = report.spent();
        store
            .save_activity(person, assignment, report.tab, &spent, now)
            .await
            .map_err(refuse)?;
    }
    // Read again, after the commit: a page that was made before it is older than this.
    Ok(Taken {
        outcomes,
        now: (services.now_ms)(),
    })
}
