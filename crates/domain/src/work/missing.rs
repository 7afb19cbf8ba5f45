//! The work that remains before a source can be handed in.

use crate::{
    category::Category,
    ids::OutputId,
    work::{change::AnnotationStep, draft::AnnotationDraft, walk::list_outputs},
};

/// One missing answer, and where to give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingItem {
    /// The step to go to.
    pub step: AnnotationStep,
    /// The output to go to, if any.
    pub output: Option<OutputId>,
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
            MissingKind::Note => format!("{place} needs a note: why can you not judge it?"),
            MissingKind::Choice => format!("{place} was answered in two places: choose one answer"),
        }
    }
}

/// All missing answers, in the order in which they are shown.
#[must_use]
pub fn list_missing(draft: &AnnotationDraft) -> Vec<MissingItem> {
    let conflicts = draft.conflicts().keys().map(|slot| MissingItem {
        step: slot.step().unwrap_or_default(),
        output: slot.output(),
        place: slot
            .output()
            .map_or_else(|| "The order".to_owned(), |o| describe_place(draft, o)),
        kind: MissingKind::Choice,
    });
    conflicts.chain(list_unrated(draft)).collect()
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
    let number = |name: &str, outputs: Vec<OutputId>| {
        let numbered = outputs.into_iter().enumerate();
        let named = numbered.map(|(at, output)| (format!("{name} {}", at + 1), output));
        named.collect::<Vec<_>>()
    };
    if !draft.protocol().ranks() {
        return number("Output", list_outputs(draft, AnnotationStep::Rate));
    }
    let of_category = |category: Category| number(category.title(), draft.outputs_in(category));
    Category::ALL.into_iter().flat_map(of_category).collect()
}

/// The place of an output, as the annotator sees it: `Split 3`, or `Output 3` where outputs are not ranked by category.
#[must_use]
pub fn describe_place(draft: &AnnotationDraft, output: OutputId) -> String {
    let mut places = list_places(draft).into_iter();
    let place = places.find(|(_, candidate)| *candidate == output);
    place.map(|(place, _)| place).unwrap_or_default()
}

/// The number of outputs that are still to be rated; see [`AnnotationDraft::is_unrated`].
#[must_use]
pub fn count_unrated_outputs(draft: &AnnotationDraft) -> usize {
    let outputs = draft.task().items.iter().map(|item| item.output);
    outputs.filter(|output| draft.is_unrated(*output)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        protocol::{ProtocolStep, RateStep, StudyProtocol},
        score::RatingScale,
        study::Dimension,
        work::{
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
        assert_eq!(count_unrated_outputs(&draft), 2);
    }

    #[test]
    fn with_several_dimensions_each_is_named() {
        let mut task = task(1);
        let fluency = Dimension::new("fluency", RatingScale::LIKERT);
        task.dimensions.push(fluency);
        let mut draft = AnnotationDraft::new(task);
        draft.apply_action([rating(1, Some(50))], UndoGrouping::Separate, || id(1));
        assert_eq!(sentences(&draft), ["Split 1 has no score for fluency"]);
        assert_eq!(count_unrated_outputs(&draft), 1);
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
