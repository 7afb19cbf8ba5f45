//! The tally from which figures are computed.

use super::{
    super::{Agreement, MeasurementLevel, UndefinedReason},
    rater::spread,
};

/// The sums and counts from which α follows; differences of tallies may be below zero.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct AlphaTally {
    pub(super) units: i64,
    pub(super) ratings: i64,
    pub(super) pairable_units: i64,
    pub(super) pairable_values: i64,
    /// Σy and Σy² of pairable values.
    pub(super) sum: f64,
    pub(super) squares: f64,
    /// Σ of the sizes of their transforms.
    pub(super) magnitude: f64,
    /// Σᵤ (nΣy² − (Σy)²)/(n−1) within units.
    pub(super) within: f64,
}

impl AlphaTally {
    /// The numbers of units by their number of ratings.
    pub(super) fn from_units(units: usize, raters: usize) -> Self {
        let (units, ratings) = (units as i64, (units * raters) as i64);
        match raters {
            0 => Self::default(),
            1 => Self {
                units,
                ratings,
                ..Self::default()
            },
            _ => Self {
                units,
                ratings,
                pairable_units: units,
                pairable_values: ratings,
                ..Self::default()
            },
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.plus(other, 1);
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        self.plus(other, -1);
    }

    fn plus(&mut self, other: &Self, sign: i64) {
        self.units += sign * other.units;
        self.ratings += sign * other.ratings;
        self.pairable_units += sign * other.pairable_units;
        self.pairable_values += sign * other.pairable_values;
        self.sum += sign as f64 * other.sum;
        self.squares += sign as f64 * other.squares;
        self.magnitude += sign as f64 * other.magnitude;
        self.within += sign as f64 * other.within;
    }

    pub(super) fn alpha(&self) -> Result<f64, UndefinedReason> {
        if self.pairable_values == 0 {
            return Err(UndefinedReason::NoPairableUnit);
        }
        let n = self.pairable_values as f64;
        let between =
            spread(n, self.sum, self.squares, self.magnitude).ok_or(UndefinedReason::Constant)?;
        Ok(1.0 - (n - 1.0) * self.within / between)
    }

    pub(super) fn agreement(&self, raters: usize) -> Agreement {
        Agreement {
            alpha: self.alpha(),
            level: MeasurementLevel::Interval,
            raters,
            units: self.units as usize,
            ratings: self.ratings as usize,
            pairable_units: self.pairable_units as usize,
            pairable_values: self.pairable_values as usize,
        }
    }
}
