//! The rule by which a study trains again after enough new ratings.

use std::{collections::HashMap, sync::PoisonError};

use domain::{ids::StudyId, metrics::LearnedMetricKind};
use service::{
    metric_training::{self, ModelReport, TrainJob, count_training_ratings, training_dimensions},
    metrics,
    training_settings::ChosenSettings,
};
use store::JobKind;

use super::TrainingWorker;
use crate::clock;

impl TrainingWorker {
    /// Queues a training for each study whose rule asks for one.
    pub(super) async fn queue_due_trainings(&self, now_ms: i64) -> store::Result<()> {
        let store = &self.runner.store;
        for (id, newest) in store.newest_events().await? {
            let last_checked = self.lock_checked_events().insert(id, newest);
            if last_checked == Some(newest) {
                continue;
            }

            let Some(study) = store.study(id).await? else {
                continue;
            };
            let retrain_every = study.settings.retrain_every;
            if retrain_every == 0 {
                continue;
            }

            let models = store.models(id).await?;
            let kind = LearnedMetricKind::SHIPPED;

            // The new training learns from the dimensions of the last one.
            let last = models.iter().filter(|model| model.name == kind.name());
            let last = last.max_by_key(|model| model.version);
            let last = last.and_then(ModelReport::from_model);
            let chosen = last.map(|report| report.dimensions).unwrap_or_default();
            let dimensions = training_dimensions(&study.settings, &chosen);

            let reports = models.iter().filter_map(ModelReport::from_model);
            let learned_from = reports
                .filter(|report| {
                    training_dimensions(&study.settings, &report.dimensions) == dimensions
                })
                .map(|report| report.ratings)
                .max();

            let ratings = count_training_ratings(store, id, &dimensions).await?;
            let new_ratings = ratings.saturating_sub(learned_from.unwrap_or(0));
            if new_ratings < u64::from(retrain_every) {
                continue;
            }

            if metrics::failed_recently(store, id, JobKind::Train, now_ms, 0).await? {
                // Otherwise the study would not be checked again before its next event.
                self.lock_checked_events().remove(&id);
                continue;
            }

            let job = TrainJob {
                kind,
                start: metric_training::default_start(&models, kind),
                dimensions: dimensions.into_iter().map(str::to_owned).collect(),
                settings: ChosenSettings::default(),
            };
            metric_training::enqueue(store, id, job, None, clock::CONTEXT).await?;
        }
        Ok(())
    }

    fn lock_checked_events(&self) -> std::sync::MutexGuard<'_, HashMap<StudyId, i64>> {
        self.checked_events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
