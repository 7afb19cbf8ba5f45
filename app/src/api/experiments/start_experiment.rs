//! Beginning an experiment, or adding a protocol to one.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes a study for each chosen protocol, with the sources and members of this one, as arms of one experiment.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study and every arm; [`Refusal::Invalid`] where no protocol is chosen,
/// or sources were given out already; [`Refusal::ConfirmPassword`] where the password was typed too long ago, since
/// the members get roles in the new studies.
#[server(endpoint = "start-experiment")]
pub async fn start_experiment(
    slug: String,
    /// The protocols of the new arms: names of templates, or `same`.
    #[server(default)]
    protocols: BTreeMap<String, String>,
) -> Result<(), Refusal> {
    use domain::ids::StudyId;
    use service::experiments::{ArmPlan, ArmProtocol, add_arm};
    use store::{
        Error,
        audit::{AuditKind, AuditSubject},
    };

    use super::{led_experiment, update};
    use crate::{
        links::StudyPage,
        request::{audited, lead_access, parse, refuse, require_confirmed, see_other_with},
        services,
    };

    /// The most numbers that are tried for a short name that is taken.
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
    led_experiment(access.study.id).await?;
    let services = services();
    for protocol in protocols {
        let mut attempt = 0;
        loop {
            let plan = ArmPlan::suggest(&access.study, protocol, attempt);
            let id = StudyId(services.context.new_id());
            let subject = AuditSubject::Named(plan.name.clone());
            let store = audited(AuditKind::StudyCreated, Some(id), subject);
            let added = add_arm(&store, services.context, &access.study, id, &plan).await;
            match added {
                Err(Error::Taken(_)) if attempt < MOST_ATTEMPTS => attempt += 1,
                added => break added.map_err(refuse)?,
            }
        }
    }
    let done = update(access.study.id).await?;
    see_other_with(&StudyPage::Protocols.path(&access.study.slug), done);
    Ok(())
}
