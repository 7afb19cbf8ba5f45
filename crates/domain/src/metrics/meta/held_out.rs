//! The agreement of each rater with the others: the upper limit for a
//! metric.

use serde::Serialize;

use super::{HumanJudgements, OutputGrouping};
use crate::statistics::{
    RatingTable, UndefinedReason, mean,
    tau_like::{PreferenceRule, TauLike},
};

/// One rater, evaluated like a metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeldOutRater<R> {
    /// The rater.
    pub rater: R,
    /// The number of outputs that this rater and another one rated.
    pub outputs: usize,
    /// Kendall-tau-like of this rater's preferences against those of all others.
    pub tau: TauLike,
    /// Pearson's r of this rater's ratings and the mean of the others'.
    pub pearson: Result<f64, UndefinedReason>,
}

/// The τ that raters reach against the others, as a limit for metrics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpperLimit {
    /// The mean of their τ, each rater counting the same.
    pub mean: f64,
    /// The number of raters with a τ.
    pub raters: usize,
    /// The number of all raters. Some may have decided no pair that the others decided as well.
    pub all_raters: usize,
    /// The sum of their pairs.
    pub counts: TauLike,
}

impl UpperLimit {
    /// The limit by the counts of all raters; `None` where none of them has a τ.
    #[must_use]
    pub fn from_raters(counts: impl IntoIterator<Item = TauLike>) -> Option<Self> {
        let counts: Vec<TauLike> = counts.into_iter().collect();
        let taus: Vec<f64> = counts.iter().filter_map(|rater| rater.tau().ok()).collect();
        (!taus.is_empty()).then(|| Self {
            mean: mean(&taus),
            raters: taus.len(),
            all_raters: counts.len(),
            counts: counts.into_iter().fold(TauLike::default(), TauLike::plus),
        })
    }
}

/// Compares each rater with all others, on the outputs that the rater rated. τ is over the pairs that both sides
/// order. A tie, by the threshold of `rule`, is skipped whether it is the rater's or the others'. All counts are zero for
/// a rater who shares no output with others.
#[must_use]
pub fn evaluate_held_out_raters<R: Ord + Clone, U: Clone, S: Ord + Clone, C: Ord + Clone>(
    ratings: &RatingTable<R, U>,
    rule: PreferenceRule,
    mut place: impl FnMut(&U) -> OutputGrouping<S, C>,
) -> Vec<HeldOutRater<R>> {
    let raters = ratings.raters().iter().enumerate();
    let held_out = raters.map(|(rater, name)| {
        let mut own_ratings = vec![None; ratings.units().len()];
        for (_, unit, value) in ratings
            .entries()
            .filter(|(entry_rater, ..)| *entry_rater == rater)
        {
            own_ratings[unit] = Some(value);
        }

        let other_ratings = ratings
            .filter_map(|entry_rater, unit, value| {
                (entry_rater != rater && own_ratings[unit].is_some()).then_some(value)
            })
            .expect("values that are in a table stay within range");
        let mut rated_by_others = vec![false; own_ratings.len()];
        for (entry_rater, unit, _) in ratings.entries() {
            rated_by_others[unit] |= entry_rater != rater;
        }

        // The rater's own ratings serve as scores, on the outputs that others rated as well.
        let scores = own_ratings
            .iter()
            .zip(rated_by_others)
            .filter(|(_, others)| *others);
        let scores: Vec<f64> = scores.filter_map(|(own, _)| *own).collect();
        let people = HumanJudgements::new(&other_ratings, rule, &mut place);

        HeldOutRater {
            rater: name.clone(),
            outputs: scores.len(),
            tau: people
                .preferences
                .judge_rater(&scores, rule.tie_points)
                .total(None),
            pearson: people
                .correlation_sample(&scores)
                .pearson(&vec![1; people.sources()]),
        }
    });
    held_out.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rater_who_agrees_with_the_others_reaches_one() {
        let points = [10.0, 50.0, 90.0, 30.0];
        let mut entries: Vec<_> = ["a", "b"]
            .into_iter()
            .flat_map(|rater| (0..4).map(move |unit| (rater, unit, points[unit])))
            .collect();
        entries.extend([("c", 0, 90.0), ("c", 1, 50.0), ("c", 9, 1.0)]);
        let ratings = RatingTable::new(entries).expect("each once");
        let raters =
            evaluate_held_out_raters(&ratings, PreferenceRule::default(), |_| OutputGrouping {
                source: 0,
                system: None,
                category: (),
            });
        let tau = |at: usize| raters[at].tau.tau();
        // Against a and c, who differ on one pair of six and so have no majority there.
        assert_eq!((raters[0].outputs, tau(0)), (4, Ok(1.0)));
        assert_eq!((raters[2].outputs, tau(2)), (2, Ok(-1.0)));
        assert!(raters[0].pearson.is_ok_and(|r| r > 0.0));
    }

    /// The counts of each rater of one source, by the ratings of each.
    fn held_out(raters: &[&[f64]], tie_points: f64) -> Vec<TauLike> {
        let entries = raters.iter().enumerate().flat_map(|(rater, ratings)| {
            let each = ratings.iter().enumerate();
            each.map(move |(unit, rating)| (rater, unit, *rating))
        });
        let ratings = RatingTable::new(entries).expect("each once");
        let rule = PreferenceRule {
            tie_points,
            ..PreferenceRule::default()
        };
        let place = |_: &usize| OutputGrouping {
            source: 0,
            system: None,
            category: (),
        };
        let raters = evaluate_held_out_raters(&ratings, rule, place);
        raters.into_iter().map(|rater| rater.tau).collect()
    }

    #[test]
    fn ties_of_a_rater_are_no_errors_on_scales_of_few_levels() {
        // The second one never contradicts the first, and tells fewer outputs apart.
        let fine = [5.0, 4.0, 3.0, 2.0];
        for (coarse, tie_points, pairs) in [
            ([5.0, 5.0, 3.0, 3.0], 0.2, 4),
            ([3.0, 2.0, 2.0, 2.0], 0.1, 3),
            ([1.0, 1.0, 1.0, 0.0], 0.0, 3),
        ] {
            for counts in held_out(&[&fine, &coarse], tie_points) {
                assert_eq!((counts.concordant, counts.discordant), (pairs, 0));
                assert_eq!((counts.metric_ties, counts.skipped), (0, 6 - pairs));
            }
        }
        // On 0 to 100 the threshold holds for both sides.
        let counts = held_out(&[&[80.0, 40.0, 38.0], &[70.0, 30.0, 35.0]], 5.0);
        assert_eq!((counts[0].pairs(), counts[1].pairs()), (2, 2));
    }

    #[test]
    fn the_limit_says_how_many_pairs_and_raters_it_rests_on() {
        let counts = held_out(&[&[1.0, 2.0], &[2.0, 2.0], &[3.0, 1.0]], 0.0);
        assert_eq!(UpperLimit::from_raters(counts), None);
        let counts = held_out(&[&[1.0, 2.0], &[1.0, 2.0], &[2.0, 2.0]], 0.0);
        assert_eq!(UpperLimit::from_raters(counts), None);
        let counts = held_out(&[&[1.0, 2.0], &[1.0, 2.0], &[3.0, 2.0]], 0.0);
        let limit = UpperLimit::from_raters(counts).expect("the third one has a τ");
        assert_eq!((limit.raters, limit.all_raters), (1, 3));
        assert_eq!((limit.mean, limit.counts.pairs()), (-1.0, 1));
    }
}
