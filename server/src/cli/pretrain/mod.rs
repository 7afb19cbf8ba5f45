//! Pre-training of a cross-encoder on signals that need no ratings.

mod json;
mod progress;
mod stage_args;
mod texts;

use std::{
    collections::HashSet,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use formats::loose_key;
use learn::{
    metric::{TrainingSource, WordFrequencies},
    tuning::{
        AblationRequest, PretrainingData, PretrainingPlan, PretrainingResources, PretrainingSignal,
        PretrainingVariant, TuningPlan, ablate, list_variants, pretrain,
    },
};

pub(super) use self::json::{AblationJson, PretrainingJson};
use self::{
    progress::PretrainingBar,
    stage_args::StageArgs,
    texts::{PretrainingTexts, read_texts},
};
use super::{
    input_args::ReadingArgs,
    output::CommandOutput,
    train::read_rated_sources,
    whole_file::{self, file_place},
};
use crate::{aligner::MissingAligner, progress::ProgressDisplay, settings::EncoderSettings};

/// The number of folds of an ablation: few, since each costs a training.
const DEFAULT_FOLDS: u16 = 3;
const DEFAULT_FOLD_SEED: u64 = 11;

/// Pre-trains a cross-encoder.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Two stages of REFeREE (Huang and Kochmar 2024); the third is `rankrate train FILE --trainer cross-encoder --from OUT`. \
Stage 1 learns from the texts of the files; stage 2 from those that have references, where there are some. Candidates are the outputs \
of the files, rewrites of the sources by rules (more frequent words, fewer clauses, shorter sentences), and references \
where a text has two or more. Signals: similarity (of embeddings), self-bleu, self-bertscore, source-perplexity, \
output-perplexity (logarithms, by a trigram model made of the texts), source-fkgl, output-fkgl; in stage 2 also sari, bleu, \
bertscore.")]
pub(super) struct PretrainArgs {
    /// Texts of stage 1: files with a column of sources, and perhaps of outputs and references (CSV, JSONL, SimpEval), or
    /// text files (.txt) with a source a line. Texts with references are those of stage 2 as well.
    #[arg(value_name = "FILE", required_unless_present = "references")]
    files: Vec<PathBuf>,
    /// Texts of stage 2: sources with their references, in an ASSET folder, one with test.src and test.dst, or a file of
    /// rows. Outputs of the files for the same sources are candidates, too.
    #[arg(long, value_name = "DIR|FILE")]
    references: Option<PathBuf>,
    /// The file to write the pre-trained encoder to.
    #[arg(
        short,
        long,
        alias = "out",
        value_name = "FILE",
        value_parser = file_place(),
        required_unless_present = "ablation"
    )]
    output: Option<PathBuf>,
    /// Keep finished stages and epochs, and finished variants of an ablation, in this folder: after an interruption the same
    /// command continues from there.
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Learn from no source that this file of ratings has (a SimpEval file): that of a benchmark, say.
    #[arg(long, value_name = "FILE", conflicts_with = "ablation")]
    leave_out: Option<PathBuf>,
    /// Learn from this many texts a stage at most, taken at random.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// The share of candidates that are made worse: by deleting words, scrambling them, or swapping source and output.
    #[arg(long, value_name = "SHARE", default_value_t = 0.4)]
    degraded: f64,
    /// The signals to learn; by default all.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    signals: Vec<String>,
    /// The random seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    stages: StageArgs,
    /// Compare pre-training with parts of it left out: each variant is trained further on these ratings (a SimpEval file)
    /// and cross-validated. Texts whose source is rated are not learned from.
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    ablation: Option<PathBuf>,
    /// The variants of the ablation: none, first-stage, second-stage, both-stages, not-degraded, no-meaning, no-fluency,
    /// no-simplicity, no-references; by default all for which there are texts.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    variants: Vec<String>,
    /// The number of folds of the rated sources of an ablation, each held out once; by default 3.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    folds: Option<u16>,
    /// The random seed of the folds; by default 11.
    #[arg(long, value_name = "SEED")]
    fold_seed: Option<u64>,
}

impl PretrainArgs {
    pub(super) fn run(
        self,
        mut output: CommandOutput,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        // Clap does not require --ablation if --output, which conflicts with it, is given.
        let concerns_ablation = self.folds.is_some()
            || self.fold_seed.is_some()
            || !self.variants.is_empty()
            || self.stages.concerns_ratings();
        ensure!(
            self.ablation.is_some() || !concerns_ablation,
            "--variants, --folds, --fold-seed, --third-epochs and --third-lr are for --ablation"
        );

        let plan = self.plan()?;
        let PretrainingTexts {
            mut data,
            mut warnings,
        } = read_texts(&self.files, self.references.as_deref(), &self.reading)?;

        if let Some(rated) = self.leave_out.as_deref().or(self.ablation.as_deref()) {
            let rated = self.read_rated(rated)?;
            let left_out = leave_out(&mut data, &rated);
            if left_out > 0 {
                warnings.push(format!(
                    "texts left out because their source is rated: {left_out}"
                ));
            }
        }

        if let Some(limit) = self.limit {
            data.limit(usize::try_from(limit)?, self.seed);
        }

        if let Some(folder) = self.output.as_deref().and_then(Path::parent) {
            ensure!(
                folder.as_os_str().is_empty() || folder.is_dir(),
                "{} does not exist: make the folder of --output first",
                folder.display()
            );
        }

        // The folder is removed at the end, unless it was named.
        let temporary = tempfile::tempdir().context("a folder cannot be made")?;
        let work = match &self.work {
            Some(work) => {
                fs::create_dir_all(work)
                    .with_context(|| format!("{} cannot be made", work.display()))?;
                work.clone()
            }
            None => temporary.path().to_owned(),
        };

        let resources = PretrainingResources {
            encoder: encoder.settings().ok_or(MissingAligner::NoEncoder)?,
            frequencies: WordFrequencies::open(&encoder.frequencies())
                .context("words are replaced by a list of word frequencies")?,
            source_key: loose_key,
            work,
        };

        if let Some(ratings) = &self.ablation {
            let report = self.ablate(
                ratings,
                &plan,
                &data,
                &resources,
                warnings,
                output.progress(),
            )?;
            return output.print(&report, || report.format());
        }

        let out = self
            .output
            .as_deref()
            .context("name a file with --output")?;
        let mut bar = PretrainingBar::new(output.progress());
        let pretrained = pretrain(&data, &plan, &resources, &mut |progress| bar.show(progress))?;
        drop(bar);
        let copied = whole_file::save(out, |file| {
            Ok(io::copy(&mut File::open(&pretrained.path)?, file)?)
        });
        if let Err(error) = copied {
            let kept = temporary.keep();
            let kept = self.work.as_deref().unwrap_or(&kept);
            return Err(error).context(format!("the encoder is kept in {}", kept.display()));
        }

        let report = PretrainingJson {
            encoder: out,
            card: &pretrained.card,
            warnings,
        };
        output.print(&report, || report.format())
    }

    /// Reads a file of ratings, in addition to the files of texts.
    fn read_rated(&self, path: &Path) -> anyhow::Result<Vec<TrainingSource>> {
        read_rated_sources(path, None, self.reading.input.companion_options())
    }

    fn plan(&self) -> anyhow::Result<PretrainingPlan> {
        let mut plan = PretrainingPlan {
            degraded: self.degraded,
            ..PretrainingPlan::new(self.seed)
        };
        self.stages.change_plan(&mut plan);

        if !self.signals.is_empty() {
            let named = self.signals.iter().map(|name| {
                PretrainingSignal::from_name(name.trim()).with_context(|| {
                    let names = PretrainingSignal::ALL.map(PretrainingSignal::name);
                    format!(
                        "there is no signal “{name}”; there are {}",
                        names.join(", ")
                    )
                })
            });
            plan.signals = named.collect::<anyhow::Result<_>>()?;
        }

        Ok(plan)
    }

    fn ablate(
        &self,
        ratings: &Path,
        plan: &PretrainingPlan,
        data: &PretrainingData,
        resources: &PretrainingResources,
        warnings: Vec<String>,
        progress: ProgressDisplay<'_>,
    ) -> anyhow::Result<AblationJson> {
        let rated = self.read_rated(ratings)?;
        let mut tuning = TuningPlan {
            seed: self.seed,
            ..TuningPlan::cross()
        };
        self.stages.change_third(&mut tuning);

        let folds = self.folds.unwrap_or(DEFAULT_FOLDS);
        let fold_seed = self.fold_seed.unwrap_or(DEFAULT_FOLD_SEED);
        let variants = self.choose_variants(list_variants(plan, data))?;
        let request = AblationRequest {
            variants: &variants,
            data,
            rated: &rated,
            tuning: &tuning,
            folds: (folds.into(), fold_seed),
            resources,
        };

        let mut bar = PretrainingBar::new(progress);
        let rows = ablate(&request, &mut |progress| bar.show_ablation(progress))?;
        Ok(AblationJson {
            sources: rated.len(),
            outputs: rated.iter().map(|source| source.outputs.len()).sum(),
            folds,
            fold_seed,
            plan: plan.clone(),
            tuning,
            variants: rows,
            warnings,
        })
    }

    fn choose_variants(
        &self,
        available: Vec<PretrainingVariant>,
    ) -> anyhow::Result<Vec<PretrainingVariant>> {
        if self.variants.is_empty() {
            return Ok(available);
        }

        for name in &self.variants {
            let is_available = available.iter().any(|variant| variant.name == name.trim());
            ensure!(is_available, "{}", {
                let names: Vec<&str> = available.iter().map(|variant| variant.name).collect();
                format!(
                    "there is no variant “{name}” of these texts; there are {}",
                    names.join(", ")
                )
            });
        }

        let is_named = |variant: &PretrainingVariant| {
            let mut names = self.variants.iter();
            names.any(|name| name.trim() == variant.name)
        };
        Ok(available.into_iter().filter(is_named).collect())
    }
}

/// Removes the texts whose source is rated, even if its spaces, quotes or capitals differ, and returns their number.
fn leave_out(data: &mut PretrainingData, rated: &[TrainingSource]) -> usize {
    let rated: HashSet<String> = rated.iter().map(|source| loose_key(&source.text)).collect();
    let count = |data: &PretrainingData| data.first.len() + data.second.len();
    let before = count(data);
    *data = data.without(&|source| rated.contains(&loose_key(source)));
    before - count(data)
}

#[cfg(test)]
mod tests;
