use std::collections::BTreeMap;

use super::{
    super::{
        Agreement, DeviationKind, MeasurementLevel, RatingTable, RatingTableError, UndefinedReason,
        agreement,
        describe::mean,
        standardise::{RaterScale as Spread, standardise},
    },
    AgreementWithOthers, Histogram, PaceSummary, Proportion, QualityControlScores, RoundingShares,
    Straightlining, agreement_with_others, rounding, straightlining,
};
use crate::score::RatingScale;

/// The figures of one rater's scores on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterQuality {
    /// The number of scores; at least one.
    pub ratings: usize,
    /// Their mean, in points.
    pub mean: f64,
    /// Their population standard deviation in points; undefined for a single score, and if all are
    /// the same: then the rater has no z-scores.
    pub sd: Result<f64, UndefinedReason>,
    /// Their distribution over the scale.
    pub histogram: Histogram,
    /// The share of round numbers.
    pub rounding: Result<RoundingShares, UndefinedReason>,
    /// Patterns of equal scores.
    pub straight: Straightlining,
    /// Their agreement with those of the others, as z-scores by rater (population standard
    /// deviation).
    pub others: AgreementWithOthers,
}

/// Facts about a rater's work on the platform apart from scores, over sources that were handed in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaterConduct {
    /// The pace.
    pub pace: PaceSummary,
    /// Sources done faster than anyone can read them, of those with a time.
    pub unread: Proportion,
    /// Pairs of outputs in one group ordered against their scores, of those with different scores;
    /// only orders that the rater set count.
    pub conflicts: Proportion,
    /// Outputs that the rater moved to another group than the automatic one, of those reviewed.
    pub categories: Proportion,
    /// Edits changed, taken away or added, of the automatic and the added ones together: the
    /// correction rate.
    pub edits: Proportion,
    /// The answers about quality-control items.
    pub checks: QualityControlScores,
}

impl RaterConduct {
    /// Whether nothing is known of the rater's work.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pace.sources == 0 && self.checks == QualityControlScores::default()
    }
}

/// The figures of all raters.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterQualityReport<R> {
    /// Their agreement, on z-scores.
    pub agreement: Agreement,
    /// The figures of each rater with a score.
    pub figures: BTreeMap<R, RaterQuality>,
}

/// The figures of each rater in rows of (rater, source, output, score): one dimension, one row a
/// rater and output, in the order of outputs.
///
/// # Errors
/// If a score is not a finite number or one output has two from the same rater.
pub fn compute_rater_quality<R, S, U>(
    rows: impl IntoIterator<Item = (R, S, U, f64), IntoIter: Clone>,
    scale: RatingScale,
) -> Result<RaterQualityReport<R>, RatingTableError>
where
    R: Ord + Clone,
    S: Ord,
    U: Ord + Clone,
{
    let rows = rows.into_iter();
    let entries = rows
        .clone()
        .map(|(rater, _, output, score)| (rater, output, score));
    let z = standardise(&RatingTable::new(entries)?, DeviationKind::Population).z;
    let scores = rows.map(|(rater, source, _, score)| (rater, source, score));
    Ok(RaterQualityReport::new(&z, scores, scale))
}

impl<R: Ord + Clone> RaterQualityReport<R> {
    /// As [`compute_rater_quality`], from the z-scores of these scores, which are (rater, source, score).
    ///
    /// # Panics
    /// If scores and z-scores come from different raters.
    pub fn new<S: Ord, U>(
        z: &RatingTable<R, U>,
        scores: impl IntoIterator<Item = (R, S, f64)>,
        scale: RatingScale,
    ) -> Self {
        let mut by_rater = BTreeMap::<R, Vec<(S, f64)>>::new();
        for (rater, source, score) in scores {
            by_rater.entry(rater).or_default().push((source, score));
        }
        assert!(by_rater.keys().eq(z.raters()), "the raters are the same");

        let raters = by_rater.into_iter().zip(agreement_with_others(z));
        let figures = raters.map(|((rater, scores), agreement)| {
            let quality = RaterQuality::from_scores(scores, scale, agreement);
            (rater, quality)
        });
        Self {
            agreement: agreement(z, MeasurementLevel::Interval),
            figures: figures.collect(),
        }
    }
}

impl RaterQuality {
    fn from_scores<S: Ord>(
        scores: Vec<(S, f64)>,
        scale: RatingScale,
        others: AgreementWithOthers,
    ) -> Self {
        let values: Vec<_> = scores.iter().map(|score| score.1).collect();
        Self {
            ratings: values.len(),
            mean: mean(&values),
            sd: Spread::from_values(&values, DeviationKind::Population).map(|spread| spread.sd),
            histogram: Histogram::from_values(&values, scale),
            rounding: rounding(&values, scale),
            straight: straightlining(scores, scale),
            others,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_rater_is_looked_at_alone_and_against_the_others() {
        let scores = |rater, values: [f64; 4]| {
            let rows = values.into_iter().enumerate();
            rows.map(move |(output, value)| (rater, output / 3, output, value))
        };
        let rows = scores("careful", [13.0, 52.0, 88.0, 40.0])
            .chain(scores("constant", [50.0; 4]))
            .chain(scores("like", [20.0, 50.0, 90.0, 45.0]));
        let figures = compute_rater_quality(rows, RatingScale::PERCENT)
            .unwrap()
            .figures;
        let (constant, careful) = (&figures["constant"], &figures["careful"]);
        assert_eq!(
            (constant.mean, constant.sd),
            (50.0, Err(UndefinedReason::Constant))
        );
        assert_eq!(
            (constant.straight.longest_run, constant.straight.flat.count),
            (4, 1)
        );
        // Without z-scores, leaving the rater out changes no figure.
        assert_eq!(
            (constant.others.gain, constant.others.pairwise.n),
            (Ok(0.0), 0)
        );
        assert_eq!((careful.mean, careful.ratings), (48.25, 4));
        assert_eq!(
            careful.rounding.unwrap().tens,
            Proportion { count: 1, total: 4 }
        );
        assert_eq!(careful.others.pairwise.n, 1);
        assert_eq!(careful.others.without, Err(UndefinedReason::NoPairableUnit));
    }

    proptest! {
        #[test]
        fn a_raters_own_figures_do_not_hang_on_the_others(
            scores in prop::collection::vec((0..4_u8, 0..12_u16, 0..=100_i32), 1..60),
        ) {
            let mut unique = BTreeMap::new();
            for (rater, output, score) in scores {
                unique.insert((output, rater), f64::from(score));
            }
            let rows = unique.iter().map(|((output, rater), score)| (*rater, output / 3, *output, *score));
            let all = compute_rater_quality(rows.clone(), RatingScale::PERCENT).unwrap();
            for (rater, of) in &all.figures {
                let own = rows.clone().filter(|row| row.0 == *rater);
                let alone = &compute_rater_quality(own, RatingScale::PERCENT).unwrap().figures[rater];
                prop_assert_eq!(&alone.histogram, &of.histogram);
                prop_assert_eq!((alone.straight, alone.rounding, alone.sd), (of.straight, of.rounding, of.sd));
                prop_assert_eq!(of.histogram.bins.iter().map(|bin| bin.count).sum::<usize>(), of.ratings);
                prop_assert!((0.0..=100.0).contains(&of.mean));
                if let (Ok(without), Ok(gain), Ok(alpha)) = (of.others.without, of.others.gain, all.agreement.alpha) {
                    prop_assert!((without - gain - alpha).abs() < 1e-9);
                }
            }
        }
    }
}
