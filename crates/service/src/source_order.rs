//! Choosing which sources come next, in studies whose lead wants those first that make the ranking of systems more
//! certain.

use std::collections::{HashMap, HashSet};

use domain::{
    ids::{SourceId, StudyId},
    study::{SourceOrder, StudySettings},
};
use store::{
    Store,
    metrics::{MetricScore, StudyMetric},
    rating_rows::RatingScope,
};

use crate::{
    computation::FigureError,
    figures::{metrics::text_hash, next_sources::choose_next_sources},
    live::LiveStudies,
};

/// The number of sources that are chosen at a time.
const CHOSEN: usize = 200;
/// Sources are chosen again after this many changes of the study …
const CHANGES: i64 = 20;
/// … or after this time, if anything changed, in milliseconds.
const STALE_MS: i64 = 120_000;
/// Choosing takes at most one part in this many of the time.
const SHARE_OF_TIME: i64 = 20;
/// The most scores that a study's metrics may have, including those that cannot help. With more, no metric helps to
/// choose, because reading the scores takes too long.
const MOST_SCORES: usize = 200_000;

/// Chooses the next sources of studies, from time to time.
#[derive(Debug)]
pub struct SourcePlanner {
    store: Store,
    live: LiveStudies,
    now_ms: fn() -> i64,
    planned: HashMap<StudyId, PlannedSources>,
}

/// The last choice of a study's next sources.
#[derive(Debug, Clone, Copy)]
struct PlannedSources {
    /// The number of the newest event before the choice.
    event: i64,
    at_ms: i64,
    /// The earliest time at which they may be chosen again.
    rested_ms: i64,
}

impl PlannedSources {
    fn is_due(&self, event: i64, now_ms: i64) -> bool {
        let many = event - self.event >= CHANGES;
        let stale = event > self.event && now_ms - self.at_ms >= STALE_MS;
        now_ms >= self.rested_ms && (many || stale)
    }
}

impl SourcePlanner {
    /// A planner that has chosen nothing yet.
    #[must_use]
    pub fn new(store: Store, live: LiveStudies, now_ms: fn() -> i64) -> Self {
        Self {
            store,
            live,
            now_ms,
            planned: HashMap::new(),
        }
    }

    /// Chooses the next sources of all studies that ask for it and have changed since. If that fails for a study, the
    /// log names it, and the others go on.
    ///
    /// # Errors
    /// When the database fails. A study that is closed meanwhile is left unchanged.
    pub async fn plan_due_studies(&mut self) -> store::Result<()> {
        let studies = self.store.studies_with_chosen_sources().await?;
        let ids: HashSet<StudyId> = studies.iter().map(|(study, _)| *study).collect();
        self.planned.retain(|study, _| ids.contains(study));

        for (study, event) in studies {
            let begun_ms = (self.now_ms)();
            let last = self.planned.get(&study);
            if last.is_some_and(|last| !last.is_due(event, begun_ms)) {
                continue;
            }

            if let Err(error) = self.plan(study).await {
                tracing::warn!(%study, %error, "the next sources of a study were not chosen");
            }

            let ended_ms = (self.now_ms)();
            let planned = PlannedSources {
                event,
                at_ms: begun_ms,
                rested_ms: ended_ms + (ended_ms - begun_ms) * SHARE_OF_TIME,
            };
            self.planned.insert(study, planned);
        }
        Ok(())
    }

    async fn plan(&self, study: StudyId) -> Result<(), FigureError> {
        let Some(found) = self.store.study(study).await? else {
            return Ok(());
        };
        let first = match ranked_dimension(&found.settings) {
            Some(dimension) => self.choose(study, dimension).await?,
            None => vec![],
        };

        if self.store.first_sources(study).await? == first {
            return Ok(());
        }

        match self.store.set_first_sources(study, &first).await {
            Err(store::Error::Refused(_)) | Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn choose(
        &self,
        study: StudyId,
        dimension: String,
    ) -> Result<Vec<SourceId>, FigureError> {
        let open = self.store.sources_without_raters(study).await?;
        let scores = self.load_scores(study).await?;
        let choose =
            move |snapshot: &_| choose_next_sources(snapshot, &dimension, &open, &scores, CHOSEN);

        let first = self
            .live
            .read(&self.store, study, RatingScope::default(), choose);
        first.await
    }

    /// The scores of the metrics that may help: those that did not learn from ratings of the study's sources.
    async fn load_scores(&self, study: StudyId) -> Result<Vec<MetricScore>, FigureError> {
        let mut metrics = self.store.metrics(study).await?;
        let all = metrics.len();

        if metrics.iter().any(|metric| !metric.trained_on.is_empty()) {
            let sources = self.live.source_list(&self.store, study).await?;
            let hashes: HashSet<String> = sources
                .iter()
                .map(|source| text_hash(&source.text))
                .collect();
            let is_independent = |metric: &StudyMetric| {
                let mut learned = metric.trained_on.iter();
                !learned.any(|hash| hashes.contains(hash))
            };
            metrics.retain(is_independent);
        }

        let count = |snapshot: &crate::live::StudySnapshot| snapshot.categories().count();
        let outputs = self
            .live
            .read(&self.store, study, RatingScope::default(), count);

        if metrics.is_empty() || outputs.await? * all > MOST_SCORES {
            return Ok(vec![]);
        }

        let usable: HashSet<_> = metrics.iter().map(|metric| metric.id).collect();
        let mut scores = self.store.metric_scores(study).await?;
        scores.retain(|score| usable.contains(&score.metric));
        Ok(scores)
    }
}

/// The dimension by which the study's systems are ranked, if its sources are chosen and its outputs are rated.
///
/// `None` if a group of raters has its own number of raters: new sources would come first for each such group and for
/// all others, so that they would judge different ones.
fn ranked_dimension(settings: &StudySettings) -> Option<String> {
    let is_chosen = settings.source_order == SourceOrder::WhereUncertain;
    let first = settings.dimensions.first();
    let is_shared = settings.counted_groups().next().is_none();

    let first = first.filter(|_| is_chosen && is_shared && settings.protocol.scores());
    first.map(|dimension| dimension.name.clone())
}

#[cfg(test)]
mod tests {
    use domain::rater_groups::RaterGroup;

    use super::*;

    #[test]
    fn sources_are_chosen_again_after_changes_and_a_rest() {
        let planned = PlannedSources {
            event: 100,
            at_ms: 1_000,
            rested_ms: 3_000,
        };
        for (event, now_ms, expect) in [
            (100, 1_000_000, false),
            (119, 5_000, false),
            (120, 5_000, true),
            (120, 2_999, false),
            (101, 1_000 + STALE_MS, true),
        ] {
            assert_eq!(planned.is_due(event, now_ms), expect, "{event} {now_ms}");
        }
    }

    #[test]
    fn only_ratings_rank_systems() {
        let mut settings = StudySettings::default();
        assert_eq!(ranked_dimension(&settings), None);
        settings.source_order = SourceOrder::WhereUncertain;
        assert_eq!(ranked_dimension(&settings).as_deref(), Some("overall"));

        let mut grouped = settings.clone();
        grouped.groups = vec![RaterGroup {
            overlap: Some(1),
            ..RaterGroup::default()
        }];
        assert_eq!(ranked_dimension(&grouped), None);

        let pairwise = crate::templates::StudyTemplate::Pairwise.settings();
        settings.protocol = pairwise.protocol;
        assert_eq!(ranked_dimension(&settings), None);
    }
}
