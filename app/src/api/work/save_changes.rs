//! Answers on their way into the store.

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

/// Changes to one source, in their order, and the active time with them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeBatch {
    /// Whose answers they are: kept by the browser, they may be older than the session.
    pub person: PersonId,
    /// To which source.
    pub assignment: AssignmentId,
    /// The changes, oldest first.
    pub changes: Vec<AnnotationChange>,
    /// Active time by tab, as far as it was not reported.
    pub activity: Vec<ActivityReport>,
}

/// What became of a [`Batch`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeBatchOutcome {
    /// What became of each change, in their order.
    pub outcomes: Vec<SaveOutcome>,
    /// When they were stored at the latest: the server's clock, in milliseconds since 1970.
    pub now: i64,
}

/// Stores changes: each once, however often it is sent, and none over an answer it did not know. Those
/// of a person who is no longer an annotator, or to a closed study, are refused one by one with the
/// reason: the browser shows it and does not send them again by itself.
///
/// # Errors
/// [`Refusal::Invalid`] for more changes at once than a browser sends;
/// [`Refusal::NotSignedIn`] also where somebody else is signed in than gave the answers: they are
/// kept until that person is back.
#[server(endpoint = "work/save-changes/v1", input = Json, output = Json)]
pub async fn save_changes(
    /// The changes.
    batch: ChangeBatch,
) -> Result<ChangeBatchOutcome, Refusal> {
    use crate::{
        request::{refuse, signed_in},
        services,
    };

    /// The most changes in a request; a browser sends 50. All of them are one transaction.
    const MOST_CHANGES: usize = 500;
    /// The most tabs whose times are taken from a request; the rest is time, and is left out.
    const MOST_REPORTS: usize = 20;

    let person = signed_in().await?.id;
    if person != batch.person {
        return Err(Refusal::NotSignedIn);
    }
    if batch.changes.len() > MOST_CHANGES {
        return Err(Refusal::invalid(format!(
            "These are more than {MOST_CHANGES} changes at once: reload the page and try again."
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
    let outcomes = store
        .save_changes(person, assignment, &changes, now)
        .await
        .map_err(refuse)?;
    let outcomes = outcomes.ok_or(Refusal::NotFound)?;
    for report in activity.into_iter().take(MOST_REPORTS) {
        let spent = report.spent();
        store
            .save_activity(person, assignment, report.tab, &spent, now)
            .await
            .map_err(refuse)?;
    }
    // Read again, after the commit: a page that was made before it is older than this.
    Ok(ChangeBatchOutcome {
        outcomes,
        now: services.context.now_ms(),
    })
}
