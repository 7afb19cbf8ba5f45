use std::collections::HashMap;

use app::learned::LearnedKind;
use domain::{
    ids::{OutputId, SourceId},
    statistics::{Deviation, Ratings, standardise},
};
use learn::{
    metric::{Plan, Rating, Settings, Source},
    tuning,
};
use store::{Store, Study, metrics::OutputEntry, ratings::Which};

/// What a study has to teach: its rated outputs with the mean of their z-scores.
#[derive(Debug)]
pub(super) struct Lesson {
    pub(super) sources: Vec<Source>,
    /// How many ratings that is.
    pub(super) ratings: usize,
    /// Sources that are left out, since they have no references and the metric needs some.
    pub(super) without_references: usize,
}

impl Lesson {
    /// Ratings that were handed in, on the dimension that ranks, each rater's standardised by their own
    /// mean and deviation.
    pub(super) async fn read(
        store: &Store,
        study: &Study,
        kind: LearnedKind,
    ) -> store::Result<Self> {
        let rows = store.ratings(study.id, Which::HandedIn).await?;
        let first = study.settings.dimensions.first();
        let own = rows
            .iter()
            .filter(|row| !row.shared && first.is_some_and(|it| *it.name == *row.dimension));
        let table = Ratings::new(own.map(|row| (row.rater, row.output, row.value)))
            .expect("the store keeps one finite rating a rater, output and dimension");
        let z = standardise(&table, Deviation::Population).z;
        let entries = store.output_entries(study.id).await?;
        let by_output: HashMap<OutputId, &OutputEntry> =
            entries.iter().map(|it| (it.output, it)).collect();
        let ratings = z.entries().filter_map(|(_, unit, z_score)| {
            let entry = by_output.get(&z.units()[unit])?;
            Some(Rating {
                source: &entry.source_text,
                output: &entry.text,
                z: z_score,
            })
        });
        let mut lesson = Self {
            sources: Source::group(ratings),
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
    pub(super) fn plan(&self, kind: LearnedKind, held_out: f64) -> Plan {
        /// Begins everything that is drawn by lot.
        const SEED: u64 = 1;
        Plan {
            settings: if kind.needs_references() {
                Settings::with_references(SEED)
            } else {
                Settings::free(SEED)
            },
            held_out,
        }
    }

    /// How an encoder learns; `None` where it does not.
    pub(super) fn tuning(&self, kind: LearnedKind) -> Option<tuning::Plan> {
        match kind {
            LearnedKind::LearnedFree | LearnedKind::LearnedRef => None,
            LearnedKind::Lens => Some(tuning::Plan::lens()),
            LearnedKind::CrossEncoder => Some(tuning::Plan::cross()),
        }
    }

    /// For people.
    pub(super) fn said(&self) -> String {
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
