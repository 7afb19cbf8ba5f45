//! Experiments that compare protocols.

mod start_experiment;
mod update_experiment;

pub use start_experiment::{StartExperiment, start_experiment};
pub use update_experiment::{UpdateExperiment, update_experiment};

#[cfg(feature = "ssr")]
mod server_side {
    use domain::ids::StudyId;
    use service::experiments::{ArmUpdate, update_arms};
    use store::experiments::ProtocolExperiment;

    use crate::{
        error::Refusal,
        request::{lead_access, refuse},
        services,
    };

    /// The experiment that the study is in, if it is in one, whose open arms the person leads, all of them.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] and [`Refusal::NotFound`] as of [`lead_access`] to each arm.
    pub(super) async fn led_experiment(
        study: StudyId,
    ) -> Result<Option<ProtocolExperiment>, Refusal> {
        let experiment = services().store.experiment_of(study).await;
        let Some(experiment) = experiment.map_err(refuse)? else {
            return Ok(None);
        };
        for arm in experiment.arms.iter().filter(|arm| !arm.is_closed) {
            lead_access(arm.slug.as_str()).await?;
        }
        Ok(Some(experiment))
    }

    /// Brings the arms up to date; tells in a sentence what that added.
    ///
    /// # Errors
    /// As of [`led_experiment`]; [`Refusal::NotFound`] where the study is in none; when an import is running.
    pub(super) async fn update(study: StudyId) -> Result<String, Refusal> {
        let experiment = led_experiment(study).await?.ok_or(Refusal::NotFound)?;
        let services = services();
        let update = update_arms(&services.store, services.context, &experiment).await;
        Ok(describe(&update.map_err(refuse)?))
    }

    fn describe(update: &ArmUpdate) -> String {
        if *update == ArmUpdate::default() {
            return "All arms have the same sources and annotators.".to_owned();
        }
        let (mut sources, mut outputs) = (0, 0);
        for (_, counts) in &update.imported {
            sources += counts.sources;
            outputs += counts.outputs;
        }
        let mut text = format!(
            "The arms are up to date. Copied: sources {sources}, outputs {outputs}. Annotators added: {}.",
            update.annotators
        );
        for conflict in &update.conflicts {
            text += &format!(" {conflict}");
        }
        text
    }
}

#[cfg(feature = "ssr")]
use server_side::{led_experiment, update};
