//! Quality-control items among the outputs of a source where they are compared or have words marked: which comparisons an
//! item is in, and what answers about it say.

use crate::{
    comparison::ComparisonChoice, ids::OutputId, purpose::OutputPurpose, span_marks::SpanMark,
    statistics::quality::CheckOutcome, work::expected_marks::marks_f1,
};

/// A quality-control item that was made from another output of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckOutput {
    /// The item.
    pub item: OutputId,
    /// Its kind.
    pub purpose: OutputPurpose,
    /// The output that it was made from.
    pub made_from: OutputId,
}

/// A choice among the outputs of one source on one dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenChoice {
    /// The outputs that were compared, in ascending order.
    pub outputs: Vec<OutputId>,
    /// The dimension.
    pub dimension: String,
    /// The choice.
    pub choice: ComparisonChoice<OutputId>,
}

impl CheckOutput {
    /// The outputs that are compared with the item where its original is in `set`, at most as many as there.
    #[must_use]
    pub fn replace_in(&self, set: &[OutputId]) -> Vec<OutputId> {
        let other_outputs = set.iter().copied().filter(|other| *other != self.made_from);
        match self.purpose {
            // Next to its original, in place of another output.
            OutputPurpose::Scrambled => [self.item, self.made_from]
                .into_iter()
                .chain(other_outputs.skip(1))
                .collect(),
            _ => [self.item].into_iter().chain(other_outputs).collect(),
        }
    }

    /// Judges a choice that the item is in; `None` where it says nothing, or where the rater lacks the choice to
    /// compare it with.
    #[must_use]
    pub fn judge(&self, given: &GivenChoice, all: &[GivenChoice]) -> Option<CheckOutcome> {
        if !given.outputs.contains(&self.item) {
            return None;
        }

        let is_expected = match self.purpose {
            OutputPurpose::Main | OutputPurpose::Copy => return None,
            OutputPurpose::Scrambled => self.is_worse(given)?,
            OutputPurpose::Repeated => {
                let outputs = given.outputs.iter();
                let mut outputs: Vec<_> = outputs.map(|output| self.original_of(*output)).collect();
                outputs.sort_unstable();
                let first = all
                    .iter()
                    .find(|other| other.outputs == outputs && other.dimension == given.dimension)?;
                given.choice.map(|output| self.original_of(output)) == first.choice
            }
        };
        Some(CheckOutcome::Comparison(is_expected))
    }

    /// The output that the item was made from in place of the item; other outputs as they are.
    fn original_of(&self, output: OutputId) -> OutputId {
        match output == self.item {
            true => self.made_from,
            false => output,
        }
    }

    /// Whether a choice puts the item below its original; `None` where it puts both between best and worst.
    fn is_worse(&self, given: &GivenChoice) -> Option<bool> {
        match given.choice {
            ComparisonChoice::Tie => Some(false),
            ComparisonChoice::Better(better) => Some(better == self.made_from),
            ComparisonChoice::BestWorst { best, worst } => {
                let below = best == Some(self.made_from) || worst == Some(self.item);
                let above = best == Some(self.item) || worst == Some(self.made_from);
                (below != above).then_some(below)
            }
        }
    }
}

/// Judges the marks of an item, a repeated one by those of the output that it was made from, if any. `texts` are the
/// source and the text of the item.
#[must_use]
pub fn judge_marks(
    purpose: OutputPurpose,
    marks: &[SpanMark],
    original: Option<&[SpanMark]>,
    texts: (&str, &str),
) -> CheckOutcome {
    let original = original.filter(|_| purpose == OutputPurpose::Repeated);
    CheckOutcome::Marks {
        count: marks.len(),
        overlap: original.map(|original| marks_f1(original, marks, texts)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{span::Span, work::test_tasks::output};

    fn check(purpose: OutputPurpose) -> CheckOutput {
        CheckOutput {
            item: output(9),
            purpose,
            made_from: output(1),
        }
    }

    fn given(outputs: &[u32], choice: ComparisonChoice<OutputId>) -> GivenChoice {
        GivenChoice {
            outputs: outputs.iter().copied().map(output).collect(),
            dimension: "overall".to_owned(),
            choice,
        }
    }

    fn best_worst(best: u32, worst: u32) -> ComparisonChoice<OutputId> {
        ComparisonChoice::BestWorst {
            best: Some(output(best)),
            worst: Some(output(worst)),
        }
    }

    #[test]
    fn a_scrambled_output_should_lose_against_its_original() {
        let check = check(OutputPurpose::Scrambled);
        let judge = |outputs: &[u32], choice| check.judge(&given(outputs, choice), &[]);
        let expected = |is| Some(CheckOutcome::Comparison(is));
        let pair = [1, 9];
        assert_eq!(
            judge(&pair, ComparisonChoice::Better(output(1))),
            expected(true)
        );
        assert_eq!(
            judge(&pair, ComparisonChoice::Better(output(9))),
            expected(false)
        );
        assert_eq!(judge(&pair, ComparisonChoice::Tie), expected(false));
        let four = [1, 2, 3, 9];
        assert_eq!(judge(&four, best_worst(2, 9)), expected(true));
        assert_eq!(judge(&four, best_worst(9, 3)), expected(false));
        assert_eq!(judge(&four, best_worst(2, 1)), expected(false));
        assert_eq!(judge(&four, best_worst(2, 3)), None);
        assert_eq!(
            judge(&[1, 2], ComparisonChoice::Tie),
            None,
            "without the item"
        );
        assert_eq!(
            check.replace_in(&[output(1), output(2)]),
            [output(9), output(1)]
        );
        assert_eq!(
            check.replace_in(&[output(3), output(1), output(2)]),
            [output(9), output(1), output(2)]
        );
    }

    #[test]
    fn a_repeated_output_should_get_the_same_choice() {
        let check = check(OutputPurpose::Repeated);
        let first = given(&[1, 2], ComparisonChoice::Better(output(1)));
        let judge = |choice, all: &[GivenChoice]| check.judge(&given(&[2, 9], choice), all);
        let all = [first];
        let expected = |is| Some(CheckOutcome::Comparison(is));
        assert_eq!(
            judge(ComparisonChoice::Better(output(9)), &all),
            expected(true)
        );
        assert_eq!(
            judge(ComparisonChoice::Better(output(2)), &all),
            expected(false)
        );
        assert_eq!(judge(ComparisonChoice::Tie, &all), expected(false));
        assert_eq!(judge(ComparisonChoice::Tie, &[]), None);
        assert_eq!(
            check.replace_in(&[output(1), output(2)]),
            [output(9), output(2)]
        );
        let copy = super::tests::check(OutputPurpose::Copy);
        assert_eq!(
            copy.judge(&given(&[2, 9], ComparisonChoice::Tie), &all),
            None
        );
    }

    #[test]
    fn marks_are_counted_and_compared_with_those_of_the_first_time() {
        let mark = |start, end| SpanMark {
            kind: "Grammar".to_owned(),
            output: vec![Span::new(start, end)],
            ..SpanMark::default()
        };
        let texts = ("The boats sank.", "The boats went down.");
        let judge = |purpose, marks: &[SpanMark], original: &[SpanMark]| {
            judge_marks(purpose, marks, Some(original), texts)
        };
        assert_eq!(
            judge(OutputPurpose::Scrambled, &[mark(0, 3)], &[]),
            CheckOutcome::Marks {
                count: 1,
                overlap: None
            }
        );
        // Five characters, of which the other three are a part.
        assert_eq!(
            judge(OutputPurpose::Repeated, &[mark(4, 7)], &[mark(4, 9)]),
            CheckOutcome::Marks {
                count: 1,
                overlap: Some(0.75)
            }
        );
        assert_eq!(
            judge(OutputPurpose::Repeated, &[], &[]),
            CheckOutcome::Marks {
                count: 0,
                overlap: Some(1.0)
            }
        );
    }
}
