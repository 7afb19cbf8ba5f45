//! The agreement of each rater with the others: the upper limit for a
//! metric.

use serde::Serialize;

use super::{HumanJudgements, OutputGrouping};
use crate::statistics::{
    RatingTable, UndefinedReason,
    tau_like::{PreferenceRule, TauLike},
};

/// One rater, evaluated like a metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeldOutRater<R> {
    /// The rater.
    pub rater: R,
    /// The number of outputs that this rater and another one rated.
    pub outputs: usize,
    /// Kendall-tau-like of this rater's ratings against the preferences of all others.
    pub tau: TauLike,
    /// Pearson's r of this rater's ratings and the mean of the others'.
    pub pearson: Result<f64, UndefinedReason>,
}

/// Compares each rater with all others, on the outputs that the rater rated; the mean over raters is the
/// upper limit. A rater who shares no output with others has zeros only.
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
        let others = ratings
            .filter_map(|entry_rater, unit, value| {
                (entry_rater != rater && own_ratings[unit].is_some()).then_some(value)
            })
            .expect("values that are in a table stay within range");
        let mut rated_by_others = vec![false; own_ratings.len()];
        for (of, unit, _) in ratings.entries() {
            rated_by_others[unit] |= of != rater;
        }
        let scores = own_ratings
            .iter()
            .zip(rated_by_others)
            .filter(|(_, others)| *others);
        let scores: Vec<f64> = scores.filter_map(|(own, _)| *own).collect();
        let people = HumanJudgements::new(&others, rule, &mut place);
        HeldOutRater {
            rater: name.clone(),
            outputs: scores.len(),
            tau: people.preferences.judge(&scores).total(None),
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
}
