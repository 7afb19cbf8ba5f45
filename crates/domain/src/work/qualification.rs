//! The result of an annotator's qualification: the distance of the answers to the expected ones.

use crate::{
    category::Category,
    protocol::StudyProtocol,
    score::RatingScore,
    statistics::quality::SampleMean,
    work::{
        attention::{ExpectedOutput, chosen_category, given_marks},
        change::StoredAnswer,
        expected_choices::check_choices,
        expected_marks::has_expected_marks,
        task::ExpectedAnswer,
    },
};

/// An output of a qualification source, with the expected answer and the annotator's.
#[derive(Debug, Clone, PartialEq)]
pub struct QualificationJudgement {
    /// The lead's expectation; parts left open do not count.
    pub expected: ExpectedAnswer,
    /// The annotator's category, or the automatic one if it was left unchanged.
    pub category: Category,
    /// The annotator's score on the first dimension; `None` if there is none.
    pub rating: Option<RatingScore>,
    /// Whether each expected choice, and the marks where some are expected, are as expected; see [`check_other_answers`].
    pub others: Vec<bool>,
}

/// Whether each expected choice about an output or its source is exact, and whether each expected mark, or edit, is
/// overlapped by one of its type. Missing marks are wrong; a question that was not shown does not count.
#[must_use]
pub fn check_other_answers(
    protocol: &StudyProtocol,
    output: &ExpectedOutput,
    answers: &[StoredAnswer],
) -> Vec<bool> {
    let judged_output = Some((output.output, chosen_category(answers, output)));
    let step = protocol.answer_step();
    let mut checks = step.map_or_else(Vec::new, |step| {
        check_choices(step, judged_output, &output.expected, answers)
    });

    if let Some(expected) = output.expected.marks_by(protocol) {
        let marks = given_marks(protocol, output, answers);
        checks.push(marks.is_some_and(|marks| has_expected_marks(expected, &marks)));
    }
    checks
}

/// The distance of an annotator's answers to the expected ones.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct QualificationResult {
    /// The mean distance of the scores to the expected ones, in points of the scale; `None` if no
    /// score is expected.
    pub distance: Option<f64>,
    /// The fraction of categories that are as expected, 0 to 1; `None` if none is expected.
    pub categories: Option<f64>,
    /// The fraction of answers to questions, and of outputs with marks, that are as expected, 0 to 1; `None` if none is
    /// expected.
    pub others: Option<f64>,
}

impl QualificationResult {
    /// Computes the result. A missing score counts as infinitely far from the expected one, so that
    /// leaving answers out never helps.
    #[must_use]
    pub fn from_answers(answers: &[QualificationJudgement]) -> Self {
        let distances = answers.iter().filter_map(|answer| {
            let expected = f64::from(answer.expected.rating?);
            let score = answer.rating.map(|score| f64::from(score.get()));
            Some(score.map_or(f64::INFINITY, |score| (score - expected).abs()))
        });
        let categories = answers.iter().filter_map(|answer| {
            let expected = answer.expected.category?;
            Some(if expected == answer.category {
                1.0
            } else {
                0.0
            })
        });
        let other_answers = answers
            .iter()
            .flat_map(|answer| &answer.others)
            .map(|is_right| if *is_right { 1.0 } else { 0.0 });

        Self {
            distance: distances.collect::<SampleMean>().value().ok(),
            others: other_answers.collect::<SampleMean>().value().ok(),
            categories: categories.collect::<SampleMean>().value().ok(),
        }
    }

    /// Whether the annotator passes: at most `tolerance` points away on average, and at least the
    /// fraction `categories` of the categories, and of the other answers, as expected. If nothing is expected, the result
    /// is `false`, and the lead decides.
    #[must_use]
    pub fn passes(&self, tolerance: f64, categories: f64) -> bool {
        let near = self.distance.is_none_or(|distance| distance <= tolerance);
        let fractions = [self.categories, self.others];
        let mut known_fractions = fractions.iter().flatten();
        let same = known_fractions.all(|fraction| *fraction >= categories);
        let is_any = self.distance.is_some() || fractions.iter().any(Option::is_some);
        near && same && is_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::RatingScale;

    fn judged(
        expected: (Option<Category>, Option<i32>),
        given: (Category, Option<i32>),
    ) -> QualificationJudgement {
        QualificationJudgement {
            expected: ExpectedAnswer {
                category: expected.0,
                rating: expected.1,
                ..ExpectedAnswer::default()
            },
            category: given.0,
            rating: given.1.map(|score| RatingScale::PERCENT.clamp(score)),
            others: vec![],
        }
    }

    #[test]
    fn answers_and_marks_must_reach_the_same_fraction_as_categories() {
        let split = Category::Split;
        let with = |others: &[bool]| QualificationJudgement {
            others: others.to_vec(),
            ..judged((None, None), (split, None))
        };
        let result =
            QualificationResult::from_answers(&[with(&[true, false]), with(&[true, true])]);
        assert_eq!((result.distance, result.categories), (None, None));
        assert_eq!(result.others, Some(0.75));
        assert!(result.passes(0.0, 0.75));
        assert!(!result.passes(0.0, 0.76));
    }

    #[test]
    fn distances_and_groups_are_averaged_over_what_is_expected() {
        let (split, deletion) = (Category::Split, Category::Deletion);
        let answers = [
            judged((Some(split), Some(80)), (split, Some(70))),
            judged((Some(deletion), Some(20)), (split, Some(50))),
            judged((Some(split), None), (split, Some(0))),
            judged((None, None), (deletion, None)),
        ];
        let near = QualificationResult::from_answers(&answers);
        assert_eq!(
            (near.distance, near.categories),
            (Some(20.0), Some(2.0 / 3.0))
        );
        assert!(near.passes(20.0, 0.6));
        assert!(!near.passes(19.9, 0.6));
        assert!(!near.passes(20.0, 0.7));
    }

    #[test]
    fn one_of_the_two_may_be_expected_alone() {
        let split = Category::Split;
        let ratings =
            QualificationResult::from_answers(&[judged((None, Some(50)), (split, Some(55)))]);
        assert_eq!((ratings.distance, ratings.categories), (Some(5.0), None));
        assert!(ratings.passes(5.0, 1.0));
        let groups =
            QualificationResult::from_answers(&[judged((Some(split), None), (split, None))]);
        assert!(groups.passes(0.0, 1.0));
    }

    #[test]
    fn nothing_expected_or_nothing_said_admits_nobody() {
        let split = Category::Split;
        assert!(!QualificationResult::from_answers(&[]).passes(100.0, 0.0));
        assert!(
            !QualificationResult::from_answers(&[judged((None, None), (split, Some(1)))])
                .passes(100.0, 0.0)
        );
        assert!(
            !QualificationResult::from_answers(&[judged((None, Some(1)), (split, None))])
                .passes(100.0, 0.0)
        );
    }
}
