//! Every rating of every output side by side, those first that raters disagree on most.

use std::{cmp::Reverse, collections::BTreeMap};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId},
    statistics::describe::range,
};

use crate::live::{DimensionSums, StudySnapshot};

/// An output with all of its ratings on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct DisputedOutput {
    /// Which.
    pub output: OutputId,
    /// What was simplified.
    pub source: SourceId,
    /// The group that counts.
    pub category: Option<Category>,
    /// In the order in which raters came to the study.
    pub ratings: Vec<DisputedRating>,
    /// The largest difference between two z-scores, in standard deviations; none below two.
    pub apart: Option<f64>,
    /// The largest difference between two ratings, in points; none below two.
    pub points: Option<f64>,
}

/// One rating of it.
#[derive(Debug, Clone, PartialEq)]
pub struct DisputedRating {
    /// The rater's pseudonym.
    pub rater: String,
    /// The number as it was entered.
    pub value: f64,
    /// The same in the rater's own standard deviations from their mean; none where they have none.
    pub z: Option<f64>,
}

/// All outputs that somebody rated on a dimension: the largest differences between z-scores first, then
/// those between points, and of equals in the order of their sources. Of identical outputs, which are
/// judged together, the one that was judged.
#[must_use]
pub fn find_disputed_outputs(held: &StudySnapshot, dimension: &str) -> Vec<DisputedOutput> {
    let none = DimensionSums::default();
    let scored = held.dimension(dimension).unwrap_or(&none);
    let raters: BTreeMap<RaterId, (usize, &str)> = held
        .raters()
        .iter()
        .enumerate()
        .map(|(place, rater)| (rater.id, (place, rater.label.as_str())))
        .collect();
    let scales: BTreeMap<RaterId, _> = raters
        .keys()
        .filter_map(|rater| Some((*rater, scored.scale(rater).ok()?)))
        .collect();
    let categories = held.categories().map(|it| (it.output, it.majority));
    let categories: BTreeMap<OutputId, Category> = categories.collect();
    let rows = held.ratings();
    let rows = rows.filter(|row| !row.shared && *row.dimension == *dimension);
    let mut by_output = BTreeMap::<(SourceId, OutputId), Vec<(usize, DisputedRating)>>::new();
    for row in rows {
        let Some((place, label)) = raters.get(&row.rater) else {
            continue;
        };
        let rated = DisputedRating {
            rater: (*label).to_owned(),
            value: row.value,
            z: scales.get(&row.rater).map(|scale| scale.z(row.value)),
        };
        let of_output = by_output.entry((row.source, row.output)).or_default();
        of_output.push((*place, rated));
    }
    let entry = |((source, output), mut ratings): (_, Vec<(usize, DisputedRating)>)| {
        ratings.sort_by_key(|(place, _)| *place);
        let ratings: Vec<_> = ratings.into_iter().map(|(_, rated)| rated).collect();
        let z: Vec<f64> = ratings.iter().filter_map(|rated| rated.z).collect();
        let points: Vec<f64> = ratings.iter().map(|rated| rated.value).collect();
        DisputedOutput {
            output,
            source,
            category: categories.get(&output).copied(),
            ratings,
            apart: range(z),
            points: range(points),
        }
    };
    let mut all: Vec<_> = by_output.into_iter().map(entry).collect();
    all.sort_by_key(|it| Reverse((RatingDistance(it.apart), RatingDistance(it.points))));
    all
}

/// A distance that can be sorted by; none is less than any.
#[derive(PartialEq)]
struct RatingDistance(Option<f64>);

impl Eq for RatingDistance {}

impl PartialOrd for RatingDistance {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RatingDistance {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |it: &Self| it.0.unwrap_or(-1.0);
        key(self).total_cmp(&key(other))
    }
}
