//! Whether automatic metrics agree with the people who rated a file's outputs.

mod guard;
mod imported;
mod shown;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use domain::{
    category::Category,
    metrics::meta::{Evaluation, HeldOut, MetricComparison, People, Place, held_out},
    statistics::{
        Ratings,
        bootstrap::Resampling,
        tau_like::{Consensus, PreferenceRule},
    },
    text::categorise::{Rule, categorise},
};
use formats::{RatedOutput, SourceReferences};

use super::{
    output::print,
    rated::read_raters,
    references::{read_references, reader},
    score::{chosen, lacking},
};
use crate::{
    metrics::{Scores, Sheet, score},
    settings::EncoderSettings,
};

/// How well automatic metrics agree with people's ratings.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Kendall-tau-like: of every two outputs of one source and category, raw ratings that differ by up to the \
threshold are a tie for that rater; the rule says how many raters must prefer the same; pairs without a \
preference are skipped; pairs that the metric scores the same are discordant. `ci` is the percentile \
bootstrap interval of tau over sources. Pearson and Spearman are of scores and mean raw ratings. A larger \
score is taken for better, of fkgl and edit-distance too: a negative figure is to be hoped for there.")]
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
        if !(self.threshold >= 0.0 && self.threshold.is_finite()) {
            bail!(
                "--threshold takes a number of points from 0 on, not {}",
                self.threshold
            );
        }
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
        let mut scores = score(&sheet, &metrics, settings)?;
        warnings.extend(lacking(&sheet, &metrics));
        for path in &self.scores {
            imported::add(path, &outputs, &mut scores, &mut warnings)?;
        }
        let place = |line: &u64| place(&file.outputs[line]);
        let people = People::new(&raw, self.preference_rule(), place);
        let against = self
            .against
            .as_ref()
            .map(|name| named(&scores, name))
            .transpose()?;
        let upper_limit = self
            .upper_limit
            .then(|| held_out(&raw, self.preference_rule(), place));
        let mut guards = if self.degenerate {
            guard::run(&raw, &outputs, references.as_ref(), &metrics, settings)?
        } else {
            Vec::new()
        };
        guards.resize_with(scores.len(), || None);
        let against = against.map(numbers);
        let found = scores.into_iter().zip(guards).map(|(scores, guard)| {
            let values = numbers(&scores);
            Found {
                evaluation: people.evaluate(&values, self.resampling()),
                against: against
                    .as_ref()
                    .filter(|_| self.against.as_ref() != Some(&scores.name))
                    .map(|other| people.compare(&values, other, self.resampling())),
                scores,
                guard,
            }
        });
        Ok(Report {
            found: found.collect(),
            against: self.against.clone(),
            upper_limit,
            outputs: people.outputs(),
            sources: people.sources(),
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

/// The scores with `NaN` for those that are not there.
fn numbers(scores: &Scores) -> Vec<f64> {
    scores
        .values
        .iter()
        .map(|score| score.unwrap_or(f64::NAN))
        .collect()
}

/// The mean of each output's raw ratings.
fn means(raw: &Ratings<String, u64>) -> Vec<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    raw.by_unit().map(|(_, unit)| mean(unit.values)).collect()
}
