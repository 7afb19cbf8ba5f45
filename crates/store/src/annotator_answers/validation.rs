//! Checks that an answer fits its texts and its study.

use std::collections::HashMap;

use domain::{
    category::Category,
    comparison::ComparisonChoice,
    edit::{repair, validate::validate},
    ids::{DiscussionId, OutputId},
    protocol::{StudyProtocol, WriteStep},
    questions::{QuestionAbout, QuestionAnswer},
    span_marks::validate_marks,
    study::Dimension,
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, StoredAnswer},
};

/// The longest note or reply, in bytes.
const MAX_NOTE_BYTES: usize = 20_000;

const CHANGED_STEPS: &str = "The lead changed the steps of this study: reload the page.";

/// An output to judge; it represents all outputs of its source with the same text.
#[derive(Debug, Clone)]
pub(crate) struct JudgedOutput {
    pub(crate) output: OutputId,
    pub(crate) text: String,
    /// Its automatic category.
    pub(crate) category: Category,
}

/// The texts, steps and dimensions that answers are checked against.
pub(crate) struct AnswerContext<'a> {
    /// The text of the source.
    pub(crate) source: &'a str,
    /// The outputs that changes concern; all of the source for an order.
    pub(crate) outputs: &'a [JudgedOutput],
    /// The lead's questions about outputs of the source, if the change is a reply.
    pub(crate) questions: &'a [(DiscussionId, OutputId)],
    pub(crate) dimensions: &'a [Dimension],
    pub(crate) protocol: &'a StudyProtocol,
    /// Whether annotators may say that they cannot judge an output.
    pub(crate) accepts_unjudged: bool,
}

/// Why the change cannot be stored, in words for people.
pub(crate) fn refusal_reason(
    judged: &AnswerContext<'_>,
    change: &AnnotationChange,
) -> Option<String> {
    check(judged, &change.slot, &change.answer).err()
}

/// The slots whose answers must be taken back before a change is stored: an output has either
/// scores or a reason why it has none.
pub(crate) fn excluding_slots(
    dimensions: &[Dimension],
    slot: &AnnotationSlot,
) -> Vec<AnnotationSlot> {
    match slot {
        AnnotationSlot::Rating { output, .. } => vec![AnnotationSlot::Unjudged { output: *output }],
        AnnotationSlot::Unjudged { output } => {
            let rating = |dimension: &Dimension| AnnotationSlot::Rating {
                output: *output,
                dimension: dimension.name.clone(),
            };
            dimensions.iter().map(rating).collect()
        }
        _ => vec![],
    }
}

/// Why a change cannot be stored next to the current answers. The person does not know of these:
/// they come from another device.
pub(crate) fn exclusion_reason(
    dimensions: &[Dimension],
    current: &HashMap<AnnotationSlot, StoredAnswer>,
    change: &AnnotationChange,
) -> Option<&'static str> {
    if change.answer == change.slot.unanswered() {
        return None;
    }

    let is_given = |slot: &AnnotationSlot| {
        let current = current.get(slot);
        current.is_some_and(|current| current.answer != slot.unanswered())
    };

    let mut excluding = excluding_slots(dimensions, &change.slot).into_iter();
    excluding.any(|slot| is_given(&slot)).then_some(match change.slot {
        AnnotationSlot::Unjudged { .. } => {
            "You gave this output a score in another window or on another device. Reload the page to see it."
        }
        _ => {
            "You said in another window or on another device that you cannot judge this output. Reload the page to \
             see it."
        }
    })
}

/// The change with its edits repaired. A page that was opened before its automatic edits were
/// repaired still sends the old ones, and so does a browser that kept a change which was refused
/// then.
pub(crate) fn repair_change(
    judged: &AnswerContext<'_>,
    change: &AnnotationChange,
) -> AnnotationChange {
    let mut change = change.clone();
    if let (AnnotationSlot::Edits { output }, AnnotationAnswer::Edits(Some(edits))) =
        (&change.slot, &mut change.answer)
        && let Ok(item) = judged.item(*output)
    {
        *edits = repair(std::mem::take(edits), &item.text);
    }
    change
}

fn check(
    judged: &AnswerContext<'_>,
    slot: &AnnotationSlot,
    answer: &AnnotationAnswer,
) -> Result<(), String> {
    if !is_asked(judged.protocol, slot) {
        return Err(CHANGED_STEPS.into());
    }

    match (slot, answer) {
        (AnnotationSlot::Category { output }, AnnotationAnswer::Category(_)) => {
            judged.item(*output).map(drop)
        }
        (AnnotationSlot::Edits { output }, AnnotationAnswer::Edits(edits)) => {
            let item = judged.item(*output)?;
            let edits = edits.as_deref().unwrap_or_default();
            validate(edits, judged.source, &item.text)
                .map_err(|error| format!("This does not fit the texts: {error}."))
        }
        (AnnotationSlot::Marks { output }, AnnotationAnswer::Marks(marks)) => {
            let item = judged.item(*output)?;
            let marks = marks.as_deref().unwrap_or_default();
            validate_marks(marks, judged.source, &item.text)
                .map_err(|fault| format!("This cannot be saved: {fault}."))
        }
        (AnnotationSlot::Rating { output, dimension }, AnnotationAnswer::Rating(score)) => {
            judged.item(*output)?;
            let dimension = judged.dimension(dimension)?;
            match score {
                None => Ok(()),
                Some(score) => dimension
                    .scale
                    .score(score.get())
                    .map(drop)
                    .map_err(|off| format!("The score {off}.")),
            }
        }
        (AnnotationSlot::Unjudged { output }, AnnotationAnswer::Unjudged(reason)) => {
            judged.item(*output)?;
            if reason.is_some() && !judged.accepts_unjudged {
                let refusal = "In this study every output gets a score. Write a note if you cannot judge one.";
                return Err(refusal.into());
            }
            Ok(())
        }
        (AnnotationSlot::Note { output }, AnnotationAnswer::Note(note)) => {
            judged.item(*output)?;
            check_text("note", note)
        }
        (AnnotationSlot::Reply { output, question }, AnnotationAnswer::Note(reply)) => {
            if !judged.questions.contains(&(*question, *output)) {
                return Err("The lead's question is no longer there.".into());
            }
            check_text("reply", reply)
        }
        (AnnotationSlot::Order, AnnotationAnswer::Order(order)) => match order {
            Some(order) if !judged.is_permutation(order) => {
                Err("The order does not hold each output once.".into())
            }
            _ => Ok(()),
        },
        (
            AnnotationSlot::Comparison { outputs, dimension },
            AnnotationAnswer::Comparison(choice),
        ) => {
            judged.dimension(dimension)?;
            judged.check_comparison(outputs, *choice)
        }
        (AnnotationSlot::Question { output, key }, AnnotationAnswer::Question(answer)) => {
            judged.check_question(*output, key, answer.as_ref())
        }
        (AnnotationSlot::Text, AnnotationAnswer::Text(text)) => {
            WriteStep::check_text(text.as_deref().unwrap_or_default())
                .map_err(|fault| format!("This cannot be saved: {fault}."))
        }
        (AnnotationSlot::Progress, AnnotationAnswer::Progress(_)) => Ok(()),
        _ => Err("The answer is not of the kind that was asked for.".into()),
    }
}

/// Checks a free text of an annotator.
fn check_text(name: &str, text: &str) -> Result<(), String> {
    if text.len() > MAX_NOTE_BYTES {
        Err(format!("A {name} has at most {MAX_NOTE_BYTES} bytes."))
    } else if text.contains('\0') {
        Err(format!("A {name} cannot hold a NUL character."))
    } else {
        Ok(())
    }
}

/// Whether a step of the protocol asks for the answer.
fn is_asked(protocol: &StudyProtocol, slot: &AnnotationSlot) -> bool {
    match slot {
        AnnotationSlot::Category { .. } => protocol.categorises(),
        AnnotationSlot::Edits { .. } => protocol.shows_edits(),
        AnnotationSlot::Marks { .. } => protocol.mark_spans_step().is_some(),
        AnnotationSlot::Order => protocol.ranks(),
        AnnotationSlot::Rating { .. } | AnnotationSlot::Unjudged { .. } => protocol.scores(),
        AnnotationSlot::Comparison { .. } => protocol.compares(),
        AnnotationSlot::Question { .. } => protocol.answer_step().is_some(),
        AnnotationSlot::Text => protocol.write_step().is_some(),
        AnnotationSlot::Note { .. } | AnnotationSlot::Reply { .. } | AnnotationSlot::Progress => {
            true
        }
    }
}

impl AnswerContext<'_> {
    fn item(&self, output: OutputId) -> Result<&JudgedOutput, String> {
        self.outputs
            .iter()
            .find(|item| item.output == output)
            .ok_or_else(|| "This output is not one of those to judge here.".into())
    }

    fn dimension(&self, name: &str) -> Result<&Dimension, String> {
        self.dimensions
            .iter()
            .find(|dimension| dimension.name == name)
            .ok_or_else(|| "The study does not ask for this score.".into())
    }

    /// Checks a choice among outputs. The source may have had other outputs when the comparison was
    /// drawn, so it need not be one that would be drawn now.
    fn check_comparison(
        &self,
        outputs: &[OutputId],
        choice: Option<ComparisonChoice<OutputId>>,
    ) -> Result<(), String> {
        for output in outputs {
            self.item(*output)?;
        }

        let step = self.protocol.compare_step().ok_or(CHANGED_STEPS)?;
        let is_in_order = outputs.windows(2).all(|pair| pair[0] < pair[1]);
        let most = usize::try_from(step.together).unwrap_or(usize::MAX);
        if !is_in_order || !(2..=most).contains(&outputs.len()) {
            return Err("The study does not ask for this comparison: reload the page.".into());
        }

        if choice.is_some_and(|choice| !step.allows(&choice)) {
            return Err("The study does not offer this choice: reload the page.".into());
        }

        let answer = choice.map(|choice| choice.answer(outputs)).transpose();
        answer
            .map(drop)
            .map_err(|fault| format!("The choice {fault}."))
    }

    /// Checks an answer to a question, but not whether the question is shown: answers arrive in any
    /// order, and answers to hidden questions don't count.
    fn check_question(
        &self,
        output: Option<OutputId>,
        key: &str,
        answer: Option<&QuestionAnswer>,
    ) -> Result<(), String> {
        if let Some(output) = output {
            self.item(output)?;
        }

        let about = match output {
            Some(_) => QuestionAbout::Output,
            None => QuestionAbout::Source,
        };

        let step = self.protocol.answer_step().ok_or(CHANGED_STEPS)?;
        let question = step.find(key).filter(|question| question.about == about);
        let question = question.ok_or("The study does not ask this question: reload the page.")?;

        match answer {
            None => Ok(()),
            Some(answer) => question
                .check_answer(answer)
                .map_err(|fault| format!("This cannot be saved: {fault}.")),
        }
    }

    fn is_permutation(&self, order: &[OutputId]) -> bool {
        let mut given_order = order.to_vec();
        let mut expected_order: Vec<_> = self.outputs.iter().map(|item| item.output).collect();
        given_order.sort_unstable();
        expected_order.sort_unstable();
        given_order == expected_order
    }
}
