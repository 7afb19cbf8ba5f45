//! Experiments that compare protocols.

mod start_experiment;
mod update_experiment;

pub use start_experiment::{StartExperiment, start_experiment};
pub use update_experiment::{UpdateExperiment, update_experiment};

#[cfg(feature = "ssr")]
mod server_side {
    use domain::ids::{PersonId, StudyId};
    use service::experiments::{ArmUpdate, ExperimentEditor, update_arms};
    use store::{
        audit::{AuditKind, AuditSubject, NewAuditEntry},
        experiments::ProtocolExperiment,
    };

    use crate::{
        error::Refusal,
        request::{audit_entry, lead_access, refuse, visitor},
        services,
    };

    /// The study's experiment, if it has one. The person must lead all of its open arms. Closed arms, which
    /// they may not even read, neither give anything to the others nor get anything.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] and [`Refusal::NotFound`] as for [`lead_access`] to each arm.
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

    /// Brings the arms up to date. Returns a sentence that says what was added.
    ///
    /// # Errors
    /// As for [`led_experiment`]; [`Refusal::NotFound`] where the study is in no experiment; when an import
    /// is running.
    pub(super) async fn update(person: PersonId, study: StudyId) -> Result<String, Refusal> {
        let experiment = led_experiment(study).await?.ok_or(Refusal::NotFound)?;

        let (services, member_entry) = (services(), member_entries());
        let editor = ExperimentEditor {
            person: Some(person),
            member_entry: &member_entry,
        };

        let update = update_arms(&services.store, services.context, editor, &experiment).await;
        Ok(describe(&update.map_err(refuse)?))
    }

    /// Makes the audit entries for people whom this request adds to an arm.
    pub(super) fn member_entries() -> impl Fn(StudyId, PersonId) -> NewAuditEntry + Send + Sync {
        let (services, visitor) = (services(), visitor());
        move |study, person| {
            let subject = AuditSubject::Member(person);
            audit_entry(
                &services,
                &visitor,
                AuditKind::MemberAdded,
                Some(study),
                subject,
            )
        }
    }

    fn describe(update: &ArmUpdate) -> String {
        if *update == ArmUpdate::default() {
            return "All open studies have the same sources and annotators.".to_owned();
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
use server_side::{led_experiment, member_entries, update};
