//! The work that remains before a source can be handed in.

use crate::{
    category::Category,
    ids::OutputId,
    work::{
        change::{AnnotationSlot, AnnotationStep},
        draft::AnnotationDraft,
    },
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
    for category in Category::ALL {
        for (at, output) in draft.outputs_in(category).into_iter().enumerate() {
            for dimension in dimensions {
                if draft.may_change(output) && draft.rating(output, &dimension.name).is_none() {
                    missing.push(MissingItem {
                        step: AnnotationStep::Rate,
                        output: Some(output),
                        place: format!("{} {}", category.title(), at + 1),
                        kind: MissingKind::Score {
                            dimension: dimension.name.clone(),
                            only: dimensions.len() == 1,
                        },
                    });
                }
            }
        }
    }
    missing
}

/// The place of an output, as the annotator sees it: `Split 3`.
#[must_use]
pub fn describe_place(draft: &AnnotationDraft, output: OutputId) -> String {
    let category = draft.placement(output).category;
    let at = draft
        .outputs_in(category)
        .iter()
        .position(|o| *o == output)
        .unwrap_or_default();
    format!("{} {}", category.title(), at + 1)
}

/// The number of outputs that lack a score on some dimension.
#[must_use]
pub fn count_unrated_outputs(draft: &AnnotationDraft) -> usize {
    let unrated = |output: OutputId| {
        let rating_of = |name: &str| {
            draft.answer(&AnnotationSlot::Rating {
                output,
                dimension: name.to_owned(),
            })
        };
        let none =
            |name: &str| rating_of(name) == crate::work::change::AnnotationAnswer::Rating(None);
        draft.task().dimensions.iter().any(|d| none(&d.name))
    };
    draft
        .task()
        .items
        .iter()
        .filter(|item| unrated(item.output))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
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
        let fluency = Dimension {
            name: "fluency".to_owned(),
            scale: RatingScale::LIKERT,
        };
        task.dimensions.push(fluency);
        let mut draft = AnnotationDraft::new(task);
        draft.apply_action([rating(1, Some(50))], UndoGrouping::Separate, || id(1));
        assert_eq!(sentences(&draft), ["Split 1 has no score for fluency"]);
        assert_eq!(count_unrated_outputs(&draft), 1);
    }
}
