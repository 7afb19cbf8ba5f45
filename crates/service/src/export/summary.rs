//! A first pass over an export, for the figures that its files need before their first row.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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
    ExportFailure, ExportFormat, ExportRequest, alignments,
    output_pages::{PAGE_SIZE, parse_row_extras},
    simpeval_2022,
};

/// Counts, versions and scales of a study as a whole.
#[derive(Debug, Default)]
pub struct ExportSummary {
    /// The number of outputs, each of which is a row.
    pub outputs: u64,
    /// The number of included ratings; shared ones are not counted twice.
    pub ratings: u64,
    /// The number of copies of ratings at identical outputs.
    pub shared: u64,
    /// The number of times that a rater could not judge an output; shared ones are not counted twice.
    pub unjudged: u64,
    /// The number of an output's judgements with marked spans; shared ones are not counted twice.
    pub marked_outputs: u64,
    /// The number of comparisons; only for dataset folders.
    pub comparisons: u64,
    /// The number of answers to questions; only for dataset folders.
    pub answers: u64,
    /// The number of scores without a rater.
    pub scores: u64,
    /// The number of pairs of an output and an annotator who corrected its edits; each is a line of
    /// alignments.
    pub corrected_edits: u64,
    /// The number of pairs of an output and an annotator who left its edits as they were.
    pub accepted_edits: u64,
    /// The number of slots that the format of 2022 needs.
    pub(super) slots: usize,
    /// The versions of the rules behind the automatic categories.
    pub(super) category_versions: BTreeSet<String>,
    /// The versions of the aligners behind the automatic edits.
    pub(super) edits_versions: BTreeSet<String>,
    /// The sources of outputs.
    pub(super) sources: HashSet<SourceId>,
    /// The systems that wrote outputs.
    pub(super) systems: BTreeSet<String>,
    /// The raters of the study.
    raters: HashMap<RaterId, Rater>,
    /// The group of each rater who is in one, by the rater's name in exports.
    groups: HashMap<String, String>,
    /// The number of outputs with a score, by metric.
    pub(super) scored_outputs: HashMap<MetricId, u64>,
    /// The ratings of each rater of a source's outputs on a dimension, for ranks; only for formats with
    /// ranks.
    ranked_values: HashMap<(SourceId, RaterId, String), Vec<f64>>,
    /// The ratings by dimension and rater.
    rater_ratings: BTreeMap<String, HashMap<RaterId, RaterRatings>>,
}

/// A rater's ratings on one dimension.
#[derive(Debug)]
pub(super) struct RaterRatings {
    values: Vec<f64>,
    /// The mean and population standard deviation, or the reason why they are undefined.
    pub(super) scale: Result<RaterScale, UndefinedReason>,
    /// Whether the ratings were imported with z-scores.
    pub(super) has_file_z: bool,
}

impl RaterRatings {
    /// The number of ratings; shared ones are not counted twice.
    pub(super) const fn count(&self) -> usize {
        self.values.len()
    }
}

impl ExportSummary {
    /// Reads the whole export once, page by page.
    pub(super) async fn read(
        export: &mut ExportSnapshot,
        request: &ExportRequest,
    ) -> Result<Self, ExportFailure> {
        let mut summary = Self {
            raters: export
                .raters
                .iter()
                .map(|rater| (rater.id, rater.clone()))
                .collect(),
            ..Self::default()
        };

        if request.format == ExportFormat::Dataset {
            summary.comparisons = export.comparisons().await?.comparisons.len() as u64;
            summary.answers = export.answers().await?.answers.len() as u64;
        }

        loop {
            let page = export.next_page(PAGE_SIZE).await?;
            if page.is_empty() {
                break;
            }
            for output in &page {
                summary.add(output, request)?;
            }
        }

        for ratings in summary
            .rater_ratings
            .values_mut()
            .flat_map(HashMap::values_mut)
        {
            ratings.scale = RaterScale::from_values(&ratings.values, DeviationKind::Population);
        }

        Ok(summary)
    }

    fn add(
        &mut self,
        output: &ExportedOutput,
        request: &ExportRequest,
    ) -> Result<(), ExportFailure> {
        let extras = parse_row_extras(output)?;
        self.outputs += 1;
        self.scores += extras
            .as_ref()
            .map_or(0, |extras| extras.scores.len() as u64);

        let slots =
            simpeval_2022::arrange_slots(self, output, extras.as_ref(), &request.dimension).len();
        self.slots = self.slots.max(slots);

        let own = output.unjudged.iter().filter(|unjudged| !unjudged.shared);
        self.unjudged += own.count() as u64;
        let own = output.marks.iter().filter(|marks| !marks.shared);
        self.marked_outputs += own.count() as u64;

        self.sources.insert(output.source.source);
        insert_name(&mut self.systems, &output.system);
        let automatic = &output.automatic;
        insert_name(&mut self.category_versions, &automatic.category_version);
        insert_name(&mut self.edits_versions, &automatic.edits_version);

        if request.format == ExportFormat::Alignments {
            let (corrected, accepted): (Vec<_>, Vec<_>) =
                alignments::edit_reviews(|rater| self.kind(rater), output)
                    .partition(|review| review.corrected);
            let counts = (corrected.len() as u64, accepted.len() as u64);
            self.corrected_edits += counts.0;
            self.accepted_edits += counts.1;
        }

        for (metric, _) in &output.metric_scores {
            *self.scored_outputs.entry(*metric).or_default() += 1;
        }

        for rating in &output.ratings {
            let is_included = request.includes_dimension(&rating.dimension);
            if rating.shared {
                self.shared += u64::from(is_included);
                continue;
            }

            self.ratings += u64::from(is_included);
            self.add_rating(rating);
            if matches!(request.format, ExportFormat::Tidy | ExportFormat::Dataset) {
                let key = ranking_key(output.source.source, rating);
                self.ranked_values
                    .entry(key)
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
            .expect("the dimension was inserted above");
        let ratings = of_dimension
            .entry(rating.rater)
            .or_insert_with(|| RaterRatings {
                values: vec![],
                scale: Err(UndefinedReason::TooFew {
                    found: 0,
                    needed: 2,
                }),
                has_file_z: false,
            });

        ratings.values.push(rating.value);
        ratings.has_file_z |= file_z(rating).is_some();
    }

    /// The pseudonym of a rater; for an imported one, the name in its file.
    pub(super) fn label(&self, rater: RaterId) -> &str {
        self.raters.get(&rater).map_or("", |rater| &rater.label)
    }

    /// Sets the group's name of each rater who is in one, by the rater's name in exports.
    pub(super) fn name_groups(&mut self, groups: Vec<(String, String)>) {
        self.groups = groups.into_iter().collect();
    }

    /// The group's name of the rater with this name in exports; `None` if the rater is in no group.
    pub(super) fn group(&self, label: &str) -> Option<&str> {
        self.groups.get(label).map(String::as_str)
    }

    /// The number of raters in the group of that name.
    pub(super) fn group_size(&self, name: &str) -> usize {
        self.groups.values().filter(|group| *group == name).count()
    }

    /// The kind of a rater of this study.
    pub(super) fn kind(&self, rater: RaterId) -> Option<RaterKind> {
        self.raters.get(&rater).map(|rater| rater.kind)
    }

    /// The kinds of the raters with ratings, each with its number of raters.
    pub(super) fn rater_kinds(&self) -> BTreeMap<RaterKind, usize> {
        let rated = self.rater_ratings.values().flat_map(HashMap::keys);
        let rated: HashSet<_> = rated.collect();

        let mut kinds = BTreeMap::new();
        for rater in rated.into_iter().filter_map(|rater| self.raters.get(rater)) {
            *kinds.entry(rater.kind).or_default() += 1;
        }

        kinds
    }

    /// The dimensions with ratings, by name.
    pub fn dimensions(&self) -> impl Iterator<Item = &str> {
        self.rater_ratings.keys().map(String::as_str)
    }

    /// The raters with ratings on a dimension: first the numbered columns of an imported file in their
    /// order, then the others in the order in which they joined the study.
    pub(super) fn raters(&self, dimension: &str) -> Vec<(&Rater, &RaterRatings)> {
        let ratings = self.rater_ratings.get(dimension).into_iter().flatten();
        let mut raters: Vec<_> = ratings
            .filter_map(|(rater, ratings)| Some((self.raters.get(rater)?, ratings)))
            .collect();

        raters.sort_by_key(|(rater, _)| {
            let column = slot_number(&rater.label).filter(|_| rater.kind == RaterKind::Imported);
            (column.unwrap_or(u32::MAX), rater.position)
        });

        raters
    }

    /// The z-score of a rating by the study's own statistics, to six decimals; `None` if the rater's z-scores are
    /// undefined.
    pub(super) fn z(&self, rating: &ExportedRating) -> Option<f64> {
        let scale = self.rater_ratings(rating)?.scale.ok()?;
        Some(round_z(scale.z(rating.value)))
    }

    /// The rank of a rating among those that its rater gave outputs of the source on its dimension: 1 for
    /// the highest. Equal ratings share the smallest rank, and identical outputs count once.
    pub(super) fn rank(&self, source: SourceId, rating: &ExportedRating) -> usize {
        let values = self.ranked_values.get(&ranking_key(source, rating));
        let higher = |value: &&f64| **value > rating.value;
        1 + values.map_or(0, |values| values.iter().filter(higher).count())
    }

    /// The z-score for a rating in a table: the file's own, verbatim, if the rater was imported with z-scores,
    /// otherwise the study's; empty if there is none.
    pub(super) fn z_in_table(&self, rating: &ExportedRating) -> String {
        if self
            .rater_ratings(rating)
            .is_some_and(|ratings| ratings.has_file_z)
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

/// The set of ratings within which a rating is ranked.
fn ranking_key(source: SourceId, rating: &ExportedRating) -> (SourceId, RaterId, String) {
    (source, rating.rater, rating.dimension.clone())
}

/// A rating as its file wrote it, or with as few digits as necessary.
pub(super) fn value_in_table(rating: &ExportedRating) -> String {
    match &rating.verbatim {
        Some(verbatim) => verbatim.value.clone(),
        None => rating.value.to_string(),
    }
}

/// Rounds a z-score to six decimals, which is far finer than any rating.
fn round_z(z: f64) -> f64 {
    // Adding zero turns negative zero into zero.
    (z * 1e6).round() / 1e6 + 0.0
}

/// The z-score that the file gave.
fn file_z(rating: &ExportedRating) -> Option<&str> {
    rating.verbatim.as_ref()?.z.as_deref()
}

fn insert_name(names: &mut BTreeSet<String>, name: &str) {
    if !names.contains(name) {
        names.insert(name.to_owned());
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
