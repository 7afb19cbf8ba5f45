//! Decisions of a consensus.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// A question and its decision, as form fields. Only what differs from the values that the page showed is
/// written, so that two people who decide different questions at once do not undo each other's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionField {
    /// The slot, as JSON.
    #[serde(default)]
    pub slot: String,
    /// A mark's words and type, as JSON; empty for other questions.
    #[serde(default)]
    pub mark: String,
    /// The decision; empty for none.
    #[serde(default)]
    pub answer: String,
    #[serde(default)]
    pub was: String,
    /// The keys of the chosen options, where `answer` is [`CHOSEN`].
    #[serde(default)]
    pub options: Vec<String>,
    /// The text, where `answer` is [`WRITTEN`].
    #[serde(default)]
    pub text: String,
}

/// An output's marks that no rater made, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedMarkFields {
    /// The output.
    #[serde(default)]
    pub output: String,
    /// The marks, one a line, as [`read_mark_lines`] reads them.
    ///
    /// [`read_mark_lines`]: domain::span_marks::mark_lines::read_mark_lines
    #[serde(default)]
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
    use domain::consensus::OpenQuestion;
    use service::wording::count_noun;

    use crate::{
        links::StudyPage,
        request::{parse, refuse, see_other_with},
        services,
    };

    let (access, person) = super::consensus_person(&slug).await?;

    let (services, source) = (services(), parse::id(&source)?);
    let (context, now, study) = (services.context, services.context.now_ms(), access.study.id);

    let consensus = services.store.source_consensus(study, source).await;
    let consensus = consensus.map_err(refuse)?.ok_or(Refusal::NotFound)?;
    let settings = &access.study.settings;
    let changes =
        super::decision_text::parse_changes(&decisions, &additions, &consensus, settings)?;

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
