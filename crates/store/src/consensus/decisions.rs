//! Decisions that raters make together.

use domain::{
    consensus::{ConsensusAnswer, ConsensusOutput, OpenQuestion, kept_marks},
    edit::{
        EditKind,
        validate::{EditError, validate},
    },
    ids::{AnnotationId, OutputId, PersonId, SourceId, StudyId},
    span_marks::{MarkGap, SpanMark},
    study::{Dimension, StudySettings},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, StoredAnswer},
};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::{ConsensusState, SourceConsensus, load_consensus};
use crate::{
    Error, EventKind, Result, Store,
    annotator_answers::validation::{AnswerContext, JudgedOutput, refusal_reason},
    answer_columns::{self, SlotColumns},
    columns::{BindId, to_json},
    event, lock,
    membership::barred_reason,
};

/// A person who takes part in a consensus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsensusPerson {
    /// A lead of the study.
    Lead(PersonId),
    /// An annotator, who must have handed the source in.
    Annotator(PersonId),
}

/// A decision on a question.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsensusChange {
    /// The question.
    pub slot: AnnotationSlot,
    /// The answer; for marks and edits, those that are kept.
    pub answer: AnnotationAnswer,
    /// The marks that are left out, including those of edits.
    pub left_out: Vec<SpanMark>,
}

impl ConsensusChange {
    fn into_answer(self, id: AnnotationId) -> ConsensusAnswer {
        ConsensusAnswer {
            stored: StoredAnswer {
                id,
                slot: self.slot,
                answer: self.answer,
            },
            left_out: self.left_out,
        }
    }
}

impl ConsensusPerson {
    const fn person(self) -> PersonId {
        match self {
            Self::Lead(person) | Self::Annotator(person) => person,
        }
    }
}

impl Store {
    /// Begins the consensus on a source with the answers that all of its raters share. From then on
    /// they cannot change their own answers. `None` if the person has no such source.
    ///
    /// # Errors
    /// Refused where the study is archived, or the person is no longer an annotator.
    pub async fn begin_consensus(
        &self,
        study: StudyId,
        source: SourceId,
        person: ConsensusPerson,
        new_id: impl Fn() -> Uuid + Send + Sync,
        now_ms: i64,
    ) -> Result<Option<()>> {
        in_transaction!(self, |tx| {
            match HeldConsensus::lock(&mut tx, study, source, person).await? {
                None => None,
                Some(held) if held.of.entry.state != ConsensusState::NotBegun => Some(()),
                Some(held) => {
                    sqlx::query(
                        "INSERT INTO consensus (source_id, study_id, begun_at) VALUES ($1, $2, $3)",
                    )
                    .bind_id(source)
                    .bind_id(study)
                    .bind(now_ms)
                    .execute(&mut *tx)
                    .await?;

                    for (slot, answer) in held.of.basis(&held.settings).shared_answers() {
                        let shared = ConsensusChange {
                            slot,
                            answer,
                            left_out: vec![],
                        };
                        let row = held.row(AnnotationId(new_id()), &shared, None, now_ms);
                        row.insert(&mut tx).await?;
                    }

                    event::record(&mut tx, study, EventKind::Consensus, source, now_ms).await?;
                    Some(())
                }
            }
        })
    }

    /// Stores decisions, each superseding the one before; a decision equal to the current one is
    /// not stored again. `None` if the person has no such consensus.
    ///
    /// # Errors
    /// Refused where the consensus is finished, a decision does not fit its question, the study is archived, or the
    /// person is no longer an annotator. Then nothing is stored.
    pub async fn decide_consensus(
        &self,
        study: StudyId,
        source: SourceId,
        person: ConsensusPerson,
        changes: &[ConsensusChange],
        new_id: impl Fn() -> Uuid + Send + Sync,
        now_ms: i64,
    ) -> Result<Option<()>> {
        in_transaction!(self, |tx| {
            match HeldConsensus::lock(&mut tx, study, source, person).await? {
                None => None,
                Some(mut held) => {
                    held.require_open()?;

                    for shared in held.missing_edits() {
                        let id = AnnotationId(new_id());
                        held.row(id, &shared, None, now_ms).insert(&mut tx).await?;
                        held.of.decided.push(shared.into_answer(id));
                    }

                    let mut changed = false;
                    for change in &held.with_displaced(changes)? {
                        held.check(change)?;
                        let current = held.current(&change.slot);
                        let is_same = current.is_some_and(|current| {
                            current.stored.answer == change.answer
                                && current.left_out == change.left_out
                        });
                        if is_same {
                            continue;
                        }

                        changed = true;
                        let before = current.map(|current| current.stored.id);
                        if let Some(before) = before {
                            let supersede = "UPDATE consensus_answer SET current = 0 WHERE id = $1";
                            let supersede = sqlx::query(supersede).bind_id(before);
                            supersede.execute(&mut *tx).await?;
                        }

                        let row = NewConsensusAnswer {
                            decided_by: Some(person.person()),
                            ..held.row(AnnotationId(new_id()), change, before, now_ms)
                        };
                        row.insert(&mut tx).await?;
                    }

                    if changed {
                        event::record(&mut tx, study, EventKind::Consensus, source, now_ms).await?;
                    }
                    Some(())
                }
            }
        })
    }

    /// Finishes the consensus, so that figures of consensus count it. Returns the open questions;
    /// if there are any, it is not finished. `None` if the person has no such consensus.
    ///
    /// # Errors
    /// Refused where the consensus was not begun, the study is archived, or the person is no longer an annotator.
    pub async fn finish_consensus(
        &self,
        study: StudyId,
        source: SourceId,
        person: ConsensusPerson,
        now_ms: i64,
    ) -> Result<Option<Vec<OpenQuestion>>> {
        in_transaction!(self, |tx| {
            match HeldConsensus::lock(&mut tx, study, source, person).await? {
                None => None,
                Some(held) if matches!(held.of.entry.state, ConsensusState::Agreed(_)) => {
                    Some(vec![])
                }
                Some(held) => {
                    held.require_open()?;

                    let basis = held.of.basis(&held.settings);
                    let open = basis.open_questions(&held.of.decided);
                    if open.is_empty() {
                        set_agreed(&mut tx, study, source, Some(now_ms), now_ms).await?;
                    }
                    Some(open)
                }
            }
        })
    }

    /// Reopens a finished consensus; no figure counts it until it is finished again. `None` if the
    /// person has no such consensus.
    ///
    /// # Errors
    /// Refused where the study is archived, or the person is no longer an annotator.
    pub async fn reopen_consensus(
        &self,
        study: StudyId,
        source: SourceId,
        person: ConsensusPerson,
        now_ms: i64,
    ) -> Result<Option<()>> {
        in_transaction!(self, |tx| {
            match HeldConsensus::lock(&mut tx, study, source, person).await? {
                None => None,
                Some(held) => {
                    if matches!(held.of.entry.state, ConsensusState::Agreed(_)) {
                        set_agreed(&mut tx, study, source, None, now_ms).await?;
                    }
                    Some(())
                }
            }
        })
    }
}

async fn set_agreed(
    tx: &mut AnyConnection,
    study: StudyId,
    source: SourceId,
    agreed_at: Option<i64>,
    now_ms: i64,
) -> Result<()> {
    sqlx::query("UPDATE consensus SET agreed_at = $2 WHERE source_id = $1")
        .bind_id(source)
        .bind(agreed_at)
        .execute(&mut *tx)
        .await?;
    event::record(tx, study, EventKind::Consensus, source, now_ms).await?;
    Ok(())
}

/// A consensus whose study is held.
struct HeldConsensus {
    study: StudyId,
    of: SourceConsensus,
    settings: StudySettings,
    outputs: Vec<JudgedOutput>,
}

impl HeldConsensus {
    /// Holds the study. `None` if the person does not take part in a consensus on the source.
    async fn lock(
        tx: &mut AnyConnection,
        study: StudyId,
        source: SourceId,
        person: ConsensusPerson,
    ) -> Result<Option<Self>> {
        lock::refuse_archived(tx, study).await?;
        let settings = lock::lock_study(tx, study).await?.settings;
        let Some(of) = load_consensus(tx, study, source).await? else {
            return Ok(None);
        };

        if let ConsensusPerson::Annotator(person) = person {
            if !settings.annotators_agree || !of.entry.is_of(person) {
                return Ok(None);
            }
            if let Some(reason) = barred_reason(tx, study, person).await? {
                return Err(Error::Refused(reason.to_owned()));
            }
        }

        let judged = |of: &ConsensusOutput| JudgedOutput {
            output: of.output,
            text: of.text.clone(),
            category: of.category,
        };
        Ok(Some(Self {
            study,
            outputs: of.outputs.iter().map(judged).collect(),
            of,
            settings,
        }))
    }

    fn require_open(&self) -> Result<()> {
        let reason = match self.of.entry.state {
            ConsensusState::Open => return Ok(()),
            ConsensusState::NotBegun => "Nobody has begun to agree on this source.",
            ConsensusState::Agreed(_) => {
                "The consensus on this source is finished: reopen it to change an answer."
            }
        };
        Err(Error::Refused(reason.to_owned()))
    }

    fn current(&self, slot: &AnnotationSlot) -> Option<&ConsensusAnswer> {
        let mut decided = self.of.decided.iter();
        decided.find(|answer| answer.stored.slot == *slot)
    }

    /// The changes, followed by those that take back the scores of outputs that cannot be judged:
    /// an output has either scores or a reason.
    fn with_displaced(&self, changes: &[ConsensusChange]) -> Result<Vec<ConsensusChange>> {
        let is_given =
            |slot: &AnnotationSlot, answer: &AnnotationAnswer| *answer != slot.unanswered();
        let changed = |slot: &AnnotationSlot| changes.iter().find(|change| change.slot == *slot);
        let was_given = |slot: &AnnotationSlot| {
            let current = self.current(slot);
            current.is_some_and(|current| is_given(slot, &current.stored.answer))
        };

        let mut all = changes.to_vec();
        for output in self.of.outputs.iter().map(|of| of.output) {
            let slot = AnnotationSlot::Unjudged { output };
            let is_unjudged = match changed(&slot) {
                Some(change) => is_given(&slot, &change.answer),
                None => was_given(&slot),
            };
            if !is_unjudged {
                continue;
            }

            for dimension in &self.settings.dimensions {
                let slot = AnnotationSlot::Rating {
                    output,
                    dimension: dimension.name.clone(),
                };
                match changed(&slot) {
                    Some(change) if is_given(&slot, &change.answer) => {
                        return Err(Error::Refused(
                            "An output that cannot be judged has no score: leave the score empty, or decide that \
                             the output can be judged."
                                .into(),
                        ));
                    }
                    None if was_given(&slot) => all.push(ConsensusChange {
                        answer: slot.unanswered(),
                        slot,
                        left_out: vec![],
                    }),
                    _ => {}
                }
            }
        }

        Ok(all)
    }

    /// Refuses a decision that answers no question of the consensus, or does not fit its question.
    fn check(&self, change: &ConsensusChange) -> Result<()> {
        let refuse = |reason: &str| Err(Error::Refused(reason.to_owned()));
        let basis = self.of.basis(&self.settings);
        let is_asked = match &change.slot {
            slot @ (AnnotationSlot::Marks { output } | AnnotationSlot::Edits { output }) => {
                let questions = basis.mark_questions(*output, &self.of.decided);
                let is_known =
                    |mark: &&SpanMark| questions.iter().any(|question| question.concerns(mark));
                // A mark that no rater made can be added if the study has its type.
                let step = self.settings.protocol.mark_spans_step();
                let can_be_added = |mark: &&SpanMark| {
                    let gap = step.map(|step| mark.gap(&step.taxonomy));
                    matches!(gap, Some(None | Some(MarkGap::Level)))
                };
                basis.marks_slot(*output).as_ref() == Some(slot)
                    && kept_marks(&change.answer)
                        .iter()
                        .all(|mark| is_known(&mark) || can_be_added(&mark))
                    && change.left_out.iter().all(|mark| is_known(&mark))
            }
            slot => {
                let questions = basis.questions(&self.of.decided);
                questions.iter().any(|question| question.slot == *slot)
            }
        };

        if !is_asked {
            return refuse("The raters gave no such answer: reload the page and decide again.");
        }

        if let AnnotationSlot::Edits { output } = &change.slot {
            self.check_kept_edits(*output, &change.answer)?;
        }

        let context = AnswerContext {
            source: &self.of.text,
            outputs: &self.outputs,
            questions: &[],
            dimensions: &self.settings.dimensions,
            protocol: &self.settings.protocol,
            // Raters may have given a reason before the lead changed the setting.
            accepts_unjudged: true,
        };
        let change = AnnotationChange {
            id: AnnotationId(Uuid::nil()),
            supersedes: None,
            slot: change.slot.clone(),
            answer: change.answer.clone(),
        };

        match refusal_reason(&context, &change) {
            Some(reason) => refuse(&reason),
            None => Ok(()),
        }
    }

    /// Refuses edits that share a word, and names one: raters may mark more or fewer words around
    /// the same change.
    fn check_kept_edits(&self, output: OutputId, answer: &AnnotationAnswer) -> Result<()> {
        let AnnotationAnswer::Edits(Some(edits)) = answer else {
            return Ok(());
        };
        let text = self.of.output_text(output).unwrap_or_default();
        let Err(EditError::Overlap(number)) = validate(edits, &self.of.text, text) else {
            return Ok(());
        };

        let place = self.of.outputs.iter().position(|of| of.output == output);
        let edit = &edits[number - 1];
        let (spans, whole) = match edit.kind {
            EditKind::Deletion => (&edit.source, self.of.text.as_str()),
            EditKind::Paraphrase | EditKind::Split => (&edit.output, text),
        };

        let words = spans.iter().filter_map(|span| span.slice(whole));
        Err(Error::Refused(format!(
            "Of output {} you keep “{}” ({}) and another edit that shares a word with it: leave one of them out.",
            place.unwrap_or_default() + 1,
            words.collect::<Vec<_>>().join(" … "),
            edit.kind.title(),
        )))
    }

    /// The edits that all raters share, for outputs without a decision on edits: a consensus that
    /// was begun before edits were part of it has none.
    fn missing_edits(&self) -> Vec<ConsensusChange> {
        let shared = self.of.basis(&self.settings).shared_answers().into_iter();
        let missing = shared.filter(|(slot, _)| {
            matches!(slot, AnnotationSlot::Edits { .. }) && self.current(slot).is_none()
        });
        let change = |(slot, answer)| ConsensusChange {
            slot,
            answer,
            left_out: vec![],
        };
        missing.map(change).collect()
    }

    fn row<'a>(
        &'a self,
        id: AnnotationId,
        change: &'a ConsensusChange,
        supersedes: Option<AnnotationId>,
        decided_at: i64,
    ) -> NewConsensusAnswer<'a> {
        NewConsensusAnswer {
            id,
            study: self.study,
            source: self.of.entry.source,
            change,
            dimensions: &self.settings.dimensions,
            supersedes,
            decided_by: None,
            decided_at,
        }
    }
}

/// A row of the table `consensus_answer`.
struct NewConsensusAnswer<'a> {
    id: AnnotationId,
    study: StudyId,
    source: SourceId,
    change: &'a ConsensusChange,
    dimensions: &'a [Dimension],
    supersedes: Option<AnnotationId>,
    decided_by: Option<PersonId>,
    decided_at: i64,
}

impl NewConsensusAnswer<'_> {
    async fn insert(self, tx: &mut AnyConnection) -> Result<()> {
        let ConsensusChange {
            slot,
            answer,
            left_out,
        } = self.change;
        let columns = SlotColumns::new(slot);

        let score = match answer {
            AnnotationAnswer::Rating(score) => score.map(|score| i64::from(score.get())),
            _ => None,
        };
        let scale = match slot {
            AnnotationSlot::Rating { dimension, .. } => {
                let mut dimensions = self.dimensions.iter();
                let dimension = dimensions.find(|own| own.name == *dimension);
                dimension.map(|own| answer_columns::scale_text(own.scale))
            }
            _ => None,
        };

        sqlx::query(
            "INSERT INTO consensus_answer (id, study_id, source_id, output_id, kind, dimension, compared, value,
                 scale, body, left_out, supersedes, current, decided_by, decided_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $14)",
        )
        .bind_id(self.id)
        .bind_id(self.study)
        .bind_id(self.source)
        .bind_id(columns.output)
        .bind(columns.kind)
        .bind(columns.dimension.into_owned())
        .bind(columns.compared)
        // Bound as an integer even where it is absent: see `bulk`.
        .bind(score)
        .bind(scale)
        .bind(answer_columns::body(answer))
        .bind(to_json(left_out))
        .bind_id(self.supersedes)
        .bind_id(self.decided_by)
        .bind(self.decided_at)
        .execute(tx)
        .await?;
        Ok(())
    }
}
