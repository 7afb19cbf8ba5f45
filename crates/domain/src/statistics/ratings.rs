//! The table from which every figure about raters is computed.

use std::collections::BTreeMap;

use super::describe::mean;
use crate::score::LARGEST_NUMBER;

/// A table of ratings by rater and unit.
///
/// Raters and units (outputs, or whatever is rated) are keyed by anything ordered. Missing ratings
/// are simply absent. Values are finite, within ±[`LARGEST_NUMBER`]. Raters, units and the
/// ratings of a unit are in the order of their keys, so that no figure depends on the order of
/// insertion, not even in its last digit.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingTable<R, U> {
    raters: Vec<R>,
    units: Vec<U>,
    /// The index at which each unit's ratings start in the two columns below, and finally their length.
    starts: Vec<usize>,
    rater_of: Vec<usize>,
    values: Vec<f64>,
    /// The number of raters with a rating.
    active: usize,
}

/// The ratings of one unit: `values[i]` is from the rater with index `raters[i]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitRatings<'a> {
    /// Indices into [`RatingTable::raters`], ascending, each at most once.
    pub raters: &'a [usize],
    /// The values, in the same order; never empty.
    pub values: &'a [f64],
}

/// A rating whose rater and unit are indices into lists, for [`RatingTable::from_indices`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexedRating {
    /// The index of the rater.
    pub rater: u32,
    /// The index of the unit.
    pub unit: u32,
    /// The rating.
    pub value: f64,
}

/// The reason why entries do not form a table. Entries are counted from 0 in the given order.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RatingTableError {
    /// Not a number, infinite, or beyond [`LARGEST_NUMBER`].
    #[error("entry {entry} has the value {value}, which no rating scale reaches")]
    OutOfRange {
        /// The position of the entry.
        entry: usize,
        /// Its value.
        value: f64,
    },
    /// The same rater gives the same unit two different values.
    #[error(
        "entries {first} and {second} are from the same rater on the same unit with different \
         values; keep the one that counts"
    )]
    Conflict {
        /// The position of the earlier entry.
        first: usize,
        /// The position of the later entry.
        second: usize,
    },
}

impl<R: Ord, U: Ord> RatingTable<R, U> {
    /// Builds the table from (rater, unit, value) in any order. A repeated entry with the same
    /// value counts once: identical outputs share a unit and its rating.
    ///
    /// # Errors
    /// A value out of range, or two values of one rater for one unit.
    pub fn new(entries: impl IntoIterator<Item = (R, U, f64)>) -> Result<Self, RatingTableError> {
        let mut rows = Vec::new();
        for (entry, (rater, unit, value)) in entries.into_iter().enumerate() {
            rows.push((unit, rater, check_value(entry, value)?, entry));
        }
        rows.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));

        if let Some(pair) = rows.windows(2).find(|w| {
            let same = w[0].0 == w[1].0 && w[0].1 == w[1].1;
            same && w[0].2.to_bits() != w[1].2.to_bits()
        }) {
            return Err(RatingTableError::Conflict {
                first: pair[0].3,
                second: pair[1].3,
            });
        }

        rows.dedup_by(|b, a| a.0 == b.0 && a.1 == b.1);
        Ok(Self::from_sorted(rows))
    }

    fn from_sorted(rows: Vec<(U, R, f64, usize)>) -> Self {
        // Raters are numbered as they occur, and renumbered in the order of their keys afterwards.
        let mut numbers = BTreeMap::new();
        let mut units = Vec::new();
        let mut starts = Vec::new();
        let mut rater_of = Vec::with_capacity(rows.len());
        let mut values = Vec::with_capacity(rows.len());
        for (at, (unit, rater, value, _)) in rows.into_iter().enumerate() {
            if units.last() != Some(&unit) {
                units.push(unit);
                starts.push(at);
            }
            let next = numbers.len();
            rater_of.push(*numbers.entry(rater).or_insert(next));
            values.push(value);
        }
        starts.push(values.len());

        let mut ranks = vec![0; numbers.len()];
        for (rank, number) in numbers.values().enumerate() {
            ranks[*number] = rank;
        }
        for rater in &mut rater_of {
            *rater = ranks[*rater];
        }

        Self {
            active: numbers.len(),
            raters: numbers.into_keys().collect(),
            units,
            starts,
            rater_of,
            values,
        }
    }
}

impl<R: Ord + Clone, U: Ord + Clone> RatingTable<R, U> {
    /// As [`RatingTable::new`], in time linear in the number of ratings: raters and units are given by their
    /// indices in lists that name each of them once. Those without a rating are left out.
    ///
    /// # Errors
    /// As [`RatingTable::new`].
    ///
    /// # Panics
    /// If an index is beyond its list.
    pub fn from_indices(
        raters: &[R],
        units: &[U],
        entries: &[IndexedRating],
    ) -> Result<Self, RatingTableError> {
        for (number, entry) in entries.iter().enumerate() {
            check_value(number, entry.value)?;
        }

        let (raters, rater_ranks) = rank_used(raters, entries.iter().map(|entry| entry.rater));
        let (units, unit_ranks) = rank_used(units, entries.iter().map(|entry| entry.unit));
        let by_unit = group_by_unit(units.len(), &unit_ranks, entries);

        let mut table = Self {
            active: raters.len(),
            raters,
            units,
            starts: Vec::with_capacity(by_unit.starts.len()),
            rater_of: Vec::with_capacity(entries.len()),
            values: Vec::with_capacity(entries.len()),
        };

        let mut unit_entries = Vec::new();
        for range in by_unit.starts.windows(2) {
            table.starts.push(table.values.len());
            let numbers = &by_unit.numbers[range[0]..range[1]];
            unit_entries.clear();
            unit_entries.extend(numbers.iter().map(|number| {
                let entry = &entries[*number];
                // Adding zero turns −0 into 0.
                (
                    rater_ranks[entry.rater as usize],
                    *number,
                    entry.value + 0.0,
                )
            }));
            unit_entries.sort_unstable_by_key(|(rater, number, _)| (*rater, *number));

            for (place, (rater, number, value)) in unit_entries.iter().enumerate() {
                match place.checked_sub(1).map(|before| unit_entries[before]) {
                    Some((same, _, before))
                        if same == *rater && before.to_bits() == value.to_bits() => {}
                    Some((same, first, _)) if same == *rater => {
                        let second = *number;
                        return Err(RatingTableError::Conflict { first, second });
                    }
                    _ => {
                        table.rater_of.push(*rater);
                        table.values.push(*value);
                    }
                }
            }
        }
        table.starts.push(table.values.len());
        Ok(table)
    }
}

/// The keys whose indices are used, in their order, and by index the rank of each; ranks of unused keys are meaningless.
fn rank_used<K: Ord + Clone>(keys: &[K], used: impl Iterator<Item = u32>) -> (Vec<K>, Vec<usize>) {
    let mut is_used = vec![false; keys.len()];
    used.for_each(|index| is_used[index as usize] = true);
    let mut order: Vec<usize> = (0..keys.len()).filter(|index| is_used[*index]).collect();
    order.sort_unstable_by(|a, b| keys[*a].cmp(&keys[*b]));

    let mut ranks = vec![0; keys.len()];
    for (rank, index) in order.iter().enumerate() {
        ranks[*index] = rank;
    }
    (
        order.into_iter().map(|index| keys[index].clone()).collect(),
        ranks,
    )
}

/// The numbers of entries, unit by unit.
pub(super) struct EntriesByUnit {
    pub(super) numbers: Vec<usize>,
    /// The index at which each unit's entries start in `numbers`, and finally their length.
    pub(super) starts: Vec<usize>,
}

/// Groups entries by the rank of their unit, below `units`; those of a unit stay in their order.
pub(super) fn group_by_unit(
    units: usize,
    ranks: &[usize],
    entries: &[IndexedRating],
) -> EntriesByUnit {
    let mut starts = vec![0; units + 1];
    for entry in entries {
        starts[ranks[entry.unit as usize] + 1] += 1;
    }
    for unit in 0..units {
        starts[unit + 1] += starts[unit];
    }

    let mut next = starts.clone();
    let mut numbers = vec![0; entries.len()];
    for (number, entry) in entries.iter().enumerate() {
        let place = &mut next[ranks[entry.unit as usize]];
        numbers[*place] = number;
        *place += 1;
    }
    EntriesByUnit { numbers, starts }
}

/// Returns the value if it is within range.
fn check_value(entry: usize, value: f64) -> Result<f64, RatingTableError> {
    if !(-LARGEST_NUMBER..=LARGEST_NUMBER).contains(&value) {
        return Err(RatingTableError::OutOfRange { entry, value });
    }
    // Adding zero turns −0 into 0.
    Ok(value + 0.0)
}

/// The number of distinct raters in the list, whose indices are below `raters`.
pub(super) fn count_distinct<'a>(
    raters: usize,
    list: impl IntoIterator<Item = &'a usize>,
) -> usize {
    let mut is_listed = vec![false; raters];
    list.into_iter().for_each(|rater| is_listed[*rater] = true);
    is_listed.into_iter().filter(|listed| *listed).count()
}

impl<R, U> RatingTable<R, U> {
    /// The raters in the order of their keys. After [`RatingTable::retain`] or standardisation some may
    /// have no rating left, so that indices stay comparable.
    #[must_use]
    pub fn raters(&self) -> &[R] {
        &self.raters
    }

    /// The number of raters with at least one rating.
    #[must_use]
    pub fn active_raters(&self) -> usize {
        self.active
    }

    /// The units in the order of their keys; each has at least one rating.
    #[must_use]
    pub fn units(&self) -> &[U] {
        &self.units
    }

    /// The number of ratings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All values, unit by unit.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The ratings of the unit with this index into [`RatingTable::units`].
    ///
    /// # Panics
    /// If `index` is not below the number of units.
    #[must_use]
    pub fn unit(&self, index: usize) -> UnitRatings<'_> {
        let range = self.starts[index]..self.starts[index + 1];
        UnitRatings {
            raters: &self.rater_of[range.clone()],
            values: &self.values[range],
        }
    }

    /// The values of each unit, in the order of their keys.
    pub(super) fn unit_values(&self) -> impl Iterator<Item = &[f64]> + Clone {
        self.starts
            .windows(2)
            .map(|ends| &self.values[ends[0]..ends[1]])
    }

    /// Each unit's key with its ratings, in the order of the keys.
    pub fn by_unit(&self) -> impl ExactSizeIterator<Item = (&U, UnitRatings<'_>)> + Clone {
        self.units
            .iter()
            .enumerate()
            .map(|(index, key)| (key, self.unit(index)))
    }

    /// Each unit's key with the mean of its ratings, in the order of the keys.
    pub fn means(&self) -> impl ExactSizeIterator<Item = (&U, f64)> + Clone {
        self.by_unit().map(|(key, unit)| (key, mean(unit.values)))
    }

    /// Each rating as (index of the rater, index of the unit, value), unit by unit.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + Clone {
        (0..self.units.len()).flat_map(|unit| {
            let UnitRatings { raters, values } = self.unit(unit);
            raters
                .iter()
                .zip(values)
                .map(move |(rater, value)| (*rater, unit, *value))
        })
    }
}

impl<R: Clone, U: Clone> RatingTable<R, U> {
    /// Replaces each value by the result of `change` for (rater index, unit index, value);
    /// `None` drops the rating. The list of raters is kept.
    ///
    /// # Errors
    /// A new value out of range.
    pub fn filter_map(
        &self,
        mut change: impl FnMut(usize, usize, f64) -> Option<f64>,
    ) -> Result<Self, RatingTableError> {
        let mut table = Self {
            raters: self.raters.clone(),
            units: Vec::with_capacity(self.units.len()),
            starts: Vec::with_capacity(self.starts.len()),
            rater_of: Vec::with_capacity(self.len()),
            values: Vec::with_capacity(self.len()),
            active: 0,
        };

        let mut last = None;
        for (entry, (rater, unit, old)) in self.entries().enumerate() {
            let Some(value) = change(rater, unit, old) else {
                continue;
            };
            let value = check_value(entry, value)?;
            if last != Some(unit) {
                last = Some(unit);
                table.units.push(self.units[unit].clone());
                table.starts.push(table.values.len());
            }
            table.rater_of.push(rater);
            table.values.push(value);
        }

        table.starts.push(table.values.len());
        table.active = count_distinct(self.raters.len(), &table.rater_of);
        Ok(table)
    }

    /// Keeps the ratings for which `keep` holds, by the rater's and the unit's key.
    #[must_use]
    pub fn retain(&self, mut keep: impl FnMut(&R, &U) -> bool) -> Self {
        self.filter_map(|r, u, value| keep(&self.raters[r], &self.units[u]).then_some(value))
            .expect("values that are in a table stay within range")
    }
}
