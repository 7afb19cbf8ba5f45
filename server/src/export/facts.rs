//! What has to be known of the whole before its first row is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{
    ids::{MetricId, RaterId, SourceId},
    statistics::{
        Undefined,
        standardise::{Deviation, Scale},
    },
    study::RaterKind,
};
use formats::simpeval::slot;
use store::{
    Rater,
    export::{Export, ExportedOutput, ExportedRating},
};

use super::{Asked, Failure, Format, PAGE, alignments, in_2022, kept};

/// A study as a whole.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Outputs, each of them a row.
    pub(crate) outputs: u64,
    /// Ratings that go in; shared ones are not counted twice.
    pub(crate) ratings: u64,
    /// Ratings that go in at an output although an identical one got them.
    pub(crate) shared: u64,
    /// Numbers without a rater.
    pub(crate) scores: u64,
    /// Outputs times annotators who corrected their edits: each a line of alignments.
    pub(crate) corrected: u64,
    /// Outputs times annotators who left them as they were.
    pub(crate) accepted: u64,
    /// Slots that the 2022 shape needs.
    pub(super) slots: usize,
    /// Versions of what made the automatic categories.
    pub(super) category_versions: BTreeSet<String>,
    /// Versions of what made the automatic edits.
    pub(super) edits_versions: BTreeSet<String>,
    /// Whoever rates in the study.
    raters: HashMap<RaterId, Rater>,
    /// Outputs that have a score, by metric.
    pub(super) scored: HashMap<MetricId, u64>,
    /// The values that a rater gave the outputs of a source on a dimension, for ranks; only where the
    /// format has ranks.
    within: HashMap<(SourceId, RaterId, String), Vec<f64>>,
    /// By dimension and rater; only whoever rated on the dimension.
    rated: BTreeMap<String, HashMap<RaterId, Rated>>,
}

/// A rater's ratings on one dimension.
#[derive(Debug)]
pub(super) struct Rated {
    values: Vec<f64>,
    /// Mean and population standard deviation, or why there are none.
    pub(super) scale: Result<Scale, Undefined>,
    /// Whether the ratings came with z-scores.
    pub(super) z_of_file: bool,
}

impl Rated {
    /// How many, shared ones not counted twice.
    pub(super) const fn count(&self) -> usize {
        self.values.len()
    }
}

impl Facts {
    /// Reads everything once, page by page.
    pub(super) async fn read(export: &mut Export, asked: &Asked) -> Result<Self, Failure> {
        let mut facts = Self {
            raters: export.raters.iter().map(|it| (it.id, it.clone())).collect(),
            ..Self::default()
        };
        loop {
            let page = export.next_page(PAGE).await?;
            if page.is_empty() {
                break;
            }
            for output in &page {
                facts.add(output, asked)?;
            }
        }
        for rated in facts.rated.values_mut().flat_map(HashMap::values_mut) {
            rated.scale = Scale::of(&rated.values, Deviation::Population);
        }
        Ok(facts)
    }

    fn add(&mut self, output: &ExportedOutput, asked: &Asked) -> Result<(), Failure> {
        let kept = kept(output)?;
        self.outputs += 1;
        self.scores += kept.as_ref().map_or(0, |kept| kept.scores.len() as u64);
        let slots = in_2022::arrange(self, output, kept.as_ref(), &asked.dimension).len();
        self.slots = self.slots.max(slots);
        let automatic = &output.automatic;
        insert(&mut self.category_versions, &automatic.category_version);
        insert(&mut self.edits_versions, &automatic.edits_version);
        if asked.format == Format::Alignments {
            let (corrected, accepted): (Vec<_>, Vec<_>) =
                alignments::looks(self, output).partition(|look| look.corrected);
            let counts = (corrected.len() as u64, accepted.len() as u64);
            self.corrected += counts.0;
            self.accepted += counts.1;
        }
        for (metric, _) in &output.metric_scores {
            *self.scored.entry(*metric).or_default() += 1;
        }
        for rating in &output.ratings {
            let taken = asked.takes(&rating.dimension);
            if rating.shared {
                self.shared += u64::from(taken);
                continue;
            }
            self.ratings += u64::from(taken);
            self.add_rating(rating);
            if asked.format == Format::Tidy {
                let place = within(output.source.source, rating);
                self.within.entry(place).or_default().push(rating.value);
            }
        }
        Ok(())
    }

    fn add_rating(&mut self, rating: &ExportedRating) {
        if !self.rated.contains_key(&rating.dimension) {
            self.rated.insert(rating.dimension.clone(), HashMap::new());
        }
        let of_dimension = self.rated.get_mut(&rating.dimension).expect("put there");
        let rated = of_dimension.entry(rating.rater).or_insert_with(|| Rated {
            values: vec![],
            scale: Err(Undefined::TooFew {
                found: 0,
                needed: 2,
            }),
            z_of_file: false,
        });
        rated.values.push(rating.value);
        rated.z_of_file |= z_of_file(rating).is_some();
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
    pub(crate) fn dimensions(&self) -> impl Iterator<Item = &str> {
        self.rated.keys().map(String::as_str)
    }

    /// Whoever rated on a dimension, with what came of it: first columns of a file in their order,
    /// then by the order in which they came to the study.
    pub(super) fn raters(&self, dimension: &str) -> Vec<(&Rater, &Rated)> {
        let rated = self.rated.get(dimension).into_iter().flatten();
        let mut raters: Vec<_> = rated
            .filter_map(|(rater, rated)| Some((self.raters.get(rater)?, rated)))
            .collect();
        raters.sort_by_key(|(rater, _)| {
            let column = slot(&rater.label).filter(|_| rater.kind == RaterKind::Imported);
            (column.unwrap_or(u32::MAX), rater.position)
        });
        raters
    }

    /// The z-score of a rating by the study's own statistics, if its rater has any, to six decimals.
    pub(super) fn z(&self, rating: &ExportedRating) -> Option<f64> {
        let scale = self.rated(rating)?.scale.ok()?;
        Some(rounded(scale.z(rating.value)))
    }

    /// The rank of a rated output among those of its source, by the values of that rater on that
    /// dimension: 1 for the highest, equal values share the smallest rank. Identical outputs are one.
    pub(super) fn rank(&self, source: SourceId, rating: &ExportedRating) -> usize {
        let values = self.within.get(&within(source, rating));
        let higher = |value: &&f64| **value > rating.value;
        1 + values.map_or(0, |values| values.iter().filter(higher).count())
    }

    /// The z-score that stands beside a rating in a table: the file's to the letter where its
    /// rater came with z-scores, else the study's own; empty where there is none.
    pub(super) fn z_in_table(&self, rating: &ExportedRating) -> String {
        if self.rated(rating).is_some_and(|rated| rated.z_of_file) {
            return z_of_file(rating).unwrap_or_default().to_owned();
        }
        let z = self.z(rating).map(|z| format!("{z:.6}"));
        z.unwrap_or_default()
    }

    fn rated(&self, rating: &ExportedRating) -> Option<&Rated> {
        self.rated.get(&rating.dimension)?.get(&rating.rater)
    }
}

/// What a rating is ranked within.
fn within(source: SourceId, rating: &ExportedRating) -> (SourceId, RaterId, String) {
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
fn rounded(z: f64) -> f64 {
    // Adding zero turns a negative one into a plain one.
    (z * 1e6).round() / 1e6 + 0.0
}

fn z_of_file(rating: &ExportedRating) -> Option<&str> {
    rating.verbatim.as_ref()?.z.as_deref()
}

fn insert(versions: &mut BTreeSet<String>, version: &str) {
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
            assert_eq!(format!("{:.6}", rounded(z)), expect);
        }
    }
}
