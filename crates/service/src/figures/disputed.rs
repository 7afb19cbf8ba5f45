//! All ratings of each output, the outputs with the largest disagreements first.

use std::{cmp::Reverse, collections::BTreeMap};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId},
    statistics::describe::range,
};

use store::Rater;

use crate::live::{CacheKey, FigureKey, StudySnapshot};

/// An output with all of its ratings on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct DisputedOutput {
    /// The output.
    pub output: OutputId,
    /// Its source.
    pub source: SourceId,
    /// Its majority category.
    pub category: Option<Category>,
    /// Its ratings, in the order in which raters joined the study.
    pub ratings: Vec<DisputedRating>,
    /// The largest difference between two z-scores, in standard deviations; `None` with fewer than two.
    pub apart: Option<f64>,
    /// The largest difference between two ratings, in points; `None` with fewer than two.
    pub points: Option<f64>,
}

/// One rating of an output.
#[derive(Debug, Clone, PartialEq)]
pub struct DisputedRating {
    /// The rater's pseudonym.
    pub rater: String,
    /// The id of the rater's group; `None` if the rater is in none.
    pub group: Option<String>,
    /// The rating as it was entered.
    pub value: f64,
    /// The same in standard deviations from the rater's mean; `None` if the rater has no z-scores.
    pub z: Option<f64>,
}

/// The key of [`find_disputed_outputs`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisputedOutputsKey {
    /// The dimension of the ratings.
    pub dimension: String,
}

impl CacheKey for DisputedOutputsKey {
    type Value = Vec<DisputedOutput>;
}

impl FigureKey for DisputedOutputsKey {
    fn compute(&self, snapshot: &StudySnapshot) -> Vec<DisputedOutput> {
        find_disputed_outputs(snapshot, &self.dimension)
    }
}

/// All outputs with ratings on a dimension, ordered by the largest difference between two z-scores, then by
/// the largest difference in points, then by source. Of identical outputs, only the one that was judged is listed.
#[must_use]
pub fn find_disputed_outputs(snapshot: &StudySnapshot, dimension: &str) -> Vec<DisputedOutput> {
    let ratings = snapshot.ratings_on(dimension);
    let raters: BTreeMap<RaterId, (usize, &Rater)> = snapshot
        .raters()
        .iter()
        .enumerate()
        .map(|(place, rater)| (rater.id, (place, rater)))
        .collect();
    let scales: BTreeMap<RaterId, _> = raters
        .keys()
        .filter_map(|rater| Some((*rater, ratings.scale(rater).ok()?)))
        .collect();

    let categories = snapshot
        .categories()
        .map(|category| (category.output, category.majority));
    let categories: BTreeMap<OutputId, Category> = categories.collect();

    let mut by_output = BTreeMap::<(SourceId, OutputId), Vec<(usize, DisputedRating)>>::new();
    for row in snapshot.own_ratings(dimension) {
        let Some((place, rater)) = raters.get(&row.rater) else {
            continue;
        };
        let rating = DisputedRating {
            rater: rater.label.clone(),
            group: rater.group.clone(),
            value: row.value,
            z: scales.get(&row.rater).map(|scale| scale.z(row.value)),
        };
        let of_output = by_output.entry((row.source, row.output)).or_default();
        of_output.push((*place, rating));
    }

    let entry = |((source, output), mut ratings): (_, Vec<(usize, DisputedRating)>)| {
        ratings.sort_by_key(|(place, _)| *place);
        let ratings: Vec<_> = ratings.into_iter().map(|(_, rating)| rating).collect();
        let z: Vec<f64> = ratings.iter().filter_map(|rating| rating.z).collect();
        let points: Vec<f64> = ratings.iter().map(|rating| rating.value).collect();
        DisputedOutput {
            output,
            source,
            category: categories.get(&output).copied(),
            ratings,
            apart: range(z),
            points: range(points),
        }
    };

    let mut outputs: Vec<_> = by_output.into_iter().map(entry).collect();
    outputs.sort_by_key(|output| {
        Reverse((RatingDistance(output.apart), RatingDistance(output.points)))
    });
    outputs
}

/// A distance as a sort key; `None` is less than any number.
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
        let key = |distance: &Self| distance.0.unwrap_or(-1.0);
        key(self).total_cmp(&key(other))
    }
}
