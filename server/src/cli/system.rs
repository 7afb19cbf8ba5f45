//! The systems of a study and their kinds, from the command line.

use anyhow::Context as _;
use domain::study::{Slug, SystemKind};
use serde::Serialize;
use store::StudySystem;

use super::{
    output::{CommandOutput, columns},
    study::find_study,
};
use crate::{clock, database, settings::DataSettings};

/// Lists the systems of a study with their kinds, or changes the kind of one.
#[derive(Debug, clap::Args)]
pub(crate) struct SystemArgs {
    /// The study, by its short name.
    study: Slug,
    /// The system to change, by its name.
    #[arg(requires = "kind")]
    name: Option<String>,
    /// Its kind: machine, human or baseline.
    #[arg(long, requires = "name")]
    kind: Option<SystemKind>,
}

/// The systems of a study, as they are printed.
#[derive(Debug, Serialize)]
struct SystemListing<'a> {
    systems: Vec<SystemDetails<'a>>,
}

#[derive(Debug, Serialize)]
struct SystemDetails<'a> {
    system: &'a str,
    kind: &'static str,
    outputs: i64,
}

impl<'a> From<&'a StudySystem> for SystemDetails<'a> {
    fn from(system: &'a StudySystem) -> Self {
        Self {
            system: &system.name,
            kind: system.kind.name(),
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
        let store = database::open(data).await?;
        let study = find_study(&store, &self.study).await?.id;
        if let (Some(name), Some(kind)) = (&self.name, self.kind) {
            let systems = store.systems(study).await?;
            let system = systems.iter().find(|system| system.name == *name);
            let system = system.with_context(|| {
                let names: Vec<_> = systems.iter().map(|system| system.name.as_str()).collect();
                format!(
                    "no system is called “{name}”; there are: {}",
                    names.join(", ")
                )
            })?;
            let kinds = [(system.id, kind)];
            store
                .set_system_kinds(study, &kinds, clock::now_ms())
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
                    system.outputs.to_string(),
                ]
            };
            let rows: Vec<_> = systems.iter().map(row).collect();
            columns(["system", "kind", "outputs"], &rows)
        })
    }
}
