//! Decisions of a consensus as the values of form fields.

use domain::{
    consensus::ConsensusAnswer,
    questions::QuestionAnswer,
    score::RatingScale,
    span_marks::{SpanMark, mark_lines::read_mark_lines, sort_marks},
    study::StudySettings,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        unjudged::UnjudgedReason,
    },
};
use store::consensus::{ConsensusChange, SourceConsensus};

use super::{AddedMarkFields, CHOSEN, DecisionField, WRITTEN};
use crate::{error::Refusal, request::parse};

/// The decision to leave a mark out.
pub const LEFT_OUT: &str = "left-out";

/// The decision to keep a mark; the name of its level follows.
const KEPT: &str = "kept:";

/// The decision that an output can be judged.
const JUDGED: &str = "judged";

/// An answer as the value of a field; empty for an empty answer.
pub fn answer_text(answer: &AnnotationAnswer) -> String {
    match answer {
        AnnotationAnswer::Rating(score) => score.map(|score| score.to_string()).unwrap_or_default(),
        AnnotationAnswer::Category(category) => category
            .map(|own| own.name().to_owned())
            .unwrap_or_default(),
        AnnotationAnswer::Unjudged(reason) => {
            reason.map_or(JUDGED, UnjudgedReason::name).to_owned()
        }
        AnnotationAnswer::Comparison(Some(choice)) => {
            serde_json::to_string(choice).unwrap_or_default()
        }
        AnnotationAnswer::Question(Some(answer)) => {
            serde_json::to_string(answer).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The decision of a field, in the notation of [`answer_text`]: the field's answer, its options or its text.
fn decision(field: &DecisionField) -> String {
    let answer = match field.answer.as_str() {
        CHOSEN if field.options.is_empty() => None,
        CHOSEN => Some(QuestionAnswer::Several(field.options.clone())),
        WRITTEN => {
            let text = field.text.trim().replace("\r\n", "\n");
            (!text.is_empty()).then_some(QuestionAnswer::Text(text))
        }
        answer => return answer.to_owned(),
    };
    answer_text(&AnnotationAnswer::Question(answer))
}

/// The decision to keep a mark with a level, as the value of a field.
pub fn level_text(level: Option<&str>) -> String {
    format!("{KEPT}{}", level.unwrap_or_default())
}

/// The decision on a mark as the value of a field; empty if there is none.
pub fn mark_text(mark: &SpanMark, decided: Option<&ConsensusAnswer>) -> String {
    let Some(decided) = decided else {
        return String::new();
    };

    let mut kept = decided.kept().into_iter();
    if let Some(kept) = kept.find(|kept| is_same(kept, mark)) {
        return level_text(kept.level.as_deref());
    }

    match decided.left_out.iter().any(|other| is_same(other, mark)) {
        true => LEFT_OUT.to_owned(),
        false => String::new(),
    }
}

/// Whether two marks are of the same words with the same type.
fn is_same(one: &SpanMark, other: &SpanMark) -> bool {
    (&one.kind, &one.source, &one.output) == (&other.kind, &other.source, &other.output)
}

/// Parses the decisions that differ from what the page showed, and the added marks, as changes of a consensus.
///
/// # Errors
/// [`Refusal::Invalid`] for a question or a decision that cannot be read, and for a line that isn't a mark.
pub(super) fn parse_changes(
    fields: &[DecisionField],
    additions: &[AddedMarkFields],
    consensus: &SourceConsensus,
    settings: &StudySettings,
) -> Result<Vec<ConsensusChange>, Refusal> {
    let mut changes: Vec<ConsensusChange> = vec![];
    let mut marked: Vec<MarkDecisions> = vec![];

    for field in fields {
        let answer = decision(field);
        if answer == field.was {
            continue;
        }

        let slot: AnnotationSlot = parse_json(&field.slot)?;
        if let AnnotationSlot::Marks { .. } | AnnotationSlot::Edits { .. } = slot {
            let change = change_of_marks(&mut marked, slot, consensus);
            change.decide(&parse_json(&field.mark)?, &answer)?;
        } else {
            // A form has each question once; of a repeated one the last decision counts.
            changes.retain(|change| change.slot != slot);
            changes.push(ConsensusChange {
                answer: parse_answer(&slot, &answer)?,
                slot,
                left_out: vec![],
            });
        }
    }

    for added in additions {
        for mark in parse_added(added, consensus, settings)? {
            let output = parse::id(&added.output)?;
            let slot = AnnotationSlot::Marks { output };
            let change = change_of_marks(&mut marked, slot, consensus);
            change.decide(&mark, &level_text(None))?;
        }
    }

    let basis = consensus.basis(settings);
    changes.extend(marked.into_iter().map(|decisions| ConsensusChange {
        answer: basis.answer_of_marks(&decisions.slot, decisions.kept),
        slot: decisions.slot,
        left_out: decisions.left_out,
    }));
    Ok(changes)
}

/// The decisions on the marks, or the edits, of an output.
struct MarkDecisions {
    slot: AnnotationSlot,
    kept: Vec<SpanMark>,
    left_out: Vec<SpanMark>,
}

/// Parses the marks that are added to the consensus on an output; they have no levels.
fn parse_added(
    added: &AddedMarkFields,
    consensus: &SourceConsensus,
    settings: &StudySettings,
) -> Result<Vec<SpanMark>, Refusal> {
    let Some(step) = settings.protocol.mark_spans_step() else {
        return Ok(vec![]);
    };

    let output = parse::id(&added.output)?;
    let text = consensus.output_text(output).ok_or_else(unknown_answer)?;
    let texts = (consensus.text.as_str(), text);
    let basis = consensus.basis(settings);
    let questions = basis.mark_questions(output, &consensus.decided);
    let known: Vec<_> = questions.into_iter().map(|known| known.mark).collect();

    let marks = read_mark_lines(&added.lines, &step.taxonomy, texts, &known);
    let marks = marks.map_err(|bad| Refusal::invalid(bad.to_string()))?;
    Ok(marks.unwrap_or_default())
}

/// The decisions on the marks of an output; added with the current decisions if it has none yet.
fn change_of_marks<'a>(
    changes: &'a mut Vec<MarkDecisions>,
    slot: AnnotationSlot,
    consensus: &SourceConsensus,
) -> &'a mut MarkDecisions {
    let known = changes.iter().position(|change| change.slot == slot);

    let at = known.unwrap_or_else(|| {
        changes.push(MarkDecisions::current(slot, consensus));
        changes.len() - 1
    });
    &mut changes[at]
}

impl MarkDecisions {
    /// The current decisions.
    fn current(slot: AnnotationSlot, consensus: &SourceConsensus) -> Self {
        let mut decided = consensus.decided.iter();
        let decided = decided.find(|answer| answer.stored.slot == slot);
        Self {
            slot,
            kept: decided.map_or_else(Vec::new, ConsensusAnswer::kept),
            left_out: decided.map_or_else(Vec::new, |decided| decided.left_out.clone()),
        }
    }

    /// Replaces the decision on one mark.
    fn decide(&mut self, mark: &SpanMark, decision: &str) -> Result<(), Refusal> {
        self.kept.retain(|other| !is_same(other, mark));
        self.left_out.retain(|other| !is_same(other, mark));

        match (decision, decision.strip_prefix(KEPT)) {
            ("", _) => {}
            (LEFT_OUT, _) => self.left_out.push(mark.clone()),
            (_, Some(level)) => self.kept.push(SpanMark {
                level: (!level.is_empty()).then(|| level.to_owned()),
                ..mark.clone()
            }),
            _ => return Err(unknown_answer()),
        }

        sort_marks(&mut self.kept);
        sort_marks(&mut self.left_out);
        Ok(())
    }
}

fn parse_answer(slot: &AnnotationSlot, text: &str) -> Result<AnnotationAnswer, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return match slot {
            // “It can be judged” is a decision, and the empty answer to this slot.
            AnnotationSlot::Unjudged { .. } => Err(unknown_answer()),
            _ => Ok(slot.unanswered()),
        };
    }

    Ok(match slot {
        AnnotationSlot::Rating { .. } => {
            // The score is checked against its scale where it is stored.
            let score = parse::integer(text, "The score", i32::MIN..=i32::MAX)?;
            let scale = RatingScale {
                low: score,
                high: score,
            };
            AnnotationAnswer::Rating(Some(scale.clamp(score)))
        }
        AnnotationSlot::Category { .. } => AnnotationAnswer::Category(Some(parse::choice(text)?)),
        AnnotationSlot::Unjudged { .. } if text == JUDGED => AnnotationAnswer::Unjudged(None),
        AnnotationSlot::Unjudged { .. } => AnnotationAnswer::Unjudged(Some(parse::choice(text)?)),
        AnnotationSlot::Comparison { .. } => AnnotationAnswer::Comparison(Some(parse_json(text)?)),
        AnnotationSlot::Question { .. } => AnnotationAnswer::Question(Some(parse_json(text)?)),
        _ => return Err(unknown_answer()),
    })
}

fn parse_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    serde_json::from_str(text).map_err(|_| unknown_answer())
}

fn unknown_answer() -> Refusal {
    Refusal::invalid(
        "One of the decisions cannot be read, so nothing was saved: reload the page and decide again.",
    )
}
