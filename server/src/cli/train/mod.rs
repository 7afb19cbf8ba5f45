//! Training metrics on rated outputs.

mod bar;
mod datasets;
mod json;
mod pretraining_overlap;
mod trainers;
mod tuning_files;
mod worker;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::ValueEnum;
use domain::{
    metrics::{LearnedMetricKind, MetricTrainer},
    statistics::{DeviationKind, bootstrap::ResamplingOptions, standardise},
};
use formats::{FileRatings, InputOptions, simpeval::SlotRaters};
use learn::{
    metric::{CrossValidationSettings, LeaveOneOutSettings, TrainingRating, TrainingSource},
    training::{TrainingPlan, mean_quality},
};

pub(super) use self::{
    bar::TrainingBar,
    datasets::LeaveOneOutReport,
    json::TrainingJson,
    worker::{TrainWorkerCommand, lower_priority, stop_when_input_closes},
};
use self::{
    datasets::{LeaveOneOutArgs, open_datasets, read_dimensions},
    json::{CrossValidationJson, MeanFiguresJson, ModelJson, SettingsJson},
    tuning_files::TuningFiles,
};
use super::{
    CommandOutput,
    input_args::ReadingArgs,
    input_file::{open_input, shown},
    references::read_references,
    whole_file::file_place,
};
use crate::{settings::EncoderSettings, tuning_args::TuningArgs};

/// The number of folds of a cross-validation.
const DEFAULT_FOLDS: u16 = 10;
/// The number of parts of the sources when datasets are left out: each part costs a training for each dataset.
const DEFAULT_SOURCE_PARTS: u16 = 5;

/// The kind of model to train.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TrainerArg {
    /// Trees over features of the texts: the best so far.
    Hybrid,
    /// LENS: a fine-tuned encoder and a network that compare source, output and references.
    Lens,
    /// A fine-tuned encoder that reads source and output together, without references.
    CrossEncoder,
}

/// Trains a metric on rated outputs.
#[derive(Debug, clap::Args)]
pub(super) struct TrainCommand {
    /// A SimpEval file, past or 2022; with --dimension or --map, ratings in any format.
    #[arg(value_name = "FILE", required_unless_present = "datasets")]
    file: Option<PathBuf>,
    /// Learn from several datasets: a TOML file with a `[[dataset]]` for each, with `name`, `ratings` (a file of
    /// any format) or `comparisons`, and, where needed, `map`, `dimensions`, `human` (the systems that are people),
    /// `references` and `accept-similar`. Paths are relative to this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "raters", "references"])]
    datasets: Option<PathBuf>,
    /// Leave each dataset out in turn, train on the others, and show how such metrics agree with people there,
    /// beside metrics that nobody trained.
    #[arg(long, requires = "datasets", conflicts_with_all = ["cross_validate", "split", "checkpoint"])]
    leave_one_dataset_out: bool,
    /// The number of resamples for intervals of --leave-one-dataset-out.
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "leave_one_dataset_out", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    bootstrap: u32,
    /// The file that names who is behind each rating (original_id,system,slot,rater).
    #[arg(long, value_name = "FILE")]
    raters: Option<PathBuf>,
    /// Learn these dimensions of a file in any format: an output's value is the mean over them of its mean z-scores.
    #[arg(
        long,
        alias = "dimensions",
        value_name = "NAME",
        value_delimiter = ',',
        conflicts_with_all = ["datasets", "raters"]
    )]
    dimension: Vec<String>,
    /// References of the sources: an ASSET folder, one with test.src and test.dst, or a file of rows.
    /// With them the metric compares outputs with references; without them it needs none.
    #[arg(long, value_name = "DIR|FILE")]
    references: Option<PathBuf>,
    /// The kind of model.
    #[arg(long, value_enum, default_value = "hybrid")]
    trainer: TrainerArg,
    /// Cross-validate: show how well such a metric agrees with people on sources that it was not trained on.
    #[arg(long)]
    cross_validate: bool,
    /// The number of folds of the sources, each held out once; by default 10, and 5 where datasets are left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    folds: Option<u16>,
    /// The number of repeats with other folds; figures are the means.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// The random seed of the folds, one more in each repeat; the default settings were chosen with seed 1.
    #[arg(long, value_name = "SEED", default_value_t = 11)]
    fold_seed: u64,
    /// The metric to continue from: `shipped` (the one for the encoder), a file of this command, or `none`. A few ratings
    /// alone are too little to learn from. By default `shipped`, and `none` with references. A cross-encoder starts from the encoder that
    /// this file of `rankrate pretrain` holds.
    #[arg(long, value_name = "shipped|FILE|none")]
    from: Option<PathBuf>,
    /// The file to write the metric to. With --leave-one-dataset-out, the file of the scores: JSON lines, one a source,
    /// with all that the figures are computed from.
    #[arg(
        short,
        long,
        aliases = ["out", "scores"],
        value_name = "FILE",
        value_parser = file_place(),
        required_unless_present_any = ["cross_validate", "leave_one_dataset_out"]
    )]
    output: Option<PathBuf>,
    /// The random seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// The share of the sources that is held out to evaluate the metric; lens and cross-encoder choose
    /// their best epoch by it.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    held_out: f64,
    /// Do without the sentence encoder: the metric sees letters, words and edits only.
    #[arg(long)]
    without_encoder: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    tuning: TuningArgs,
    #[command(flatten)]
    tuning_files: TuningFiles,
}

/// The rated outputs that a training learns from.
struct RatedSources {
    sources: Vec<TrainingSource>,
    /// The index of each source's dataset, if there are several.
    datasets: Option<Vec<usize>>,
}

impl TrainCommand {
    pub(super) fn run(
        self,
        mut output: CommandOutput,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        ensure!(
            (0.0..1.0).contains(&self.held_out),
            "--held-out is a share from 0 to 1, and 1 would leave nothing to learn from"
        );
        ensure!(
            self.datasets.is_none() || self.reading.is_unmapped(),
            "--map and --scale are for one FILE: give each dataset of the list a `map`"
        );

        let kind = self.kind()?;
        let plan = self.plan(kind)?;
        if self.leave_one_dataset_out {
            return self.leave_one_dataset_out(kind, &plan, encoder, &mut output);
        }

        let RatedSources { sources, datasets } = self.read_sources(kind)?;
        let source_count = sources.len();
        let outputs: usize = sources.iter().map(|source| source.outputs.len()).sum();

        let settings = match &plan.tuning {
            Some(tuning) => SettingsJson::Tuned {
                plan: tuning.clone(),
            },
            None => SettingsJson::Hybrid { seed: self.seed },
        };
        let source_check = match &plan.tuning {
            Some(_) => self.check_pretrained_sources(&sources)?,
            None => None,
        };

        let mut trainer = self.open_trainer(plan, RatedSources { sources, datasets }, encoder)?;
        let mut evaluations = Vec::new();
        if self.cross_validate {
            let settings = self.cross_validation();
            let mut bar = TrainingBar::new(settings.folds * settings.repeats, output.progress());
            evaluations = trainer.cross_validate(settings, &mut |progress| bar.show(progress))?;
        }

        let mean = mean_quality(&evaluations);
        let mut model = None;
        let mut overlap = source_check.as_ref().map(|check| check.count(None));
        if let Some(out) = &self.output {
            let mut bar = TrainingBar::new(1, output.progress());
            let mut trained = trainer.train(&mut |progress| bar.show(progress))?;
            if let Some(mean) = mean {
                trained = trained.with_cross_validation(mean);
            }
            trained.save(out)?;
            overlap = source_check.map(|check| check.count(Some(&trained)));
            model = Some(ModelJson {
                model: out,
                signature: trained.signature(),
                held_out: trained.held_out(),
            });
        }

        let report = TrainingJson {
            metric: kind,
            sources: source_count,
            outputs,
            folds: self.folds.unwrap_or(DEFAULT_FOLDS),
            repeats: self.repeats,
            fold_seed: self.fold_seed,
            settings,
            cross_validated: CrossValidationJson::new(kind, &evaluations),
            mean: mean.map(|mean| MeanFiguresJson::new(kind, mean)),
            model,
            pretraining_overlap: overlap,
        };
        output.print(&report, || report.format())
    }

    /// The kind of metric that the chosen trainer makes, with or without references.
    fn kind(&self) -> anyhow::Result<LearnedMetricKind> {
        let trainer = match self.trainer {
            TrainerArg::Hybrid => MetricTrainer::Hybrid,
            TrainerArg::Lens => MetricTrainer::Lens,
            TrainerArg::CrossEncoder => MetricTrainer::CrossEncoder,
        };

        // Datasets of a list name their references, which trees do not use.
        let listed = self.datasets.is_some() && self.trainer == TrainerArg::Lens;
        let with_references = self.references.is_some() || listed;
        let kind = LearnedMetricKind::from_trainer(trainer, with_references);
        let kind = kind.with_context(|| match self.references {
            None => format!(
                "{trainer} learns from references: name a folder or a file with --references"
            ),
            Some(_) => without_references(trainer),
        })?;

        let fits = !trainer.tunes_encoder()
            || kind.needs_references()
            || !self.tuning.concerns_references();
        ensure!(fits, without_references(trainer));
        ensure!(
            self.datasets.is_none() || !self.tuning.identical_references,
            "--identical-references is for one file with --references: of datasets, references that say the same as an \
             output are left out"
        );

        Ok(kind)
    }

    fn cross_validation(&self) -> CrossValidationSettings {
        CrossValidationSettings {
            folds: self.folds.unwrap_or(DEFAULT_FOLDS).into(),
            repeats: self.repeats.into(),
            seed: self.fold_seed,
        }
    }

    /// Prints how well metrics do on datasets that they did not learn from.
    fn leave_one_dataset_out(
        &self,
        kind: LearnedMetricKind,
        plan: &TrainingPlan,
        encoder: &EncoderSettings,
        output: &mut CommandOutput,
    ) -> anyhow::Result<()> {
        ensure!(
            self.from
                .as_deref()
                .is_none_or(|from| from.as_os_str() == "none"),
            "--leave-one-dataset-out trains each metric from the start: leave --from out, or say none"
        );

        let path = self.datasets.as_deref();
        let path = path.context("name a list of datasets with --datasets")?;
        let datasets = open_datasets(path, kind, &self.reading)?;

        let arguments = LeaveOneOutArgs {
            kind,
            plan,
            validation: LeaveOneOutSettings {
                folds: self.folds.unwrap_or(DEFAULT_SOURCE_PARTS).into(),
                seed: self.fold_seed,
            },
            resampling: ResamplingOptions {
                replicates: usize::try_from(self.bootstrap)?,
                ..ResamplingOptions::default()
            },
            with_encoder: !self.without_encoder,
            scores: self.output.as_deref(),
        };

        datasets::leave_one_out(&datasets, &arguments, encoder, output)
    }

    /// Reads the rated outputs, and the references if there are any.
    fn read_sources(&self, kind: LearnedMetricKind) -> anyhow::Result<RatedSources> {
        if let Some(path) = &self.datasets {
            let (mut sources, mut numbers) = (Vec::new(), Vec::new());
            for (number, opened) in open_datasets(path, kind, &self.reading)?
                .into_iter()
                .enumerate()
            {
                let own = opened.dataset.sources.into_iter();
                sources.extend(own.map(|source| source.training));
                numbers.resize(sources.len(), number);
            }
            return Ok(RatedSources {
                sources,
                datasets: Some(numbers),
            });
        }

        let path = self.file.as_deref().context("name a FILE of ratings")?;
        let mut sources = match &self.dimension[..] {
            [] if self.reading.is_unmapped() => {
                let raters = self.reading.options(self.raters.as_deref())?.raters;
                read_rated_sources(path, raters, self.reading.input.options())?
            }
            dimensions => read_dimensions(path, dimensions, &self.reading)?,
        };

        if let Some(path) = &self.references {
            let references = read_references(path, &self.reading.input.companion_options())?;
            for source in &mut sources {
                source.references = references.references_for(&source.text).to_vec();
            }
        }

        Ok(RatedSources {
            sources,
            datasets: None,
        })
    }
}

/// Reads the rated outputs of a SimpEval file, perhaps with a file that names the raters.
pub(super) fn read_rated_sources(
    path: &Path,
    raters: Option<SlotRaters>,
    options: InputOptions,
) -> anyhow::Result<Vec<TrainingSource>> {
    let file = formats::read_ratings(open_input(path, options)?, raters)
        .with_context(|| format!("{} was not read", shown(path)))?;
    Ok(collect_sources(&file))
}

/// A file's outputs with the mean of their z-scores, each rater's ratings standardised by their own
/// mean and deviation.
fn collect_sources(file: &FileRatings) -> Vec<TrainingSource> {
    let z = standardise(&file.raw, DeviationKind::Population).z;
    let ratings = z.entries().filter_map(|(_, unit, z_score)| {
        let output = file.outputs.get(&z.units()[unit])?;
        Some(TrainingRating {
            source: &output.source_text,
            output: &output.text,
            z: z_score,
        })
    });
    TrainingSource::group_ratings(ratings)
}

fn without_references(trainer: MetricTrainer) -> String {
    format!("{trainer} looks at no references: leave them out, or use --trainer lens")
}

#[cfg(test)]
pub(super) mod encoder_tests;

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use clap::Parser as _;
    use learn::metric::HybridModel;

    use super::*;
    use crate::learned_metric::testing;

    #[derive(Debug, clap::Parser)]
    struct TrainTestCli {
        #[command(flatten)]
        train: TrainCommand,
    }

    /// A file in which two raters rate the sample outputs, each on their own scale.
    fn ratings(folder: &Path) -> PathBuf {
        let mut rows = vec![
            "original_id,original,generation,system,sentence_type,rating_1,rating_2".to_owned(),
        ];
        for (at, source) in testing::sample_sources().iter().enumerate() {
            for (system, output) in source.outputs.iter().enumerate() {
                let (a, b) = (50.0 + 20.0 * output.z, 40.0 + 5.0 * output.z);
                let (source, output) = (&source.text, &output.text);
                rows.push(format!(
                    "{at},{source},{output},{system},Paraphrases,{a},{b}"
                ));
            }
        }

        let path = folder.join("ratings.csv");
        fs::write(&path, rows.join("\n")).expect("written");
        path
    }

    fn run(settings: &EncoderSettings, arguments: &[&str]) -> anyhow::Result<()> {
        let arguments = ["train"].iter().chain(arguments);
        TrainTestCli::try_parse_from(arguments)?
            .train
            .run(CommandOutput::to_writer(true, std::io::sink()), settings)
    }

    #[test]
    fn a_trained_metric_is_written_with_its_card() {
        let Some(settings) = testing::settings_with_words(&[]) else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder can be made");
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (file, out, next) = (ratings(folder.path()), at("metric"), at("next"));
        let file = file.display().to_string();
        let common = [&file, "--without-encoder", "--held-out", "0.3", "--output"];
        let more = ["--cross-validate", "--folds", "2", "--repeats", "1"];

        run(&settings, &[&common[..], &[&out], &more].concat()).expect("trained");
        let model = HybridModel::read(&fs::read(&out).expect("there")).expect("whole");
        assert_eq!(
            (model.name(), model.table().outputs()),
            ("learned-free", 64)
        );
        assert_eq!(model.card().sources.len(), 8);
        let figures = model.card().cross_validated.expect("asked for");
        assert!(figures.tau.is_some_and(|tau| tau > 0.5), "{figures:?}");

        run(&settings, &[&common[..], &[&next, "--from", &out]].concat()).expect("trained");
        let next = HybridModel::read(&fs::read(&next).expect("there")).expect("whole");
        assert_eq!(next.card().from, Some(model.signature()));

        let why = |more: &[&str]| {
            let error = run(
                &settings,
                &[&[&file[..], "--output", &out][..], more].concat(),
            );
            format!("{:#}", error.expect_err("refused"))
        };
        assert!(why(&["--held-out", "1"]).contains("nothing to learn from"));
        let why = why(&["--without-encoder", "--from", "shipped"]);
        assert!(why.contains("encoder"), "{why}");
    }

    #[test]
    fn named_dimensions_of_a_file_in_any_format_are_learned() {
        let Some(settings) = testing::settings_with_words(&[]) else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder can be made");
        let at = |name: &str| folder.path().join(name).display().to_string();

        let mut lines = String::new();
        for source in testing::sample_sources() {
            for (system, output) in source.outputs.iter().enumerate() {
                for (dimension, rating) in [("fluency", output.z), ("meaning", -output.z)] {
                    let line = serde_json::json!({
                        "source": source.text, "output": output.text, "system": format!("s{system}"),
                        "rater": "a", "rating": 50.0 + 20.0 * rating, "dimension": dimension,
                    });
                    lines += &format!("{line}\n");
                }
            }
        }

        let (file, out) = (at("ratings.jsonl"), at("metric"));
        fs::write(&file, lines).expect("written");
        let common = [
            &file,
            "--without-encoder",
            "--held-out",
            "0.3",
            "--output",
            &out,
        ];
        let learn = |dimensions: &str| {
            let arguments = [&common[..], &["--dimension", dimensions]].concat();
            run(&settings, &arguments)
        };

        learn("fluency").expect("trained");
        let model = HybridModel::read(&fs::read(&out).expect("there")).expect("whole");
        assert_eq!(model.table().outputs(), 64);
        let why = format!("{:#}", learn("style").expect_err("refused"));
        assert!(why.contains("fluency, meaning"), "{why}");
    }
}
