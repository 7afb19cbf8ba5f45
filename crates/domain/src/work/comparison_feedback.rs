//! The comparison of an annotator's choices among outputs with the expected scores of these; see
//! [`feedback`](crate::work::feedback).

use crate::{
    comparison::ComparisonChoice,
    ids::OutputId,
    work::{
        comparisons::output_letter,
        draft::AnnotationDraft,
        feedback::{AnswerFeedback, append},
        task::ExpectedAnswer,
    },
};

/// The feedback on a comparison, by the expected scores of its outputs: one whose score is at most its tolerance
/// below the best may be the best, too. While the source is open, feedback comes after the choice is complete.
#[must_use]
pub fn comparison_feedback(
    draft: &AnnotationDraft,
    shown: &[OutputId],
    dimension: &str,
) -> Option<AnswerFeedback> {
    let expected = ExpectedChoice::find(draft, shown, dimension)?;
    let choice = draft.choice(shown, dimension);
    let choice = choice.filter(|choice| choice.is_complete());
    if draft.is_open() && choice.is_none() {
        return None;
    }

    let is_right = choice.is_some_and(|choice| expected.holds(choice));
    let verdict = if is_right { "Right" } else { "Not as expected" };
    let mut text = format!("{verdict}: {}", expected.describe(shown));

    for (place, output) in shown.iter().enumerate() {
        let explanation = draft.item(*output).and_then(|item| item.expected.as_ref());
        if let Some(ExpectedAnswer { explanation, .. }) = explanation
            && !explanation.is_empty()
        {
            append(
                &mut text,
                &format!("{}: {explanation}", output_letter(place)),
            );
        }
    }
    Some(AnswerFeedback { is_right, text })
}

/// The choices in a comparison that count as right.
struct ExpectedChoice {
    best: Vec<OutputId>,
    worst: Vec<OutputId>,
    pair: bool,
}

impl ExpectedChoice {
    /// `None` unless a score is expected of each output, on this dimension.
    fn find(draft: &AnnotationDraft, shown: &[OutputId], dimension: &str) -> Option<Self> {
        if draft.ranking().name != dimension {
            return None;
        }

        let scores = shown.iter().map(|output| {
            let expected = draft.item(*output)?.expected.as_ref()?;
            Some((*output, expected.rating?, expected.tolerance))
        });
        let scores: Vec<_> = scores.collect::<Option<_>>()?;
        let highest = scores.iter().map(|(_, score, _)| *score).max()?;
        let lowest = scores.iter().map(|(_, score, _)| *score).min()?;

        Some(Self {
            best: outputs_near(&scores, highest),
            worst: outputs_near(&scores, lowest),
            pair: shown.len() == 2,
        })
    }

    fn holds(&self, choice: ComparisonChoice<OutputId>) -> bool {
        match choice {
            ComparisonChoice::Tie => self.best.len() > 1,
            ComparisonChoice::Better(better) => self.best.contains(&better),
            ComparisonChoice::BestWorst { best, worst } => {
                best.is_some_and(|best| self.best.contains(&best))
                    && worst.is_some_and(|worst| self.worst.contains(&worst))
            }
        }
    }

    fn describe(&self, shown: &[OutputId]) -> String {
        match (self.pair, self.best.len()) {
            (true, 1) => format!("{} is better.", join_letters(shown, &self.best)),
            (true, _) => "the two are about as good as each other.".to_owned(),
            (false, _) => format!(
                "the best is {}, the worst is {}.",
                join_letters(shown, &self.best),
                join_letters(shown, &self.worst)
            ),
        }
    }
}

/// The outputs whose expected score, the second of each, is within its tolerance, the third, of a score.
fn outputs_near(scores: &[(OutputId, i32, i32)], score: i32) -> Vec<OutputId> {
    let near = scores
        .iter()
        .filter(|(_, other, tolerance)| other.abs_diff(score) <= tolerance.unsigned_abs());
    near.map(|(output, ..)| *output).collect()
}

/// The letters of some of the outputs shown: `A or C`.
fn join_letters(shown: &[OutputId], outputs: &[OutputId]) -> String {
    let places = shown.iter().enumerate();
    let letters: Vec<_> = places
        .filter(|(_, output)| outputs.contains(output))
        .map(|(place, _)| output_letter(place).to_string())
        .collect();
    letters.join(" or ")
}

/// The summary of a submitted source whose outputs are compared.
pub(super) fn summarise_comparisons(draft: &AnnotationDraft) -> Option<String> {
    let dimension = draft.ranking().name;
    let comparisons = draft.task().comparisons.iter();
    let feedback = comparisons.filter_map(|shown| comparison_feedback(draft, shown, &dimension));
    let feedback: Vec<_> = feedback.collect();
    let right = feedback.iter().filter(|feedback| feedback.is_right).count();
    let total = feedback.len();
    (total > 0).then(|| format!("Comparisons: {right} of {total} as expected."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        protocol::{CompareStep, ProtocolStep, StudyProtocol},
        study::{AssignmentState, OVERALL},
        work::{
            change::{AnnotationAnswer, AnnotationSlot},
            feedback::summarise,
            test_tasks::{id, output, task},
        },
    };

    /// Outputs of which 90, 85 and 10 are expected, compared as `shown`.
    fn draft(shown: &[u32], choice: ComparisonChoice<u32>) -> AnnotationDraft {
        let mut task = task(3);
        let step = CompareStep {
            together: u32::try_from(shown.len()).expect("few"),
            times: Some(1),
            ..CompareStep::default()
        };
        task.protocol = StudyProtocol::new(vec![ProtocolStep::Compare(step)]).expect("a protocol");
        for (item, rating) in task.items.iter_mut().zip([90, 85, 10]) {
            item.expected = Some(ExpectedAnswer {
                rating: Some(rating),
                tolerance: 6,
                explanation: format!("Worth {rating}."),
                ..ExpectedAnswer::default()
            });
        }
        let shown: Vec<_> = shown.iter().copied().map(output).collect();
        task.comparisons = vec![shown.clone()];
        task.state = AssignmentState::HandedIn;
        let choice = match choice {
            ComparisonChoice::Tie => ComparisonChoice::Tie,
            ComparisonChoice::Better(better) => ComparisonChoice::Better(output(better)),
            ComparisonChoice::BestWorst { best, worst } => ComparisonChoice::BestWorst {
                best: best.map(output),
                worst: worst.map(output),
            },
        };
        let mut draft = AnnotationDraft::new(task);
        let answer = AnnotationAnswer::Comparison(Some(choice));
        draft.set_answer(AnnotationSlot::comparison(&shown, OVERALL), answer, id(1));
        draft
    }

    #[test]
    fn a_choice_is_right_by_the_expected_scores() {
        use ComparisonChoice::{BestWorst, Better, Tie};
        let best_worst = |best, worst| BestWorst {
            best: Some(best),
            worst: Some(worst),
        };
        for (shown, choice, right, text) in [
            (
                &[3, 1][..],
                Better(1),
                true,
                "Right: B is better. A: Worth 10. B: Worth 90.",
            ),
            (
                &[3, 1],
                Better(3),
                false,
                "Not as expected: B is better. A: Worth 10. B: Worth 90.",
            ),
            (
                &[3, 1],
                Tie,
                false,
                "Not as expected: B is better. A: Worth 10. B: Worth 90.",
            ),
            (
                &[1, 2],
                Tie,
                true,
                "Right: the two are about as good as each other. A: Worth 90. B: Worth 85.",
            ),
            (
                &[1, 2],
                Better(2),
                true,
                "Right: the two are about as good as each other. A: Worth 90. B: Worth 85.",
            ),
            (
                &[1, 2, 3],
                best_worst(2, 3),
                true,
                "Right: the best is A or B, the worst is C. A: Worth 90. B: Worth 85. C: Worth 10.",
            ),
            (
                &[1, 2, 3],
                best_worst(2, 1),
                false,
                "Not as expected: the best is A or B, the worst is C. A: Worth 90. B: Worth 85. C: Worth 10.",
            ),
        ] {
            let draft = draft(shown, choice);
            let shown = draft.task().comparisons[0].clone();
            let feedback = comparison_feedback(&draft, &shown, OVERALL).expect("feedback");
            assert_eq!(
                (feedback.text.as_str(), feedback.is_right),
                (text, right),
                "{choice:?}"
            );
            let summary = format!("Comparisons: {} of 1 as expected.", u32::from(right));
            assert_eq!(summarise(&draft), Some(summary));
        }
    }
}
