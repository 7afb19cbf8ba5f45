//! Findings on systems whose outputs were compared.

use domain::statistics::{
    pairwise::PairTest,
    systems::{FEWEST_SOURCES, PairVerdict, SIGNIFICANCE_LEVEL},
};

use super::{LeaderCandidate, LeaderPhrases, leader_sentence, systems::count_differing};
use crate::{figures::comparisons::ComparisonFigures, wording::decimal};

const PHRASES: LeaderPhrases = LeaderPhrases {
    one: "wins most",
    several: "win most",
};

/// Names the system that wins most, by its strength, and those that cannot be told apart from it.
#[must_use]
pub fn best_system(of: &ComparisonFigures) -> String {
    let fit = match &of.fit {
        Ok(fit) => fit,
        Err(reason) => return format!("Systems have no scores yet: {reason}"),
    };
    if of.table.sources() < FEWEST_SOURCES {
        return format!("Too early to say: fewer than {FEWEST_SOURCES} sources are compared");
    }

    let interval = |system: usize| {
        let intervals = of.intervals.as_ref()?;
        let interval = intervals.strengths[system].ok()?;
        Some((interval.low, interval.high))
    };

    let candidates = of.order.iter().map(|system| LeaderCandidate {
        name: &of.table.systems()[*system],
        value: fit.strengths[*system],
        interval: interval(*system),
    });

    leader_sentence(&candidates.collect::<Vec<_>>(), PHRASES).unwrap_or_default()
}

/// The outcome of a pair for its first system, by the corrected sign test.
#[must_use]
pub fn verdict(of: &PairTest) -> PairVerdict {
    match of.sign_holm {
        Some(p) if p <= SIGNIFICANCE_LEVEL && of.sources.wins > of.sources.losses => {
            PairVerdict::Better
        }
        Some(p) if p <= SIGNIFICANCE_LEVEL => PairVerdict::Worse,
        _ => PairVerdict::Undecided,
    }
}

/// Says how many pairs of systems differ by more than chance.
#[must_use]
pub fn pairs_that_differ(of: &ComparisonFigures) -> String {
    let can_differ = |pair: &&PairTest| pair.sources.total() >= FEWEST_SOURCES;
    let tested = of.pairs.iter().filter(can_differ).count();
    let differ = of
        .pairs
        .iter()
        .filter(|pair| verdict(pair) != PairVerdict::Undecided)
        .count();

    if tested == 0 {
        return format!(
            "Too early to say: no two systems are compared on {FEWEST_SOURCES} sources"
        );
    }

    count_differing(differ, tested, of.pairs.len())
}

/// Says how far raters choose alike.
#[must_use]
pub fn agreement(of: &ComparisonFigures) -> String {
    match of.agreement.alpha {
        Ok(alpha) => format!(
            "Raters who compared the same outputs agree with α = {}",
            decimal(alpha, 3)
        ),
        Err(reason) => format!("Agreement cannot be computed yet: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use domain::comparison::{ComparedPair, ComparisonAnswer, PairOutcome};

    use super::*;
    use crate::figures::comparisons::DimensionComparisons;

    /// Each of two raters compares three systems on each source: a beats b and c, which tie.
    fn figures(sources: u32) -> ComparisonFigures {
        let mut comparisons = vec![];
        for source in 0..sources {
            for rater in ["annotator 1", "annotator 2"] {
                for (a, b, outcome) in [
                    ("a", "b", PairOutcome::A),
                    ("c", "a", PairOutcome::B),
                    ("b", "c", PairOutcome::Tie),
                ] {
                    let pair = ComparedPair::new(a.to_owned(), b.to_owned(), outcome);
                    let answer = ComparisonAnswer::Pair(pair.expect("two systems"));
                    comparisons.push((rater.to_owned(), source.to_string(), answer));
                }
            }
        }

        let comparisons = DimensionComparisons {
            given: comparisons,
            shared: vec![],
        };
        ComparisonFigures::compute("overall".to_owned(), comparisons, None).expect("figures")
    }

    #[test]
    fn a_claim_needs_sources_and_a_test() {
        let few = figures(3);
        assert_eq!(
            best_system(&few),
            "Too early to say: fewer than 6 sources are compared"
        );
        assert_eq!(
            pairs_that_differ(&few),
            "Too early to say: no two systems are compared on 6 sources"
        );

        let many = figures(20);
        // Without intervals, no systems can be told apart.
        assert_eq!(
            best_system(&many),
            "a wins most, but cannot be told apart from any other"
        );
        assert_eq!(
            pairs_that_differ(&many),
            "2 of 3 pairs of systems differ by more than chance"
        );
        assert_eq!(
            agreement(&many),
            "Raters who compared the same outputs agree with α = 1.000"
        );

        let verdicts: Vec<_> = many.pairs.iter().map(verdict).collect();
        assert_eq!(
            verdicts,
            [
                PairVerdict::Better,
                PairVerdict::Better,
                PairVerdict::Undecided
            ]
        );
    }
}
