//! The names and kinds of a study's systems, and which of them figures leave out.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {super::ssr::*, store::SystemFacts};

/// A system and the facts that a lead states about it, as form fields. Only what differs from the values that
/// the page showed is written, so that two leads who change different things do not undo each other's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SystemField {
    pub system: String,
    pub name: String,
    pub was_name: String,
    /// `machine`, `human` or `baseline`.
    pub kind: String,
    pub was_kind: String,
    /// `yes`, or empty where figures show it.
    pub hidden: String,
    pub was_hidden: String,
}

/// Renames, hides and shows systems, and sets their kinds.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an unknown kind, and
/// for a name that is invalid or that two systems would have.
#[server(endpoint = "set-systems")]
pub async fn set_systems(
    slug: String,
    /// The systems; others do not change.
    #[server(default)]
    systems: Vec<SystemField>,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let study = access.study.id;
    let (store, now) = store_and_now();
    let stored = store.systems(study).await.map_err(refuse)?;

    let mut facts = Vec::new();
    for field in &systems {
        let (id, kind) = (parse::id(&field.system)?, parse::choice(&field.kind)?);
        let Some(system) = stored.iter().find(|system| system.id == id) else {
            continue;
        };

        let mut stated = SystemFacts::from(system);
        if field.name != field.was_name {
            field.name.trim().clone_into(&mut stated.name);
        }
        if field.kind != field.was_kind {
            stated.kind = kind;
        }
        if field.hidden != field.was_hidden {
            stated.is_hidden = field.hidden == "yes";
        }
        facts.push(stated);
    }

    let names = AuditSubject::Named(SystemFacts::name_changes(&stored, &facts));
    let changed = audited(AuditKind::SystemsChanged, Some(study), names)
        .update_systems(study, &facts, now)
        .await;

    let message = match changed.map_err(refuse)? {
        0 => "Nothing changed.".to_owned(),
        1 => "One system changed.".to_owned(),
        many => format!("{many} systems changed."),
    };
    redirect_with(StudyPage::Systems, &slug, message)
}
