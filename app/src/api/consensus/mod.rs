//! Consensus: raters who judged the same source agree on one judgement.

#[cfg(feature = "ssr")]
mod decision_text;

#[cfg(feature = "ssr")]
pub use decision_text::{LEFT_OUT, answer_text, level_text, mark_text};

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {crate::api::ssr::*, domain::consensus::OpenQuestion, store::consensus::ConsensusPerson};

/// Begins the consensus on a source with what all of its raters said.
///
/// # Errors
/// [`Refusal::NotAllowed`] for members who neither lead nor annotate; [`Refusal::NotFound`] where fewer than
/// two raters submitted the source, or where the annotator did not.
#[server(endpoint = "begin-consensus")]
pub async fn begin_consensus(slug: String, source: String) -> Result<(), Refusal> {
    let (access, person) = consensus_person(&slug).await?;

    let (services, source) = (services(), parse::id(&source)?);
    let (context, now) = (services.context, services.context.now_ms());
    let new_id = || context.new_id();

    let begun = services
        .store
        .begin_consensus(access.study.id, source, person, new_id, now);
    begun.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    redirect_to(StudyPage::SourceConsensus(source), &slug)
}

/// A question and its decision, as form fields. Only what differs from the values that the page showed is
/// written, so that two people who decide different questions at once do not undo each other's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DecisionField {
    /// The slot, as JSON.
    pub slot: String,
    /// A mark's words and type, as JSON; empty for other questions.
    pub mark: String,
    /// The decision; empty for none.
    pub answer: String,
    pub was: String,
    /// The keys of the chosen options, where `answer` is [`CHOSEN`].
    pub options: Vec<String>,
    /// The text, where `answer` is [`WRITTEN`].
    pub text: String,
}

/// An output's marks that no rater made, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AddedMarkFields {
    /// The output.
    pub output: String,
    /// The marks, one a line, as [`read_mark_lines`] reads them.
    ///
    /// [`read_mark_lines`]: domain::span_marks::mark_lines::read_mark_lines
    pub lines: String,
}

/// The value of `answer` that takes the answer from `options`.
pub const CHOSEN: &str = "chosen";

/// The value of `answer` that takes the answer from `text`.
pub const WRITTEN: &str = "written";

/// The id of the place on the page where the raters' differences begin.
pub const DIFFERENCES: &str = "differences";

/// The value of `then` that finishes the consensus once the decisions are stored.
pub const FINISH: &str = "finish";

/// Stores decisions on questions of a consensus. Finishes it if that is requested and nothing is left to decide.
///
/// # Errors
/// [`Refusal::Invalid`] where a decision does not fit its question, or the consensus is finished;
/// [`Refusal::NotAllowed`] for members who neither lead nor annotate; [`Refusal::NotFound`] where there is
/// none, or the annotator takes no part in it.
#[server(endpoint = "decide-consensus")]
pub async fn decide_consensus(
    slug: String,
    source: String,
    /// [`FINISH`], or empty to store the decisions alone.
    #[server(default)]
    then: String,
    #[server(default)] decisions: Vec<DecisionField>,
    #[server(default)] additions: Vec<AddedMarkFields>,
) -> Result<(), Refusal> {
    let (access, person) = consensus_person(&slug).await?;

    let (services, source) = (services(), parse::id(&source)?);
    let (context, now, study) = (services.context, services.context.now_ms(), access.study.id);

    let consensus = services.store.source_consensus(study, source).await;
    let consensus = consensus.map_err(refuse)?.ok_or(Refusal::NotFound)?;
    let settings = &access.study.settings;
    let changes = decision_text::parse_changes(&decisions, &additions, &consensus, settings)?;

    let new_id = || context.new_id();
    let decided = services
        .store
        .decide_consensus(study, source, person, &changes, new_id, now);
    decided.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    let path = StudyPage::SourceConsensus(source).path(&slug);
    let saved = match changes.is_empty() {
        true => "Nothing changed.",
        false => "The decisions have been saved.",
    };
    if then != FINISH {
        see_other_with(&format!("{path}#{DIFFERENCES}"), saved);
        return Ok(());
    }

    let finished = services
        .store
        .finish_consensus(study, source, person, now)
        .await;
    let open = finished.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    match open.iter().map(OpenQuestion::count).sum() {
        0 => see_other_with(
            &StudyPage::Consensus.path(&slug),
            "The consensus is finished.",
        ),
        open => {
            let left = count_noun(open, "question");
            see_other_with(
                &path,
                format!("{saved} The consensus is not finished: {left} left to decide."),
            );
        }
    }
    Ok(())
}

/// Opens a finished consensus again, so that its answers can be changed.
///
/// # Errors
/// [`Refusal::NotAllowed`] for members who neither lead nor annotate; [`Refusal::NotFound`] where there is none, or the
/// annotator takes no part in it.
#[server(endpoint = "reopen-consensus")]
pub async fn reopen_consensus(slug: String, source: String) -> Result<(), Refusal> {
    let (access, person) = consensus_person(&slug).await?;

    let source = parse::id(&source)?;
    let (store, now) = store_and_now();

    let reopened = store.reopen_consensus(access.study.id, source, person, now);
    reopened.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    redirect_with(
        StudyPage::SourceConsensus(source),
        &slug,
        "The consensus is open again. It does not count until it is finished.",
    )
}

/// The person's part in a consensus of the study: its lead, or an annotator if the study lets annotators
/// agree. The store checks whether an annotator has judged the source.
#[cfg(feature = "ssr")]
async fn consensus_person(slug: &str) -> Result<(RequestAccess, ConsensusPerson), Refusal> {
    let access = access(slug).await?;

    let person = access.person.id;
    let person = match access.require_lead() {
        Ok(()) => ConsensusPerson::Lead(person),
        Err(_) => {
            access.require_annotator()?;
            ConsensusPerson::Annotator(person)
        }
    };
    Ok((access, person))
}
