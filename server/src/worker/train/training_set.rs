use std::collections::HashMap;

use domain::{
    ids::{OutputId, SourceId},
    metrics::LearnedMetricKind,
    statistics::{DeviationKind, RatingTable, standardise},
};
use learn::metric::{TrainingRating, TrainingSource};
use store::{
    Store, Study,
    metrics::OutputEntry,
    rating_rows::{RatingRow, RatingScope},
};

/// A study's training data: its rated outputs with the mean of their z-scores.
#[derive(Debug)]
pub(super) struct TrainingSet {
    pub(super) sources: Vec<TrainingSource>,
    /// The number of ratings.
    pub(super) ratings: usize,
    /// The number of sources left out because they have no references, which the metric needs.
    pub(super) without_references: usize,
}

impl TrainingSet {
    /// Loads the ratings that were handed in on these dimensions. Each rater's ratings on a dimension are
    /// standardised by their own mean and population standard deviation. Dimensions count equally: an
    /// output's value is the mean over dimensions of its mean z-scores.
    pub(super) async fn load(
        store: &Store,
        study: &Study,
        kind: LearnedMetricKind,
        dimensions: &[&str],
    ) -> store::Result<Self> {
        let rows = store.ratings(study.id, RatingScope::HandedIn).await?;
        let standardised: Vec<_> = dimensions
            .iter()
            .map(|dimension| {
                let of_dimension = |row: &&RatingRow| !row.shared && *row.dimension == **dimension;
                let ratings = rows.iter().filter(of_dimension);
                let table = RatingTable::new(ratings.map(|row| (row.rater, row.output, row.value)))
                    .expect("the store keeps one finite rating a rater, output and dimension");
                standardise(&table, DeviationKind::Population).z
            })
            .collect();

        let entries = store.output_entries(study.id).await?;
        let by_output: HashMap<OutputId, &OutputEntry> =
            entries.iter().map(|entry| (entry.output, entry)).collect();
        let rating = |output: &OutputId, z: f64| {
            let entry = by_output.get(output)?;
            Some(TrainingRating {
                source: &entry.source_text,
                output: &entry.text,
                z,
            })
        };

        let sources = match &standardised[..] {
            [z] => {
                let entries = z.entries();
                let ratings =
                    entries.filter_map(|(_, unit, value)| rating(&z.units()[unit], value));
                TrainingSource::group_ratings(ratings)
            }
            several => {
                let means = several.iter().flat_map(RatingTable::means);
                let ratings = means.filter_map(|(output, mean)| rating(output, mean));
                TrainingSource::group_ratings(ratings)
            }
        };

        let mut training_set = Self {
            sources,
            ratings: standardised.iter().map(RatingTable::len).sum(),
            without_references: 0,
        };

        if kind.needs_references() {
            let source_ids: HashMap<&str, SourceId> = entries
                .iter()
                .map(|entry| (&*entry.source_text, entry.source))
                .collect();
            for source in &mut training_set.sources {
                if let Some(id) = source_ids.get(source.text.as_str()) {
                    source.references = store.references(*id).await?;
                }
            }

            let all_sources = training_set.sources.len();
            training_set
                .sources
                .retain(|source| !source.references.is_empty());
            training_set.without_references = all_sources - training_set.sources.len();
        }

        Ok(training_set)
    }

    /// The number of rated outputs; each text of a source counts once.
    pub(super) fn outputs(&self) -> usize {
        self.sources.iter().map(|source| source.outputs.len()).sum()
    }

    /// A sentence for the job's log.
    pub(super) fn summary(&self) -> String {
        let left_out = match self.without_references {
            0 => String::new(),
            left_out => format!(" {left_out} sources without references are left out."),
        };
        format!(
            "The study has {} rated outputs of {} sources, {} ratings.{left_out}",
            self.outputs(),
            self.sources.len(),
            self.ratings,
        )
    }
}
