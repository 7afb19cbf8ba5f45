//! The best of several candidates, by the learned metric.

use std::{
    io::{BufRead as _, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use super::{output::CommandOutput, references::open_reader};
use crate::{learned_metric, settings::EncoderSettings};

/// Picks among candidates by a learned metric, of any trainer.
///
/// A metric with references takes the other candidates as references (minimum Bayes risk); one without
/// judges each by itself.
#[derive(Debug, clap::Args)]
pub(super) struct RerankArgs {
    /// One JSON object per line: {"source": "…", "candidates": ["…", "…"]}.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The metric: `shipped`, or a file of `rankrate train`; by default the one that `--learned-metric` names,
    /// otherwise the shipped one.
    #[arg(long, value_name = "shipped|FILE")]
    model: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct CandidateSet {
    source: String,
    candidates: Vec<String>,
}

#[derive(Debug, Serialize)]
struct BestCandidate<'a> {
    source: &'a str,
    /// The place of the best candidate, counted from 0; of equally good ones the first.
    best: usize,
    output: &'a str,
    scores: Vec<f64>,
}

impl RerankArgs {
    /// Prints a JSON object a line, or without `--json` the best candidate a line.
    pub(super) fn run(
        self,
        mut output: CommandOutput,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        self.write(output.is_json(), encoder, output.writer())
    }

    pub(super) fn write(
        &self,
        json: bool,
        encoder: &EncoderSettings,
        out: &mut (impl Write + ?Sized),
    ) -> anyhow::Result<()> {
        let model = learned_metric::open_model(choose_model(self.model.as_deref(), encoder)?)?;
        let scorer = learned_metric::open_scorer(model, encoder, |with_encoder| {
            learned_metric::load_resources(encoder, with_encoder)
        })?;
        for (at, line) in open_reader(&self.file)?.lines().enumerate() {
            let place = || format!("{}, line {}", self.file.display(), at + 1);
            let line = line.with_context(place)?;
            if line.trim().is_empty() {
                continue;
            }
            let choice: CandidateSet = serde_json::from_str(&line).with_context(place)?;
            ensure!(
                !choice.candidates.is_empty(),
                "{}: there is no candidate",
                place()
            );
            let scores = scorer.rerank(&choice.source, &choice.candidates);
            let scores = scores.with_context(place)?;
            let best = best_index(&scores);
            let chosen = BestCandidate {
                source: &choice.source,
                best,
                output: &choice.candidates[best],
                scores,
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

/// The metric that is named, else that of the settings.
pub(super) fn choose_model<'a>(
    named: Option<&'a Path>,
    settings: &'a EncoderSettings,
) -> anyhow::Result<&'a Path> {
    match (named, settings.learned_metrics()) {
        (Some(model), _) => Ok(model),
        (None, [model]) => Ok(model),
        (None, []) => Ok(Path::new("shipped")),
        (None, several) => bail!(
            "--learned-metric names {} files: name the one to pick by with --model",
            several.len()
        ),
    }
}

/// The place of the best score; of equally good ones the first.
pub(super) fn best_index(scores: &[f64]) -> usize {
    let better = |best: usize, at: usize| if scores[at] > scores[best] { at } else { best };
    (0..scores.len()).fold(0, better)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::learned_metric::testing;

    #[test]
    fn of_equally_good_candidates_the_first_is_chosen() {
        assert_eq!(best_index(&[0.1, 0.7, 0.7, 0.2]), 1);
        assert_eq!(best_index(&[-1.0]), 0);
    }

    #[test]
    fn the_metric_of_the_settings_is_obeyed() {
        #[derive(Debug, clap::Parser)]
        struct RerankCommand {
            #[command(flatten)]
            rerank: RerankArgs,
            #[command(flatten)]
            encoder: EncoderSettings,
        }
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
        let model = Some(model);
        RerankArgs { file, model }.write(json, &settings, &mut out)?;
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
