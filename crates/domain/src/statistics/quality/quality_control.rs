use super::{Proportion, SampleMean};
use crate::purpose::OutputPurpose;

/// The meaning of a rater's answer about a quality-control item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CheckOutcome {
    /// Its score in points, and the score of the output that it was made from, where it has one.
    Score(f64, Option<f64>),
    /// Whether a comparison with it came out as expected: an output with scrambled words is worse than the one that it
    /// was made from, and an output that is shown twice gets the same choice both times.
    Comparison(bool),
    /// The marks that it got.
    Marks {
        /// How many.
        count: usize,
        /// F1 of its marked characters and those of the output that it was made from, from 0 to 1; `None` where that has no
        /// marks of its own, or other words.
        overlap: Option<f64>,
    },
}

/// A rater's answers about quality-control items, scores in points of the scale, and how the rater did on attention items.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct QualityControlScores {
    /// The mean score of unchanged copies of sources; the guidelines state their expected score.
    pub copies: SampleMean,
    /// Unchanged copies in which the rater marked nothing.
    pub copies_unmarked: Proportion,
    /// The mean score of outputs whose words were scrambled.
    pub scrambled: SampleMean,
    /// Scrambled outputs that scored below the output that they were made from, of those where both
    /// have a score. A tie is not below.
    pub scrambled_below: Proportion,
    /// Comparisons that a scrambled output lost against the output that it was made from. A tie is no loss; best and worst
    /// of several count where they tell which of the two is better.
    pub scrambled_lost: Proportion,
    /// Scrambled outputs in which the rater marked something.
    pub scrambled_marked: Proportion,
    /// The mean absolute difference between the two scores of a repeated output.
    pub repeated: SampleMean,
    /// Comparisons with a repeated output in which the rater chose as in the first one.
    pub repeated_choices: Proportion,
    /// F1 of the characters marked in a repeated output and in the first one, mean over outputs, from 0 to 1.
    pub repeated_marks: SampleMean,
    /// Attention items whose answers were as expected, of those whose answers tell something.
    pub attention: Proportion,
}

impl QualityControlScores {
    /// Computes the figures from items, without [`Self::attention`]: the purpose of each, and what the rater's answer says.
    pub fn from_items<I>(items: I) -> Self
    where
        I: IntoIterator<Item = (OutputPurpose, CheckOutcome), IntoIter: Clone>,
    {
        let items = items.into_iter();
        let outcomes = |purpose| {
            let items = items.clone().filter(move |item| item.0 == purpose);
            items.map(|(_, outcome)| outcome)
        };
        let scores = |purpose| {
            outcomes(purpose).filter_map(|outcome| match outcome {
                CheckOutcome::Score(score, original) => Some((score, original)),
                _ => None,
            })
        };
        let both =
            |purpose| scores(purpose).filter_map(|(score, original)| Some((score, original?)));
        let choices = |purpose| {
            outcomes(purpose).filter_map(|outcome| match outcome {
                CheckOutcome::Comparison(is_expected) => Some(is_expected),
                _ => None,
            })
        };
        let marks = |purpose| {
            outcomes(purpose).filter_map(|outcome| match outcome {
                CheckOutcome::Marks { count, overlap } => Some((count, overlap)),
                _ => None,
            })
        };
        let (copy, scrambled) = (OutputPurpose::Copy, OutputPurpose::Scrambled);
        let repeated = OutputPurpose::Repeated;
        Self {
            copies: scores(copy).map(|item| item.0).collect(),
            copies_unmarked: Proportion::from_answers(marks(copy).map(|(count, _)| count == 0)),
            scrambled: scores(scrambled).map(|item| item.0).collect(),
            scrambled_below: Proportion::from_answers(
                both(scrambled).map(|(score, original)| score < original),
            ),
            scrambled_lost: Proportion::from_answers(choices(scrambled)),
            scrambled_marked: Proportion::from_answers(
                marks(scrambled).map(|(count, _)| count > 0),
            ),
            repeated: both(repeated)
                .map(|(score, original)| (score - original).abs())
                .collect(),
            repeated_choices: Proportion::from_answers(choices(repeated)),
            repeated_marks: marks(repeated).filter_map(|(_, overlap)| overlap).collect(),
            attention: Proportion::default(),
        }
    }

    /// Answers about scrambled outputs that noticed them: scores below the original, comparisons that they lost, and marks.
    #[must_use]
    pub fn scrambled_noticed(&self) -> Proportion {
        [
            self.scrambled_below,
            self.scrambled_lost,
            self.scrambled_marked,
        ]
        .into_iter()
        .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_measured_in_its_own_way() {
        use CheckOutcome::{Comparison, Marks, Score};
        let (copy, scrambled) = (OutputPurpose::Copy, OutputPurpose::Scrambled);
        let repeated = OutputPurpose::Repeated;
        let marked = |count, overlap| Marks { count, overlap };
        let scores = QualityControlScores::from_items([
            (copy, Score(20.0, None)),
            (copy, Score(30.0, None)),
            (copy, marked(0, None)),
            (copy, marked(2, None)),
            (scrambled, Score(10.0, Some(60.0))),
            (scrambled, Score(60.0, Some(60.0))),
            (scrambled, Score(5.0, None)),
            (scrambled, Comparison(true)),
            (scrambled, marked(3, None)),
            (scrambled, marked(0, None)),
            (repeated, Score(70.0, Some(64.0))),
            (repeated, Score(60.0, Some(64.0))),
            (repeated, Comparison(false)),
            (repeated, marked(1, Some(0.5))),
            (repeated, marked(1, None)),
        ]);
        let share = |count, total| Proportion { count, total };
        assert_eq!(scores.copies.value(), Ok(25.0));
        assert_eq!(scores.copies_unmarked, share(1, 2));
        assert_eq!(
            (scores.scrambled.value(), scores.scrambled.n),
            (Ok(25.0), 3)
        );
        assert_eq!(scores.scrambled_below, share(1, 2));
        assert_eq!(scores.scrambled_lost, share(1, 1));
        assert_eq!(scores.scrambled_marked, share(1, 2));
        assert_eq!(scores.scrambled_noticed(), share(3, 5));
        assert_eq!((scores.repeated.value(), scores.repeated.n), (Ok(5.0), 2));
        assert_eq!(scores.repeated_choices, share(0, 1));
        let marks = scores.repeated_marks;
        assert_eq!((marks.value(), marks.n), (Ok(0.5), 1));
        assert_eq!(
            QualityControlScores::from_items([]),
            QualityControlScores::default()
        );
    }
}
