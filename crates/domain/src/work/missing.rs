//! The work that remains before a source can be handed in.

use crate::{
    category::Category,
    ids::OutputId,
    span_marks::MarkGap,
    work::{
        change::{AnnotationSlot, AnnotationStep},
        draft::AnnotationDraft,
        walk::list_outputs,
    },
};

/// One missing answer, and where to give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingItem {
    /// The step to go to.
    pub step: AnnotationStep,
    /// The output to go to, if any.
    pub output: Option<OutputId>,
    /// The number of the comparison to go to, if any, from 0.
    pub comparison: Option<usize>,
    /// The place, as the annotator sees it: `Split 3`.
    pub place: String,
    /// The missing answer.
    pub kind: MissingKind,
}

/// The kind of a missing answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingKind {
    /// A score.
    Score {
        /// The dimension.
        dimension: String,
        /// Whether it is the task's only dimension.
        only: bool,
    },
    /// A choice among outputs that are compared, on a dimension.
    Comparison {
        /// The dimension.
        dimension: String,
        /// Whether it is the task's only dimension.
        only: bool,
    },
    /// The marks of an output, or the statement that it has none.
    Marks {
        /// Whether it began with marks, which the annotator has yet to accept.
        begun: bool,
    },
    /// A part of a mark.
    Mark {
        /// The number of the mark, from 1.
        number: usize,
        /// The name of its type.
        kind: String,
        /// The part.
        gap: MarkGap,
    },
    /// The answer to a question.
    Question {
        /// The wording.
        text: String,
    },
    /// The simplification of the source.
    Text {
        /// Whether it began with a text, which the annotator has yet to change or accept.
        begun: bool,
    },
    /// The note that says why an output cannot be judged.
    Note,
    /// A choice between two answers.
    Choice,
}

impl MissingItem {
    /// The text for a complete list.
    #[must_use]
    pub fn sentence(&self) -> String {
        let place = &self.place;
        match &self.kind {
            MissingKind::Score { only: true, .. } => format!("{place} is not rated"),
            MissingKind::Score {
                dimension,
                only: false,
            } => format!("{place} has no score for {dimension}"),
            MissingKind::Comparison { only: true, .. } => format!("{place} is not answered"),
            MissingKind::Comparison {
                dimension,
                only: false,
            } => format!("{place} has no answer for {dimension}"),
            MissingKind::Marks { begun: true } => {
                format!(
                    "{place} has the computer's marks only: change them, or say that they are right"
                )
            }
            MissingKind::Marks { begun: false } => {
                format!("{place} has no marks: mark its spans, or say that there are none")
            }
            MissingKind::Mark { number, kind, gap } => {
                let needed = match gap {
                    MarkGap::Type => "another type: this one is no longer used",
                    MarkGap::Source => "words of the source",
                    MarkGap::Output => "words of the output",
                    MarkGap::Level => "a level",
                };
                format!("{place}: mark {number} (“{kind}”) needs {needed}")
            }
            MissingKind::Question { text } => format!("{place} has no answer to “{text}”"),
            MissingKind::Text { begun: true } => {
                format!(
                    "{place} is as it was at the beginning: change it, or say that it needs no change"
                )
            }
            MissingKind::Text { begun: false } => format!("{place} is not written"),
            MissingKind::Note => format!("{place} needs a note: why can you not judge it?"),
            MissingKind::Choice => format!("{place} was answered in two places: choose one answer"),
        }
    }
}

/// All missing answers, in the order in which they are shown.
#[must_use]
pub fn list_missing(draft: &AnnotationDraft) -> Vec<MissingItem> {
    let conflicts = draft.conflicts().keys().map(|slot| {
        let comparison = draft.find_comparison(slot);
        MissingItem {
            step: slot.step().unwrap_or_default(),
            output: slot.output(),
            comparison,
            place: match (slot.output(), comparison) {
                (Some(output), _) => describe_place(draft, output),
                (None, Some(number)) => describe_comparison(number),
                (None, None) if matches!(slot, AnnotationSlot::Question { .. }) => {
                    SOURCE.to_owned()
                }
                (None, None) if matches!(slot, AnnotationSlot::Text) => TEXT.to_owned(),
                (None, None) if draft.protocol().scores() => "The order".to_owned(),
                (None, None) => "A comparison that is no longer asked".to_owned(),
            },
            kind: MissingKind::Choice,
        }
    });

    let unjudged = match draft.protocol() {
        protocol if protocol.scores() => list_unrated(draft),
        _ => list_uncompared(draft),
    };
    let unmarked = list_unmarked(draft);
    let unanswered = list_unanswered(draft);

    conflicts
        .chain(unmarked)
        .chain(unjudged)
        .chain(unanswered)
        .chain(missing_text(draft))
        .collect()
}

/// The place of a question about the source, as the annotator sees it.
const SOURCE: &str = "The source";

/// The place of the text that the annotator writes, as they see it.
const TEXT: &str = "Your text";

fn missing_text(draft: &AnnotationDraft) -> Option<MissingItem> {
    draft.is_unwritten().then(|| MissingItem {
        step: AnnotationStep::Write,
        output: None,
        comparison: None,
        place: TEXT.to_owned(),
        kind: MissingKind::Text {
            begun: draft.has_only_start(),
        },
    })
}

fn list_unanswered(draft: &AnnotationDraft) -> Vec<MissingItem> {
    let mut missing = vec![];
    for subject in draft.list_unanswered() {
        let place =
            subject.map_or_else(|| SOURCE.to_owned(), |output| describe_place(draft, output));

        let open = draft.open_questions(subject).into_iter();
        missing.extend(open.map(|question| MissingItem {
            step: AnnotationStep::Answer,
            output: subject,
            comparison: None,
            place: place.clone(),
            kind: MissingKind::Question {
                text: question.text.clone(),
            },
        }));
    }
    missing
}

fn list_unmarked(draft: &AnnotationDraft) -> Vec<MissingItem> {
    let mut missing = vec![];
    for (place, output) in list_places(draft) {
        if !draft.may_change(output) || !draft.is_unmarked(output) {
            continue;
        }

        let marks = draft.marks(output);
        let gaps = draft.mark_gaps(output).into_iter();
        let mut kinds: Vec<_> = gaps
            .map(|(at, gap)| MissingKind::Mark {
                number: at + 1,
                kind: marks[at].kind.clone(),
                gap,
            })
            .collect();
        if kinds.is_empty() {
            let begun = !marks.is_empty();
            kinds.push(MissingKind::Marks { begun });
        }

        missing.extend(kinds.into_iter().map(|kind| MissingItem {
            step: AnnotationStep::Highlight,
            output: Some(output),
            comparison: None,
            place: place.clone(),
            kind,
        }));
    }
    missing
}

/// The place of a comparison, as the annotator sees it.
fn describe_comparison(number: usize) -> String {
    format!("Comparison {}", number + 1)
}

fn list_uncompared(draft: &AnnotationDraft) -> Vec<MissingItem> {
    let only = draft.task().dimensions.len() == 1;
    let mut missing = vec![];
    let comparisons = draft.task().comparisons.iter().enumerate();
    for (number, shown) in comparisons.filter(|(_, shown)| draft.is_uncompared(shown)) {
        missing.extend(draft.open_dimensions(shown).map(|dimension| MissingItem {
            step: AnnotationStep::Rate,
            output: None,
            comparison: Some(number),
            place: describe_comparison(number),
            kind: MissingKind::Comparison {
                dimension: dimension.to_owned(),
                only,
            },
        }));
    }
    missing
}

fn list_unrated(draft: &AnnotationDraft) -> Vec<MissingItem> {
    let dimensions = &draft.task().dimensions;
    let mut missing = vec![];
    for (place, output) in list_places(draft) {
        if !draft.may_change(output) {
            continue;
        }

        let mut add = |kind| {
            missing.push(MissingItem {
                step: AnnotationStep::Rate,
                output: Some(output),
                comparison: None,
                place: place.clone(),
                kind,
            });
        };

        if draft.lacks_reason_note(output) {
            add(MissingKind::Note);
        }
        if draft.unjudged(output).is_some() {
            continue;
        }

        for dimension in dimensions {
            if draft.rating(output, &dimension.name).is_none() {
                add(MissingKind::Score {
                    dimension: dimension.name.clone(),
                    only: dimensions.len() == 1,
                });
            }
        }
    }
    missing
}

/// The outputs with their places, in the order of the step that rates.
fn list_places(draft: &AnnotationDraft) -> Vec<(String, OutputId)> {
    if !draft.protocol().ranks() {
        let outputs = list_outputs(draft, AnnotationStep::Rate);
        return number_outputs("Output", outputs).collect();
    }
    Category::ALL
        .into_iter()
        .flat_map(|category| number_outputs(category.title(), draft.outputs_in(category)))
        .collect()
}

/// Names outputs `name 1`, `name 2` and so on.
fn number_outputs(
    name: &'static str,
    outputs: Vec<OutputId>,
) -> impl Iterator<Item = (String, OutputId)> {
    let numbered = outputs.into_iter().enumerate();
    numbered.map(move |(at, output)| (format!("{name} {}", at + 1), output))
}

/// The place of an output, as the annotator sees it: `Split 3`, or `Output 3` where outputs are not ranked by category.
#[must_use]
pub fn describe_place(draft: &AnnotationDraft, output: OutputId) -> String {
    let mut places = list_places(draft).into_iter();
    let place = places.find(|(_, candidate)| *candidate == output);
    place.map(|(place, _)| place).unwrap_or_default()
}

/// The number of outputs that lack a mark, a score on some dimension or an answer, of comparisons that lack a choice, of
/// sources that lack an answer, and of texts that are not written.
#[must_use]
pub fn count_left_to_judge(draft: &AnnotationDraft) -> usize {
    let unanswered = draft.list_unanswered();
    let outputs = draft.task().items.iter().map(|item| item.output);
    let outputs = outputs.filter(|output| draft.may_change(*output));
    let open_outputs = outputs.filter(|output| {
        let lacks_score = draft.protocol().scores() && draft.is_unrated(*output);
        lacks_score || draft.is_unmarked(*output) || unanswered.contains(&Some(*output))
    });

    let sources = usize::from(unanswered.contains(&None));
    let texts = usize::from(draft.is_unwritten());
    open_outputs.count() + draft.count_open_comparisons() + sources + texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        comparison::ComparisonChoice,
        protocol::{CompareStep, ProtocolStep, RateStep, StudyProtocol},
        score::RatingScale,
        study::{Dimension, OVERALL},
        work::{
            change::{AnnotationAnswer, AnnotationSlot},
            history::UndoGrouping,
            order::{OrderMove, move_output},
            test_tasks::{counter, id, output, rating, task},
        },
    };

    fn sentences(draft: &AnnotationDraft) -> Vec<String> {
        list_missing(draft)
            .iter()
            .map(MissingItem::sentence)
            .collect()
    }

    #[test]
    fn every_unrated_output_is_named_where_it_stands() {
        let mut draft = AnnotationDraft::new(task(4));
        let mut new_id = counter(0);
        draft.apply_action(
            [rating(1, Some(50)), rating(2, Some(0))],
            UndoGrouping::Separate,
            &mut new_id,
        );
        let up = move_output(
            &draft.outputs_in(Category::Paraphrase),
            output(4),
            OrderMove::Up(1),
        )
        .expect("a move");
        draft.apply_action(
            [draft.order_answer(&up)],
            UndoGrouping::Separate,
            &mut new_id,
        );
        assert_eq!(
            sentences(&draft),
            ["Split 2 is not rated", "Paraphrase 1 is not rated"]
        );
        assert_eq!(list_missing(&draft)[1].output, Some(output(4)));
        assert_eq!(count_left_to_judge(&draft), 2);
    }

    #[test]
    fn with_several_dimensions_each_is_named() {
        let mut task = task(1);
        let fluency = Dimension::new("fluency", RatingScale::LIKERT);
        task.dimensions.push(fluency);
        let mut draft = AnnotationDraft::new(task);
        draft.apply_action([rating(1, Some(50))], UndoGrouping::Separate, || id(1));
        assert_eq!(sentences(&draft), ["Split 1 has no score for fluency"]);
        assert_eq!(count_left_to_judge(&draft), 1);
    }

    #[test]
    fn a_comparison_is_missing_until_its_choice_is_complete() {
        let mut task = task(3);
        task.protocol = StudyProtocol::new(vec![ProtocolStep::Compare(CompareStep {
            together: 3,
            times: Some(1),
            ..CompareStep::default()
        })])
        .expect("a protocol");
        task.comparisons = vec![[2, 3, 1].map(output).to_vec()];
        let mut draft = AnnotationDraft::new(task);
        let mut new_id = counter(0);
        let slot = AnnotationSlot::comparison(&[1, 2, 3].map(output), OVERALL);
        let mut choose = |draft: &mut AnnotationDraft, worst| {
            let choice = ComparisonChoice::BestWorst {
                best: Some(output(3)),
                worst,
            };
            let answer = AnnotationAnswer::Comparison(Some(choice));
            let actions = [(slot.clone(), answer)];
            draft.apply_action(actions, UndoGrouping::Separate, &mut new_id);
        };
        choose(&mut draft, None);
        assert_eq!(sentences(&draft), ["Comparison 1 is not answered"]);
        assert_eq!(
            (
                count_left_to_judge(&draft),
                list_missing(&draft)[0].comparison
            ),
            (1, Some(0))
        );
        choose(&mut draft, Some(output(1)));
        assert_eq!(
            (sentences(&draft).len(), count_left_to_judge(&draft)),
            (0, 0)
        );
        let chosen = draft.answer(&slot);
        assert_eq!(draft.answer_label(&slot, &chosen), "best B, worst C");
        let undone = draft.undo(counter(9)).expect("an action");
        assert_eq!((undone.comparison, undone.output), (Some(0), None));
    }

    #[test]
    fn where_outputs_are_not_ranked_they_are_numbered_as_shown() {
        let mut task = task(3);
        task.protocol =
            StudyProtocol::new(vec![ProtocolStep::Rate(RateStep::default())]).expect("a protocol");
        let mut draft = AnnotationDraft::new(task);
        assert_eq!(draft.step(), AnnotationStep::Rate);
        let mut new_id = counter(0);
        draft.apply_action([rating(1, Some(9))], UndoGrouping::Separate, &mut new_id);
        assert_eq!(
            sentences(&draft),
            ["Output 2 is not rated", "Output 3 is not rated"]
        );
        assert_eq!(describe_place(&draft, output(3)), "Output 3");
        let undone = draft.undo(&mut new_id).expect("an action");
        assert_eq!(
            (undone.step, undone.output),
            (AnnotationStep::Rate, Some(output(1)))
        );
    }
}
