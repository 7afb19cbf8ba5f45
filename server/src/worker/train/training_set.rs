use std::collections::HashMap;

use domain::{
    ids::{OutputId, SourceId},
    statistics::{DeviationKind, RatingTable, standardise},
};
use learn::{
    metric::{HybridPlan, HybridSettings, TrainingRating, TrainingSource},
    tuning,
};
use service::metric_training::LearnedKind;
use store::{Store, Study, metrics::OutputEntry, rating_rows::RatingScope};

/// What a study has to teach: its rated outputs with the mean of their z-scores.
#[derive(Debug)]
pub(super) struct TrainingSet {
    pub(super) sources: Vec<TrainingSource>,
    /// How many ratings that is.
    pub(super) ratings: usize,
    /// Sources that are left out, since they have no references and the metric needs some.
    pub(super) without_references: usize,
}

impl TrainingSet {
    /// Ratings that were handed in, on the dimension that ranks, each rater's standardised by their own
    /// mean and deviation.
    pub(super) async fn load(
        store: &Store,
        study: &Study,
        kind: LearnedKind,
    ) -> store::Result<Self> {
        let rows = store.ratings(study.id, RatingScope::HandedIn).await?;
        let first = study.settings.dimensions.first();
        let own = rows
            .iter()
            .filter(|row| !row.shared && first.is_some_and(|it| *it.name == *row.dimension));
        let table = RatingTable::new(own.map(|row| (row.rater, row.output, row.value)))
            .expect("the store keeps one finite rating a rater, output and dimension");
        let z = standardise(&table, DeviationKind::Population).z;
        let entries = store.output_entries(study.id).await?;
        let by_output: HashMap<OutputId, &OutputEntry> =
            entries.iter().map(|it| (it.output, it)).collect();
        let ratings = z.entries().filter_map(|(_, unit, z_score)| {
            let entry = by_output.get(&z.units()[unit])?;
            Some(TrainingRating {
                source: &entry.source_text,
                output: &entry.text,
                z: z_score,
            })
        });
        let mut lesson = Self {
            sources: TrainingSource::group_ratings(ratings),
            ratings: z.len(),
            without_references: 0,
        };
        if kind.needs_references() {
            let ids: HashMap<&str, SourceId> = entries
                .iter()
                .map(|it| (&*it.source_text, it.source))
                .collect();
            for source in &mut lesson.sources {
                if let Some(id) = ids.get(source.text.as_str()) {
                    source.references = store.references(*id).await?;
                }
            }
            let all = lesson.sources.len();
            lesson.sources.retain(|it| !it.references.is_empty());
            lesson.without_references = all - lesson.sources.len();
        }
        Ok(lesson)
    }

    /// How many rated outputs there are, each text of a source once.
    pub(super) fn outputs(&self) -> usize {
        self.sources.iter().map(|it| it.outputs.len()).sum()
    }

    /// How trees learn, and what is held out.
    pub(super) fn hybrid_plan(&self, kind: LearnedKind, held_out: f64) -> HybridPlan {
        /// Begins everything that is drawn by lot.
        const SEED: u64 = 1;
        HybridPlan {
            settings: if kind.needs_references() {
                HybridSettings::with_references(SEED)
            } else {
                HybridSettings::reference_free(SEED)
            },
            held_out,
        }
    }

    /// How an encoder learns; `None` where it does not.
    pub(super) fn tuning_plan(&self, kind: LearnedKind) -> Option<tuning::TuningPlan> {
        match kind {
            LearnedKind::LearnedFree | LearnedKind::LearnedRef => None,
            LearnedKind::Lens => Some(tuning::TuningPlan::lens()),
            LearnedKind::CrossEncoder => Some(tuning::TuningPlan::cross()),
        }
    }

    /// For people.
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
