//! Ending a source: handed in, reopened, skipped.

use domain::{
    comparison::ComparisonChoice,
    ids::{AssignmentId, OutputId, PersonId},
    protocol::StudyProtocol,
    questions::QuestionSubject,
    study::{AssignmentState, Dimension, SourcePurpose, StudySettings},
    work::change::{AnnotationAnswer, AnnotationSlot, StoredAnswer},
};
use sqlx::{AnyConnection, Row};

use super::own_assignment::lock_own_as_annotator;
use crate::{
    Error, Result, Store,
    assignments::{AssignmentRecord, lease_end, renew_lease, set_state},
    begun_consensus,
    columns::{BindId, parse_text},
    comparison_plans, crowd,
    discussions::{close_questions, forget_questions, open_questions},
    qualification::admit_by_answers,
    source_items::{self, SourceItem},
    task,
    webhooks::{self, WebhookNotice},
};

/// The outcome of handing in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandInOutcome {
    /// It is handed in, now or before.
    Done,
    /// It stays open: these answers are missing.
    Missing(Vec<MissingAnswer>),
}

/// A missing score, marks of an output, choice in a comparison, answer to a question, or written
/// text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingAnswer {
    /// The outputs concerned; empty for a question about the source and for the text.
    pub outputs: Vec<OutputId>,
    /// The dimension of the score or choice, or the question's key; `None` for marks and the text.
    pub dimension: Option<String>,
}

impl Store {
    /// Hands the person's source in if nothing is missing: every output has a score on every
    /// dimension and complete marks, or a reason why it cannot be judged; every comparison has a
    /// choice; every required question that is shown has an answer; and the text is written. (An
    /// output always has a category.) If single outputs were given back, only these are checked.
    ///
    /// Handing in the last qualification source admits the annotator if the study admits by answers
    /// and theirs are close enough. `None` if the person has no such assignment.
    ///
    /// # Errors
    /// Refused where it was skipped or taken back, or the person is no longer an annotator.
    pub async fn hand_in(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        now_ms: i64,
    ) -> Result<Option<HandInOutcome>> {
        in_transaction!(self, |tx| {
            match lock_own_as_annotator(&mut tx, person, assignment).await? {
                None => None,
                Some((place, settings)) if place.state == AssignmentState::HandedIn => {
                    Some(submit_outputs(&mut tx, &place, &settings, now_ms).await?)
                }
                Some((place, settings)) => {
                    require_open(&place)?;
                    let missing = missing_answers(&mut tx, &place, &settings).await?;

                    if missing.is_empty() {
                        // Questions from before the whole source was given back no longer matter.
                        forget_questions(&mut tx, assignment, now_ms).await?;
                        set_state(&mut tx, &place, AssignmentState::HandedIn, "", now_ms).await?;
                        announce_hand_in(&mut tx, &place, now_ms).await?;

                        if load_purpose(&mut tx, &place).await? == SourcePurpose::Qualification {
                            let AssignmentRecord { study, rater, .. } = place;
                            admit_by_answers(&mut tx, study, rater, person, &settings, now_ms)
                                .await?;
                        }

                        let AssignmentRecord { study, rater, .. } = place;
                        crowd::apply_failed_checks(
                            &mut tx, study, rater, person, &settings, now_ms,
                        )
                        .await?;

                        Some(HandInOutcome::Done)
                    } else {
                        Some(HandInOutcome::Missing(missing))
                    }
                }
            }
        })
    }

    /// Reopens a source that the person has handed in; its answers don't count until it is handed
    /// in again. Outputs that were given back one by one are open already. `None` if the person has
    /// no such assignment.
    ///
    /// # Errors
    /// Refused where it was not handed in, is a qualification (that is judged once), or the person is
    /// no longer an annotator.
    pub async fn reopen(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        now_ms: i64,
    ) -> Result<Option<()>> {
        in_transaction!(self, |tx| {
            match lock_own_as_annotator(&mut tx, person, assignment).await? {
                None => None,
                Some((place, _)) if place.state == AssignmentState::Open => Some(()),
                Some((place, settings)) => {
                    if place.state != AssignmentState::HandedIn {
                        return refuse("Only a source that was submitted can be opened again.");
                    }
                    if load_purpose(&mut tx, &place).await? == SourcePurpose::Qualification {
                        return refuse("A source for qualification is judged once.");
                    }

                    // Outputs that the lead gave back are open already.
                    if !open_questions(&mut tx, assignment).await?.is_empty() {
                        return Ok(Some(()));
                    }
                    if crowd::has_ended(&mut tx, place.study, person).await? {
                        return refuse(
                            "Your work in this study has ended, so your answers stay as they are.",
                        );
                    }
                    if begun_consensus::is_begun(&mut tx, place.source).await? {
                        return refuse(
                            "You and others have begun to agree on this source, so your own answers stay as \
                             they are.",
                        );
                    }

                    renew_lease(&mut tx, assignment, lease_end(&settings, now_ms)).await?;
                    set_state(&mut tx, &place, AssignmentState::Open, "", now_ms).await?;
                    Some(())
                }
            }
        })
    }

    /// Skips the person's open source for good; the lead reads the reason. `None` if the person has
    /// no such assignment.
    ///
    /// # Errors
    /// Refused where it is not open, no reason is given, it is a tutorial or a training, or the person is no longer an
    /// annotator.
    pub async fn skip(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        reason: &str,
        now_ms: i64,
    ) -> Result<Option<()>> {
        if reason.trim().is_empty() {
            return refuse("Say in a few words why you skip this source.");
        }

        in_transaction!(self, |tx| {
            match lock_own_as_annotator(&mut tx, person, assignment).await? {
                None => None,
                Some((place, _)) if place.state == AssignmentState::Skipped => Some(()),
                Some((place, _)) => {
                    require_open(&place)?;
                    if load_purpose(&mut tx, &place).await?.teaches() {
                        return refuse(
                            "A tutorial or training cannot be skipped: it prepares you for the sources of the study.",
                        );
                    }

                    set_state(
                        &mut tx,
                        &place,
                        AssignmentState::Skipped,
                        reason.trim(),
                        now_ms,
                    )
                    .await?;
                    Some(())
                }
            }
        })
    }
}

fn require_open(place: &AssignmentRecord) -> Result<()> {
    match place.state {
        AssignmentState::Open => Ok(()),
        AssignmentState::HandedIn => refuse("This source was submitted already."),
        AssignmentState::Skipped => refuse("This source was skipped."),
        AssignmentState::Released => refuse("This source was taken back and is no longer yours."),
    }
}

/// Closes the questions about single outputs of a source that was handed in, if these outputs have
/// all their answers.
async fn submit_outputs(
    tx: &mut AnyConnection,
    place: &AssignmentRecord,
    settings: &StudySettings,
    now_ms: i64,
) -> Result<HandInOutcome> {
    let questions = open_questions(tx, place.assignment).await?;
    if questions.is_empty() {
        return Ok(HandInOutcome::Done);
    }

    let mut missing = missing_answers(tx, place, settings).await?;
    missing.retain(|answer| {
        let mut outputs = answer.outputs.iter();
        outputs.any(|output| questions.iter().any(|asked| asked.output == *output))
    });

    if missing.is_empty() {
        close_questions(tx, place, now_ms).await?;
        announce_hand_in(tx, place, now_ms).await?;
        return Ok(HandInOutcome::Done);
    }
    Ok(HandInOutcome::Missing(missing))
}

/// Announces to the study's webhooks that the source was handed in.
async fn announce_hand_in(
    tx: &mut AnyConnection,
    place: &AssignmentRecord,
    now_ms: i64,
) -> Result<()> {
    let notice = WebhookNotice::SourceHandedIn {
        source: place.source,
        assignment: place.assignment,
    };
    webhooks::announce(tx, place.study, &notice, now_ms).await
}

async fn missing_answers(
    tx: &mut AnyConnection,
    place: &AssignmentRecord,
    settings: &StudySettings,
) -> Result<Vec<MissingAnswer>> {
    let group = load_group(tx, place).await?;
    let dimensions = settings.dimensions_for(group.as_deref());
    let answers = task::load_answers(tx, place.assignment).await?;

    let is_answered = |slot: &AnnotationSlot| {
        let mut answers = answers.iter().filter(|answer| answer.slot == *slot);
        answers.any(|answer| match answer.answer {
            AnnotationAnswer::Rating(score) => score.is_some(),
            AnnotationAnswer::Comparison(choice) => {
                choice.is_some_and(ComparisonChoice::is_complete)
            }
            _ => false,
        })
    };

    let mut items = source_items::load(tx, place.source).await?;
    items.retain(|item| settings.protocol.judges(item.purpose));

    let mut missing = vec![];
    let mut require = |slot: AnnotationSlot, outputs: &[OutputId], dimension: &Dimension| {
        if !is_answered(&slot) {
            missing.push(MissingAnswer {
                outputs: outputs.to_vec(),
                dimension: Some(dimension.name.clone()),
            });
        }
    };

    if settings.protocol.scores() {
        for SourceItem { output, .. } in &items {
            let output = *output;
            if has_reason(&answers, output) {
                continue;
            }
            for dimension in dimensions.as_ref() {
                let slot = AnnotationSlot::Rating {
                    output,
                    dimension: dimension.name.clone(),
                };
                require(slot, &[output], dimension);
            }
        }
    }

    if settings.protocol.compares() {
        let seed = load_seed(tx, place).await?;
        let protocol = &settings.protocol;
        let planned = comparison_plans::load(tx, place.source, protocol).await?;
        for shown in
            source_items::draw_comparisons(place.source, &items, protocol, &planned, seed, &answers)
        {
            for dimension in dimensions.as_ref() {
                let slot = AnnotationSlot::comparison(&shown, &dimension.name);
                require(slot, &shown, dimension);
            }
        }
    }

    if settings.protocol.write_step().is_some() {
        let is_written = |answer: &StoredAnswer| matches!(&answer.answer, AnnotationAnswer::Text(Some(text)) if !text.trim().is_empty());
        if !answers.iter().any(is_written) {
            missing.push(MissingAnswer {
                outputs: vec![],
                dimension: None,
            });
        }
    }

    if let Some(step) = settings.protocol.mark_spans_step() {
        let is_complete = |answer: &StoredAnswer| match &answer.answer {
            AnnotationAnswer::Marks(Some(marks)) => {
                marks.iter().all(|mark| mark.gap(&step.taxonomy).is_none())
            }
            _ => false,
        };
        for SourceItem { output, .. } in &items {
            let slot = AnnotationSlot::Marks { output: *output };
            let mut answers_here = answers.iter().filter(|answer| answer.slot == slot);
            if !has_reason(&answers, *output) && !answers_here.any(is_complete) {
                missing.push(MissingAnswer {
                    outputs: vec![*output],
                    dimension: None,
                });
            }
        }
    }

    missing.extend(missing_question_answers(
        &settings.protocol,
        &items,
        &answers,
    ));
    Ok(missing)
}

/// Required questions that are shown, given the answers, and lack one.
fn missing_question_answers(
    protocol: &StudyProtocol,
    items: &[SourceItem],
    answers: &[StoredAnswer],
) -> Vec<MissingAnswer> {
    let Some(step) = protocol.answer_step() else {
        return vec![];
    };

    let current = |slot: &AnnotationSlot| {
        let mut answers = answers.iter();
        answers
            .find(|answer| answer.slot == *slot)
            .map(|answer| &answer.answer)
    };
    let given = |output: Option<OutputId>, key: &str| {
        let key = key.to_owned();
        match current(&AnnotationSlot::Question { output, key }) {
            Some(AnnotationAnswer::Question(answer)) => answer.clone(),
            _ => None,
        }
    };

    let outputs = items
        .iter()
        .filter(|item| !has_reason(answers, item.output))
        .map(|item| {
            let slot = AnnotationSlot::Category {
                output: item.output,
            };
            let category = match current(&slot) {
                Some(AnnotationAnswer::Category(Some(own))) => *own,
                _ => item.category,
            };
            QuestionSubject::Output(item.output, category)
        });

    let mut missing = vec![];
    for subject in std::iter::once(QuestionSubject::Source).chain(outputs) {
        let output = subject.output();
        for question in step.shown(subject, given) {
            let answer = given(output, &question.key);
            if question.required && !question.is_answered_by(answer.as_ref()) {
                missing.push(MissingAnswer {
                    outputs: output.into_iter().collect(),
                    dimension: Some(question.key.clone()),
                });
            }
        }
    }
    missing
}

/// The id of the group that the assignment was given for.
async fn load_group(tx: &mut AnyConnection, place: &AssignmentRecord) -> Result<Option<String>> {
    Ok(
        sqlx::query_scalar("SELECT group_id FROM assignment WHERE id = $1")
            .bind_id(place.assignment)
            .fetch_one(tx)
            .await?,
    )
}

async fn load_seed(tx: &mut AnyConnection, place: &AssignmentRecord) -> Result<i64> {
    Ok(
        sqlx::query_scalar("SELECT seed FROM assignment WHERE id = $1")
            .bind_id(place.assignment)
            .fetch_one(tx)
            .await?,
    )
}

/// Whether an output has a reason why it cannot be judged, with a note if the reason needs one.
fn has_reason(answers: &[StoredAnswer], output: OutputId) -> bool {
    let mut answers = answers
        .iter()
        .filter(|answer| answer.slot.output() == Some(output));
    let has_note = answers
        .clone()
        .any(|answer| matches!(&answer.answer, AnnotationAnswer::Note(note) if !note.is_empty()));
    answers.any(|answer| match answer.answer {
        AnnotationAnswer::Unjudged(Some(reason)) => has_note || !reason.needs_note(),
        _ => false,
    })
}

async fn load_purpose(tx: &mut AnyConnection, place: &AssignmentRecord) -> Result<SourcePurpose> {
    let row = sqlx::query("SELECT purpose FROM source WHERE id = $1")
        .bind_id(place.source)
        .fetch_one(tx)
        .await?;
    parse_text("source", place.source, "purpose", row.try_get("purpose")?)
}

fn refuse<T>(sentence: &str) -> Result<T> {
    Err(Error::Refused(sentence.to_owned()))
}
