//! Agreement on a scale with a few levels that annotators choose from, such as a Likert scale.

use domain::{
    ids::OutputId,
    score::RatingScale,
    statistics::{agreement::MeasurementLevel, bootstrap::ResamplingOptions},
};

use super::{
    AlphaEstimate,
    coefficients::{AgreementCoefficient, coefficients},
};
use crate::live::{CacheKey, DimensionRatings, FigureKey, StudySnapshot};

/// The key of [`LevelAgreement`] with the default resampling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelAgreementKey {
    /// The dimension of the ratings.
    pub dimension: String,
    /// Its scale; each whole number on it is a level.
    pub scale: RatingScale,
}

impl CacheKey for LevelAgreementKey {
    type Value = LevelAgreement;
}

impl FigureKey for LevelAgreementKey {
    fn compute(&self, snapshot: &StudySnapshot) -> LevelAgreement {
        LevelAgreement::compute(&snapshot.ratings_on(&self.dimension), self.scale)
    }
}

/// The agreement of a study's raters on a scale of levels.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelAgreement {
    /// Krippendorff's α of the ratings as they were entered, at the ordinal level.
    pub ordinal: AlphaEstimate,
    /// The coefficients at the ordinal level.
    pub coefficients: Vec<AgreementCoefficient>,
}

impl LevelAgreement {
    fn compute(ratings: &DimensionRatings, scale: RatingScale) -> Self {
        let level = MeasurementLevel::Ordinal;
        let resampling = ResamplingOptions::default();
        let source = |output: &OutputId| ratings.source(output);
        Self {
            ordinal: AlphaEstimate::compute(ratings, &ratings.raw, level, resampling),
            coefficients: coefficients(&ratings.raw, scale, level, source, Some(resampling)),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        ids::{RaterId, SourceId, SystemId},
        statistics::UndefinedReason,
    };
    use store::rating_rows::RatingRow;
    use uuid::Uuid;

    use super::*;

    fn row(rater: u128, output: u128, value: f64) -> RatingRow {
        RatingRow {
            rater: RaterId(Uuid::from_u128(rater)),
            output: OutputId(Uuid::from_u128(output)),
            source: SourceId(Uuid::from_u128(output % 3)),
            system: SystemId(Uuid::nil()),
            dimension: "fluency".into(),
            value,
            recorded_at: 0,
            shared: false,
        }
    }

    fn compute(rows: &[RatingRow]) -> LevelAgreement {
        let scale = RatingScale { low: 1, high: 5 };
        let ratings = DimensionRatings::new(&rows.iter().collect::<Vec<_>>());
        LevelAgreement::compute(&ratings, scale)
    }

    #[test]
    fn kappa_is_the_mean_over_pairs_by_their_common_outputs() {
        let judgements = [
            (1, 1, 5.0),
            (2, 1, 5.0),
            (3, 1, 1.0),
            (1, 2, 3.0),
            (2, 2, 4.0),
            (3, 2, 5.0),
            (1, 3, 2.0),
            (2, 3, 1.0),
            (1, 4, 1.0),
            (2, 4, 1.0),
        ];
        let rows = judgements.map(|(rater, output, value)| row(rater, output, value));

        let found = compute(&rows);
        // By scikit-learn: cohen_kappa_score(…, weights="quadratic", labels=[1, 2, 3, 4, 5]) of the three pairs.
        let expected = (4.0 * 0.906_976_744_186_046_6
            - 2.0 * 0.666_666_666_666_666_7
            - 2.0 * 0.307_692_307_692_307_7)
            / 8.0;

        let kappa = found.coefficients[0].value.expect("three pairs");
        assert!((kappa - expected).abs() < 1e-12, "{kappa}");
        assert_eq!(found.ordinal.agreement.pairable_units, 4);
        assert!(found.ordinal.agreement.alpha.is_ok());
    }

    #[test]
    fn without_pairs_or_levels_it_is_undefined_with_the_reason() {
        let none = compute(&[row(1, 1, 5.0), row(2, 2, 4.0)]).coefficients[0].value;
        assert_eq!(
            none,
            Err(UndefinedReason::TooFew {
                needed: 1,
                found: 0
            })
        );

        let between = compute(&[row(1, 1, 4.5), row(2, 1, 4.0)]).coefficients[0].value;
        assert_eq!(between, Err(UndefinedReason::OffScale));
    }
}
