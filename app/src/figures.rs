//! The figures of a study, computed from its raw answers whenever they are asked for.

mod corrections;
mod quality;
pub mod systems;

pub use self::{
    corrections::StudyCorrections,
    quality::{RaterEntry, StudyQuality},
};
use domain::{
    category::Category,
    ids::{OutputId, RaterId, StudyId},
    statistics::{
        Ratings, Undefined,
        agreement::{Agreement, Level, agreement},
        standardise::{Deviation, Scale, standardise},
    },
};
pub use store::ratings::Which;
use store::{Rater, Store, judgements::OutputCategory};

/// How far the raters of a study agree on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyAgreement {
    /// Of the ratings as they were entered.
    pub raw: Agreement,
    /// Of z-scores by rater (population standard deviation).
    pub z: Agreement,
    /// Of the groups that outputs were put in, at the nominal level.
    pub categories: Agreement,
    /// Who rated, in the order in which they joined.
    pub raters: Vec<RaterFigures>,
    /// What speaks against taking the figures as they are.
    pub warnings: Vec<String>,
}

/// One rater's ratings in a few numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterFigures {
    /// The pseudonym, or the name in the imported file.
    pub rater: Rater,
    /// How many outputs they rated.
    pub ratings: usize,
    /// Mean and population standard deviation, or why the ratings have no z-scores.
    pub scale: Result<Scale, Undefined>,
}

impl StudyAgreement {
    /// Reads the ratings that count and computes, off the threads that serve requests.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn of(
        store: &Store,
        study: StudyId,
        dimension: &str,
        which: Which,
    ) -> store::Result<Self> {
        let rows = store.ratings(study, which).await?;
        let raters = store.raters(study).await?;
        let categories = store.categories(study).await?;
        let dimension = dimension.to_owned();
        // An identical output's copied rating is no rating of its own.
        let work = move || {
            let counted = rows
                .into_iter()
                .filter(|row| !row.shared && *row.dimension == *dimension);
            let entries = counted.map(|row| (row.rater, row.output, row.value));
            let table = Ratings::<RaterId, OutputId>::new(entries)
                .expect("the store keeps one finite rating a rater, output and dimension");
            Self::from(&table, of_categories(&categories), raters)
        };
        Ok(tokio::task::spawn_blocking(work)
            .await
            .expect("computing does not panic"))
    }

    fn from(table: &Ratings<RaterId, OutputId>, categories: Agreement, raters: Vec<Rater>) -> Self {
        let standardised = standardise(table, Deviation::Population);
        let mut counts = vec![0; table.raters().len()];
        for (rater, _, _) in table.entries() {
            counts[rater] += 1;
        }
        let figures = |rater: Rater| {
            let index = table.raters().binary_search(&rater.id).ok()?;
            let scale = standardised.scales[index];
            Some(RaterFigures {
                rater,
                ratings: counts[index],
                scale,
            })
        };
        let raters: Vec<_> = raters.into_iter().filter_map(figures).collect();
        let warnings = raters
            .iter()
            .filter_map(|of| {
                let reason = of.scale.err()?;
                let label = &of.rater.label;
                Some(format!(
                    "The ratings of “{label}” have no z-scores: {reason}."
                ))
            })
            .collect();
        Self {
            raw: agreement(table, Level::Interval),
            z: agreement(&standardised.z, Level::Interval),
            categories,
            raters,
            warnings,
        }
    }
}

/// How far raters agree on the groups; identical outputs, which are put in one together, count once.
fn of_categories(categories: &[OutputCategory]) -> Agreement {
    let judged = categories
        .iter()
        .filter(|category| category.output == category.judged_as);
    let entries = judged.flat_map(|category| {
        let number = |(rater, group): &(RaterId, Category)| {
            (*rater, category.output, f64::from(*group as u8))
        };
        category.given.iter().map(number)
    });
    let table = Ratings::<RaterId, OutputId>::new(entries)
        .expect("the store keeps one category a rater and output");
    agreement(&table, Level::Nominal)
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
        let found = of_categories(&[
            output(1, 1, paraphrase, paraphrase),
            output(2, 2, paraphrase, split),
            output(3, 3, split, split),
            output(4, 4, split, split),
            output(5, 2, paraphrase, split),
        ]);
        assert_eq!((found.units, found.pairable_units), (4, 4));
        // Observed 2/8, expected 2·3·5/(8·7).
        let alpha = found.alpha.unwrap();
        assert!((alpha - (1.0 - 0.25 / (30.0 / 56.0))).abs() < 1e-12);
    }
}
