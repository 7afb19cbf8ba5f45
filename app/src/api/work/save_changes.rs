//! Storing an annotator's answers.

use domain::{
    ids::{AssignmentId, PersonId},
    work::{
        activity::ActivityReport,
        change::{AnnotationChange, SaveOutcome},
    },
};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{error::Refusal, json::Json};

/// Changes to one source in order, with the active time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeBatch {
    /// The person who gave the answers; the browser may have kept them from an earlier session.
    pub person: PersonId,
    pub assignment: AssignmentId,
    /// The changes, oldest first.
    pub changes: Vec<AnnotationChange>,
    /// The active time of each tab that has not been reported yet.
    pub activity: Vec<ActivityReport>,
}

/// The outcome of a [`ChangeBatch`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeBatchOutcome {
    /// The outcome of each change, in order.
    pub outcomes: Vec<SaveOutcome>,
    /// The time by which the changes were stored: the server's clock, in milliseconds since 1970.
    pub now: i64,
}

/// Stores each change once, however often it is sent, and none over an answer that its sender had not seen.
/// Changes to a closed study, or by a person who isn't an annotator any more, are refused one by one with the
/// reason: the browser shows it and does not resend them by itself.
///
/// # Errors
/// [`Refusal::Invalid`] for more changes at once than a browser sends; [`Refusal::NotSignedIn`] also where
/// another person is signed in than the one who gave the answers: the browser keeps them until that person is back.
#[server(endpoint = "work/save-changes/v1", input = Json, output = Json)]
pub async fn save_changes(batch: ChangeBatch) -> Result<ChangeBatchOutcome, Refusal> {
    use crate::{
        request::{refuse, signed_in_rater},
        services,
    };

    /// The most changes in one request, all in one transaction; a browser sends 50.
    const MOST_CHANGES: usize = 500;
    /// The most tabs whose times are read from a request; further ones are ignored, as it is only time.
    const MOST_REPORTS: usize = 20;

    let person = signed_in_rater().await?.id;
    if person != batch.person {
        return Err(Refusal::NotSignedIn);
    }
    if batch.changes.len() > MOST_CHANGES {
        return Err(Refusal::invalid(format!(
            "There are more than {MOST_CHANGES} changes in one request. Reload the page and try again."
        )));
    }

    let services = services();
    let (store, now) = (&services.store, services.context.now_ms());

    let ChangeBatch {
        assignment,
        changes,
        activity,
        ..
    } = batch;
    let reports = &activity[..activity.len().min(MOST_REPORTS)];
    let outcomes = store
        .save_work(person, assignment, &changes, reports, now)
        .await
        .map_err(refuse)?;
    let outcomes = outcomes.ok_or(Refusal::NotFound)?;

    // Read the clock again after the commit: a page made before this moment is older than the answers.
    Ok(ChangeBatchOutcome {
        outcomes,
        now: services.context.now_ms(),
    })
}
