//! The dimensions that a file rates, in order of first occurrence.

use domain::dimensions::{RatedRange, dimension_name};
use rustc_hash::FxHashMap;

use crate::row_view::RatingView;

/// The places of dimensions in a list, by their names and by the file's spellings.
#[derive(Default)]
pub(crate) struct DimensionPlaces(FxHashMap<String, usize>);

impl DimensionPlaces {
    /// Counts a rating in the range of its dimension, which is added if new, and returns its place in the list.
    pub(crate) fn count(&mut self, rating: &RatingView<'_>, ranges: &mut Vec<RatedRange>) -> usize {
        let known = self.0.get(&*rating.dimension).copied();
        let place = known.unwrap_or_else(|| self.add(&rating.dimension, ranges));
        let range = &mut ranges[place];
        let value = rating.value.value;
        range.stated = range.stated.or(rating.scale);
        range.low = range.low.min(value);
        range.high = range.high.max(value);
        range.ratings += 1;
        place
    }

    fn add(&mut self, written: &str, ranges: &mut Vec<RatedRange>) -> usize {
        let name = dimension_name(written);
        let place = *self.0.entry(name.clone()).or_insert(ranges.len());
        if place == ranges.len() {
            ranges.push(RatedRange {
                name,
                stated: None,
                low: f64::INFINITY,
                high: f64::NEG_INFINITY,
                ratings: 0,
            });
        }
        self.0.insert(written.to_owned(), place);
        place
    }
}
