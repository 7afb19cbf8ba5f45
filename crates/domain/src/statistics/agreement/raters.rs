//! Agreement of every two raters, and of all raters but one.

use std::collections::HashMap;

use super::{
    super::{RatingTable, UndefinedReason, ratings::UnitRatings},
    Agreement, MeasurementLevel, alpha,
    sums::IntervalSums,
};

/// The agreement of two raters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairAlpha {
    /// The indices of the two raters in [`RatingTable::raters`], ascending.
    pub raters: (usize, usize),
    /// The number of units that both rated; above zero.
    pub units: usize,
    /// Interval α of these two raters on these units, as if there were no others.
    pub alpha: Result<f64, UndefinedReason>,
}

/// Interval α of every two raters who share a unit, in the order of their keys. Time is linear in the number of pairs of
/// ratings of a unit.
#[must_use]
pub fn pairwise_alpha<R, U>(ratings: &RatingTable<R, U>) -> Vec<PairAlpha> {
    let units: Vec<_> = ratings.by_unit().map(|(_, unit)| unit).collect();
    alpha_of_pairs(&units)
}

// Apart from the function above, so that it is compiled once and with this crate's optimisation.
fn alpha_of_pairs(units: &[UnitRatings<'_>]) -> Vec<PairAlpha> {
    let origin = alpha::origin(units.iter().map(|unit| unit.values));

    let mut pairs = HashMap::<(usize, usize), (usize, IntervalSums)>::new();
    for UnitRatings { raters, values } in units {
        for first in 0..raters.len() {
            for second in first + 1..raters.len() {
                let both = IntervalSums::from_unit(&[values[first], values[second]], origin);
                let (units, sums) = pairs.entry((raters[first], raters[second])).or_default();
                *units += 1;
                *sums = sums.plus(both);
            }
        }
    }

    let mut pairs: Vec<_> = pairs
        .into_iter()
        .map(|(raters, (units, sums))| PairAlpha {
            raters,
            units,
            alpha: sums.alpha(origin),
        })
        .collect();
    pairs.sort_unstable_by_key(|pair| pair.raters);
    pairs
}

/// The interval agreement without each rater in turn, by the rater's index in [`RatingTable::raters`]: if it is well
/// above that of all raters, the rater lowers agreement. Exact, since the other ratings of a rater's units weigh more
/// without the rater's. Time is linear in the ratings, times the number of ratings of a unit.
#[must_use]
pub fn leave_one_out<R, U>(ratings: &RatingTable<R, U>) -> Vec<Agreement> {
    let units: Vec<_> = ratings.by_unit().map(|(_, unit)| unit).collect();
    agreement_of_others(&units, ratings.raters().len(), ratings.active_raters())
}

// Apart from the function above, for the same reason.
fn agreement_of_others(
    units: &[UnitRatings<'_>],
    raters: usize,
    active_raters: usize,
) -> Vec<Agreement> {
    let origin = alpha::origin(units.iter().map(|unit| unit.values));
    let mut all = UnitTally::default();
    let mut changes = vec![UnitTally::default(); raters];
    let mut others = Vec::new();

    for UnitRatings { raters, values } in units {
        let whole = UnitTally::from_unit(values, origin);
        all = all.plus(whole, 1.0);

        for (place, rater) in raters.iter().enumerate() {
            others.clear();
            others.extend_from_slice(&values[..place]);
            others.extend_from_slice(&values[place + 1..]);

            let change = UnitTally::from_unit(&others, origin).plus(whole, -1.0);
            changes[*rater] = changes[*rater].plus(change, 1.0);
        }
    }

    let without = |(rater, change): (usize, &UnitTally)| {
        let is_active = change.ratings < 0.0;
        let mut left = all.plus(*change, 1.0);
        if left.sums.has_lost_digits(all.sums) {
            left = tally_others(units, rater, origin);
        }
        left.agreement(active_raters - usize::from(is_active), origin)
    };
    changes.iter().enumerate().map(without).collect()
}

/// The tally of the ratings of all raters but one.
fn tally_others(units: &[UnitRatings<'_>], rater: usize, origin: f64) -> UnitTally {
    let mut left = UnitTally::default();
    for unit in units {
        let ratings = unit.raters.iter().zip(unit.values);
        let others = ratings.filter(|(other, _)| **other != rater);
        let others: Vec<_> = others.map(|(_, value)| *value).collect();
        left = left.plus(UnitTally::from_unit(&others, origin), 1.0);
    }
    left
}

/// The counts and sums of units, or by how much these change.
#[derive(Debug, Clone, Copy, Default)]
struct UnitTally {
    units: f64,
    ratings: f64,
    pairable_units: f64,
    sums: IntervalSums,
}

impl UnitTally {
    fn from_unit(values: &[f64], origin: f64) -> Self {
        let pairable = values.len() > 1;
        Self {
            units: f64::from(u8::from(!values.is_empty())),
            ratings: values.len() as f64,
            pairable_units: f64::from(u8::from(pairable)),
            sums: match pairable {
                true => IntervalSums::from_unit(values, origin),
                false => IntervalSums::default(),
            },
        }
    }

    fn plus(self, other: Self, sign: f64) -> Self {
        Self {
            units: self.units + sign * other.units,
            ratings: self.ratings + sign * other.ratings,
            pairable_units: self.pairable_units + sign * other.pairable_units,
            sums: self.sums.plus(other.sums.times(sign)),
        }
    }

    fn agreement(self, raters: usize, origin: f64) -> Agreement {
        Agreement {
            alpha: self.sums.alpha(origin),
            level: MeasurementLevel::Interval,
            raters,
            units: self.units as usize,
            ratings: self.ratings as usize,
            pairable_units: self.pairable_units as usize,
            pairable_values: self.sums.count(),
        }
    }
}
