use super::{
    super::{
        RatingTable, UndefinedReason,
        agreement::{MeasurementLevel, agreement, leave_one_out, pairwise_alpha},
    },
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

/// Compares each rater with the others, by the rater's index in [`RatingTable::raters`].
#[must_use]
pub fn agreement_with_others<R, U>(ratings: &RatingTable<R, U>) -> Vec<AgreementWithOthers> {
    let all = agreement(ratings, MeasurementLevel::Interval).alpha;

    let mut pairwise = vec![Vec::new(); ratings.raters().len()];
    for pair in pairwise_alpha(ratings) {
        if let Ok(alpha) = pair.alpha {
            pairwise[pair.raters.0].push(alpha);
            pairwise[pair.raters.1].push(alpha);
        }
    }

    let left_out = leave_one_out(ratings).into_iter().zip(pairwise);
    left_out
        .map(|(others, pairwise)| AgreementWithOthers {
            without: others.alpha,
            gain: others.alpha.and_then(|without| Ok(without - all?)),
            pairwise: pairwise.into_iter().collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_turns_the_scale_around_pulls_agreement_down() {
        let scores = [[10.0, 50.0, 90.0], [12.0, 48.0, 91.0], [90.0, 50.0, 10.0]];
        let entries = scores.iter().enumerate().flat_map(|(rater, row)| {
            let row = row.iter().enumerate();
            row.map(move |(output, score)| (rater, output, *score))
        });
        let table = RatingTable::new(entries).unwrap();
        let by_rater = agreement_with_others(&table);
        let without = agreement(
            &table.retain(|rater, _| *rater != 2),
            MeasurementLevel::Interval,
        )
        .alpha;
        let all = agreement(&table, MeasurementLevel::Interval).alpha.unwrap();
        assert!((by_rater[2].without.unwrap() - without.unwrap()).abs() < 1e-9);
        assert!((by_rater[2].gain.unwrap() - (without.unwrap() - all)).abs() < 1e-9);
        assert!(by_rater[2].gain.unwrap() > 0.5 && by_rater[0].gain.unwrap() < 0.0);
        assert_eq!(by_rater[2].pairwise.n, 2);
        assert!(by_rater[2].pairwise.value().unwrap() < 0.0);
    }

    #[test]
    fn of_two_raters_neither_can_be_left_out() {
        let table = RatingTable::new([("a", 1, 1.0), ("b", 1, 2.0), ("a", 2, 5.0)]).unwrap();
        let by_rater = agreement_with_others(&table);
        assert_eq!(by_rater[0].without, Err(UndefinedReason::NoPairableUnit));
        assert!(by_rater[1].gain.is_err());
    }
}
