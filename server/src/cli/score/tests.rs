use std::{fs, path::PathBuf, thread};

use serde_json::{Value, json};

use super::*;
use crate::{learned_metric::testing::empty_settings, progress::ProgressDisplay};

/// The table of scores and the summary of a file, scored in slices of this many outputs.
fn score(file: PathBuf, outputs: usize) -> (String, Value) {
    let (files, reading) = ([file], ReadingArgs::default());
    let files = OutputFiles::new(&files, None, &reading).unwrap();
    let survey = OutputSurvey::read(&files, SourceTexts::Dropped).unwrap();
    let names = ["sari", "bleu", "fkgl", "compression"].map(str::to_owned);
    let metrics = choose_metrics(&names, survey.coverage.has_references()).unwrap();
    let columns = ScoreColumns {
        metrics: &metrics,
        meanings: MeaningUse::Unneeded,
        has_source_ids: survey.has_source_ids,
    };
    let plan = ScoringPlan {
        metrics: &metrics,
        resources: &MetricResources::new(&empty_settings()),
        meanings: MeaningUse::Unneeded,
        references: None,
        reference_count: survey.coverage.count(),
        limits: SliceLimits {
            outputs,
            ..SliceLimits::default()
        },
        progress: ProgressDisplay::Hidden,
    };
    let mut slices = ScoredSlices::open(&files, &survey, plan).unwrap();
    let mut table = Vec::new();
    let writer = ScoreWriter::new(&mut table, ScoreFormat::Csv, &columns).unwrap();
    let totals = add_up(&mut slices, Some(writer), true).unwrap();

    let warnings: Vec<_> = repeats_warning(slices.repeats()).into_iter().collect();
    let summary = ScoreSummary::new(&totals, survey.coverage.sources, &warnings, None);
    let summary = serde_json::to_value(&summary).unwrap();
    (String::from_utf8(table).unwrap(), summary)
}

/// Twelve outputs of five sources, each rated twice, with its ratings apart. Only the first row of a source has
/// references, and only some rows name their source.
fn rated_outputs() -> String {
    let mut lines = String::new();
    for rater in ["ann", "ben"] {
        for at in 0..12 {
            let (source, system) = (at % 5, ["A", "B"][at % 2]);
            let mut row = json!({
                "source": format!("The vessel number {source} foundered in the storm."),
                "output": format!("Ship {source} sank, said {at}."),
                "system": system,
                "rating": 50, "rater": rater,
            });
            if at < 4 {
                row["references"] = json!([format!("Ship {source} sank."), "It sank."]);
            }
            if at == 11 {
                row["source_id"] = json!("the last");
            }

            lines += &format!("{row}\n");
        }
    }
    lines
}

#[test]
fn scores_do_not_depend_on_slices() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rated.jsonl");
    fs::write(&file, rated_outputs()).unwrap();

    let whole = score(file.clone(), 1000);
    assert_eq!(whole.0.lines().count(), 13);
    assert!(whole.0.starts_with("id,source_id,source,"), "{}", whole.0);
    let warning = "12 rows repeat an output with another rating: each output is scored once";
    assert_eq!(whole.1["warnings"], json!([warning]));
    // The first row of the fifth source has no reference.
    assert_eq!(whole.1["metrics"]["sari"]["outputs"], 10);
    for outputs in [1, 5] {
        assert_eq!(score(file.clone(), outputs), whole, "{outputs}");
    }
}

/// A pipe can be read once only.
#[cfg(unix)]
#[test]
fn outputs_may_come_through_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let [file, pipe] = ["rated.jsonl", "pipe"].map(|name| folder.path().join(name));
    fs::write(&file, rated_outputs()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());

    let writer = {
        let pipe = pipe.clone();
        thread::spawn(move || fs::write(pipe, rated_outputs()))
    };
    assert_eq!(score(pipe, 1000), score(file, 1000));
    writer.join().unwrap().unwrap();
}
