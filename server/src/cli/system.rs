//! What the systems of a study are, from the command line.

use anyhow::Context as _;
use domain::study::{Slug, SystemKind};
use serde_json::json;

use super::{
    output::{columns, print},
    study::find_study,
};
use crate::{clock, database, settings::DataSettings};

/// Lists the systems of a study with their kinds, or says of what kind one is.
#[derive(Debug, clap::Args)]
pub(crate) struct SystemArgs {
    /// The study, by its short name.
    study: Slug,
    /// The system to change, by its name.
    #[arg(requires = "kind")]
    name: Option<String>,
    /// What it is: machine, human or baseline.
    #[arg(long, requires = "name")]
    kind: Option<SystemKind>,
}

impl SystemArgs {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        let store = database::open(data).await?;
        let study = find_study(&store, &self.study).await?.id;
        if let (Some(name), Some(kind)) = (&self.name, self.kind) {
            let systems = store.systems(study).await?;
            let found = systems.iter().find(|system| system.name == *name);
            let found = found.with_context(|| {
                let names: Vec<_> = systems.iter().map(|it| it.name.as_str()).collect();
                format!(
                    "no system is called “{name}”; there are: {}",
                    names.join(", ")
                )
            })?;
            let kinds = [(found.id, kind)];
            store
                .set_system_kinds(study, &kinds, clock::now_ms())
                .await?;
        }
        let systems = store.systems(study).await?;
        let entry = |it: &store::StudySystem| json!({ "system": it.name, "kind": it.kind.name(), "outputs": it.outputs });
        let value = json!({ "systems": systems.iter().map(entry).collect::<Vec<_>>() });
        print(json, &value, || {
            let row = |it: &store::StudySystem| {
                [it.name.clone(), it.kind.to_string(), it.outputs.to_string()]
            };
            let rows: Vec<_> = systems.iter().map(row).collect();
            columns(["system", "kind", "outputs"], &rows)
        })
    }
}
