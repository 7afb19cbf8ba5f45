//! Experiments that compare protocols.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    domain::ids::{PersonId, StudyId},
    service::experiments::{
        ArmNames, ArmProtocol, ArmUpdate, ExperimentEditor, add_arm, refuse_too_many, update_arms,
    },
    store::{Error, audit::NewAuditEntry, experiments::ProtocolExperiment},
};

/// Makes a study for each chosen protocol, with this study's sources and members, as arms of one experiment.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study and every open arm; [`Refusal::Invalid`] where
/// no protocol is chosen, more than fit are, or sources were given out already; [`Refusal::ConfirmPassword`]
/// where the password was typed too long ago, because members get roles in the new studies.
#[server(endpoint = "start-experiment")]
pub async fn start_experiment(
    slug: String,
    /// The protocols of the new arms: names of templates, or `same`.
    #[server(default)]
    protocols: BTreeMap<String, String>,
) -> Result<(), Refusal> {
    /// The most numbers to try for a short name that is taken.
    const MOST_ATTEMPTS: usize = 20;

    let access = lead_access(&slug).await?;
    require_confirmed()?;

    let protocols = protocols.values().map(|name| parse::choice(name));
    let protocols: Vec<ArmProtocol> = protocols.collect::<Result<_, _>>()?;
    if protocols.is_empty() {
        return Err(Refusal::invalid(
            "Choose the protocol that this one is compared with.",
        ));
    }

    let experiment = led_experiment(access.study.id).await?;
    refuse_too_many(experiment.as_ref(), protocols.len()).map_err(refuse)?;

    let (services, member_entry) = (services(), member_entries());
    let editor = ExperimentEditor {
        person: Some(access.person.id),
        member_entry: &member_entry,
    };
    let mut names = ArmNames::new(&access.study, experiment.as_ref());
    let (mut made, mut failed) = (0, None);
    'protocols: for protocol in protocols {
        let mut attempt = 0;
        loop {
            let plan = names.suggest(protocol, attempt);
            let id = StudyId(services.context.new_id());
            let subject = AuditSubject::Named(plan.name.clone());
            let store = audited(AuditKind::StudyCreated, Some(id), subject);
            let added = add_arm(&store, services.context, editor, &access.study, id, &plan).await;
            match added {
                Ok(()) => {
                    names.take(plan.name);
                    made += 1;
                    break;
                }
                Err(Error::Taken(_)) if attempt < MOST_ATTEMPTS => attempt += 1,
                Err(error) => {
                    failed = Some(refuse(error));
                    break 'protocols;
                }
            }
        }
    }

    // Arms that were made before one failed stay, and get their sources.
    let done = match (made, failed) {
        (0, Some(refusal)) => return Err(refusal),
        (_, None) => update(access.person.id, access.study.id).await?,
        (_, Some(refusal)) => {
            update(access.person.id, access.study.id).await?;
            return Err(refusal);
        }
    };

    redirect_with(StudyPage::Protocols, &access.study.slug, done)
}

/// Gives every open arm the sources and annotators of the other open arms, and every source its place in the plan.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads every open arm; [`Refusal::NotFound`] where the study is
/// in no experiment.
#[server(endpoint = "update-experiment")]
pub async fn update_experiment(slug: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let done = update(access.person.id, access.study.id).await?;
    redirect_with(StudyPage::Protocols, &access.study.slug, done)
}

/// The study's experiment, if it has one. The person must lead all of its open arms. Closed arms, which
/// they may not even read, neither give anything to the others nor get anything.
///
/// # Errors
/// [`Refusal::NotAllowed`] and [`Refusal::NotFound`] as for [`lead_access`] to each arm.
#[cfg(feature = "ssr")]
async fn led_experiment(study: StudyId) -> Result<Option<ProtocolExperiment>, Refusal> {
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
#[cfg(feature = "ssr")]
async fn update(person: PersonId, study: StudyId) -> Result<String, Refusal> {
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
#[cfg(feature = "ssr")]
fn member_entries() -> impl Fn(StudyId, PersonId) -> NewAuditEntry + Send + Sync {
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

#[cfg(feature = "ssr")]
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
