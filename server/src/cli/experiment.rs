//! Experiments that compare protocols, from the command line.

use anyhow::{Context as _, ensure};
use domain::{
    ids::{PersonId, StudyId},
    study::Slug,
};
use serde::Serialize;
use service::experiments::{
    ArmNames, ArmProtocol, ArmUpdate, ExperimentEditor, add_arm, refuse_too_many, update_arms,
};
use store::{
    Store,
    audit::{AuditKind, AuditSubject},
    experiments::{ExperimentArm, ProtocolExperiment},
    import::ImportCounts,
};
use utoipa::ToSchema;

use super::{output::CommandOutput, study::find_study};
use crate::{audit::command_entry, clock};

/// An experiment after it was brought up to date, as it is printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyExperiment<'a> {
    /// The number of protocols that the plan distributes sources over.
    protocols: usize,
    /// How many annotators have to take part, so that each source gets its annotators in every arm.
    raters_needed: usize,
    /// How many have begun.
    raters: u32,
    /// Its arms.
    arms: Vec<ArmDetails<'a>>,
    /// How many annotators of an arm became annotators of another one just now.
    annotators_added: u64,
    /// How many sources got their place in the plan just now.
    sources_placed: u32,
    /// Sentences on what an arm has in another form than the others, which stays as it is.
    conflicts: &'a [String],
}

#[derive(Debug, Serialize, ToSchema)]
struct ArmDetails<'a> {
    /// The study's short name.
    study: &'a Slug,
    /// Its name.
    name: &'a str,
    /// Whether it is closed.
    closed: bool,
    /// The number of sources that are rated.
    sources: u32,
    /// Those without a place in the plan, which nobody is given.
    unplaced: u32,
    /// The number of annotators.
    annotators: u32,
    /// The rows that it got just now; null for none.
    imported: Option<&'a ImportCounts>,
}

/// Adds arms to an experiment, and brings all of them up to date.
pub(super) async fn run(
    mut output: CommandOutput,
    store: &Store,
    slug: &Slug,
    protocols: &[ArmProtocol],
    slugs: &[Slug],
) -> anyhow::Result<()> {
    ensure!(
        slugs.is_empty() || slugs.len() == protocols.len(),
        "give --slug as often as --with, or not at all"
    );

    let first = find_study(store, slug).await?;
    let known = store.experiment_of(first.id).await?;
    refuse_too_many(known.as_ref(), protocols.len())?;

    let member_entry = |study: StudyId, person: PersonId| {
        let subject = AuditSubject::Member(person);
        command_entry(AuditKind::MemberAdded, Some(study), subject)
    };
    let editor = ExperimentEditor {
        person: None,
        member_entry: &member_entry,
    };

    let mut names = ArmNames::new(&first, known.as_ref());
    let (mut made, mut failed) = (0, None);
    for (index, protocol) in protocols.iter().enumerate() {
        let mut plan = names.suggest(*protocol, 0);
        if let Some(slug) = slugs.get(index) {
            plan.slug = slug.clone();
        }

        let id = StudyId(clock::new_id());
        let subject = AuditSubject::Named(plan.name.clone());
        let store = store.audited(command_entry(AuditKind::StudyCreated, Some(id), subject));
        let added = add_arm(&store, clock::CONTEXT, editor, &first, id, &plan).await;
        if let Err(error) = added {
            failed = Some(error);
            break;
        }
        names.take(plan.name);
        made += 1;
    }

    let failed = match failed {
        Some(error) if made == 0 => return Err(error.into()),
        failed => failed,
    };

    // Arms made before the failure are usable, so they get their sources too.
    let experiment = load(store, &first.id, slug).await?;
    let update = update_arms(store, clock::CONTEXT, editor, &experiment).await?;
    if let Some(error) = failed {
        return Err(error.into());
    }

    let experiment = load(store, &first.id, slug).await?;
    let report = StudyExperiment::new(&experiment, &update);
    output.print(&report, || report.lines())
}

async fn load(store: &Store, study: &StudyId, slug: &Slug) -> anyhow::Result<ProtocolExperiment> {
    let experiment = store.experiment_of(*study).await?;
    experiment.with_context(|| {
        format!(
            "“{slug}” is in no experiment: begin one with --with and a template, such as likert"
        )
    })
}

impl<'a> StudyExperiment<'a> {
    fn new(experiment: &'a ProtocolExperiment, update: &'a ArmUpdate) -> Self {
        let arm = |arm: &'a ExperimentArm| ArmDetails {
            study: &arm.slug,
            name: &arm.name,
            closed: arm.is_closed,
            sources: arm.sources,
            unplaced: arm.unplaced,
            annotators: arm.annotators,
            imported: update
                .imported
                .iter()
                .find(|(slug, _)| *slug == arm.slug)
                .map(|(_, counts)| counts),
        };

        Self {
            protocols: experiment.order,
            raters_needed: experiment.raters_needed(),
            raters: experiment.raters,
            arms: experiment.arms.iter().map(arm).collect(),
            annotators_added: update.annotators,
            sources_placed: update.placed,
            conflicts: &update.conflicts,
        }
    }

    fn lines(&self) -> String {
        let mut text = format!(
            "{} protocols on the same sources; annotators needed: {}, begun: {}\n",
            self.protocols, self.raters_needed, self.raters
        );

        for arm in &self.arms {
            let closed = if arm.closed { ", closed" } else { "" };
            text += &format!(
                "{}  {}: {} sources ({} without a place), {} annotators{closed}\n",
                arm.study, arm.name, arm.sources, arm.unplaced, arm.annotators
            );
        }

        text += &format!(
            "placed just now: {} sources; annotators added to an arm: {}\n",
            self.sources_placed, self.annotators_added
        );

        for conflict in self.conflicts {
            text += &format!("! {conflict}\n");
        }
        text
    }
}
