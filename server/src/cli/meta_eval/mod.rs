//! Whether automatic metrics agree with the people who rated a file's outputs.

mod degenerate;
mod evaluation_subset;
mod human_ratings;
mod imported_scores;
mod json;
mod rendering;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use domain::{
    category::Category,
    metrics::meta::{
        HeldOutRater, MetaEvaluation, MetricComparison, OutputGrouping, evaluate_held_out_raters,
    },
    statistics::{
        RatingTable,
        bootstrap::ResamplingOptions,
        tau_like::{Consensus, TieThreshold},
    },
    study::{Dimension, Slug},
    text::categorise::{ThresholdRule, categorise},
};
use formats::{ColumnMapping, RatedOutput, SourceReferences};
use service::import::ReferenceSummary;

use self::{evaluation_subset::EvaluationRatings, human_ratings::HumanRatings};
use super::{
    import::directions,
    output::CommandOutput,
    references::{SimilarityThreshold, fit_references, read_references},
    score::{choose_metrics, missing_reference_warnings},
};
use crate::{
    metrics::{BatchScores, MetricResources, ScoringBatch, score_batch},
    settings::{DataSettings, EncoderSettings},
};

/// How well automatic metrics agree with people's ratings.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Kendall-tau-like: of every two outputs of one source and category, raw ratings that differ by up to the \
threshold are a tie for that rater; the rule says how many raters must prefer the same; pairs without a \
preference are skipped; pairs that the metric scores the same are discordant. `ci` is the percentile \
bootstrap interval of tau over sources. Pearson, Spearman and Kendall's tau-b are of scores and mean raw \
ratings; `pearson_fisher_ci` is Fisher's interval, which takes outputs for independent. Scores of metrics \
where lower is better (fkgl, word-rank, and imported ones by name or --lower-is-better) are negated before \
they are compared, and their names say so; JSON has each `direction`. Sources that a learned metric was trained on are left out of its figures.")]
pub(crate) struct MetaEvalArgs {
    /// Ratings of outputs: SimpEval (past with categories by step 1, 2022 by its `sentence_type`), direct
    /// assessment, Likert, ASSET's, JSONL, or any CSV by --map.
    #[arg(long, value_name = "FILE", required_unless_present = "study")]
    ratings: Option<PathBuf>,
    /// The ratings of a study that count, with its references and imported scores.
    #[arg(long, value_name = "STUDY", conflicts_with = "ratings")]
    study: Option<Slug>,
    /// The dimension of ratings; by default the first.
    #[arg(long, value_name = "NAME")]
    dimension: Option<String>,
    /// Which column (or key) of the ratings holds which field, as `output=generation`; may be repeated.
    #[arg(long, value_name = "FIELD=COLUMN", requires = "ratings")]
    map: Vec<String>,
    /// The file that names who is behind each rating (original_id,system,slot,rater).
    #[arg(long, value_name = "FILE", requires = "ratings")]
    raters: Option<PathBuf>,
    /// References: an ASSET folder (NAME.orig, NAME.simp.0 …), a folder with test.src and test.dst, or a
    /// file of rows with references.
    #[arg(long, value_name = "DIR|FILE")]
    references: Option<PathBuf>,
    /// Take the nearest text for a source without references where they are as alike as this: 90%, or
    /// 0.9.
    #[arg(long, value_name = "SHARE", requires = "references")]
    accept_similar: Option<SimilarityThreshold>,
    /// The metrics to compute, by name; by default those that are quick, or none beside --scores.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    metrics: Vec<String>,
    /// Scores computed elsewhere, CSV or JSONL: id, or source with output or system, and a column for
    /// each metric.
    #[arg(long, value_name = "FILE")]
    scores: Vec<PathBuf>,
    /// A metric of --scores of which a lower score is better; may be repeated. Of the others it is
    /// guessed from the name, and said.
    #[arg(long, value_name = "NAME", requires = "scores")]
    lower_is_better: Vec<String>,
    /// A metric of --scores of which a higher score is better; may be repeated.
    #[arg(long, value_name = "NAME", requires = "scores")]
    higher_is_better: Vec<String>,
    /// How many raters must prefer an output.
    #[arg(long, value_enum, default_value = "majority")]
    rule: RuleName,
    /// Ratings that differ by no more are a tie: a share of the scale such as 5%, or points such as 5.
    #[arg(long, value_name = "SHARE|POINTS", default_value_t)]
    threshold: TieThreshold,
    /// How many resamples of sources intervals and tests are drawn from.
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    bootstrap: u32,
    /// The random seed of the resamples.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Leave out outputs that are one of their references word for word.
    #[arg(long)]
    without_reference_copies: bool,
    /// Judge learned metrics by the sources that they were trained on as well.
    #[arg(long)]
    include_training: bool,
    /// Test every other metric against this one.
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// Say what a rater reaches who is held against all others.
    #[arg(long)]
    upper_limit: bool,
    /// Put each metric to nine kinds of worthless text, made of well-rated outputs.
    #[arg(long)]
    degenerate: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleName {
    /// More than half of those who rated both.
    Majority,
    /// All of them.
    AllAgree,
}

/// A metric with its evaluation.
struct MetricReport {
    scores: BatchScores,
    evaluation: MetaEvaluation<Category>,
    against: Option<MetricComparison>,
    /// The number of sources that are left out, since it was trained on them.
    left_out: usize,
    degenerate: Option<domain::metrics::degenerate::DegenerateReport>,
}

/// The evaluation of all metrics, as it is printed.
struct MetaEvalReport {
    metrics: Vec<MetricReport>,
    against: Option<String>,
    upper_limit: Option<Vec<HeldOutRater<String>>>,
    outputs: usize,
    sources: usize,
    dimension: Dimension,
    threshold: TieThreshold,
    consensus: Consensus,
    /// How a file of references fits the sources.
    references: Option<ReferenceSummary>,
    warnings: Vec<String>,
}

impl MetaEvalArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        let ratings = match &self.study {
            Some(study) => HumanRatings::from_study(data, study, self.dimension.as_deref()).await?,
            None => self.read_ratings_file()?,
        };
        let report = self.report(ratings, encoder)?;
        output.print(&json::MetaEvalJson::from(&report), || {
            rendering::table(&report)
        })
    }

    fn read_ratings_file(&self) -> anyhow::Result<HumanRatings> {
        let path = self.ratings.as_deref();
        let path = path.context("name a file with --ratings, or a study with --study")?;
        let mapping = ColumnMapping::parse(&self.map)?;
        let dimension = self.dimension.as_deref();
        HumanRatings::from_file(path, self.raters.as_deref(), &mapping, dimension)
    }

    fn report(
        &self,
        ratings: HumanRatings,
        settings: &EncoderSettings,
    ) -> anyhow::Result<MetaEvalReport> {
        let mut warnings = ratings.warnings;
        let mut references = match &self.references {
            Some(path) => Some(read_references(path)?),
            None => ratings.references,
        };
        let texts = ratings.outputs.values().map(|output| &*output.source_text);
        let texts: Vec<&str> = texts.collect();
        let fitted = match &mut references {
            Some(references) if self.references.is_some() => {
                Some(fit_references(references, &texts, self.accept_similar))
            }
            _ => None,
        };
        let (raw, imported_before) = match &references {
            Some(references) if self.without_reference_copies => {
                let is_copy_on = |line: &u64| is_copy(&ratings.outputs[line], references);
                let raw = ratings.raw.retain(|_, line| !is_copy_on(line));
                let lines = ratings.raw.units().iter();
                let kept: Vec<bool> = lines.map(|line| !is_copy_on(line)).collect();
                (raw, retain_scores(ratings.scores, &kept))
            }
            None if self.without_reference_copies => {
                bail!("there are no references to leave copies of out: name some with --references")
            }
            _ => (ratings.raw, ratings.scores),
        };
        let outputs: Vec<&RatedOutput> = raw
            .units()
            .iter()
            .map(|line| &ratings.outputs[line])
            .collect();
        if outputs.is_empty() {
            bail!("every rated output is one of its references: nothing is left");
        }
        let batch = scoring_batch(&outputs, references.as_ref());
        let metrics = if self.metrics.is_empty() && !self.scores.is_empty() {
            Vec::new()
        } else {
            choose_metrics(&self.metrics, batch.has_references())?
        };
        let resources = MetricResources::new(settings);
        let mut scores = score_batch(&batch, &metrics, &resources)?;
        warnings.extend(missing_reference_warnings(
            &batch,
            &metrics,
            fitted.as_ref(),
        ));
        let computed = scores.len();
        for metric in imported_before {
            // Scores that are computed now are newer than those of a file.
            if !scores.iter().any(|existing| existing.name == metric.name) {
                scores.push(metric);
            }
        }
        let directions = directions(&self.lower_is_better, &self.higher_is_better);
        for path in &self.scores {
            imported_scores::add_scores(path, &outputs, &directions, &mut scores, &mut warnings)?;
        }
        imported_scores::check_named(&directions, &scores[computed..])?;
        let consensus = match self.rule {
            RuleName::Majority => Consensus::Majority,
            RuleName::AllAgree => Consensus::All,
        };
        let rule = self
            .threshold
            .preference_rule(consensus, ratings.dimension.scale);
        let evaluation =
            EvaluationRatings::new(&raw, &ratings.outputs, rule, self.include_training);
        let all_outputs = evaluation.subset_for(&[]);
        let against = self.against.as_ref();
        let against = against.map(|name| find_metric(&scores, name)).transpose()?;
        let upper_limit = self.upper_limit.then(|| {
            evaluate_held_out_raters(&raw, rule, |line| meta_place(&ratings.outputs[line]))
        });
        let mut degenerate_reports = Vec::new();
        if self.degenerate {
            for (metric, scored) in metrics.iter().zip(&scores) {
                let kept = evaluation.subset_for(&[scored]).kept;
                let references = references.as_ref();
                let report =
                    degenerate::run(&raw, &outputs, &kept, references, *metric, &resources);
                degenerate_reports.push(Some(report?));
            }
        }
        degenerate_reports.resize_with(scores.len(), || None);
        let mut reports = Vec::with_capacity(scores.len());
        for (metric, degenerate) in scores.iter().zip(degenerate_reports) {
            let own_subset =
                (!metric.trained_on.is_empty()).then(|| evaluation.subset_for(&[metric]));
            let subset = own_subset.as_ref().unwrap_or(&all_outputs);
            let other = against.filter(|other| other.name != metric.name);
            let against = other.map(|other| {
                let both = evaluation.subset_for(&[metric, other]);
                let (a, b) = (both.oriented_scores(metric), both.oriented_scores(other));
                both.people.compare(&a, &b, self.resampling())
            });
            if subset.left_out > 0 {
                warnings.push(format!(
                    "{}: {} of {} sources are left out, since it was trained on them; \
                     --include-training keeps them",
                    metric.name,
                    subset.left_out,
                    all_outputs.people.sources()
                ));
            }
            reports.push(MetricReport {
                evaluation: subset
                    .people
                    .evaluate(&subset.oriented_scores(metric), self.resampling()),
                against,
                left_out: subset.left_out,
                scores: metric.clone(),
                degenerate,
            });
        }
        Ok(MetaEvalReport {
            metrics: reports,
            against: self.against.clone(),
            upper_limit,
            outputs: all_outputs.people.outputs(),
            sources: all_outputs.people.sources(),
            dimension: ratings.dimension,
            threshold: self.threshold,
            consensus,
            references: fitted,
            warnings,
        })
    }

    fn resampling(&self) -> ResamplingOptions {
        ResamplingOptions {
            replicates: self.bootstrap as usize,
            seed: self.seed,
            ..ResamplingOptions::default()
        }
    }
}

/// The scores of the outputs that are kept.
fn retain_scores(scores: Vec<BatchScores>, kept: &[bool]) -> Vec<BatchScores> {
    let retain = |mut metric: BatchScores| {
        let mut flags = kept.iter();
        metric
            .values
            .retain(|_| flags.next().is_none_or(|keep| *keep));
        metric
    };
    scores.into_iter().map(retain).collect()
}

fn meta_place(output: &RatedOutput) -> OutputGrouping<String, Category> {
    let automatic =
        || categorise(&output.source_text, &output.text, ThresholdRule::default()).category;
    OutputGrouping {
        source: output.source.clone(),
        system: Some(output.system.clone()).filter(|system| !system.is_empty()),
        category: output.category.unwrap_or_else(automatic),
    }
}

fn scoring_batch(outputs: &[&RatedOutput], references: Option<&SourceReferences>) -> ScoringBatch {
    let mut batch = ScoringBatch::default();
    for output in outputs {
        batch.add(&output.source_text, &output.text, || {
            references.map_or(&[], |references| {
                references.references_for(&output.source_text)
            })
        });
    }
    batch
}

fn is_copy(output: &RatedOutput, references: &SourceReferences) -> bool {
    let references = references.references_for(&output.source_text);
    references
        .iter()
        .any(|reference| reference.trim() == output.text.trim())
}

fn find_metric<'a>(scores: &'a [BatchScores], name: &str) -> anyhow::Result<&'a BatchScores> {
    let metric = scores.iter().find(|metric| metric.name == name);
    metric.with_context(|| {
        let names: Vec<&str> = scores.iter().map(|metric| metric.name.as_str()).collect();
        format!(
            "--against: “{name}” is not among the metrics; there are: {}",
            names.join(", ")
        )
    })
}

/// The mean of each output's raw ratings.
fn mean_ratings(raw: &RatingTable<String, u64>) -> Vec<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    raw.by_unit().map(|(_, unit)| mean(unit.values)).collect()
}
