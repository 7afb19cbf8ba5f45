//! The systems of a study, from the command line: their names and kinds, and which of them are hidden.

use anyhow::Context as _;
use domain::study::{Slug, SystemKind};
use serde::Serialize;
use store::{
    StudySystem, SystemFacts,
    audit::{AuditKind, AuditSubject},
};
use utoipa::ToSchema;

use super::{
    output::{CommandOutput, columns},
    study::find_study,
};
use crate::{audit::command_entry, clock, database, settings::DataSettings};

/// Lists the systems of a study with their kinds, or renames one, sets its kind, hides or shows it.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("change").multiple(true).args(["kind", "rename", "hide", "show"]))]
pub(crate) struct SystemArgs {
    /// The study, by its short name.
    study: Slug,
    /// The system to change, by its name.
    #[arg(requires = "change")]
    name: Option<String>,
    /// Its kind: machine, human or baseline.
    #[arg(long, requires = "name")]
    kind: Option<SystemKind>,
    /// Its new name. A file that has the old one adds a system.
    #[arg(long, value_name = "NAME", requires = "name")]
    rename: Option<String>,
    /// Leave it out of figures of systems and metrics; its ratings are kept, count for raters, and are exported.
    #[arg(long, requires = "name")]
    hide: bool,
    /// Show it in these figures again.
    #[arg(long, requires = "name", conflicts_with = "hide")]
    show: bool,
}

/// The systems of a study, as they are printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SystemListing<'a> {
    /// All systems of the study.
    systems: Vec<SystemDetails<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
struct SystemDetails<'a> {
    /// Its name.
    system: &'a str,
    /// `machine`, `human` or `baseline`.
    kind: &'static str,
    /// Whether the lead hides it.
    hidden: bool,
    /// The number of its outputs.
    outputs: i64,
}

impl<'a> From<&'a StudySystem> for SystemDetails<'a> {
    fn from(system: &'a StudySystem) -> Self {
        Self {
            system: &system.name,
            kind: system.kind.name(),
            hidden: system.is_hidden,
            outputs: system.outputs,
        }
    }
}

impl SystemArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let store = match self.name {
            None => database::open_to_read(data).await?,
            Some(_) => database::open_existing(data).await?,
        };
        let study = find_study(&store, &self.study).await?.id;

        if let Some(name) = &self.name {
            let systems = store.systems(study).await?;
            let system = systems.iter().find(|system| system.name == *name);
            let system = system.with_context(|| {
                let names: Vec<_> = systems.iter().map(|system| system.name.as_str()).collect();
                format!(
                    "no system is called “{name}”; there are: {}",
                    names.join(", ")
                )
            })?;

            let mut facts = SystemFacts::from(system);
            facts.kind = self.kind.unwrap_or(facts.kind);
            facts.is_hidden = self.hide || (facts.is_hidden && !self.show);
            if let Some(new) = &self.rename {
                new.trim().clone_into(&mut facts.name);
            }

            let facts = [facts];
            let names = SystemFacts::name_changes(&systems, &facts);
            let (kind, subject) = (AuditKind::SystemsChanged, AuditSubject::Named(names));
            store
                .audited(command_entry(kind, Some(study), subject))
                .update_systems(study, &facts, clock::now_ms())
                .await?;
        }

        let systems = store.systems(study).await?;
        let listing = SystemListing {
            systems: systems.iter().map(Into::into).collect(),
        };

        output.print(&listing, || {
            let row = |system: &StudySystem| {
                [
                    system.name.clone(),
                    system.kind.to_string(),
                    if system.is_hidden { "hidden" } else { "shown" }.to_owned(),
                    system.outputs.to_string(),
                ]
            };
            let rows: Vec<_> = systems.iter().map(row).collect();
            columns(["system", "kind", "figures", "outputs"], &rows)
        })
    }
}
