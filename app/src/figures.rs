//! The figures of a study, computed from its raw ratings whenever they are asked for.

use domain::{
    ids::{OutputId, RaterId, StudyId},
    statistics::{
        Ratings, Undefined,
        agreement::{Agreement, Level, agreement},
        standardise::{Deviation, Scale, standardise},
    },
};
pub use store::ratings::Which;
use store::{Rater, Store};

/// How far the raters of a study agree on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyAgreement {
    /// Of the ratings as they were entered.
    pub raw: Agreement,
    /// Of z-scores by rater (population standard deviation).
    pub z: Agreement,
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
        let dimension = dimension.to_owned();
        // An identical output's copied rating is no rating of its own.
        let work = move || {
            let counted = rows
                .into_iter()
                .filter(|row| !row.shared && *row.dimension == *dimension);
            let entries = counted.map(|row| (row.rater, row.output, row.value));
            let table = Ratings::<RaterId, OutputId>::new(entries)
                .expect("the store keeps one finite rating a rater, output and dimension");
            Self::from(&table, raters)
        };
        Ok(tokio::task::spawn_blocking(work)
            .await
            .expect("computing does not panic"))
    }

    fn from(table: &Ratings<RaterId, OutputId>, raters: Vec<Rater>) -> Self {
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
            raters,
            warnings,
        }
    }
}
