//! Whether automatic metrics agree with the people who rated a file's outputs.

mod guard;
mod imported;
mod judged;
mod shown;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use domain::{
    category::Category,
    metrics::meta::{Evaluation, HeldOut, MetricComparison, Place, held_out},
    statistics::{
        Ratings,
        bootstrap::Resampling,
        tau_like::{Consensus, PreferenceRule},
    },
    text::categorise::{Rule, categorise},
};
use formats::{RatedOutput, SourceReferences};

use self::judged::Rated;
use super::{
    output::print,
    rated::read_raters,
    references::{read_references, reader},
    score::{chosen, lacking},
};
use crate::{
    metrics::{Means, Scores, Sheet, score},
    settings::EncoderSettings,
};

/// How well automatic metrics agree with people's ratings.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Kendall-tau-like: of every two outputs of one source and category, raw ratings that differ by up to the \
threshold are a tie for that rater; the rule says how many raters must prefer the same; pairs without a \
preference are skipped; pairs that the metric scores the same are discordant. `ci` is the percentile \
bootstrap interval of tau over sources. Pearson and Spearman are of scores and mean raw ratings. A larger \
score is taken for better, of fkgl and edit-distance too: a negative figure is to be hoped for there. \
Sources that a learned metric was trained on are left out of its figures.")]
pub(crate) struct MetaEval {
    /// Ratings in SimpEval's shape: past (categories by step 1) or 2022 (by its `sentence_type`).
    #[arg(long, value_name = "FILE.csv")]
    ratings: PathBuf,
    /// The file that names who is behind each rating (original_id,system,slot,rater).
    #[arg(long, value_name = "FILE")]
    raters: Option<PathBuf>,
    /// References: an ASSET folder (NAME.orig, NAME.simp.0 …), a folder with test.src and test.dst, or a
    /// file of rows with references.
    #[arg(long, value_name = "DIR|FILE")]
    references: Option<PathBuf>,
    /// The metrics to compute, by name; by default those that are quick, or none beside --scores.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    metrics: Vec<String>,
    /// Scores computed elsewhere, CSV or JSONL: id, or source with output or system, and a column for
    /// each metric.
    #[arg(long, value_name = "FILE")]
    scores: Vec<PathBuf>,
    /// How many raters must prefer an output.
    #[arg(long, value_enum, default_value = "majority")]
    rule: RuleName,
    /// Ratings that differ by no more are a tie.
    #[arg(long, value_name = "POINTS", default_value_t = 5.0)]
    threshold: f64,
    /// How many resamples of sources intervals and tests are drawn from.
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    bootstrap: u32,
    /// What resamples are drawn from.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Leave out outputs that are one of their references word for word.
    #[arg(long, requires = "references")]
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

/// A metric with what was found.
struct Found {
    scores: Scores,
    evaluation: Evaluation<Category>,
    against: Option<MetricComparison>,
    /// How many sources are left out, since it was trained on them.
    left_out: usize,
    guard: Option<domain::metrics::degenerate::Outcome>,
}

/// All that is printed.
struct Report {
    found: Vec<Found>,
    against: Option<String>,
    upper_limit: Option<Vec<HeldOut<String>>>,
    outputs: usize,
    sources: usize,
    warnings: Vec<String>,
}

impl MetaEval {
    pub(crate) fn run(self, json: bool, encoder: &EncoderSettings) -> anyhow::Result<()> {
        let report = self.report(encoder)?;
        print(json, &shown::json(&report), || shown::table(&report))
    }

    fn report(&self, settings: &EncoderSettings) -> anyhow::Result<Report> {
        if !(self.threshold >= 0.0 && self.threshold.is_finite()) {
            bail!(
                "--threshold takes a number of points from 0 on, not {}",
                self.threshold
            );
        }
        let raters = self.raters.as_deref().map(read_raters).transpose()?;
        let file = formats::read_ratings(reader(&self.ratings)?, raters)
            .with_context(|| format!("{} was not read", self.ratings.display()))?;
        let references = self
            .references
            .as_deref()
            .map(read_references)
            .transpose()?;
        let mut warnings: Vec<String> = file
            .bad_rows
            .iter()
            .map(|bad| format!("left out: {bad}"))
            .collect();
        let raw = match &references {
            Some(references) if self.without_reference_copies => {
                let copies = |line: &u64| is_copy(&file.outputs[line], references);
                file.raw.retain(|_, line| !copies(line))
            }
            _ => file.raw,
        };
        let outputs: Vec<&RatedOutput> =
            raw.units().iter().map(|line| &file.outputs[line]).collect();
        if outputs.is_empty() {
            bail!("{} holds no rated output", self.ratings.display());
        }
        let sheet = sheet(&outputs, references.as_ref());
        let metrics = if self.metrics.is_empty() && !self.scores.is_empty() {
            Vec::new()
        } else {
            chosen(&self.metrics, sheet.has_references())?
        };
        let means = Means::new(settings);
        let mut scores = score(&sheet, &metrics, &means)?;
        warnings.extend(lacking(&sheet, &metrics));
        for path in &self.scores {
            imported::add(path, &outputs, &mut scores, &mut warnings)?;
        }
        let rule = self.preference_rule();
        let rated = Rated::new(&raw, &file.outputs, rule, self.include_training);
        let all = rated.judged(&[]);
        let against = self.against.as_ref();
        let against = against.map(|name| named(&scores, name)).transpose()?;
        let upper_limit = self
            .upper_limit
            .then(|| held_out(&raw, rule, |line| place(&file.outputs[line])));
        let mut guards = Vec::new();
        if self.degenerate {
            for (metric, of) in metrics.iter().zip(&scores) {
                let kept = rated.judged(&[of]).kept;
                let run = guard::run(&raw, &outputs, &kept, references.as_ref(), *metric, &means);
                guards.push(Some(run?));
            }
        }
        guards.resize_with(scores.len(), || None);
        let mut found = Vec::with_capacity(scores.len());
        for (of, guard) in scores.iter().zip(guards) {
            let own = (!of.trained_on.is_empty()).then(|| rated.judged(&[of]));
            let judged = own.as_ref().unwrap_or(&all);
            let other = against.filter(|other| other.name != of.name);
            let against = other.map(|other| {
                let both = rated.judged(&[of, other]);
                let (a, b) = (both.numbers(of), both.numbers(other));
                both.people.compare(&a, &b, self.resampling())
            });
            if judged.left_out > 0 {
                warnings.push(format!(
                    "{}: {} of {} sources are left out, since it was trained on them; \
                     --include-training keeps them",
                    of.name,
                    judged.left_out,
                    all.people.sources()
                ));
            }
            found.push(Found {
                evaluation: judged
                    .people
                    .evaluate(&judged.numbers(of), self.resampling()),
                against,
                left_out: judged.left_out,
                scores: of.clone(),
                guard,
            });
        }
        Ok(Report {
            found,
            against: self.against.clone(),
            upper_limit,
            outputs: all.people.outputs(),
            sources: all.people.sources(),
            warnings,
        })
    }

    fn preference_rule(&self) -> PreferenceRule {
        PreferenceRule {
            consensus: match self.rule {
                RuleName::Majority => Consensus::Majority,
                RuleName::AllAgree => Consensus::All,
            },
            tie_points: self.threshold,
        }
    }

    fn resampling(&self) -> Resampling {
        Resampling {
            replicates: self.bootstrap as usize,
            seed: self.seed,
            ..Resampling::default()
        }
    }
}

fn place(of: &RatedOutput) -> Place<String, Category> {
    let automatic = || categorise(&of.source_text, &of.text, Rule::default()).category;
    Place {
        source: of.source.clone(),
        system: Some(of.system.clone()).filter(|system| !system.is_empty()),
        category: of.category.unwrap_or_else(automatic),
    }
}

fn sheet(outputs: &[&RatedOutput], references: Option<&SourceReferences>) -> Sheet {
    let mut sheet = Sheet::default();
    for output in outputs {
        sheet.add(&output.source_text, &output.text, || {
            references.map_or(&[], |references| references.of(&output.source_text))
        });
    }
    sheet
}

fn is_copy(output: &RatedOutput, references: &SourceReferences) -> bool {
    let references = references.of(&output.source_text);
    references
        .iter()
        .any(|reference| reference.trim() == output.text.trim())
}

fn named<'a>(scores: &'a [Scores], name: &str) -> anyhow::Result<&'a Scores> {
    let found = scores.iter().find(|of| of.name == name);
    found.with_context(|| {
        let names: Vec<&str> = scores.iter().map(|of| of.name.as_str()).collect();
        format!(
            "--against: “{name}” is not among the metrics; there are: {}",
            names.join(", ")
        )
    })
}

/// The mean of each output's raw ratings.
fn means(raw: &Ratings<String, u64>) -> Vec<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    raw.by_unit().map(|(_, unit)| mean(unit.values)).collect()
}
