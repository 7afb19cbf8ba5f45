//! Decisions of a consensus.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// A question and its decision, as form fields. What the page showed comes with it: only what differs from it is written,
/// so that two people who decide different questions at once do not undo each other's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionField {
    /// The slot, as JSON.
    #[serde(default)]
    pub slot: String,
    /// Of a mark: its words and type, as JSON; else empty.
    #[serde(default)]
    pub mark: String,
    /// The decision; empty for none.
    #[serde(default)]
    pub answer: String,
    #[serde(default)]
    pub was: String,
}

/// Stores decisions on questions of a consensus. Questions without a decision stay open.
///
/// # Errors
/// [`Refusal::Invalid`] where a decision does not fit its question, or the consensus is finished;
/// [`Refusal::NotAllowed`] for members who neither lead nor annotate; [`Refusal::NotFound`] where there is none, or the
/// annotator takes no part in it.
#[server(endpoint = "decide-consensus")]
pub async fn decide_consensus(
    slug: String,
    source: String,
    /// The place on the page, to return to it.
    #[server(default)]
    place: String,
    #[server(default)] decisions: Vec<DecisionField>,
) -> Result<(), Refusal> {
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
    let changes = super::decision_text::parse_changes(&decisions, &consensus)?;
    let new_id = || context.new_id();
    let decided = services
        .store
        .decide_consensus(study, source, person, &changes, new_id, now);
    decided.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;
    let message = match changes.is_empty() {
        true => "Nothing changed.",
        false => "The decisions have been saved.",
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let place = if place.chars().all(is_plain) {
        place
    } else {
        String::new()
    };
    let path = StudyPage::SourceConsensus(source).path(&slug);
    see_other_with(&format!("{path}#{place}"), message);
    Ok(())
}
