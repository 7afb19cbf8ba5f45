//! Scoring a study's outputs and training on its ratings.

mod adopt_model;
mod cancel_scoring;
mod cancel_training;
mod remove_metric;
mod score_outputs;
mod set_metric_direction;
mod set_retraining;
mod train_metric;

pub use adopt_model::{AdoptModel, adopt_model};
pub use cancel_scoring::{CancelScoring, cancel_scoring};
pub use cancel_training::{CancelTraining, cancel_training};
pub use remove_metric::{RemoveMetric, remove_metric};
pub use score_outputs::{ScoreOutputs, score_outputs};
pub use set_metric_direction::{SetMetricDirection, set_metric_direction};
pub use set_retraining::{SetRetraining, set_retraining};
pub use train_metric::{TrainMetric, train_metric};

#[cfg(feature = "ssr")]
pub(super) use server_side::cancel;

#[cfg(feature = "ssr")]
mod server_side {
    use store::JobKind;

    use crate::{
        api::study_job,
        error::Refusal,
        links::StudyPage,
        request::{access, refuse, see_other},
        services,
    };

    /// Cancels a job of that kind, and leads back to the page.
    pub(in crate::api) async fn cancel(
        slug: &str,
        job: &str,
        kind: JobKind,
        page: StudyPage<'_>,
    ) -> Result<(), Refusal> {
        let access = access(slug).await?;
        access.require_panel_access()?;

        let job = study_job(&access, job).await?;
        if job.kind != kind {
            return Err(Refusal::NotFound);
        }

        let services = services();
        let cancelled = services
            .store
            .cancel_job(job.id, services.context.now_ms())
            .await;
        cancelled.map_err(refuse)?;

        see_other(&page.path(slug));
        Ok(())
    }
}
