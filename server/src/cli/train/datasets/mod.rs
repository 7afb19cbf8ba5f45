//! Several datasets at once: read from a file that lists them, and left out one by one.

mod baselines;
mod manifest;
mod read;
mod report;

use std::{
    io::{self, Write as _},
    ops::ControlFlow,
    path::Path,
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, ensure};
use domain::statistics::bootstrap::ResamplingOptions;
use formats::SourceReferences;
use learn::{
    metric::{
        DatasetScores, HybridSettings, LeaveOneOutProgress, LeaveOneOutSettings, RatedDataset,
        TrainingSource, evaluate_scores, make_dataset_probes, score_left_out,
    },
    training::TrainingProgress,
};

pub(in crate::cli) use self::report::LeaveOneOutReport;
use self::{
    manifest::{DatasetEntry, DatasetList},
    read::read_dataset,
    report::{LeftOutDataset, MetricFigures},
};
use super::bar::TrainingBar;
use crate::{
    cli::output::CommandOutput, learned_metric::load_resources, settings::EncoderSettings,
};

/// The fewest datasets of which one can be left out.
const MIN_DATASETS: usize = 2;

/// The metric that is trained, in reports.
const LEARNED: &str = "learned-free";

/// A dataset with the references of its sources, which baselines may need.
pub(super) struct OpenedDataset {
    pub(super) dataset: RatedDataset,
    pub(super) references: Option<SourceReferences>,
    pub(super) warnings: Vec<String>,
}

/// The settings of an evaluation by datasets that are left out.
pub(super) struct LeaveOneOutArgs {
    pub(super) settings: HybridSettings,
    pub(super) validation: LeaveOneOutSettings,
    pub(super) resampling: ResamplingOptions,
    pub(super) with_encoder: bool,
}

/// Reads all datasets that a file lists.
pub(super) fn open_datasets(path: &Path) -> anyhow::Result<Vec<OpenedDataset>> {
    let list = DatasetList::open(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let datasets = list.datasets.iter();
    datasets
        .map(|entry| {
            read_dataset(entry, folder)
                .with_context(|| format!("the dataset “{}” was not read", entry.name))
        })
        .collect()
}

/// Reads the rated outputs of a file in any format, by some of its dimensions.
pub(super) fn read_dimensions(
    path: &Path,
    dimensions: &[String],
) -> anyhow::Result<Vec<TrainingSource>> {
    let entry = DatasetEntry::of_dimensions(path, dimensions);
    let opened = read_dataset(&entry, Path::new(""))?;
    for warning in &opened.warnings {
        let _ = writeln!(io::stderr(), "! {warning}");
    }
    let sources = opened.dataset.sources.into_iter();
    Ok(sources.map(|source| source.training).collect())
}

/// Leaves each dataset out in turn, and prints how metrics that learned from the others do on it.
pub(super) fn leave_one_out(
    datasets: &[OpenedDataset],
    arguments: &LeaveOneOutArgs,
    encoder: &EncoderSettings,
    output: &mut CommandOutput,
) -> anyhow::Result<()> {
    ensure!(
        datasets.len() >= MIN_DATASETS,
        "one dataset is too few to leave one out: list {MIN_DATASETS} or more in the file of --datasets"
    );
    let resources = load_resources(encoder, arguments.with_encoder)?;
    let rated: Vec<RatedDataset> = datasets.iter().map(|open| open.dataset.clone()).collect();
    let bar = Mutex::new(TrainingBar::new(1));
    let on_progress = |progress| -> ControlFlow<()> {
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        bar.show(match progress {
            LeaveOneOutProgress::Features { done, total } => {
                TrainingProgress::Features { done, total }
            }
            LeaveOneOutProgress::DegenerateFeatures { done, total } => {
                TrainingProgress::DegenerateFeatures { done, total }
            }
            LeaveOneOutProgress::Models { done, total } => TrainingProgress::Fold { done, total },
        })
    };
    let scores = score_left_out(
        &rated,
        &resources,
        &arguments.settings,
        arguments.validation,
        &on_progress,
    )?;
    let mut left_out = Vec::with_capacity(datasets.len());
    for (opened, learned) in datasets.iter().zip(&scores) {
        let dataset = &opened.dataset;
        let probes = make_dataset_probes(dataset);
        let evaluate = |scores: &DatasetScores| {
            evaluate_scores(dataset, &probes, scores, arguments.resampling)
        };
        let mut metrics = vec![MetricFigures {
            metric: LEARNED.to_owned(),
            figures: evaluate(learned),
        }];
        for baseline in baselines::score(opened, &probes, encoder, arguments.with_encoder)? {
            metrics.push(MetricFigures {
                figures: evaluate(&baseline.scores),
                metric: baseline.label,
            });
        }
        left_out.push(LeftOutDataset {
            name: dataset.name.clone(),
            sources: dataset.sources.len(),
            outputs: dataset.outputs(),
            metrics,
        });
    }
    let report = LeaveOneOutReport {
        folds: arguments.validation.folds,
        fold_seed: arguments.validation.seed,
        seed: arguments.settings.seed,
        bootstrap: arguments.resampling.replicates,
        settings: arguments.settings,
        left_out,
        warnings: datasets
            .iter()
            .flat_map(|opened| opened.warnings.clone())
            .collect(),
    };
    output.print(&report, || report.format())
}
