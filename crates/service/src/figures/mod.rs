//! The figures of a study, computed from its raw answers whenever they are asked for.

pub mod comprehension;
pub mod disputed;
pub mod metrics;
mod quality;
pub mod systems;

use domain::{
    category::Category,
    ids::{OutputId, RaterId},
    statistics::{
        RatingTable, UndefinedReason,
        agreement::{Agreement, MeasurementLevel, agreement},
        bootstrap::{BootstrapInterval, ResamplingOptions},
        live::{LiveView, ResamplingBlock},
        standardise::RaterScale,
    },
};
pub use store::rating_rows::RatingScope;
use store::{Rater, judgements::OutputCategory};

pub use self::quality::{RaterQualityEntry, StudyQuality};
use crate::live::{AgreementPoint, DimensionSums, StudySnapshot};

/// How far the raters of a study agree on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyAgreement {
    /// Of the ratings as they were entered.
    pub raw: AlphaEstimate,
    /// Of z-scores by rater (population standard deviation).
    pub z: AlphaEstimate,
    /// Of the groups that outputs were put in, at the nominal level.
    pub categories: Agreement,
    /// Of the ratings of each group's outputs; z-scores are by all ratings of a rater.
    pub by_category: Vec<(Category, CategoryAgreement)>,
    /// Who rated, in the order in which they joined.
    pub raters: Vec<RaterAgreement>,
    /// Every two raters who rated an output both, by their places in `raters`; on z-scores.
    pub pairs: Vec<RaterPairAgreement>,
    /// How α came to be what it is.
    pub history: Vec<AgreementPoint>,
    /// What speaks against taking the figures as they are.
    pub warnings: Vec<String>,
}

/// α with the interval that resampled sources give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaEstimate {
    /// α and what it stands on.
    pub agreement: Agreement,
    /// The 95 % percentile interval, z-scores held fixed.
    pub interval: Result<BootstrapInterval, UndefinedReason>,
}

/// Agreement on the outputs of one group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CategoryAgreement {
    /// Of the ratings as they were entered.
    pub raw: AlphaEstimate,
    /// Of z-scores.
    pub z: AlphaEstimate,
}

/// One rater's ratings in a few numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterAgreement {
    /// The pseudonym, or the name in the imported file.
    pub rater: Rater,
    /// How many outputs they rated.
    pub ratings: usize,
    /// Mean and population standard deviation, or why the ratings have no z-scores.
    pub scale: Result<RaterScale, UndefinedReason>,
    /// How far the others agree on z-scores without this rater.
    pub others: Agreement,
}

/// How far two raters agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaterPairAgreement {
    /// The place of one in the list of raters.
    pub first: usize,
    /// The place of the other, which is greater.
    pub second: usize,
    /// The outputs that both rated.
    pub outputs: usize,
    /// α of these two.
    pub alpha: Result<f64, UndefinedReason>,
}

impl StudyAgreement {
    /// What is held of the study in figures.
    #[must_use]
    pub fn compute(held: &StudySnapshot, dimension: &str, resampling: ResamplingOptions) -> Self {
        let none = DimensionSums::default();
        let scored = held.dimension(dimension).unwrap_or(&none);
        let (raw, z) = (scored.all().raw(), scored.standardised(scored.all()));
        let raters = raters(held, scored, &z);
        let place = |id: &RaterId| raters.iter().position(|of| of.rater.id == *id);
        let pairs = z.pairs().into_iter().filter_map(|pair| {
            let (one, other) = (place(pair.first)?, place(pair.second)?);
            Some(RaterPairAgreement {
                first: one.min(other),
                second: one.max(other),
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
            let of = scored.category(category)?;
            let blocks = || scored.blocks_of(category);
            let found = CategoryAgreement {
                raw: estimate(&of.raw(), &mut blocks()),
                z: estimate(&scored.standardised(of), &mut blocks()),
            };
            (found.raw.agreement.ratings > 0).then_some((category, found))
        };
        Self {
            raw: estimate(&raw, &mut scored.blocks()),
            z: estimate(&z, &mut scored.blocks()),
            categories: category_agreement(held.categories()),
            by_category: Category::ALL.into_iter().filter_map(of_category).collect(),
            pairs: pairs.collect(),
            history: scored.history().to_vec(),
            warnings: warnings(&raters),
            raters,
        }
    }
}

fn raters(
    held: &StudySnapshot,
    scored: &DimensionSums,
    z: &LiveView<'_, RaterId>,
) -> Vec<RaterAgreement> {
    let left_out = z.leave_one_out();
    let figures = |rater: &Rater| {
        let without = left_out.iter().find(|left| *left.rater == rater.id)?;
        Some(RaterAgreement {
            rater: rater.clone(),
            ratings: scored.all().ratings_of(&rater.id),
            scale: scored.scale(&rater.id),
            others: without.others,
        })
    };
    held.raters().iter().filter_map(figures).collect()
}

fn warnings(raters: &[RaterAgreement]) -> Vec<String> {
    let warning = |of: &RaterAgreement| {
        let (reason, label) = (of.scale.err()?, &of.rater.label);
        Some(format!(
            "The ratings of “{label}” have no z-scores: {reason}."
        ))
    };
    raters.iter().filter_map(warning).collect()
}

/// How far raters agree on the groups; identical outputs, which are put in one together, count once.
fn category_agreement<'a>(categories: impl Iterator<Item = &'a OutputCategory>) -> Agreement {
    let judged = categories.filter(|category| category.output == category.judged_as);
    let entries = judged.flat_map(|category| {
        let number = |(rater, group): &(RaterId, Category)| {
            (*rater, category.output, f64::from(*group as u8))
        };
        category.given.iter().map(number)
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
    fn groups_agree_by_nominal_alpha_and_identical_outputs_count_once() {
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
        let found = category_agreement(categories.iter());
        assert_eq!((found.units, found.pairable_units), (4, 4));
        // Observed 2/8, expected 2·3·5/(8·7).
        let alpha = found.alpha.unwrap();
        assert!((alpha - (1.0 - 0.25 / (30.0 / 56.0))).abs() < 1e-12);
    }
}
