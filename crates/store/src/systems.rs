//! The systems of a study and the facts that its lead states about them.

use std::collections::{HashMap, HashSet};

use domain::{
    ids::{StudyId, SystemId},
    study::SystemKind,
};
use sqlx::AnyConnection;

use crate::{
    Error, EventKind, Result, Store, StudySystem,
    columns::{BindId, read_rows},
    event,
    import::{BASELINE_PREFIX, refuse_concurrent_import},
    lock,
};

/// The largest number of characters of a new name.
const MAX_NAME_CHARS: usize = 200;

/// The facts that a lead states about a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemFacts {
    /// The system.
    pub id: SystemId,
    /// Its name, by which files and figures know it.
    pub name: String,
    /// The kind of system.
    pub kind: SystemKind,
    /// Whether figures of systems leave it out. Its ratings are kept, count for raters, and are exported.
    pub is_hidden: bool,
}

impl From<&StudySystem> for SystemFacts {
    fn from(system: &StudySystem) -> Self {
        Self {
            id: system.id,
            name: system.name.clone(),
            kind: system.kind,
            is_hidden: system.is_hidden,
        }
    }
}

impl SystemFacts {
    /// The systems that `changed` describes differently, in the words of the log of changes.
    #[must_use]
    pub fn name_changes(systems: &[StudySystem], changed: &[Self]) -> String {
        let name = |system: &StudySystem| {
            let new = changed.iter().find(|new| new.id == system.id)?;
            (*new != Self::from(system)).then(|| match new.name == system.name {
                true => system.name.clone(),
                false => format!("{} (now {})", system.name, new.name),
            })
        };
        let names: Vec<_> = systems.iter().filter_map(name).collect();
        names.join(", ")
    }
}

impl Store {
    /// Stores facts about systems of the study, and returns the number of systems changed. Ids that
    /// belong to no system of the study change nothing. A closed study allows this, too, because it
    /// changes no answer.
    ///
    /// # Errors
    /// Refused for a new name that is not valid or that another system has, for any new name while
    /// an import is in progress, and where the study no longer exists; when the database fails.
    pub async fn update_systems(
        &self,
        study: StudyId,
        facts: &[SystemFacts],
        now_ms: i64,
    ) -> Result<usize> {
        let changed: Result<(usize, bool)> = change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let stored = load_facts(&mut tx, study).await?;

            let is_new = |new: &&SystemFacts| stored.get(&new.id).is_some_and(|old| old != *new);
            let changed: Vec<_> = facts.iter().filter(is_new).collect();
            let renamed = changed.iter().copied();
            let renamed: Vec<_> = renamed
                .filter(|new| stored[&new.id].name != new.name)
                .collect();

            if !renamed.is_empty() {
                // The rows of an import that are still to come know systems by their names.
                refuse_concurrent_import(&mut tx, study).await?;
                check_names(&stored, &renamed)?;
            }

            // Systems may swap names, and the table holds each name only once.
            for system in renamed {
                sqlx::query("UPDATE stored_system SET name = id WHERE id = $1")
                    .bind_id(system.id)
                    .execute(&mut *tx)
                    .await?;
            }

            for system in &changed {
                sqlx::query(
                    "UPDATE stored_system SET name = $2, kind = $3, hidden = $4 WHERE id = $1",
                )
                .bind_id(system.id)
                .bind(&system.name)
                .bind(system.kind.name())
                .bind(i64::from(system.is_hidden))
                .execute(&mut *tx)
                .await?;
                event::record(&mut tx, study, EventKind::System, system.id, now_ms).await?;
            }

            (changed.len(), !changed.is_empty())
        });
        Ok(changed?.0)
    }
}

async fn load_facts(
    tx: &mut AnyConnection,
    study: StudyId,
) -> Result<HashMap<SystemId, SystemFacts>> {
    let rows = sqlx::query("SELECT id, name, kind, hidden FROM stored_system WHERE study_id = $1")
        .bind_id(study)
        .fetch_all(tx)
        .await?;
    read_rows("system", &rows, |row| {
        let facts = SystemFacts {
            id: row.parse("id")?,
            name: row.get("name")?,
            kind: row.parse("kind")?,
            is_hidden: row.flag("hidden")?,
        };
        Ok((facts.id, facts))
    })
}

/// Refuses new names that are not valid, or that two systems would have.
fn check_names(stored: &HashMap<SystemId, SystemFacts>, renamed: &[&SystemFacts]) -> Result<()> {
    let ids: HashSet<_> = renamed.iter().map(|system| system.id).collect();
    let others = stored.values().filter(|system| !ids.contains(&system.id));
    let mut names: HashSet<_> = others.map(|system| &*system.name).collect();
    let is_baseline = |name: &str| name.starts_with(BASELINE_PREFIX);

    for SystemFacts { id, name, .. } in renamed {
        let sentence = if name.trim().is_empty() {
            "A system needs a name.".to_owned()
        } else if name.chars().count() > MAX_NAME_CHARS || name.contains(char::is_control) {
            format!("The name of a system is one line of at most {MAX_NAME_CHARS} characters.")
        } else if is_baseline(name) || is_baseline(&stored[id].name) {
            format!("Names that begin with “{BASELINE_PREFIX}” are for quality-control items.")
        } else if !names.insert(name) {
            format!("The study has another system called “{name}”: choose another name.")
        } else {
            continue;
        };
        return Err(Error::Refused(sentence));
    }
    Ok(())
}
