//! The raters' choices among outputs that were compared, the largest disagreements first.

use std::{cmp::Reverse, collections::BTreeMap};

use domain::{comparison::ComparisonAnswer, ids::OutputId};
use store::comparisons::StudyComparisons;

/// Outputs of a source that were compared on a dimension, with the choice of each rater.
#[derive(Debug, Clone, PartialEq)]
pub struct DisputedComparison {
    /// The outputs, in the order of the file.
    pub outputs: Vec<OutputId>,
    /// The raters' pseudonyms with their choices.
    pub choices: Vec<(String, ComparisonAnswer<OutputId>)>,
    /// The share of pairs of raters who chose differently, from 0 to 1; `None` with fewer than two raters.
    pub disagreement: Option<f64>,
}

/// All comparisons on a dimension, those on which the largest share of pairs of raters differs first, then in the order
/// of the file.
#[must_use]
pub fn find_disputed_comparisons(
    of: &StudyComparisons,
    dimension: &str,
) -> Vec<DisputedComparison> {
    let places = of.outputs.iter().enumerate();
    let places: BTreeMap<OutputId, usize> = places.map(|(at, one)| (one.output, at)).collect();

    let mut by_outputs = BTreeMap::<Vec<usize>, DisputedComparison>::new();
    for record in of
        .comparisons
        .iter()
        .filter(|one| one.dimension == dimension)
    {
        let shown = record.answer.shown().into_iter();
        let shown: Option<Vec<usize>> = shown.map(|output| places.get(output).copied()).collect();
        // Comparisons of outputs that the study no longer shows are not listed.
        let Some(mut shown) = shown else { continue };
        shown.sort_unstable();

        let outputs = || shown.iter().map(|at| of.outputs[*at].output).collect();
        let compared = by_outputs
            .entry(shown.clone())
            .or_insert_with(|| DisputedComparison {
                outputs: outputs(),
                choices: vec![],
                disagreement: None,
            });

        let choice = (record.rater.clone(), record.answer.clone());
        compared.choices.push(choice);
    }

    let mut all: Vec<_> = by_outputs.into_values().collect();
    for compared in &mut all {
        compared.choices.sort_by(|a, b| a.0.cmp(&b.0));
        compared.disagreement = disagreement(&compared.choices);
    }

    // Shares are fractions of small whole numbers, which nine decimals tell apart.
    all.sort_by_key(|compared| Reverse(compared.disagreement.map(|share| (share * 1e9) as u64)));
    all
}

fn disagreement(choices: &[(String, ComparisonAnswer<OutputId>)]) -> Option<f64> {
    let pairs = choices.len() * choices.len().saturating_sub(1) / 2;
    let later = |at: usize| choices[at + 1..].iter();
    let differ = (0..choices.len())
        .map(|at| later(at).filter(|other| other.1 != choices[at].1).count())
        .sum::<usize>();

    (pairs > 0).then(|| differ as f64 / pairs as f64)
}

#[cfg(test)]
mod tests {
    use domain::comparison::ComparisonChoice;
    use store::comparisons::{ComparedOutput, ComparisonRecord};
    use uuid::Uuid;

    use super::*;

    fn output(number: u128) -> OutputId {
        OutputId(Uuid::from_u128(number))
    }

    fn record(
        rater: &str,
        shown: [u128; 2],
        choice: ComparisonChoice<OutputId>,
    ) -> ComparisonRecord {
        let answer = choice.answer(&shown.map(output)).expect("it fits");
        ComparisonRecord {
            rater: rater.to_owned(),
            source: "s1".to_owned(),
            dimension: "overall".to_owned(),
            answer: answer.expect("it is complete"),
            recorded_at: 0,
        }
    }

    #[test]
    fn comparisons_on_which_most_raters_differ_come_first() {
        let better = |number| ComparisonChoice::Better(output(number));
        // Ids are not in the order of the file.
        let outputs = [3, 1, 2].map(|number| ComparedOutput {
            output: output(number),
            judged_as: output(number),
            system: format!("system {number}"),
            is_hidden: false,
        });
        let of = StudyComparisons {
            comparisons: vec![
                record("b", [1, 2], better(1)),
                record("a", [1, 2], better(1)),
                record("a", [1, 3], better(1)),
                record("b", [1, 3], better(3)),
                record("c", [1, 3], ComparisonChoice::Tie),
                record("a", [2, 3], better(2)),
                record("a", [1, 9], better(9)),
            ],
            outputs: outputs.to_vec(),
        };

        let found = find_disputed_comparisons(&of, "overall");
        let found: Vec<_> = found
            .iter()
            .map(|one| {
                let raters = one.choices.iter().map(|(rater, _)| rater.as_str());
                (
                    one.outputs.clone(),
                    raters.collect::<String>(),
                    one.disagreement,
                )
            })
            .collect();

        let pair = |a, b| vec![output(a), output(b)];
        assert_eq!(
            found,
            [
                (pair(3, 1), "abc".to_owned(), Some(1.0)),
                (pair(1, 2), "ab".to_owned(), Some(0.0)),
                (pair(3, 2), "a".to_owned(), None),
            ]
        );

        assert_eq!(find_disputed_comparisons(&of, "simplicity"), []);
    }
}
