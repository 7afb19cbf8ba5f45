//! The best of several candidates, by minimum Bayes risk or by references.

use std::{
    io::{BufRead as _, BufReader, Write},
    path::PathBuf,
};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    input_args::InputArgs,
    input_file::{open_input, shown},
    output::CommandOutput,
    references::ReferenceArgs,
};
use crate::{
    candidates::{CandidateScorer, ScoringRule, choose_model},
    metrics::{MetricKind, MetricResources},
    settings::EncoderSettings,
};

/// Picks among candidates by minimum Bayes risk.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
With a metric that needs references, the score of a candidate is its mean utility (Maddela et al. 2023, eq. 5): \
the mean over all other candidates of the metric's score with that candidate as the only reference. A candidate that \
stands twice counts twice; of one candidate alone there is no score. A metric without references scores each \
candidate by itself. With --oracle, candidates are scored beside references that people wrote: what the \
best choice among them could reach. Of equally good candidates the first is picked.")]
pub(super) struct RerankArgs {
    /// One JSON object per line: {"source": "…", "candidates": ["…", "…"]}; with --oracle perhaps "references".
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A learned metric: `shipped`, or a file of `rankrate train` by any trainer; by default the one that
    /// `--learned-metric` names, otherwise the one that is shipped for the encoder.
    #[arg(long, value_name = "shipped|FILE")]
    model: Option<PathBuf>,
    /// Any one metric by its name, as of `rankrate score`: sari, bleu, bertscore-f1, lens and others.
    #[arg(long, alias = "metric", value_name = "NAME", conflicts_with = "model")]
    metrics: Option<String>,
    /// Score candidates beside references: those of each line, or of --references.
    #[arg(long)]
    oracle: bool,
    #[command(flatten)]
    references: ReferenceArgs,
    #[command(flatten)]
    input: InputArgs,
}

#[derive(Debug, Deserialize)]
struct CandidateSet {
    source: String,
    candidates: Vec<String>,
    #[serde(default)]
    references: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BestCandidate<'a> {
    /// The source.
    source: &'a str,
    /// The place of the best candidate, counted from 0; of equally good ones the first.
    best: usize,
    /// The best candidate.
    output: &'a str,
    /// As the metric gives them; `None` where it gives none.
    scores: &'a [Option<f64>],
    /// The texts that each candidate was scored against.
    utility: ScoringRule,
    /// The metric's settings.
    signature: &'a str,
}

impl RerankArgs {
    /// Prints one JSON object a line, or without `--json` the best candidate a line.
    pub(super) fn run(
        self,
        mut output: CommandOutput,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        self.write(output.is_json(), encoder, output.writer())
    }

    fn open_scorer(&self, settings: &EncoderSettings) -> anyhow::Result<CandidateScorer> {
        let resources = MetricResources::new(settings);
        match &self.metrics {
            Some(name) => {
                let metric = MetricKind::named(name.trim())?;
                let scorer = resources.scorer(metric)?;
                CandidateScorer::new(scorer, metric.direction(), self.oracle)
            }
            None => {
                let model = choose_model(self.model.as_deref(), settings)?;
                CandidateScorer::open(&resources, model, self.oracle)
            }
        }
    }

    pub(super) fn write(
        &self,
        json: bool,
        encoder: &EncoderSettings,
        out: &mut (impl Write + ?Sized),
    ) -> anyhow::Result<()> {
        let references = self.references.read(&self.input.options())?;
        ensure!(
            self.oracle || references.is_none(),
            "--references is for --oracle: candidates are one another's references"
        );

        let scorer = self.open_scorer(encoder)?;
        let text = open_input(&self.file, self.input.companion_options())?.into_text()?;

        for (at, line) in BufReader::new(text).lines().enumerate() {
            let place = || format!("{}, line {}", shown(&self.file), at + 1);
            let line = line.with_context(place)?;
            if line.trim().is_empty() {
                continue;
            }
            let set: CandidateSet = serde_json::from_str(&line).with_context(place)?;
            ensure!(
                !set.candidates.is_empty(),
                "{}: there is no candidate",
                place()
            );

            let mut own = set.references;
            if let Some(all) = &references {
                own.extend_from_slice(all.references_for(&set.source));
            }
            let scores = scorer.score(&set.source, &set.candidates, &own);
            let scores = scores.with_context(place)?;
            let best = scorer.best(&scores);

            let chosen = BestCandidate {
                source: &set.source,
                best,
                output: &set.candidates[best],
                scores: &scores,
                utility: scorer.rule,
                signature: &scorer.signature(own.len()),
            };
            if json {
                writeln!(out, "{}", serde_json::to_string(&chosen)?)?;
            } else {
                writeln!(out, "{}", chosen.output.replace(['\n', '\r'], " "))?;
            }
        }

        Ok(out.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::learned_metric::testing;

    #[derive(Debug, clap::Parser)]
    struct RerankCommand {
        #[command(flatten)]
        rerank: RerankArgs,
        #[command(flatten)]
        encoder: EncoderSettings,
    }

    #[test]
    fn the_metric_of_the_settings_is_obeyed() {
        let model = |arguments: &[&str]| {
            let arguments = ["rerank", "candidates.jsonl"].iter().chain(arguments);
            let command = <RerankCommand as clap::Parser>::parse_from(arguments);
            let model = choose_model(command.rerank.model.as_deref(), &command.encoder);
            model.map(Path::to_owned).map_err(|error| error.to_string())
        };

        assert_eq!(model(&[]), Ok("shipped".into()));
        assert_eq!(model(&["--learned-metric", "own"]), Ok("own".into()));
        let both = ["--learned-metric", "own", "--model", "shipped"];
        assert_eq!(model(&both), Ok("shipped".into()));

        let error = model(&["--learned-metric", "one,two"]).expect_err("which one?");
        assert!(error.contains("names 2 files"), "{error}");
    }

    fn rerank(folder: &Path, lines: &str, json: bool) -> anyhow::Result<String> {
        let Some(settings) = testing::settings_with_words(&[]) else {
            return Ok(String::new());
        };
        let (file, model) = (folder.join("candidates.jsonl"), folder.join("metric"));

        fs::write(&file, lines)?;
        fs::write(&model, testing::train_model(&settings).write())?;
        let mut out = Vec::new();
        let arguments = ["rerank".into(), file, "--model".into(), model];
        let command = <RerankCommand as clap::Parser>::parse_from(arguments);
        command.rerank.write(json, &settings, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn the_candidate_that_people_would_like_best_is_chosen() {
        if testing::settings_with_words(&[]).is_none() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder can be made");
        let sources = testing::sample_sources();
        let line = |source: &learn::metric::TrainingSource| {
            let mut all = source.outputs.iter();
            let with_z =
                |z: f64| move |output: &&learn::metric::TrainingOutput| (output.z - z).abs() < 1e-9;
            let (bad, good) = (all.clone().find(with_z(-2.0)), all.find(with_z(1.0)));
            let texts = [bad, good].map(|output| output.map(|output| &output.text));
            serde_json::json!({ "source": source.text, "candidates": texts }).to_string()
        };
        let lines: Vec<String> = sources.iter().map(line).collect();

        let json_lines = rerank(folder.path(), &lines.join("\n"), true).expect("reranked");
        let best = json_lines.lines().map(|line| {
            let chosen: serde_json::Value = serde_json::from_str(line).expect("JSON");
            chosen["best"].as_u64()
        });
        assert_eq!(best.collect::<Vec<_>>(), [Some(1); 8]);

        let texts = rerank(folder.path(), &lines[0], false).expect("reranked");
        assert_eq!(texts.lines().count(), 1);
    }

    #[test]
    fn a_line_without_candidates_is_named() {
        if testing::settings_with_words(&[]).is_none() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder can be made");
        for lines in [r#"{"source": "a", "candidates": []}"#, "\n{}"] {
            let error = rerank(folder.path(), lines, true).expect_err("nothing to choose from");
            let line = lines.lines().count();
            assert!(
                format!("{error:#}").contains(&format!("line {line}")),
                "{error:#}"
            );
        }
    }
}
