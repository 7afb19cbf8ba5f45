use std::collections::BTreeMap;

use super::{
    super::{UndefinedReason, live::LiveView},
    SampleMean,
};

/// The agreement of a rater with the others. All figures are interval α of the given view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgreementWithOthers {
    /// α of all others, without this rater.
    pub without: Result<f64, UndefinedReason>,
    /// The rise of α when this rater is left out: above zero if the rater lowers agreement.
    /// Undefined if either α is.
    pub gain: Result<f64, UndefinedReason>,
    /// The mean pairwise α with each other rater, over the pairs for which it is defined.
    pub pairwise: SampleMean,
}

/// Compares each rater who has a rating with the others, from the figures in `view`.
#[must_use]
pub fn agreement_with_others<R: Ord + Clone>(
    view: &LiveView<'_, R>,
) -> BTreeMap<R, AgreementWithOthers> {
    let all = view.agreement().alpha;
    let mut pairs = BTreeMap::<&R, Vec<f64>>::new();
    for pair in view.pairs() {
        if let Ok(alpha) = pair.alpha {
            pairs.entry(pair.first).or_default().push(alpha);
            pairs.entry(pair.second).or_default().push(alpha);
        }
    }

    let raters = view.leave_one_out().into_iter().map(|left_out| {
        let without = left_out.others.alpha;
        let alphas = pairs.get(left_out.rater).into_iter().flatten();
        let figures = AgreementWithOthers {
            without,
            gain: without.and_then(|without| Ok(without - all?)),
            pairwise: alphas.copied().collect(),
        };
        (left_out.rater.clone(), figures)
    });
    raters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{LiveAgreement, MeasurementLevel, RatingTable, agreement};

    #[test]
    fn who_turns_the_scale_around_pulls_agreement_down() {
        let scores = [[10.0, 50.0, 90.0], [12.0, 48.0, 91.0], [90.0, 50.0, 10.0]];
        let entries = scores.iter().enumerate().flat_map(|(rater, row)| {
            let row = row.iter().enumerate();
            row.map(move |(output, score)| (rater, output, *score))
        });
        let table = RatingTable::new(entries).unwrap();
        let live = LiveAgreement::from(&table);
        let by_rater = agreement_with_others(&live.raw());
        let without = agreement(
            &table.retain(|rater, _| *rater != 2),
            MeasurementLevel::Interval,
        )
        .alpha;
        let all = agreement(&table, MeasurementLevel::Interval).alpha.unwrap();
        assert!((by_rater[&2].without.unwrap() - without.unwrap()).abs() < 1e-9);
        assert!((by_rater[&2].gain.unwrap() - (without.unwrap() - all)).abs() < 1e-9);
        assert!(by_rater[&2].gain.unwrap() > 0.5 && by_rater[&0].gain.unwrap() < 0.0);
        assert_eq!(by_rater[&2].pairwise.n, 2);
        assert!(by_rater[&2].pairwise.value().unwrap() < 0.0);
    }

    #[test]
    fn of_two_raters_neither_can_be_left_out() {
        let table = RatingTable::new([("a", 1, 1.0), ("b", 1, 2.0), ("a", 2, 5.0)]).unwrap();
        let by_rater = agreement_with_others(&LiveAgreement::from(&table).raw());
        assert_eq!(by_rater["a"].without, Err(UndefinedReason::NoPairableUnit));
        assert!(by_rater["b"].gain.is_err());
    }
}
