//! What has to be known of the whole before its first row is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{
    ids::{MetricId, RaterId, SourceId},
    statistics::{
        UndefinedReason,
        standardise::{DeviationKind, RaterScale},
    },
    study::RaterKind,
};
use formats::simpeval::slot_number;
use store::{
    Rater,
    export::{ExportSnapshot, ExportedOutput, ExportedRating},
};

use super::{
    ExportFailure, ExportFormat, ExportRequest, PAGE_SIZE, alignments, parse_row_extras,
    simpeval_2022,
};

/// A study as a whole.
#[derive(Debug, Default)]
pub struct ExportSummary {
    /// Outputs, each of them a row.
    pub outputs: u64,
    /// Ratings that go in; shared ones are not counted twice.
    pub ratings: u64,
    /// Ratings that go in at an output although an identical one got them.
    pub shared: u64,
    /// Numbers without a rater.
    pub scores: u64,
    /// Outputs times annotators who corrected their edits: each a line of alignments.
    pub corrected_edits: u64,
    /// Outputs times annotators who left them as they were.
    pub accepted_edits: u64,
    /// Slots that the 2022 shape needs.
    pub(super) slots: usize,
    /// Versions of what made the automatic categories.
    pub(super) category_versions: BTreeSet<String>,
    /// Versions of what made the automatic edits.
    pub(super) edits_versions: BTreeSet<String>,
    /// Whoever rates in the study.
    raters: HashMap<RaterId, Rater>,
    /// Outputs that have a score, by metric.
    pub(super) scored_outputs: HashMap<MetricId, u64>,
    /// The values that a rater gave the outputs of a source on a dimension, for ranks; only where the
    /// format has ranks.
    ranked_values: HashMap<(SourceId, RaterId, String), Vec<f64>>,
    /// By dimension and rater; only whoever rated on the dimension.
    rater_ratings: BTreeMap<String, HashMap<RaterId, RaterRatings>>,
}

/// A rater's ratings on one dimension.
#[derive(Debug)]
pub(super) struct RaterRatings {
    values: Vec<f64>,
    /// Mean and population standard deviation, or why there are none.
    pub(super) scale: Result<RaterScale, UndefinedReason>,
    /// Whether the ratings came with z-scores.
    pub(super) has_file_z: bool,
}

impl RaterRatings {
    /// How many, shared ones not counted twice.
    pub(super) const fn count(&self) -> usize {
        self.values.len()
    }
}

impl ExportSummary {
    /// Reads everything once, page by page.
    pub(super) async fn read(
        export: &mut ExportSnapshot,
        asked: &ExportRequest,
    ) -> Result<Self, ExportFailure> {
        let mut facts = Self {
            raters: export.raters.iter().map(|it| (it.id, it.clone())).collect(),
            ..Self::default()
        };
        loop {
            let page = export.next_page(PAGE_SIZE).await?;
            if page.is_empty() {
                break;
            }
            for output in &page {
                facts.add(output, asked)?;
            }
        }
        for rated in facts
            .rater_ratings
            .values_mut()
            .flat_map(HashMap::values_mut)
        {
            rated.scale = RaterScale::from_values(&rated.values, DeviationKind::Population);
        }
        Ok(facts)
    }

    fn add(&mut self, output: &ExportedOutput, asked: &ExportRequest) -> Result<(), ExportFailure> {
        let kept = parse_row_extras(output)?;
        self.outputs += 1;
        self.scores += kept.as_ref().map_or(0, |kept| kept.scores.len() as u64);
        let slots =
            simpeval_2022::arrange_slots(self, output, kept.as_ref(), &asked.dimension).len();
        self.slots = self.slots.max(slots);
        let automatic = &output.automatic;
        insert_version(&mut self.category_versions, &automatic.category_version);
        insert_version(&mut self.edits_versions, &automatic.edits_version);
        if asked.format == ExportFormat::Alignments {
            let (corrected, accepted): (Vec<_>, Vec<_>) =
                alignments::edit_reviews(self, output).partition(|look| look.corrected);
            let counts = (corrected.len() as u64, accepted.len() as u64);
            self.corrected_edits += counts.0;
            self.accepted_edits += counts.1;
        }
        for (metric, _) in &output.metric_scores {
            *self.scored_outputs.entry(*metric).or_default() += 1;
        }
        for rating in &output.ratings {
            let taken = asked.includes_dimension(&rating.dimension);
            if rating.shared {
                self.shared += u64::from(taken);
                continue;
            }
            self.ratings += u64::from(taken);
            self.add_rating(rating);
            if asked.format == ExportFormat::Tidy {
                let place = ranking_key(output.source.source, rating);
                self.ranked_values
                    .entry(place)
                    .or_default()
                    .push(rating.value);
            }
        }
        Ok(())
    }

    fn add_rating(&mut self, rating: &ExportedRating) {
        if !self.rater_ratings.contains_key(&rating.dimension) {
            self.rater_ratings
                .insert(rating.dimension.clone(), HashMap::new());
        }
        let of_dimension = self
            .rater_ratings
            .get_mut(&rating.dimension)
            .expect("put there");
        let rated = of_dimension
            .entry(rating.rater)
            .or_insert_with(|| RaterRatings {
                values: vec![],
                scale: Err(UndefinedReason::TooFew {
                    found: 0,
                    needed: 2,
                }),
                has_file_z: false,
            });
        rated.values.push(rating.value);
        rated.has_file_z |= file_z(rating).is_some();
    }

    /// The pseudonym of a rater; of an imported one the name in its file.
    pub(super) fn label(&self, rater: RaterId) -> &str {
        self.raters.get(&rater).map_or("", |it| &it.label)
    }

    /// Whether a person of this study is behind the rater.
    pub(super) fn is_person(&self, rater: RaterId) -> bool {
        let known = self.raters.get(&rater);
        known.is_some_and(|it| it.kind == RaterKind::Person)
    }

    /// The dimensions that somebody rated on, by name.
    pub fn dimensions(&self) -> impl Iterator<Item = &str> {
        self.rater_ratings.keys().map(String::as_str)
    }

    /// Whoever rated on a dimension, with what came of it: first columns of a file in their order,
    /// then by the order in which they came to the study.
    pub(super) fn raters(&self, dimension: &str) -> Vec<(&Rater, &RaterRatings)> {
        let rated = self.rater_ratings.get(dimension).into_iter().flatten();
        let mut raters: Vec<_> = rated
            .filter_map(|(rater, rated)| Some((self.raters.get(rater)?, rated)))
            .collect();
        raters.sort_by_key(|(rater, _)| {
            let column = slot_number(&rater.label).filter(|_| rater.kind == RaterKind::Imported);
            (column.unwrap_or(u32::MAX), rater.position)
        });
        raters
    }

    /// The z-score of a rating by the study's own statistics, if its rater has any, to six decimals.
    pub(super) fn z(&self, rating: &ExportedRating) -> Option<f64> {
        let scale = self.rater_ratings(rating)?.scale.ok()?;
        Some(round_z(scale.z(rating.value)))
    }

    /// The rank of a rated output among those of its source, by the values of that rater on that
    /// dimension: 1 for the highest, equal values share the smallest rank. Identical outputs are one.
    pub(super) fn rank(&self, source: SourceId, rating: &ExportedRating) -> usize {
        let values = self.ranked_values.get(&ranking_key(source, rating));
        let higher = |value: &&f64| **value > rating.value;
        1 + values.map_or(0, |values| values.iter().filter(higher).count())
    }

    /// The z-score that stands beside a rating in a table: the file's to the letter where its
    /// rater came with z-scores, else the study's own; empty where there is none.
    pub(super) fn z_in_table(&self, rating: &ExportedRating) -> String {
        if self
            .rater_ratings(rating)
            .is_some_and(|rated| rated.has_file_z)
        {
            return file_z(rating).unwrap_or_default().to_owned();
        }
        let z = self.z(rating).map(|z| format!("{z:.6}"));
        z.unwrap_or_default()
    }

    fn rater_ratings(&self, rating: &ExportedRating) -> Option<&RaterRatings> {
        self.rater_ratings
            .get(&rating.dimension)?
            .get(&rating.rater)
    }
}

/// What a rating is ranked within.
fn ranking_key(source: SourceId, rating: &ExportedRating) -> (SourceId, RaterId, String) {
    (source, rating.rater, rating.dimension.clone())
}

/// A rating as its file wrote it, else in as few digits as say it.
pub(super) fn value_in_table(rating: &ExportedRating) -> String {
    match &rating.verbatim {
        Some(verbatim) => verbatim.value.clone(),
        None => rating.value.to_string(),
    }
}

/// A z-score to six decimals, which is far finer than anybody rates.
fn round_z(z: f64) -> f64 {
    // Adding zero turns a negative one into a plain one.
    (z * 1e6).round() / 1e6 + 0.0
}

fn file_z(rating: &ExportedRating) -> Option<&str> {
    rating.verbatim.as_ref()?.z.as_deref()
}

fn insert_version(versions: &mut BTreeSet<String>, version: &str) {
    if !versions.contains(version) {
        versions.insert(version.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_scores_are_rounded_to_six_decimals() {
        for (z, expect) in [
            (1.0, "1.000000"),
            (-0.123_456_789, "-0.123457"),
            (-1e-9, "0.000000"),
            (std::f64::consts::SQRT_2, "1.414214"),
        ] {
            assert_eq!(format!("{:.6}", round_z(z)), expect);
        }
    }
}
