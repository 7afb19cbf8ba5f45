//! Several datasets at once: read from a file that lists them, and left out one by one.

mod baselines;
mod manifest;
mod read;
mod report;
mod scores;

use std::{
    collections::HashSet,
    io,
    ops::ControlFlow,
    path::Path,
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, ensure};
use domain::{metrics::LearnedMetricKind, statistics::bootstrap::ResamplingOptions};
use formats::{ColumnMapping, FileReadOptions, SourceReferences};
use learn::{
    metric::{
        DatasetScores, DatasetSource, HybridSettings, LeaveOneOutProgress, LeaveOneOutSettings,
        RatedDataset, TrainingSource, collect_letters, count_left_out, evaluate_scores,
        make_dataset_probes, score_left_out,
    },
    training::{TrainingPlan, TrainingProgress, score_left_out_by_encoder},
    tuning::{TuningPlan, TuningResources},
};

pub(in crate::cli) use self::report::LeaveOneOutReport;
use self::{
    manifest::{DatasetEntry, DatasetList},
    read::{DatasetReading, read_dataset},
    report::{LeftOutDataset, LeftOutSettings, MetricFigures},
};
use super::bar::TrainingBar;
use crate::{
    aligner::MissingAligner,
    cli::{
        input_args::ReadingArgs,
        output::{CommandOutput, print_warnings},
        whole_file::save,
    },
    learned_metric::load_resources,
    progress::ProgressDisplay,
    settings::EncoderSettings,
};

/// The fewest datasets from which one can be left out.
const MIN_DATASETS: usize = 2;

/// A dataset with the references of its sources, which baselines and metrics may need.
pub(super) struct OpenedDataset {
    pub(super) dataset: RatedDataset,
    pub(super) references: Option<SourceReferences>,
    pub(super) warnings: Vec<String>,
}

/// The settings of an evaluation by datasets that are left out.
pub(super) struct LeaveOneOutArgs<'a> {
    pub(super) kind: LearnedMetricKind,
    pub(super) plan: &'a TrainingPlan,
    pub(super) validation: LeaveOneOutSettings,
    pub(super) resampling: ResamplingOptions,
    pub(super) with_encoder: bool,
    /// The file for all scores.
    pub(super) scores: Option<&'a Path>,
}

impl OpenedDataset {
    /// The references of a source, without those that equal one of its outputs: that output would be perfect by
    /// definition.
    fn references_of(&self, source: &TrainingSource) -> Vec<String> {
        let Some(all) = &self.references else {
            return Vec::new();
        };
        let outputs = source.outputs.iter();
        let outputs: HashSet<_> = outputs
            .map(|output| collect_letters(&output.text))
            .collect();
        let references = all.references_for(&source.text).iter();
        let other = references.filter(|reference| !outputs.contains(&collect_letters(reference)));
        other.cloned().collect()
    }

    /// Gives each source its references, to learn from.
    pub(super) fn with_references(mut self) -> Self {
        let sources = self.dataset.sources.iter();
        let references: Vec<_> = sources
            .map(|source| self.references_of(&source.training))
            .collect();

        for (source, references) in self.dataset.sources.iter_mut().zip(references) {
            source.training.references = references;
        }
        self
    }
}

/// Reads all datasets that a file lists, to learn a metric of this kind from them.
pub(super) fn open_datasets(
    path: &Path,
    kind: LearnedMetricKind,
    reading: &ReadingArgs,
) -> anyhow::Result<Vec<OpenedDataset>> {
    let list = DatasetList::open(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let datasets = list.datasets.iter();

    datasets
        .map(|entry| {
            let opened = read_dataset(entry, folder, &entry_reading(entry, reading)?)
                .with_context(|| format!("the dataset “{}” was not read", entry.name))?;
            Ok(match kind.needs_references() {
                true => opened.with_references(),
                false => opened,
            })
        })
        .collect()
}

/// The options for reading a dataset of a list, which names its columns.
fn entry_reading(entry: &DatasetEntry, reading: &ReadingArgs) -> anyhow::Result<DatasetReading> {
    let companion = reading.input.companion_options();
    Ok(DatasetReading {
        input: companion.clone(),
        companion,
        rows: FileReadOptions {
            mapping: ColumnMapping::parse(&entry.map)?,
            ..FileReadOptions::default()
        },
    })
}

/// Reads the rated outputs of a file in any format, by some of its dimensions.
pub(super) fn read_dimensions(
    path: &Path,
    dimensions: &[String],
    reading: &ReadingArgs,
) -> anyhow::Result<Vec<TrainingSource>> {
    let entry = DatasetEntry::of_dimensions(path, dimensions);
    let reading = DatasetReading {
        input: reading.input.options(),
        companion: reading.input.companion_options(),
        rows: reading.options(None)?,
    };

    let opened = read_dataset(&entry, Path::new(""), &reading)?;
    print_warnings(&opened.warnings);
    let sources = opened.dataset.sources.into_iter();
    Ok(sources.map(|source| source.training).collect())
}

/// Leaves each dataset out in turn, and prints how well metrics that learned from the others do on it.
pub(super) fn leave_one_out(
    datasets: &[OpenedDataset],
    arguments: &LeaveOneOutArgs<'_>,
    encoder: &EncoderSettings,
    output: &mut CommandOutput,
) -> anyhow::Result<()> {
    ensure!(
        datasets.len() >= MIN_DATASETS,
        "one dataset is too few to leave one out: list {MIN_DATASETS} or more in the file of --datasets"
    );

    match arguments.scores {
        None => judge_left_out(datasets, arguments, encoder, &mut io::sink(), output),
        Some(path) => save(path, |file| {
            judge_left_out(datasets, arguments, encoder, file, output)
        }),
    }
}

/// As [`leave_one_out`], with the scores written to `file`.
fn judge_left_out(
    datasets: &[OpenedDataset],
    arguments: &LeaveOneOutArgs<'_>,
    encoder: &EncoderSettings,
    file: &mut impl io::Write,
    output: &mut CommandOutput,
) -> anyhow::Result<()> {
    let rated: Vec<RatedDataset> = datasets.iter().map(|open| open.dataset.clone()).collect();
    let progress = output.progress();
    let learned = match &arguments.plan.tuning {
        Some(plan) => score_by_encoder(&rated, plan, arguments.validation, encoder, progress)?,
        None => score_by_trees(&rated, arguments, encoder, progress)?,
    };

    let mut left_out = Vec::with_capacity(datasets.len());
    for (opened, learned) in datasets.iter().zip(learned) {
        let dataset = &opened.dataset;
        let probes = make_dataset_probes(dataset);
        let mut scores = vec![(arguments.kind.name().to_owned(), learned)];
        scores.extend(baselines::score(
            opened,
            &probes,
            encoder,
            arguments.with_encoder,
            progress,
        )?);

        scores::write(file, dataset, &probes, &scores)?;
        let metrics = scores.iter().map(|(metric, scores)| MetricFigures {
            metric: metric.clone(),
            figures: evaluate_scores(dataset, &probes, scores, arguments.resampling),
        });

        left_out.push(LeftOutDataset {
            name: dataset.name.clone(),
            sources: dataset.sources.len(),
            outputs: dataset.outputs(),
            metrics: metrics.collect(),
        });
    }

    let report = LeaveOneOutReport {
        folds: arguments.validation.folds,
        fold_seed: arguments.validation.seed,
        seed: arguments.plan.hybrid.settings.seed,
        bootstrap: arguments.resampling.replicates,
        settings: match &arguments.plan.tuning {
            Some(plan) => LeftOutSettings::Tuned(plan.clone()),
            None => LeftOutSettings::Hybrid(arguments.plan.hybrid.settings),
        },
        left_out,
        warnings: datasets
            .iter()
            .flat_map(|opened| opened.warnings.iter().cloned())
            .chain(warn_of_missing_references(datasets, arguments.kind))
            .collect(),
    };

    output.print(&report, || report.format())
}

/// Sentences on sources that a metric with references can neither learn from nor score.
fn warn_of_missing_references(
    datasets: &[OpenedDataset],
    kind: LearnedMetricKind,
) -> impl Iterator<Item = String> {
    let datasets = datasets.iter().filter(move |_| kind.needs_references());
    datasets.filter_map(move |opened| {
        let RatedDataset { name, sources } = &opened.dataset;
        let lacks = |source: &&DatasetSource| source.training.references.is_empty();
        let (lacking, all) = (sources.iter().filter(lacks).count(), sources.len());
        (lacking > 0).then(|| {
            format!(
                "{name}: {lacking} of {all} sources have no references: {kind} learned nothing from them, and has no \
                 scores there, which counts against it"
            )
        })
    })
}

/// Scores the datasets by metrics of trees and a ranker that did not learn from them.
fn score_by_trees(
    datasets: &[RatedDataset],
    arguments: &LeaveOneOutArgs<'_>,
    encoder: &EncoderSettings,
    progress: ProgressDisplay<'_>,
) -> anyhow::Result<Vec<DatasetScores>> {
    let resources = load_resources(encoder, arguments.with_encoder)?;
    let settings: &HybridSettings = &arguments.plan.hybrid.settings;

    let bar = Mutex::new(TrainingBar::new(1, progress));
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

    let validation = arguments.validation;
    let scores = score_left_out(datasets, &resources, settings, validation, &on_progress);
    Ok(scores?)
}

/// Scores the datasets by metrics whose encoder learned, though not from them.
fn score_by_encoder(
    datasets: &[RatedDataset],
    plan: &TuningPlan,
    validation: LeaveOneOutSettings,
    encoder: &EncoderSettings,
    progress: ProgressDisplay<'_>,
) -> anyhow::Result<Vec<DatasetScores>> {
    let resources = TuningResources {
        encoder: encoder.settings().ok_or(MissingAligner::NoEncoder)?,
        checkpoint: None,
    };
    let work = tempfile::tempdir().context("there is no room for temporary files")?;

    let mut bar = TrainingBar::new(count_left_out(datasets, validation), progress);
    let scores = score_left_out_by_encoder(
        datasets,
        plan,
        &resources,
        validation,
        &work.path().join("metric"),
        &mut |progress| bar.show(progress),
    );
    Ok(scores?)
}

#[cfg(test)]
mod tests;
