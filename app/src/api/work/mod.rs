//! Server functions of the annotator's workspace.

#[cfg(feature = "ssr")]
mod next;

#[cfg(feature = "ssr")]
pub(super) use next::assign_next_source;

use domain::{
    edit::Edit,
    ids::{AssignmentId, PersonId},
    work::{
        activity::ActivityReport,
        change::{AnnotationChange, SaveOutcome},
    },
};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{error::Refusal, json::Json};

#[cfg(feature = "ssr")]
use {
    crate::api::ssr::*,
    crate::request::signed_in_rater,
    domain::{
        edit::shown_edits,
        study::SourcePurpose,
        text::{align::align, edits::derive_edits, tokenised_text::TokenisedText},
        writing::WriteStep,
    },
    next::{load_task, next_address},
    service::{templates::SAMPLE_SOURCE, wording::decimal, written_texts::TextFigures},
    store::annotator_answers::HandInOutcome as Done,
    tokio::task::spawn_blocking,
};

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
    let person = signed_in_rater().await?;

    let (store, now) = store_and_now();
    let outcome = store.hand_in(person.id, assignment, now).await;

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

/// Reopens a source: its answers do not count until it is submitted again.
///
/// # Errors
/// [`Refusal::Invalid`] where it was not submitted, or can be judged only once.
#[server(endpoint = "work/reopen/v1", input = Json, output = Json)]
pub async fn reopen(assignment: AssignmentId) -> Result<(), Refusal> {
    let person = signed_in_rater().await?;

    let (store, now) = store_and_now();
    let opened = store.reopen(person.id, assignment, now).await;

    opened.map_err(refuse)?.ok_or(Refusal::NotFound)
}

/// Skips a source, with a reason for the lead, and returns where to continue.
///
/// # Errors
/// [`Refusal::Invalid`] without a reason, or where the source isn't open.
#[server(endpoint = "work/skip/v1", input = Json, output = Json)]
pub async fn skip(assignment: AssignmentId, reason: String) -> Result<String, Refusal> {
    let person = signed_in_rater().await?;

    let (store, now) = store_and_now();
    let skipped = store.skip(person.id, assignment, &reason, now).await;
    skipped.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    Ok(next_address(person.id, &load_task(person.id, assignment).await?).await)
}

/// The figures of a text that need the server, and the marks that show how it differs from its source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextCheck {
    /// The grade level; empty for a text without words.
    pub grade: String,
    /// The rarity of its words relative to the source's; empty where undefined, or where the server has no
    /// word list.
    pub word_rank: String,
    /// The edits between the source and the text; empty for very long texts.
    pub edits: Vec<Edit>,
}

/// Computes the figures of a text that an annotator is writing for an assignment, and stores nothing.
///
/// # Errors
/// [`Refusal::Invalid`] for a text that could not be stored; [`Refusal::NotFound`] unless the assignment is
/// the person's own and its protocol has a writing step. Everybody may use a preview's assignment, which has
/// the nil id.
#[server(endpoint = "work/check-text/v1", input = Json, output = Json)]
pub async fn check_text(assignment: AssignmentId, text: String) -> Result<TextCheck, Refusal> {
    /// The most bytes of both texts together for which differences are marked.
    const MOST_MARKED_BYTES: usize = 20_000;

    let person = signed_in_rater().await?;
    WriteStep::check_text(&text).map_err(|fault| Refusal::Invalid(sentence(&fault.to_string())))?;

    let source = match assignment.0.is_nil() {
        true => SAMPLE_SOURCE.to_owned(),
        false => {
            let task = load_task(person.id, assignment).await?;
            if task.protocol.write_step().is_none() {
                return Err(Refusal::NotFound);
            }
            task.source
        }
    };

    let ranks = services().word_ranks;
    let check = move || {
        let figures = TextFigures::new(&source, &text, &ranks);
        let is_marked = !text.trim().is_empty() && source.len() + text.len() <= MOST_MARKED_BYTES;

        let edits = is_marked.then(|| {
            let words = (TokenisedText::new(&source), TokenisedText::new(&text));
            let edits = derive_edits(&words.0, &words.1, &align(&words.0, &words.1));
            shown_edits(edits, &source, &text)
        });

        let format = |figure: Option<f64>, decimals| {
            figure.map_or_else(String::new, |figure| decimal(figure, decimals))
        };

        TextCheck {
            grade: format(figures.own.fkgl, 1),
            word_rank: format(figures.word_rank, 2),
            edits: edits.unwrap_or_default(),
        }
    };

    Ok(spawn_blocking(check)
        .await
        .expect("computing figures does not panic and is not cancelled"))
}
