//! The progress of a study, source by source.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    ids::{SourceId, StudyId},
    study::WantedRaters,
};
use store::{
    Store,
    figure_changes::FigureChanges,
    overview::{AssignmentOutline, SourceOutline, StudyOverview},
    rating_rows::StudyPart,
};

use super::MAX_SINGLE_READS;

/// The progress of a study.
#[derive(Debug)]
pub struct StudyProgress {
    /// The study in numbers.
    pub overview: StudyOverview,
    /// The assignments, source by source.
    pub assignments: Arc<Vec<AssignmentOutline>>,
    /// The parts that the overview sums up.
    sources: BTreeMap<SourceId, Arc<SourceOutline>>,
    /// The numbers of raters that the study asked for when progress was counted.
    wanted: WantedRaters,
}

impl StudyProgress {
    /// The numbers of raters that the study asked for when progress was counted.
    pub(super) const fn wanted(&self) -> &WantedRaters {
        &self.wanted
    }

    /// Reads the sources that changed since the event of the `known` progress, or all sources if there is none.
    pub(super) async fn load(
        store: &Store,
        study: StudyId,
        wanted: WantedRaters,
        known: Option<(i64, Arc<Self>)>,
    ) -> store::Result<Self> {
        let mut sources = BTreeMap::new();
        let mut parts = vec![StudyPart::Whole];

        if let Some((event, known)) = known
            && let FigureChanges::Sources(changed) =
                store.figure_changes_after(study, event).await?
            && changed.len() <= MAX_SINGLE_READS
        {
            sources.clone_from(&known.sources);
            parts = changed.into_iter().map(StudyPart::Source).collect();
        }

        for part in parts {
            for source in store.source_progress(study, part).await? {
                sources.insert(source.source, Arc::new(source));
            }
        }

        let raters = store.raters(study).await?;
        let systems = store.count_systems(study).await?;
        let each = sources.values().map(AsRef::as_ref);
        let overview = StudyOverview::from_sources(each, &raters, systems, &wanted);
        let assignments = sources.values().flat_map(|source| &source.assignments);

        Ok(Self {
            overview,
            assignments: Arc::new(assignments.cloned().collect()),
            sources,
            wanted,
        })
    }
}
