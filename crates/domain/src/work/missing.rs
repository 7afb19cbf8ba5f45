//! What still has to be done before a source can be handed in.

use crate::{
    category::Category,
    ids::OutputId,
    work::{
        change::{Slot, Step},
        draft::Draft,
    },
};

/// One thing that is missing, and where to do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The step to go to.
    pub step: Step,
    /// The output to go to, where it is about one.
    pub output: Option<OutputId>,
    /// Where that is, as the annotator sees it: `Split, 3`.
    pub place: String,
    /// What is missing there.
    pub what: What,
}

/// What is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A score.
    Score {
        /// On what.
        dimension: String,
        /// Whether the task has no other dimension.
        only: bool,
    },
    /// A choice between two answers.
    Choice,
}

impl Missing {
    /// For a list that says it all.
    #[must_use]
    pub fn sentence(&self) -> String {
        let place = &self.place;
        match &self.what {
            What::Score { only: true, .. } => format!("{place} is not rated"),
            What::Score {
                dimension,
                only: false,
            } => format!("{place} has no score for {dimension}"),
            What::Choice => format!("{place} was answered in two places: choose one answer"),
        }
    }
}

/// All that is missing, in the order in which it is shown.
#[must_use]
pub fn missing(draft: &Draft) -> Vec<Missing> {
    let conflicts = draft.conflicts().keys().map(|slot| Missing {
        step: slot.step().unwrap_or_default(),
        output: slot.output(),
        place: slot
            .output()
            .map_or_else(|| "The order".to_owned(), |o| place(draft, o)),
        what: What::Choice,
    });
    conflicts.chain(unrated(draft)).collect()
}

fn unrated(draft: &Draft) -> Vec<Missing> {
    let dimensions = &draft.task().dimensions;
    let mut missing = vec![];
    for category in Category::ALL {
        for (at, output) in draft.group(category).into_iter().enumerate() {
            for dimension in dimensions {
                if draft.rating(output, &dimension.name).is_none() {
                    missing.push(Missing {
                        step: Step::Rate,
                        output: Some(output),
                        place: format!("{}, {}", category.title(), at + 1),
                        what: What::Score {
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

/// Where an output stands, as the annotator sees it: `Split, 3`.
#[must_use]
pub fn place(draft: &Draft, output: OutputId) -> String {
    let category = draft.category(output).category;
    let at = draft
        .group(category)
        .iter()
        .position(|o| *o == output)
        .unwrap_or_default();
    format!("{}, {}", category.title(), at + 1)
}

/// How many outputs have no score yet on some dimension.
#[must_use]
pub fn outputs_left(draft: &Draft) -> usize {
    let unrated = |output: OutputId| {
        let given = |name: &str| {
            draft.answer(&Slot::Rating {
                output,
                dimension: name.to_owned(),
            })
        };
        let none = |name: &str| given(name) == crate::work::change::Answer::Rating(None);
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
        score::Scale,
        study::Dimension,
        work::{
            history::Joining,
            order::{Move, moved},
            testing::{counter, id, output, rating, task},
        },
    };

    fn sentences(draft: &Draft) -> Vec<String> {
        missing(draft).iter().map(Missing::sentence).collect()
    }

    #[test]
    fn every_unrated_output_is_named_where_it_stands() {
        let mut draft = Draft::new(task(4));
        let mut new_id = counter(0);
        draft.act(
            [rating(1, Some(50)), rating(2, Some(0))],
            Joining::Apart,
            &mut new_id,
        );
        let up = moved(&draft.group(Category::Paraphrase), output(4), Move::Up(1)).expect("a move");
        draft.act([draft.ordered(&up)], Joining::Apart, &mut new_id);
        assert_eq!(
            sentences(&draft),
            ["Split, 2 is not rated", "Paraphrase, 1 is not rated"]
        );
        assert_eq!(missing(&draft)[1].output, Some(output(4)));
        assert_eq!(outputs_left(&draft), 2);
    }

    #[test]
    fn with_several_dimensions_each_is_named() {
        let mut task = task(1);
        let fluency = Dimension {
            name: "fluency".to_owned(),
            scale: Scale::LIKERT,
        };
        task.dimensions.push(fluency);
        let mut draft = Draft::new(task);
        draft.act([rating(1, Some(50))], Joining::Apart, || id(1));
        assert_eq!(sentences(&draft), ["Split, 1 has no score for fluency"]);
        assert_eq!(outputs_left(&draft), 1);
    }
}
