//! Scoring outputs by automatic metrics.

mod input;
mod slices;
mod summary;
mod survey;
mod totals;
mod write;

use std::{
    io::{self, Write},
    path::PathBuf,
};

use anyhow::ensure;
use clap::ValueEnum;
use learn::training::MeaningUse;
use service::import::ReferenceSummary;

pub(super) use self::summary::ScoreSummary;
use self::{
    input::OutputFiles,
    slices::{ScoredSlices, ScoringPlan, SliceLimits},
    survey::{OutputSurvey, SourceTexts},
    totals::ScoreTotals,
    write::{ScoreColumns, ScoreWriter},
};
use super::{
    input_args::ReadingArgs,
    input_file::{is_standard_stream, shown},
    output::{CommandOutput, print_warnings},
    references::{ReferenceArgs, reference_lines},
    whole_file::save,
};
use crate::{
    metrics::{MetricKind, MetricResources, ReferenceCoverage},
    settings::EncoderSettings,
};

/// Scores outputs by automatic metrics.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every score comes with the signature of its metric: variant, tokeniser, case, number of references, \
version. With --output or --json a summary is printed: the mean of each metric overall and by system, and \
the score of the corpus where it is made of counts (sari, bleu, self-bleu, chrf, fkgl).")]
pub(crate) struct ScoreArgs {
    /// Outputs: one file (SimpEval, JSONL, or any table by --map); or, with --source, text files with one output a
    /// line, each named after its system. An output in several rows, such as one for each rating, is scored once.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The sources of text files, one a line.
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    references: ReferenceArgs,
    /// The metrics, by name; by default those that are quick. BLEU has options in its name: `bleu-lc` of lower-cased
    /// texts, `bleu-intl`, `bleu-char` and `bleu-none` by tokeniser, `bleu-lc-intl` and so on.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    metrics: Vec<String>,
    /// Also write what each score of a learned metric means: the percentage of rated outputs whose mean
    /// rating is below the one that people would give, the ends of its 95 % interval, and whether the
    /// texts are unlike all that the metric learned from, so that the score is a guess.
    #[arg(long)]
    meaning: bool,
    /// How scores are written.
    #[arg(long, value_enum, default_value = "csv")]
    format: ScoreFormat,
    /// The file to write; by default standard output, or none with --json.
    #[arg(short, long, alias = "output-to", value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScoreFormat {
    /// A column for each metric and one for its signature.
    Csv,
    /// A key for each metric, and their signatures under `signatures`.
    Jsonl,
}

impl ScoreArgs {
    pub(crate) fn run(
        self,
        mut output: CommandOutput,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        let output_file = self.output.as_deref();
        let is_json = output.is_json();
        ensure!(
            !is_json || output_file.is_none_or(|path| !is_standard_stream(path)),
            "--json prints the summary on standard output: name a file with -o for the scores"
        );
        let output_file = output_file.filter(|path| !is_standard_stream(path));

        let files = OutputFiles::new(&self.files, self.source.as_deref(), &self.reading)?;
        let companion = self.reading.input.companion_options();
        let mut references = self.references.read(&companion)?;
        let texts = match references {
            Some(_) => SourceTexts::Kept,
            None => SourceTexts::Dropped,
        };
        let survey = OutputSurvey::read(&files, texts)?;
        let fitted = references.as_mut().map(|references| {
            let sources: Vec<&str> = survey.sources.iter().map(String::as_str).collect();
            self.references.fit(references, &sources)
        });
        let coverage = match &references {
            Some(references) => survey.coverage_by(references),
            None => survey.coverage.clone(),
        };

        let metrics = choose_metrics(&self.metrics, coverage.has_references())?;
        let meanings = match self.meaning {
            true => MeaningUse::Needed,
            false => MeaningUse::Unneeded,
        };
        let plan = ScoringPlan {
            metrics: &metrics,
            resources: &MetricResources::new(encoder),
            meanings,
            references: references.as_ref(),
            reference_count: coverage.count(),
            limits: SliceLimits::default(),
            progress: output.progress(),
        };
        let columns = ScoreColumns {
            metrics: &metrics,
            meanings,
            has_source_ids: survey.has_source_ids,
        };

        let mut slices = ScoredSlices::open(&files, &survey, plan)?;
        let is_summarised = output_file.is_some() || is_json;
        let totals = match output_file {
            Some(path) => save(path, |out| {
                let writer = ScoreWriter::new(out, self.format, &columns)?;
                add_up(&mut slices, Some(writer), is_summarised)
            })?,
            None if is_json => add_up(&mut slices, None::<ScoreWriter<io::Sink>>, is_summarised)?,
            None => {
                let writer = ScoreWriter::new(output.writer(), self.format, &columns)?;
                add_up(&mut slices, Some(writer), is_summarised)?
            }
        };

        let mut warnings = survey.warnings.clone();
        warnings.extend(repeats_warning(slices.repeats()));
        warnings.extend(totals.warnings(coverage.sources));
        warnings.extend(missing_reference_warnings(
            &coverage,
            &metrics,
            fitted.as_ref(),
        ));
        print_warnings(&warnings);
        if !is_summarised {
            return Ok(());
        }
        let summary = ScoreSummary::new(&totals, coverage.sources, &warnings, fitted.as_ref());
        output.print(&summary, || summary.lines())
    }
}

/// Writes the slices, if there is a writer, and adds up their scores.
fn add_up(
    slices: &mut ScoredSlices<'_>,
    mut writer: Option<ScoreWriter<impl Write>>,
    is_summarised: bool,
) -> anyhow::Result<ScoreTotals> {
    let mut totals = ScoreTotals::new(is_summarised);
    for slice in slices {
        let slice = slice?;
        if let Some(writer) = &mut writer {
            writer.write(&slice.rows, &slice.scores)?;
        }
        totals.add(&slice);
    }

    if let Some(writer) = writer {
        writer.finish()?;
    }
    Ok(totals)
}

/// The metrics with these names; the usual ones without names.
pub(super) fn choose_metrics(
    names: &[String],
    references: bool,
) -> anyhow::Result<Vec<MetricKind>> {
    let mut metrics: Vec<MetricKind> = Vec::new();
    for name in names {
        let metric = MetricKind::named(name.trim())?;
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }

    Ok(if names.is_empty() {
        MetricKind::defaults(references)
    } else {
        metrics
    })
}

/// Warnings for sources without the references that a metric needs; `fitted` is the summary of a
/// reference file.
pub(super) fn missing_reference_warnings(
    coverage: &ReferenceCoverage,
    metrics: &[MetricKind],
    fitted: Option<&ReferenceSummary>,
) -> Vec<String> {
    let needs = metrics.iter().any(|metric| metric.needs_references());

    match (&coverage.first_bare, fitted) {
        _ if !needs => Vec::new(),
        (Some(_), Some(fitted)) => reference_lines(fitted),
        (Some(first), None) if coverage.has_references() => {
            let start: String = first.chars().take(60).collect();
            vec![format!(
                "{} of {} sources have no reference, so their outputs have no score where one is \
                 needed; the first is “{start}”: add it to the references",
                coverage.bare, coverage.sources
            )]
        }
        _ => Vec::new(),
    }
}

/// The warning about rows that were left out because they repeat an output.
fn repeats_warning(repeats: usize) -> Option<String> {
    (repeats > 0).then(|| {
        format!("{repeats} rows repeat an output with another rating: each output is scored once")
    })
}

/// The message for a file that cannot be read.
fn unreadable_message(path: &std::path::Path) -> String {
    format!("{} was not read", shown(path))
}

#[cfg(test)]
mod tests;
