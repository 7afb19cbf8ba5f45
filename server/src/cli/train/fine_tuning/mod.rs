//! Training a metric whose encoder learns as well.

use std::path::PathBuf;

use anyhow::ensure;
use clap::ValueEnum;
use indicatif::ProgressBar;
use learn::{
    metric::TrainingSource,
    tuning::{
        FeatureBlocks, TuningAgreement, TuningObjective, TuningPlan, TuningProgress,
        TuningResources, cross_validate, train,
    },
};
use serde_json::json;

use super::{TrainCommand, format_figures, progress_bar};
use crate::{
    aligner::MissingAligner, cli::output::print, metrics::TunedMetric, settings::EncoderSettings,
};

/// What learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TrainerKind {
    /// Trees over features of the texts: by the figures so far the best.
    Hybrid,
    /// LENS: an encoder and a network on it that compare source, output and references.
    Lens,
    /// An encoder that reads source and output together, without references.
    CrossEncoder,
}

/// Which blocks of features lens sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LensFeatures {
    /// As the paper prints them.
    Six,
    /// As the released program has them.
    Seven,
}

/// How an encoder learns.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Trainers lens and cross-encoder")]
pub(super) struct TuningArgs {
    /// Epochs in which the encoder stays as it is; by default 20 of lens, none of cross-encoder.
    #[arg(long, value_name = "N")]
    frozen_epochs: Option<usize>,
    /// Epochs after these, in which the encoder's last layers learn as well; by default 6 of lens, 2 of
    /// cross-encoder.
    #[arg(long, value_name = "N")]
    tuned_epochs: Option<usize>,
    /// How many of its layers learn then, from the last; by default 6.
    #[arg(long, value_name = "N")]
    tuned_layers: Option<usize>,
    /// Let references count for an output that says the same, which flatters lens.
    #[arg(long)]
    identical_references: bool,
    /// What lens compares: `six` blocks of features as the paper prints them, or `seven` with the source's
    /// own embedding, as the released program has them.
    #[arg(long, value_enum, value_name = "BLOCKS")]
    lens_features: Option<LensFeatures>,
    /// Keep the training in this file after each epoch, and go on from it where it was broken off.
    #[arg(long, value_name = "FILE", requires = "out")]
    checkpoint: Option<PathBuf>,
}

impl TuningArgs {
    /// Whether anything is said that the hybrid knows nothing of.
    pub(super) const fn is_set(&self) -> bool {
        self.frozen_epochs.is_some()
            || self.tuned_epochs.is_some()
            || self.tuned_layers.is_some()
            || self.identical_references
            || self.lens_features.is_some()
            || self.checkpoint.is_some()
    }

    fn make_plan(&self, metric: TunedMetric) -> TuningPlan {
        let mut plan = match metric {
            TunedMetric::Lens => TuningPlan::lens(),
            TunedMetric::Cross => TuningPlan::cross(),
        };
        if let TuningObjective::Lens {
            identical,
            features,
            ..
        } = &mut plan.objective
        {
            *identical = self.identical_references;
            *features = match self.lens_features {
                Some(LensFeatures::Six) => FeatureBlocks::Six,
                Some(LensFeatures::Seven) | None => FeatureBlocks::Seven,
            };
        }
        plan.frozen_epochs = self.frozen_epochs.unwrap_or(plan.frozen_epochs);
        plan.tuned_epochs = self.tuned_epochs.unwrap_or(plan.tuned_epochs);
        plan.tuned_layers = self.tuned_layers.unwrap_or(plan.tuned_layers);
        plan
    }
}

/// Trains a metric of this kind, judges how such ones do, or both.
pub(super) fn run(
    command: &TrainCommand,
    metric: TunedMetric,
    json: bool,
    encoder: &EncoderSettings,
) -> anyhow::Result<()> {
    ensure!(
        command.from.is_none() && !command.without_encoder,
        "--from and --without-encoder are for --trainer hybrid"
    );
    match metric {
        TunedMetric::Lens => ensure!(
            command.references.is_some(),
            "lens learns from references: name a folder or a file with --references"
        ),
        TunedMetric::Cross => ensure!(
            command.references.is_none()
                && !command.tuning.identical_references
                && command.tuning.lens_features.is_none(),
            "cross-encoder looks at no references: leave them out, or use --trainer lens"
        ),
    }
    let plan = TuningPlan {
        validation: command.held_out,
        seed: command.seed,
        ..command.tuning.make_plan(metric)
    };
    let means = TuningResources {
        encoder: encoder.settings().ok_or(MissingAligner::NoEncoder)?,
        checkpoint: command.tuning.checkpoint.clone(),
    };
    let sources = command.read_sources()?;
    let each = match command.cross_validate {
        true => validate(command, &sources, &plan, &means)?,
        false => Vec::new(),
    };
    let outputs: usize = sources.iter().map(|source| source.outputs.len()).sum();
    let mut facts = json!({
        "metric": metric.name(),
        "sources": sources.len(),
        "outputs": outputs,
        "plan": plan,
        "cross_validated": each,
        "folds": command.folds,
        "repeats": command.repeats,
        "fold_seed": command.fold_seed,
    });
    let mean = (!each.is_empty()).then(|| TuningAgreement::mean(&each));
    let mut text = String::new();
    if let Some(mean) = &mean {
        let shown = [("r", mean.pearson), ("tau", mean.tau), ("hard", mean.hard)];
        for (name, value) in shown {
            facts[name] = json!(value);
        }
        text += &format_figures(&shown);
    }
    if let Some(out) = &command.out {
        let bar = progress_bar(plan.epochs(), "epochs");
        let mut model = train(&sources, &plan, &means, &mut |it| {
            show_progress(&bar, 0, it)
        })?;
        bar.finish_and_clear();
        if let Some(mean) = mean {
            model = model.with_cross_validation(mean);
        }
        model.save(out)?;
        facts["model"] = json!(out);
        facts["signature"] = json!(model.card().signature());
        facts["held_out"] = json!(model.card().validation());
        text += &format!("{outputs} outputs made {}\n", out.display());
    }
    print(json, &facts, || text)
}

/// The figures of each way to make the folds.
fn validate(
    command: &TrainCommand,
    sources: &[TrainingSource],
    plan: &TuningPlan,
    means: &TuningResources,
) -> anyhow::Result<Vec<TuningAgreement>> {
    let (folds, repeats) = (usize::from(command.folds), usize::from(command.repeats));
    let bar = progress_bar(repeats * folds * plan.epochs(), "epochs");
    let mut found = Vec::with_capacity(repeats);
    for repeat in 0..repeats {
        let seed = command.fold_seed.wrapping_add(repeat as u64);
        let before = |fold| (repeat * folds + fold) * plan.epochs();
        let mut tell = |fold, it| show_progress(&bar, before(fold), it);
        found.push(cross_validate(sources, plan, means, (folds, seed), &mut tell)?.figures);
    }
    bar.finish_and_clear();
    Ok(found)
}

/// Shows where a training stands that begins after so many epochs of others.
fn show_progress(bar: &ProgressBar, before: usize, progress: TuningProgress) -> bool {
    let done = progress.epoch + usize::from(progress.validation.is_some());
    bar.set_position((before + done) as u64);
    let doing = match (progress.loss, progress.tuned) {
        (None, _) => "text",
        (Some(_), false) => "step (frozen)",
        (Some(_), true) => "step (tuned)",
    };
    let (step, steps) = (progress.step, progress.steps);
    bar.set_message(format!("epochs, {doing} {step} of {steps}"));
    true
}

#[cfg(test)]
pub(super) mod tests;
