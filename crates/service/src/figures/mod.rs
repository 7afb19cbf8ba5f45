//! The figures of a study. They are computed from its raw answers on every read and never stored.

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

use std::collections::HashSet;

use domain::{
    category::Category,
    ids::{OutputId, RaterId},
    rater_groups::RaterGroup,
    statistics::{
        RatingTable, UndefinedReason,
        agreement::{Agreement, AlphaBootstrap, MeasurementLevel, agreement},
        bootstrap::{BootstrapInterval, ResamplingOptions},
        live::{LiveView, ResamplingBlock},
        standardise::RaterScale,
    },
};
pub use store::rating_rows::RatingScope;
use store::{Rater, judgements::OutputCategory};

pub use self::levels::{LevelAgreement, LevelAgreementKey};
pub use self::quality::{QualityKey, RaterQualityEntry, StudyQuality};
use self::systems::JudgedRatings;
use crate::live::{AgreementPoint, CacheKey, DimensionSums, FigureKey, StudySnapshot};

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
        let agreement = StudyAgreement::compute(snapshot, &self.dimension, resampling);
        StudyAgreement {
            by_group: agreement_by_group(snapshot, &self.dimension, &self.groups, resampling),
            ..agreement
        }
    }
}

/// The agreement of a study's raters on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyAgreement {
    /// Agreement on the ratings as they were entered.
    pub raw: AlphaEstimate,
    /// Agreement on z-scores by rater (population standard deviation).
    pub z: AlphaEstimate,
    /// Agreement on the categories of outputs, at the nominal level.
    pub categories: Agreement,
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
    /// Computes the agreement on a dimension.
    #[must_use]
    pub fn compute(
        snapshot: &StudySnapshot,
        dimension: &str,
        resampling: ResamplingOptions,
    ) -> Self {
        let no_ratings = DimensionSums::default();
        let sums = snapshot.dimension(dimension).unwrap_or(&no_ratings);
        let (raw, z) = (sums.all().raw(), sums.standardised());
        let raters = raters(snapshot, sums, &z);

        let place = |id: &RaterId| raters.iter().position(|entry| entry.rater.id == *id);
        let pairs = z.pairs().into_iter().filter_map(|pair| {
            let (first, second) = (place(pair.first)?, place(pair.second)?);
            Some(RaterPairAgreement {
                first: first.min(second),
                second: first.max(second),
                outputs: pair.units,
                alpha: pair.alpha,
            })
        });

        let estimate = |view: &LiveView<'_, RaterId>,
                        blocks: &mut dyn Iterator<Item = &ResamplingBlock>| {
            AlphaEstimate {
                agreement: view.agreement(),
                interval: view.interval(blocks, resampling),
            }
        };
        let of_category = |category: Category| {
            let blocks = || sums.blocks_of(category);
            let agreement = PartAgreement {
                raw: estimate(&sums.raw_in(category)?, &mut blocks()),
                z: estimate(&sums.standardised_in(category)?, &mut blocks()),
            };
            (agreement.raw.agreement.ratings > 0).then_some((category, agreement))
        };

        let of_z = estimate(&z, &mut sums.blocks());

        let mut history = sums.history().to_vec();
        // The last point gets the figure's interval, which comes from more resamples than those of earlier points.
        if let Some(last) = history.last_mut() {
            last.z_interval = last.z_interval.and(of_z.interval.ok());
        }

        Self {
            raw: estimate(&raw, &mut sums.blocks()),
            z: of_z,
            categories: category_agreement(snapshot.categories()),
            by_category: Category::ALL.into_iter().filter_map(of_category).collect(),
            by_group: vec![],
            pairs: pairs.collect(),
            history,
            warnings: warnings(&raters),
            raters,
        }
    }
}

/// α within each group of raters that has ratings.
fn agreement_by_group(
    snapshot: &StudySnapshot,
    dimension: &str,
    groups: &[RaterGroup],
    resampling: ResamplingOptions,
) -> Vec<(String, PartAgreement)> {
    if groups.is_empty() {
        return vec![];
    }
    let judged = JudgedRatings::from_snapshot(snapshot, dimension);

    let of_group = |group: &RaterGroup| {
        let raters = raters_in_group(snapshot.raters(), &group.id);
        let estimate = |table: &RatingTable<RaterId, OutputId>| {
            let table = table.retain(|rater, _| raters.contains(rater));
            let source = |unit: &OutputId| judged.outputs.get(unit).map(|output| output.source);
            AlphaEstimate {
                agreement: agreement(&table, MeasurementLevel::Interval),
                interval: AlphaBootstrap::new(&table, MeasurementLevel::Interval, source)
                    .interval(resampling),
            }
        };
        let part = PartAgreement {
            raw: estimate(&judged.raw),
            z: estimate(&judged.z),
        };
        (part.raw.agreement.ratings > 0).then(|| (group.name.clone(), part))
    };

    groups.iter().filter_map(of_group).collect()
}

/// The raters in the group with this id.
#[must_use]
pub fn raters_in_group(raters: &[Rater], group: &str) -> HashSet<RaterId> {
    let members = raters
        .iter()
        .filter(|rater| rater.group.as_deref() == Some(group));
    members.map(|rater| rater.id).collect()
}

fn raters(
    snapshot: &StudySnapshot,
    sums: &DimensionSums,
    z: &LiveView<'_, RaterId>,
) -> Vec<RaterAgreement> {
    let left_out = z.leave_one_out();

    let entry = |rater: &Rater| {
        let without = left_out.iter().find(|left| *left.rater == rater.id)?;
        Some(RaterAgreement {
            rater: rater.clone(),
            ratings: sums.all().ratings_of(&rater.id),
            scale: sums.scale(&rater.id),
            others: without.others,
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
fn category_agreement<'a>(categories: impl Iterator<Item = &'a OutputCategory>) -> Agreement {
    let judged_categories = categories.filter(|category| category.output == category.judged_as);
    let entries = judged_categories.flat_map(|category| {
        // At the nominal level only equality counts, so any distinct number for each category is right.
        let entry = |(rater, chosen): &(RaterId, Category)| {
            (*rater, category.output, f64::from(*chosen as u8))
        };
        category.given.iter().map(entry)
    });

    let table = RatingTable::<RaterId, OutputId>::new(entries)
        .expect("the store keeps one category a rater and output");
    agreement(&table, MeasurementLevel::Nominal)
}

#[cfg(test)]
mod tests {
    use domain::ids::{SourceId, SystemId};
    use uuid::Uuid;

    use super::*;

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

        let agreement = category_agreement(categories.iter());
        assert_eq!((agreement.units, agreement.pairable_units), (4, 4));
        // Observed 2/8, expected 2·3·5/(8·7).
        let alpha = agreement.alpha.unwrap();
        assert!((alpha - (1.0 - 0.25 / (30.0 / 56.0))).abs() < 1e-12);
    }
}
