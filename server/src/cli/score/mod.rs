//! Scoring outputs by automatic metrics.

mod input;
mod summary;
mod write;

use std::{
    collections::HashSet,
    io::{self, Write as _},
    path::PathBuf,
};

use clap::ValueEnum;
use learn::metric::fingerprint;
use service::import::ReferenceSummary;

use self::input::{ScoreInput, read_outputs};
pub(super) use self::summary::ScoreSummary;
use super::{
    input_args::ReadingArgs,
    output::CommandOutput,
    references::{ReferenceArgs, reference_lines},
    whole_file::save,
};
use crate::{
    metrics::{BatchScores, MetricKind, MetricResources, ScoringBatch, assess_batch, score_batch},
    settings::EncoderSettings,
};

/// Scores outputs by automatic metrics.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every score comes with the signature of its metric: variant, tokeniser, case, number of references, \
version. With --output-to or --json a summary is printed: the mean of each metric overall and by system, and \
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
    /// The metrics, by name; by default those that are quick.
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
    /// Where to; by default standard output, or nowhere with --json.
    #[arg(short, long, value_name = "FILE")]
    output_to: Option<PathBuf>,
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
        let ScoreInput { rows, warnings } =
            read_outputs(&self.files, self.source.as_deref(), &self.reading)?;
        let companion = self.reading.input.companion_options();
        let mut references = self.references.read(&companion)?;
        let sources: Vec<&str> = rows.iter().map(|row| &*row.source).collect();
        let fitted = references
            .as_mut()
            .map(|references| self.references.fit(references, &sources));
        let mut sheet = ScoringBatch::default();
        for row in &rows {
            sheet.add(&row.source, &row.output, || match &references {
                Some(references) => references.references_for(&row.source),
                None => &row.references,
            });
        }
        let metrics = choose_metrics(&self.metrics, sheet.has_references())?;
        let resources = MetricResources::new(encoder);
        let scores = match self.meaning {
            true => assess_batch(&sheet, &metrics, &resources, output.progress())?,
            false => score_batch(&sheet, &metrics, &resources, output.progress())?,
        };
        let mut warnings = warnings;
        warnings.extend(scores.iter().filter_map(out_of_domain_warning));
        let hashes: HashSet<String> = sources.iter().map(fingerprint).collect();
        let learned = |scores: &BatchScores| learned_sources_warning(scores, &hashes);
        warnings.extend(scores.iter().filter_map(learned));
        warnings.extend(missing_reference_warnings(
            &sheet,
            &metrics,
            fitted.as_ref(),
        ));
        for warning in &warnings {
            let _ = writeln!(io::stderr(), "! {warning}");
        }
        match &self.output_to {
            Some(path) => save(path, |out| write::write(&rows, &scores, self.format, out))?,
            None if output.is_json() => {}
            None => return write::write(&rows, &scores, self.format, output.writer()),
        }
        let systems: Vec<&str> = rows.iter().map(|row| row.system.as_str()).collect();
        let summary = ScoreSummary::new(&sheet, &systems, &scores, &warnings, fitted.as_ref());
        output.print(&summary, || summary.lines())
    }
}

/// The metrics of those names, the usual ones of none.
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
    sheet: &ScoringBatch,
    metrics: &[MetricKind],
    fitted: Option<&ReferenceSummary>,
) -> Vec<String> {
    let bare = sheet.without_references();
    let needs = metrics.iter().any(|metric| metric.needs_references());
    match (bare.first(), fitted) {
        _ if !needs => Vec::new(),
        (Some(_), Some(fitted)) => reference_lines(fitted),
        (Some(first), None) if sheet.has_references() => {
            let start: String = first.chars().take(60).collect();
            vec![format!(
                "{} of {} sources have no reference, so their outputs have no score where one is \
                 needed; the first is “{start}”: add it to the references",
                bare.len(),
                sheet.sources()
            )]
        }
        _ => Vec::new(),
    }
}

/// The number of outputs that a learned metric knows too little of.
fn out_of_domain_warning(scores: &BatchScores) -> Option<String> {
    let known = scores.meanings.iter().flatten();
    let outside = known
        .filter(|meaning| meaning.is_out_of_domain == Some(true))
        .count();
    (outside > 0).then(|| {
        format!(
            "{}: {outside} of {} outputs are out of domain, unlike all that it learned from, so that their scores are \
             guesses",
            scores.name,
            scores.values.len()
        )
    })
}

/// The number of sources that a metric learned from, where it says what its scores mean: that holds for others only.
fn learned_sources_warning(scores: &BatchScores, sources: &HashSet<String>) -> Option<String> {
    let trained_on: HashSet<&String> = scores.trained_on.iter().collect();
    let learned = sources.iter().filter(|source| trained_on.contains(source));
    let learned = learned.count();
    (learned > 0 && !scores.meanings.is_empty()).then(|| {
        format!(
            "{}: it learned from {learned} of {} sources, of which its scores are better than its intervals say",
            scores.name,
            sources.len()
        )
    })
}

/// The message for a file that cannot be read.
fn unreadable_message(path: &std::path::Path) -> String {
    format!("{} was not read", path.display())
}

#[cfg(test)]
mod tests {
    use domain::metrics::ScoreDirection;
    use learn::metric::ScoreMeaning;

    use super::*;

    #[test]
    fn doubtful_meanings_are_told() {
        let meaning = |is_out_of_domain: Option<bool>| {
            Some(ScoreMeaning {
                percent: 50.0,
                interval: (10.0, 90.0),
                is_out_of_domain,
            })
        };
        let mut scores = BatchScores {
            name: "learned-free".to_owned(),
            signature: None,
            direction: ScoreDirection::HigherIsBetter,
            trained_on: vec![fingerprint("A source."), fingerprint("Another one.")],
            values: vec![Some(0.1), Some(0.2), None],
            meanings: vec![meaning(Some(false)), meaning(Some(true)), meaning(None)],
        };
        let sources = ["A source.", "A new one."].map(fingerprint).into();
        let outside = out_of_domain_warning(&scores).expect("one is");
        assert!(outside.contains("1 of 3 outputs"), "{outside}");
        let learned = learned_sources_warning(&scores, &sources).expect("one is");
        assert!(learned.contains("1 of 2 sources"), "{learned}");
        scores.meanings.clear();
        assert_eq!(learned_sources_warning(&scores, &sources), None);
    }
}
