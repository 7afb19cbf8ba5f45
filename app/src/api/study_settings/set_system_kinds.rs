//! What the systems of a study are.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// A system and what it is said to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemKindField {
    /// Its id.
    #[serde(default)]
    pub system: String,
    /// machine, human or baseline.
    #[serde(default)]
    pub kind: String,
}

/// Says of what kind systems are: figures show people, machines and baselines apart.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an unknown kind.
#[server(endpoint = "set-system-kinds")]
pub async fn set_system_kinds(
    /// The study's short name.
    slug: String,
    /// The systems; those that are left out stay what they are.
    #[server(default)]
    kinds: Vec<SystemKindField>,
) -> Result<(), Refusal> {
    use crate::{
        flash::{self, Flash},
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let kinds = kinds
        .iter()
        .map(|it| Ok((parse::id(&it.system)?, parse::choice(&it.kind)?)))
        .collect::<Result<Vec<_>, Refusal>>()?;
    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    let changed = services.store.set_system_kinds(study, &kinds, now).await;
    let said = match changed.map_err(refuse)? {
        0 => "Nothing changed: all systems are of these kinds already.".to_owned(),
        1 => "The kind of one system changed.".to_owned(),
        many => format!("The kinds of {many} systems changed."),
    };
    flash::set(&Flash::Done(said));
    see_other(&format!("/s/{slug}/systems"));
    Ok(())
}
