use std::collections::HashMap;

use domain::{
    ids::{OutputId, SourceId},
    metrics::LearnedMetricKind,
    statistics::{DeviationKind, RatingTable, standardise},
};
use learn::metric::{TrainingRating, TrainingSource};
use store::{Store, Study, metrics::OutputEntry, rating_rows::RatingScope};

/// The training data of a study: its rated outputs with the mean of their z-scores.
#[derive(Debug)]
pub(super) struct TrainingSet {
    pub(super) sources: Vec<TrainingSource>,
    /// The number of ratings.
    pub(super) ratings: usize,
    /// The number of sources that are left out, because they have no references and the metric needs some.
    pub(super) without_references: usize,
}

impl TrainingSet {
    /// Loads the ratings that were handed in on the study's first dimension, which ranks outputs. Each
    /// rater's ratings are standardised by their own mean and standard deviation.
    pub(super) async fn load(
        store: &Store,
        study: &Study,
        kind: LearnedMetricKind,
    ) -> store::Result<Self> {
        let rows = store.ratings(study.id, RatingScope::HandedIn).await?;
        let dimension = study.settings.dimensions.first();
        let ratings = rows.iter().filter(|row| {
            !row.shared && dimension.is_some_and(|dimension| *dimension.name == *row.dimension)
        });
        let table = RatingTable::new(ratings.map(|row| (row.rater, row.output, row.value)))
            .expect("the store keeps one finite rating a rater, output and dimension");
        let z = standardise(&table, DeviationKind::Population).z;
        let entries = store.output_entries(study.id).await?;
        let by_output: HashMap<OutputId, &OutputEntry> =
            entries.iter().map(|entry| (entry.output, entry)).collect();
        let ratings = z.entries().filter_map(|(_, unit, z_score)| {
            let entry = by_output.get(&z.units()[unit])?;
            Some(TrainingRating {
                source: &entry.source_text,
                output: &entry.text,
                z: z_score,
            })
        });
        let mut training_set = Self {
            sources: TrainingSource::group_ratings(ratings),
            ratings: z.len(),
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

    /// The number of rated outputs, each text of a source once.
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
