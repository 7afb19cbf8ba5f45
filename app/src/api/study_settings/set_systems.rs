//! The names and kinds of a study's systems, and which of them figures leave out.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// A system and the facts that a lead states about it, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemField {
    #[serde(default)]
    pub system: String,
    #[serde(default)]
    pub name: String,
    /// `machine`, `human` or `baseline`.
    #[serde(default)]
    pub kind: String,
    /// `yes`, or empty where figures show it.
    #[serde(default)]
    pub hidden: String,
}

/// Renames, hides and shows systems, and sets their kinds.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an unknown kind, and for a
/// name that is not valid or that two systems would have.
#[server(endpoint = "set-systems")]
pub async fn set_systems(
    slug: String,
    /// The systems; others stay as they are.
    #[server(default)]
    systems: Vec<SystemField>,
) -> Result<(), Refusal> {
    use store::{
        SystemFacts,
        audit::{AuditKind, AuditSubject},
    };

    use crate::{
        links::StudyPage,
        request::{audited, lead_access, parse, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    let facts = |field: &SystemField| {
        Ok(SystemFacts {
            id: parse::id(&field.system)?,
            name: field.name.trim().to_owned(),
            kind: parse::choice(&field.kind)?,
            is_hidden: field.hidden == "yes",
        })
    };
    let facts = systems
        .iter()
        .map(facts)
        .collect::<Result<Vec<_>, Refusal>>()?;
    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    let stored = services.store.systems(study).await.map_err(refuse)?;
    let names = AuditSubject::Named(SystemFacts::name_changes(&stored, &facts));
    let changed = audited(AuditKind::SystemsChanged, Some(study), names)
        .update_systems(study, &facts, now)
        .await;
    let message = match changed.map_err(refuse)? {
        0 => "Nothing changed.".to_owned(),
        1 => "One system changed.".to_owned(),
        many => format!("{many} systems changed."),
    };
    see_other_with(&StudyPage::Systems.path(&slug), message);
    Ok(())
}
