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
    /// Comparisons that a scrambled output lost against the output that it was made from. A tie is not a loss; best and worst
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
    /// Computes the figures, without [`Self::attention`], from each item's purpose and the outcome of the rater's answer.
    pub fn from_items<I>(items: I) -> Self
    where
        I: IntoIterator<Item = (OutputPurpose, CheckOutcome), IntoIter: Clone>,
    {
        let items = items.into_iter();
        let [copies, scrambled, repeats] = [
            OutputPurpose::Copy,
            OutputPurpose::Scrambled,
            OutputPurpose::Repeated,
        ]
        .map(|purpose| ItemAnswers::select(items.clone(), purpose));

        Self {
            copies: copies.scores.iter().map(|(score, _)| *score).collect(),
            copies_unmarked: Proportion::from_answers(
                copies.marks.iter().map(|(count, _)| *count == 0),
            ),
            scrambled: scrambled.scores.iter().map(|(score, _)| *score).collect(),
            scrambled_below: Proportion::from_answers(
                scrambled
                    .score_pairs()
                    .map(|(score, original)| score < original),
            ),
            scrambled_marked: Proportion::from_answers(
                scrambled.marks.iter().map(|(count, _)| *count > 0),
            ),
            scrambled_lost: Proportion::from_answers(scrambled.choices),
            repeated: repeats
                .score_pairs()
                .map(|(score, original)| (score - original).abs())
                .collect(),
            repeated_marks: repeats.marks.iter().filter_map(|mark| mark.1).collect(),
            repeated_choices: Proportion::from_answers(repeats.choices),
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

/// A rater's answers about the items of one purpose.
#[derive(Debug, Default)]
struct ItemAnswers {
    /// The score of each, and that of its original, where it has one.
    scores: Vec<(f64, Option<f64>)>,
    /// Whether each comparison came out as expected.
    choices: Vec<bool>,
    /// The number of marks of each, and their overlap with those of its original.
    marks: Vec<(usize, Option<f64>)>,
}

impl ItemAnswers {
    fn select(
        items: impl Iterator<Item = (OutputPurpose, CheckOutcome)>,
        purpose: OutputPurpose,
    ) -> Self {
        let mut answers = Self::default();
        for (_, outcome) in items.filter(|item| item.0 == purpose) {
            match outcome {
                CheckOutcome::Score(score, original) => answers.scores.push((score, original)),
                CheckOutcome::Comparison(is_expected) => answers.choices.push(is_expected),
                CheckOutcome::Marks { count, overlap } => answers.marks.push((count, overlap)),
            }
        }
        answers
    }

    /// The scores of items whose original has one, each with the original's.
    fn score_pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        let scores = self.scores.iter();
        scores.filter_map(|(score, original)| Some((*score, (*original)?)))
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
