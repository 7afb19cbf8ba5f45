//! The figures of a study. They are computed from its raw answers on every read and never stored.

pub mod coefficients;
pub mod comparisons;
pub mod comprehension;
pub mod disputed;
pub mod disputed_comparisons;
mod levels;
pub mod metrics;
pub mod next_sources;
pub mod protocols;
mod quality;
pub mod questions;
pub mod spans;
pub mod systems;

use std::collections::{HashMap, HashSet};

use domain::{
    category::Category,
    ids::{OutputId, RaterId},
    rater_groups::RaterGroup,
    score::RatingScale,
    statistics::{
        RatingTable, UndefinedReason,
        agreement::{
            Agreement, AgreementPoint, AlphaBootstrap, MeasurementLevel, agreement, leave_one_out,
            pairwise_alpha,
        },
        bootstrap::{BootstrapInterval, ResamplingOptions},
        standardise::RaterScale,
    },
};
pub use store::rating_rows::RatingScope;
use store::{Rater, judgements::OutputCategory};

use self::coefficients::{AgreementCoefficient, coefficients};
pub use self::levels::{LevelAgreement, LevelAgreementKey};
pub use self::quality::{QualityKey, RaterQualityEntry, StudyQuality};
use crate::live::{CacheKey, DimensionRatings, FigureKey, StudySnapshot, agreement_history};

/// The key of [`StudyAgreement`] with the default resampling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgreementKey {
    /// The dimension of the ratings.
    pub dimension: String,
    /// The groups of raters of the study.
    pub groups: Vec<RaterGroup>,
}

impl CacheKey for AgreementKey {
    type Value = StudyAgreement;
}

impl FigureKey for AgreementKey {
    fn compute(&self, snapshot: &StudySnapshot) -> StudyAgreement {
        let resampling = ResamplingOptions::default();
        StudyAgreement::compute(snapshot, &self.dimension, &self.groups, resampling)
    }
}

/// The level at which ratings and z-scores are compared.
const LEVEL: MeasurementLevel = MeasurementLevel::Interval;

/// The agreement of a study's raters on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyAgreement {
    /// Agreement on the ratings as they were entered.
    pub raw: AlphaEstimate,
    /// Agreement on z-scores by rater (population standard deviation).
    pub z: AlphaEstimate,
    /// Agreement on the categories of outputs, at the nominal level.
    pub categories: Agreement,
    /// The coefficients of these categories, at the nominal level.
    pub category_coefficients: Vec<AgreementCoefficient>,
    /// Agreement on the ratings of each category's outputs; z-scores are based on all ratings of a rater.
    pub by_category: Vec<(Category, PartAgreement)>,
    /// Agreement of the raters of each group among themselves, by the group's name; z-scores are based on all ratings
    /// of a rater. Groups without ratings are left out.
    pub by_group: Vec<(String, PartAgreement)>,
    /// The raters with ratings, in the order in which they joined.
    pub raters: Vec<RaterAgreement>,
    /// Every pair of raters who rated an output in common, by their indices in `raters`; on z-scores.
    pub pairs: Vec<RaterPairAgreement>,
    /// The history of α.
    pub history: Vec<AgreementPoint>,
    /// Sentences on the limits of the figures.
    pub warnings: Vec<String>,
}

/// α with its interval from resampled sources.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaEstimate {
    /// α and the counts behind it.
    pub agreement: Agreement,
    /// The 95 % percentile interval, with z-scores held fixed.
    pub interval: Result<BootstrapInterval, UndefinedReason>,
}

/// Agreement on the outputs of one category, or within one group of raters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartAgreement {
    /// Agreement on the ratings as they were entered.
    pub raw: AlphaEstimate,
    /// Agreement on z-scores.
    pub z: AlphaEstimate,
}

/// A summary of one rater's ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterAgreement {
    /// The pseudonym, or the name in the imported file.
    pub rater: Rater,
    /// The number of outputs that they rated.
    pub ratings: usize,
    /// Mean and population standard deviation, or the reason why the ratings have no z-scores.
    pub scale: Result<RaterScale, UndefinedReason>,
    /// The agreement of the other raters, without this one, on z-scores.
    pub others: Agreement,
}

/// The agreement of two raters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaterPairAgreement {
    /// The index of the first rater in the list of raters.
    pub first: usize,
    /// The index of the second one, which is greater.
    pub second: usize,
    /// The number of outputs that both rated.
    pub outputs: usize,
    /// α of the two.
    pub alpha: Result<f64, UndefinedReason>,
}

impl StudyAgreement {
    /// Computes the agreement on a dimension, and within each of the groups of raters.
    #[must_use]
    pub fn compute(
        snapshot: &StudySnapshot,
        dimension: &str,
        groups: &[RaterGroup],
        resampling: ResamplingOptions,
    ) -> Self {
        let ratings = snapshot.ratings_on(dimension);
        let z = &ratings.standardised.z;
        let raters = raters(snapshot, &ratings);

        let places: HashMap<RaterId, usize> = raters
            .iter()
            .zip(0..)
            .map(|(entry, place)| (entry.rater.id, place))
            .collect();
        let places: Vec<_> = z.raters().iter().map(|id| places.get(id)).collect();
        let pairs = pairwise_alpha(z).into_iter().filter_map(|pair| {
            let (first, second) = (*places[pair.raters.0]?, *places[pair.raters.1]?);
            Some(RaterPairAgreement {
                first: first.min(second),
                second: first.max(second),
                outputs: pair.units,
                alpha: pair.alpha,
            })
        });

        let categories: HashMap<OutputId, Category> = snapshot
            .categories()
            .map(|judged| (judged.output, judged.majority))
            .collect();
        let by_category = Category::ALL.into_iter().filter_map(|category| {
            let is_in = |_: &RaterId, output: &OutputId| categories.get(output) == Some(&category);
            let part = PartAgreement::compute(&ratings, is_in, resampling);
            part.has_ratings().then_some((category, part))
        });
        let by_group = groups.iter().filter_map(|group| {
            let raters = raters_in_group(snapshot.raters(), &group.id);
            let part =
                PartAgreement::compute(&ratings, |rater, _| raters.contains(rater), resampling);
            part.has_ratings().then(|| (group.name.clone(), part))
        });

        let (category_agreement, category_coefficients) =
            category_agreement(snapshot.categories(), resampling);
        let estimate_z = AlphaEstimate::compute(&ratings, z, LEVEL, resampling);
        let mut history = agreement_history(snapshot.own_ratings(dimension));
        // The present has the figure's interval, which comes from more resamples.
        if let Some(last) = history.last_mut() {
            last.z_interval = estimate_z.interval;
        }

        Self {
            raw: AlphaEstimate::compute(&ratings, &ratings.raw, LEVEL, resampling),
            z: estimate_z,
            categories: category_agreement,
            category_coefficients,
            by_category: by_category.collect(),
            by_group: by_group.collect(),
            pairs: pairs.collect(),
            history,
            warnings: warnings(&raters),
            raters,
        }
    }
}

impl AlphaEstimate {
    /// α of a part of the ratings, with its interval over sources.
    fn compute(
        ratings: &DimensionRatings,
        part: &RatingTable<RaterId, OutputId>,
        level: MeasurementLevel,
        resampling: ResamplingOptions,
    ) -> Self {
        let bootstrap = AlphaBootstrap::new(part, level, |output| ratings.source(output));
        Self {
            agreement: agreement(part, level),
            interval: bootstrap.interval(resampling),
        }
    }
}

impl PartAgreement {
    /// Agreement on the ratings to keep.
    fn compute(
        ratings: &DimensionRatings,
        keep: impl Fn(&RaterId, &OutputId) -> bool,
        resampling: ResamplingOptions,
    ) -> Self {
        Self {
            raw: AlphaEstimate::compute(ratings, &ratings.raw.retain(&keep), LEVEL, resampling),
            z: AlphaEstimate::compute(
                ratings,
                &ratings.standardised.z.retain(&keep),
                LEVEL,
                resampling,
            ),
        }
    }

    fn has_ratings(&self) -> bool {
        self.raw.agreement.ratings > 0
    }
}

/// The raters in the group with this id.
#[must_use]
pub fn raters_in_group(raters: &[Rater], group: &str) -> HashSet<RaterId> {
    let members = raters
        .iter()
        .filter(|rater| rater.group.as_deref() == Some(group));
    members.map(|rater| rater.id).collect()
}

fn raters(snapshot: &StudySnapshot, ratings: &DimensionRatings) -> Vec<RaterAgreement> {
    let mut counts = vec![0; ratings.raw.raters().len()];
    for (rater, ..) in ratings.raw.entries() {
        counts[rater] += 1;
    }
    let others = leave_one_out(&ratings.standardised.z);

    let entry = |rater: &Rater| {
        let index = ratings.raw.raters().binary_search(&rater.id).ok()?;
        Some(RaterAgreement {
            rater: rater.clone(),
            ratings: counts[index],
            scale: ratings.standardised.scales[index],
            others: others[index],
        })
    };
    snapshot.raters().iter().filter_map(entry).collect()
}

fn warnings(raters: &[RaterAgreement]) -> Vec<String> {
    let warning = |entry: &RaterAgreement| {
        let (reason, label) = (entry.scale.err()?, &entry.rater.label);
        Some(format!(
            "The ratings of “{label}” have no z-scores: {reason}."
        ))
    };
    raters.iter().filter_map(warning).collect()
}

/// The agreement of raters on categories. Identical outputs, which are categorised together, count once.
fn category_agreement<'a>(
    categories: impl Iterator<Item = &'a OutputCategory>,
    resampling: ResamplingOptions,
) -> (Agreement, Vec<AgreementCoefficient>) {
    let judged = categories.filter(|category| category.output == category.judged_as);
    let judged: HashMap<OutputId, &OutputCategory> =
        judged.map(|category| (category.output, category)).collect();
    let entries = judged.values().flat_map(|category| {
        // At the nominal level only equality counts, so any distinct number for each category is right.
        let entry = |(rater, chosen): &(RaterId, Category)| {
            (*rater, category.output, f64::from(*chosen as u8))
        };
        category.given.iter().map(entry)
    });
    let table = RatingTable::<RaterId, OutputId>::new(entries)
        .expect("the store keeps one category a rater and output");

    let level = MeasurementLevel::Nominal;
    let scale = RatingScale {
        low: 0,
        high: Category::ALL.len() as i32 - 1,
    };
    let source = |output: &OutputId| judged[output].source;
    (
        agreement(&table, level),
        coefficients(&table, scale, level, source, Some(resampling)),
    )
}

#[cfg(test)]
mod tests {
    use domain::ids::{SourceId, SystemId};
    use store::rating_rows::RatingRow;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_part_has_the_z_scores_of_all_ratings() {
        // The second rater scores the outputs of the part, and no others, as the first does, but for a constant.
        let row = |number: u128, rater: u128, value: f64| RatingRow {
            rater: RaterId(Uuid::from_u128(rater)),
            output: OutputId(Uuid::from_u128(number)),
            source: SourceId(Uuid::from_u128(number / 2)),
            system: SystemId(Uuid::nil()),
            dimension: "overall".into(),
            value,
            recorded_at: 0,
            shared: false,
        };
        let rows: Vec<_> = (0..12)
            .flat_map(|number| {
                let value = (number * 37 % 50) as f64;
                let other = if number < 6 {
                    value + 30.0
                } else {
                    90.0 - value
                };
                [row(number, 1, value), row(number, 2, other)]
            })
            .collect();
        let ratings = DimensionRatings::new(&rows.iter().collect::<Vec<_>>());
        let is_in = |_: &RaterId, output: &OutputId| output.0.as_u128() < 6;
        let part = PartAgreement::compute(&ratings, is_in, ResamplingOptions::default());

        // Means and deviations by hand: of all twelve ratings of each rater.
        let scale = |rater: u128| {
            let values = rows.iter().filter(|row| row.rater.0.as_u128() == rater);
            let values: Vec<_> = values.map(|row| row.value).collect();
            let mean = values.iter().sum::<f64>() / 12.0;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            (mean, (squares / 12.0).sqrt())
        };
        let z = rows.iter().filter(|row| is_in(&row.rater, &row.output));
        let z = z.map(|row| {
            let (mean, sd) = scale(row.rater.0.as_u128());
            (row.rater, row.output, (row.value - mean) / sd)
        });
        let z = RatingTable::new(z).unwrap();
        let expected = agreement(&z, LEVEL).alpha.unwrap();
        assert!((part.z.agreement.alpha.unwrap() - expected).abs() < 1e-9);
        assert_eq!(
            (part.raw.agreement.ratings, part.z.agreement.units),
            (12, 6)
        );
        assert!(part.raw.agreement.alpha.unwrap() < expected);
        let interval = part.z.interval.unwrap();
        assert!(interval.low <= expected && expected <= interval.high);
    }

    #[test]
    fn categories_agree_by_nominal_alpha_and_identical_outputs_count_once() {
        let (paraphrase, split) = (Category::Paraphrase, Category::Split);
        let output = |number, judged_as, first, second| OutputCategory {
            output: OutputId(Uuid::from_u128(number)),
            source: SourceId(Uuid::nil()),
            system: SystemId(Uuid::from_u128(number)),
            judged_as: OutputId(Uuid::from_u128(judged_as)),
            automatic: paraphrase,
            given: vec![
                (RaterId(Uuid::from_u128(1)), first),
                (RaterId(Uuid::from_u128(2)), second),
            ],
            majority: paraphrase,
        };

        let categories = [
            output(1, 1, paraphrase, paraphrase),
            output(2, 2, paraphrase, split),
            output(3, 3, split, split),
            output(4, 4, split, split),
            output(5, 2, paraphrase, split),
        ];

        let (agreement, coefficients) =
            category_agreement(categories.iter(), ResamplingOptions::default());
        assert_eq!((agreement.units, agreement.pairable_units), (4, 4));
        // Observed 2/8, expected 2·3·5/(8·7).
        let alpha = agreement.alpha.unwrap();
        assert!((alpha - (1.0 - 0.25 / (30.0 / 56.0))).abs() < 1e-12);
        // Observed 3/4; by chance (3/8·5/8 + 5/8·3/8)/2.
        let (ac1, by_chance) = (coefficients[0].value.unwrap(), 15.0 / 64.0);
        assert!((ac1 - (0.75 - by_chance) / (1.0 - by_chance)).abs() < 1e-12);
    }
}
