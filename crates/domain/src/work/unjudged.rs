//! Outputs that an annotator cannot judge, and why. Such an output has no scores.

use serde::{Deserialize, Serialize};

use crate::{
    ids::OutputId,
    names::names,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        draft::AnnotationDraft,
    },
};

/// The reason why an output cannot be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UnjudgedReason {
    /// It has no text, or ends in the middle.
    Incomplete,
    /// It is in a language that it should not be in.
    OtherLanguage,
    /// It is about another source.
    OtherText,
    /// The annotator does not understand it.
    Unclear,
    /// None of these: the annotator's note on the output gives the reason.
    Other,
}

names!(UnjudgedReason, "reason why an output cannot be judged", UnknownUnjudgedReason,
    Incomplete => "incomplete", OtherLanguage => "other-language", OtherText => "other-text",
    Unclear => "unclear", Other => "other");

impl UnjudgedReason {
    /// The reason as people read it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Incomplete => "It is empty or cut off",
            Self::OtherLanguage => "It is in another language",
            Self::OtherText => "It belongs to another text",
            Self::Unclear => "I do not understand it",
            Self::Other => "Another reason",
        }
    }

    /// The reason at the head of a column.
    #[must_use]
    pub const fn short_label(self) -> &'static str {
        match self {
            Self::Incomplete => "Empty or cut off",
            Self::OtherLanguage => "Another language",
            Self::OtherText => "Another text",
            Self::Unclear => "Not understood",
            Self::Other => "Other",
        }
    }

    /// Whether the output needs a note that gives the reason.
    #[must_use]
    pub fn needs_note(self) -> bool {
        self == Self::Other
    }
}

impl AnnotationDraft {
    /// The reason why the annotator cannot judge an output.
    #[must_use]
    pub fn unjudged(&self, output: OutputId) -> Option<UnjudgedReason> {
        match self.answer(&AnnotationSlot::Unjudged { output }) {
            AnnotationAnswer::Unjudged(reason) => reason,
            _ => None,
        }
    }

    /// Whether the note that an output's reason needs is missing.
    #[must_use]
    pub fn lacks_reason_note(&self, output: OutputId) -> bool {
        let reason = self.unjudged(output);
        reason.is_some_and(UnjudgedReason::needs_note) && self.note(output).is_empty()
    }

    /// An answer, preceded by the empty answers that it entails: an output has either scores or a reason why it has
    /// none.
    pub(super) fn with_displaced(
        &self,
        slot: AnnotationSlot,
        answer: AnnotationAnswer,
    ) -> Vec<(AnnotationSlot, AnnotationAnswer)> {
        let mut answers = vec![];
        match (&slot, &answer) {
            (AnnotationSlot::Rating { output, .. }, AnnotationAnswer::Rating(Some(_))) => {
                let reason = AnnotationSlot::Unjudged { output: *output };
                answers.push((reason, AnnotationAnswer::Unjudged(None)));
            }
            (AnnotationSlot::Unjudged { output }, AnnotationAnswer::Unjudged(Some(_))) => {
                for dimension in &self.task().dimensions {
                    let rating = AnnotationSlot::Rating {
                        output: *output,
                        dimension: dimension.name.clone(),
                    };
                    answers.push((rating, AnnotationAnswer::Rating(None)));
                }
            }
            _ => {}
        }

        answers.push((slot, answer));
        answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        score::RatingScale,
        study::Dimension,
        work::{
            history::UndoGrouping,
            missing::{MissingItem, count_left_to_judge, list_missing},
            test_tasks::{counter, output, rating, task, unjudged},
        },
    };

    fn missing(draft: &AnnotationDraft) -> Vec<String> {
        let missing = list_missing(draft);
        missing.iter().map(MissingItem::sentence).collect()
    }

    fn on_fluency(score: i32) -> (AnnotationSlot, AnnotationAnswer) {
        let slot = AnnotationSlot::Rating {
            output: output(1),
            dimension: "fluency".to_owned(),
        };
        let score = RatingScale::LIKERT.clamp(score);
        (slot, AnnotationAnswer::Rating(Some(score)))
    }

    #[test]
    fn a_reason_takes_the_scores_back_and_one_undo_gives_them_again() {
        let mut task = task(1);
        let fluency = Dimension::new("fluency", RatingScale::LIKERT);
        task.dimensions.push(fluency);
        let (mut draft, mut new_id) = (AnnotationDraft::new(task), counter(0));
        let mut act = |draft: &mut AnnotationDraft, answer, grouping| {
            draft.apply_action([answer], grouping, &mut new_id).len()
        };
        let scores = |draft: &AnnotationDraft| {
            ["overall", "fluency"].map(|name| draft.rating(output(1), name).map(|s| s.get()))
        };
        act(&mut draft, rating(1, Some(50)), UndoGrouping::Separate);
        act(&mut draft, on_fluency(2), UndoGrouping::Separate);
        let unclear = unjudged(1, Some(UnjudgedReason::Unclear));
        assert_eq!(act(&mut draft, unclear, UndoGrouping::Separate), 3);
        assert_eq!(scores(&draft), [None, None]);
        assert_eq!(missing(&draft), [""; 0]);
        draft.undo(counter(100));
        assert_eq!(scores(&draft), [Some(50), Some(2)]);
        assert_eq!(draft.unjudged(output(1)), None);
        draft.redo(counter(200));
        assert_eq!(scores(&draft), [None, None]);

        // A score is given by a slider, one key after the other.
        act(&mut draft, on_fluency(0), UndoGrouping::MergeWithPrevious);
        act(&mut draft, on_fluency(1), UndoGrouping::MergeWithPrevious);
        assert_eq!(draft.unjudged(output(1)), None);
        assert_eq!(scores(&draft), [None, Some(1)]);
        assert_eq!(missing(&draft), ["Split 1 has no score for overall"]);
        draft.undo(counter(300));
        assert_eq!(draft.unjudged(output(1)), Some(UnjudgedReason::Unclear));
    }

    #[test]
    fn another_reason_needs_a_note() {
        let (mut draft, mut new_id) = (AnnotationDraft::new(task(2)), counter(0));
        let mut act = |draft: &mut AnnotationDraft, answer| {
            draft.apply_action([answer], UndoGrouping::Separate, &mut new_id);
        };
        act(&mut draft, rating(2, Some(50)));
        act(&mut draft, unjudged(1, Some(UnjudgedReason::Other)));
        let sentence = "Split 1 needs a note: why can you not judge it?";
        assert_eq!(missing(&draft), [sentence]);
        assert_eq!(count_left_to_judge(&draft), 1);
        let note = AnnotationSlot::Note { output: output(1) };
        act(&mut draft, (note, AnnotationAnswer::Note("A poem.".into())));
        assert_eq!(missing(&draft), [""; 0]);
        assert_eq!(count_left_to_judge(&draft), 0);
    }
}
