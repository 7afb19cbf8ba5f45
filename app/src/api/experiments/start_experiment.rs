//! Beginning an experiment, or adding a protocol to one.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::error::Refusal;

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
    use domain::ids::StudyId;
    use service::experiments::{ArmNames, ArmProtocol, ExperimentEditor, add_arm, refuse_too_many};
    use store::{
        Error,
        audit::{AuditKind, AuditSubject},
    };

    use super::{led_experiment, member_entries, update};
    use crate::{
        links::StudyPage,
        request::{audited, lead_access, parse, refuse, require_confirmed, see_other_with},
        services,
    };

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

    see_other_with(&StudyPage::Protocols.path(&access.study.slug), done);
    Ok(())
}
