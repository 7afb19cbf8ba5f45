//! Gwet's AC1 and AC2: agreement on categories beyond chance.

use std::collections::BTreeMap;

use super::{
    super::{
        RatingTable, UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap},
        require,
    },
    kappa::KappaWeights,
};

/// Gwet's AC1 of ratings that are categories, or with weights AC2: (pₐ − pₑ)/(1 − pₑ). Missing ratings are allowed.
///
/// 1 is full agreement, 0 what chance gives; the least value depends on the number q of categories. The observed agreement
/// pₐ is the mean over units with two or more ratings of the share of pairs of ratings that agree, a pair of categories k
/// and l to the degree wₖₗ: 1 for the same, and with weights 1 − d(k, l)/max d, where d counts steps as [`KappaWeights`]
/// says. The agreement by chance is pₑ = Σwₖₗ/(q(q−1)) · Σπₖ(1−πₖ), with πₖ the mean over all rated units of the share of
/// k. Where nearly all ratings are of one category, κ and α fall to 0 or below though raters hardly differ, and AC1 does
/// not.
///
/// Source: Gwet (2008), Computing inter-rater reliability and its variance in the presence of high agreement; Gwet (2014),
/// Handbook of Inter-Rater Reliability, for weights and missing ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct GwetAgreement {
    sources: Vec<AgreementSums>,
    /// Σwₖₗ.
    total_weight: f64,
}

/// The sums over units that pₐ and pₑ follow from.
#[derive(Debug, Clone, PartialEq)]
struct AgreementSums {
    /// The number of units with two or more ratings, and their agreement.
    pairable: f64,
    agreement: f64,
    /// The number of rated units, and the share of each category.
    units: f64,
    shares: Vec<f64>,
}

impl GwetAgreement {
    /// Takes the ratings of a table; `categories` lists all that raters could choose, in order, and `source` returns a
    /// unit's source, by which intervals resample.
    ///
    /// # Errors
    /// [`UndefinedReason::OffScale`] for a rating that is not a category, [`UndefinedReason::TooFew`] below two
    /// categories.
    pub fn new<R, U, S: Ord>(
        table: &RatingTable<R, U>,
        categories: &[f64],
        weights: KappaWeights,
        mut source: impl FnMut(&U) -> S,
    ) -> Result<Self, UndefinedReason> {
        require(2, categories.len())?;
        let degrees = degrees_of_agreement(categories.len(), weights);

        let mut sources = BTreeMap::new();
        for (unit, ratings) in table.by_unit() {
            let sums = sources
                .entry(source(unit))
                .or_insert_with(|| AgreementSums::new(categories.len()));
            sums.add(ratings.values, categories, &degrees)?;
        }

        Ok(Self {
            sources: sources.into_values().collect(),
            total_weight: degrees.iter().flatten().sum(),
        })
    }

    /// The coefficient.
    ///
    /// # Errors
    /// [`UndefinedReason::NoPairableUnit`] if no unit has two ratings.
    pub fn coefficient(&self) -> Result<f64, UndefinedReason> {
        self.replicate(0..self.sources.len())
    }

    /// Its percentile interval, from resampled sources.
    ///
    /// # Errors
    /// As [`bootstrap`].
    pub fn interval(
        &self,
        resampling: ResamplingOptions,
    ) -> Result<BootstrapInterval, UndefinedReason> {
        bootstrap(self.sources.len(), resampling, |drawn| {
            self.replicate(drawn.iter().copied())
        })
    }

    fn replicate(&self, drawn: impl Iterator<Item = usize>) -> Result<f64, UndefinedReason> {
        let (mut pairable, mut agreement, mut units) = (0.0, 0.0, 0.0);
        let mut shares: Vec<f64> = vec![];
        for source in drawn {
            let sums = &self.sources[source];
            pairable += sums.pairable;
            agreement += sums.agreement;
            units += sums.units;
            shares.resize(sums.shares.len(), 0.0);
            for (share, own) in shares.iter_mut().zip(&sums.shares) {
                *share += own;
            }
        }
        if pairable == 0.0 {
            return Err(UndefinedReason::NoPairableUnit);
        }

        let q = shares.len() as f64;
        let spread = shares
            .iter()
            .map(|share| share / units)
            .map(|pi| pi * (1.0 - pi));
        let by_chance = self.total_weight / (q * (q - 1.0)) * spread.sum::<f64>();
        Ok((agreement / pairable - by_chance) / (1.0 - by_chance))
    }
}

impl AgreementSums {
    fn new(categories: usize) -> Self {
        Self {
            pairable: 0.0,
            agreement: 0.0,
            units: 0.0,
            shares: vec![0.0; categories],
        }
    }

    fn add(
        &mut self,
        values: &[f64],
        categories: &[f64],
        degrees: &[Vec<f64>],
    ) -> Result<(), UndefinedReason> {
        let mut counts = vec![0.0; categories.len()];
        for value in values {
            let place = categories.iter().position(|category| category == value);
            counts[place.ok_or(UndefinedReason::OffScale)?] += 1.0;
        }

        let n = values.len() as f64;
        self.units += 1.0;
        for (share, count) in self.shares.iter_mut().zip(&counts) {
            *share += count / n;
        }
        if values.len() < 2 {
            return Ok(());
        }

        // Each rating with all others: without itself, with which it agrees.
        let pairs = counts.iter().zip(degrees).map(|(count, degrees)| {
            let alike: f64 = counts.iter().zip(degrees).map(|(own, w)| own * w).sum();
            count * (alike - 1.0)
        });
        self.pairable += 1.0;
        self.agreement += pairs.sum::<f64>() / (n * (n - 1.0));
        Ok(())
    }
}

/// The degree to which each category agrees with each, from 0 to 1.
fn degrees_of_agreement(categories: usize, weights: KappaWeights) -> Vec<Vec<f64>> {
    let most = weights.weight(0, categories - 1);
    let row = |k: usize| {
        let degree = |l: usize| 1.0 - weights.weight(k, l) / most;
        (0..categories).map(degree).collect()
    };
    (0..categories).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the package irrCAC (`cac.raw4raters`): twelve units, four raters, five categories; 0 is missing.
    const RAW: [[u8; 12]; 4] = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ];
    const CATEGORIES: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];

    fn example() -> RatingTable<usize, usize> {
        let rated = RAW.iter().enumerate().flat_map(|(rater, ratings)| {
            let ratings = ratings.iter().enumerate();
            ratings.map(move |(unit, value)| (rater, unit, f64::from(*value)))
        });
        RatingTable::new(rated.filter(|(.., value)| *value > 0.0)).unwrap()
    }

    #[test]
    fn published_example_of_irrcac() {
        // R package irrCAC, `gwet.ac1.raw`: AC1 = .77544; the others by its port to Python, 0.4.4.
        for (weights, expected) in [
            (KappaWeights::Unweighted, 0.775_444_068_1),
            (KappaWeights::Linear, 0.858_739_136_4),
            (KappaWeights::Quadratic, 0.914_000_723_6),
        ] {
            let found = GwetAgreement::new(&example(), &CATEGORIES, weights, |unit| *unit);
            let found = found.unwrap().coefficient().unwrap();
            assert!((found - expected).abs() < 1e-9, "{weights:?}: {found}");
        }
    }

    #[test]
    fn categories_that_nobody_chose_count() {
        // By irrCAC with five categories given; nobody chose the last two in the same unit.
        let rows = [
            [4, 5, 1],
            [5, 3, 0],
            [4, 2, 5],
            [0, 2, 2],
            [0, 3, 1],
            [0, 1, 0],
            [1, 5, 0],
            [4, 4, 2],
            [0, 3, 2],
        ];
        let rated = rows.iter().enumerate().flat_map(|(unit, row)| {
            let row = row.iter().enumerate();
            row.map(move |(rater, value)| (rater, unit, f64::from(*value)))
        });
        let table = RatingTable::new(rated.filter(|(.., value)| *value > 0.0)).unwrap();
        for (weights, expected) in [
            (KappaWeights::Unweighted, -0.038_683_479_4),
            (KappaWeights::Quadratic, -0.238_562_904),
        ] {
            let found = GwetAgreement::new(&table, &CATEGORIES, weights, |unit| *unit);
            let found = found.unwrap().coefficient().unwrap();
            assert!((found - expected).abs() < 1e-9, "{weights:?}: {found}");
        }
    }

    #[test]
    fn the_interval_holds_the_coefficient_and_faults_are_named() {
        let agreement =
            GwetAgreement::new(&example(), &CATEGORIES, KappaWeights::Unweighted, |unit| {
                *unit
            });
        let agreement = agreement.unwrap();
        let interval = agreement.interval(ResamplingOptions::default()).unwrap();
        let coefficient = agreement.coefficient().unwrap();
        assert!(interval.low < coefficient && coefficient < interval.high);

        let new = |categories: &[f64]| {
            GwetAgreement::new(&example(), categories, KappaWeights::Unweighted, |unit| {
                *unit
            })
        };
        assert_eq!(
            new(&CATEGORIES[..4]).unwrap_err(),
            UndefinedReason::OffScale
        );
        assert!(matches!(new(&[1.0]), Err(UndefinedReason::TooFew { .. })));

        let alone = RatingTable::new([(1, 1, 1.0), (1, 2, 2.0)]).unwrap();
        let alone = GwetAgreement::new(&alone, &CATEGORIES, KappaWeights::Linear, |unit| *unit);
        assert_eq!(
            alone.unwrap().coefficient(),
            Err(UndefinedReason::NoPairableUnit)
        );
    }
}
