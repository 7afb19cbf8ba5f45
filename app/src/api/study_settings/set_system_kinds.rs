//! The kinds of a study's systems.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// A system and its stated kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemKindField {
    #[serde(default)]
    pub system: String,
    /// `machine`, `human` or `baseline`.
    #[serde(default)]
    pub kind: String,
}

/// Sets the kinds of systems: figures show people, machines and baselines separately.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an unknown kind.
#[server(endpoint = "set-system-kinds")]
pub async fn set_system_kinds(
    slug: String,
    /// The systems; others keep their kind.
    #[server(default)]
    kinds: Vec<SystemKindField>,
) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    let kinds = kinds
        .iter()
        .map(|field| Ok((parse::id(&field.system)?, parse::choice(&field.kind)?)))
        .collect::<Result<Vec<_>, Refusal>>()?;
    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    let changed = services.store.set_system_kinds(study, &kinds, now).await;
    let message = match changed.map_err(refuse)? {
        0 => "Nothing changed: all systems already have these kinds.".to_owned(),
        1 => "The kind of one system changed.".to_owned(),
        many => format!("The kinds of {many} systems changed."),
    };
    see_other_with(&StudyPage::Systems.path(&slug), message);
    Ok(())
}
