//! Datasets that are left out, with an encoder of two layers that learns; needs ONNX Runtime.

use std::{fs, path::Path};

use clap::Parser as _;
use learn::tuning::TunedModelCard;
use serde_json::Value;

use super::*;
use crate::cli::train::{
    TrainCommand,
    encoder_tests::{EncoderWorkspace, text},
};

const SOURCES: usize = 16;

#[derive(Debug, clap::Parser)]
struct LeftOutCli {
    #[command(flatten)]
    train: TrainCommand,
}

/// The source of that number, the same in both datasets.
fn source(number: usize) -> String {
    text(number + 1, 8)
}

/// Writes a dataset of five outputs a source; outputs that name the cat are rated `liked` points higher.
fn write_ratings(path: &Path, first: usize, liked: i32) {
    let mut rows = "source,output,system,rater,rating\n".to_owned();
    for number in 0..SOURCES {
        for system in 0..5 {
            let output = text(first + number * 5 + system, 3 + system % 3);
            let more = if output.contains("cat") { liked } else { 0 };
            let rating = 50 + more + i32::try_from(system).expect("a few");
            rows += &format!("{},{output},{system},1,{rating}\n", source(number));
        }
    }
    fs::write(path, rows).expect("written");
}

/// Writes two datasets and their list. The references of the second lack one source.
fn write(folder: &Path) {
    write_ratings(&folder.join("first.csv"), 100, 40);
    write_ratings(&folder.join("second.csv"), 400, 40);

    for (name, lacking) in [("all", SOURCES), ("most", 3)] {
        let of_sources = || (0..SOURCES).filter(|number| *number != lacking);
        let folder = folder.join(name);
        fs::create_dir(&folder).expect("made");
        let sources: Vec<String> = of_sources().map(source).collect();
        let references: Vec<String> = of_sources().map(|number| text(number + 900, 7)).collect();
        fs::write(folder.join("test.src"), sources.join("\n")).expect("written");
        fs::write(folder.join("test.dst"), references.join("\n")).expect("written");
    }

    let entry = |name: &str, references: &str| {
        format!(
            "[[dataset]]\nname = \"{name}\"\nratings = \"{name}.csv\"\nreferences = \"{references}\"\n"
        )
    };
    let list = entry("first", "all") + &entry("second", "most");
    fs::write(folder.join("list.toml"), list).expect("written");
}

/// The report of a short training, and the lines of scores.
fn leave_out(
    folder: &Path,
    settings: &EncoderSettings,
    arguments: &str,
) -> anyhow::Result<(Value, Vec<Value>)> {
    let (printed, scores) = (folder.join("report.json"), folder.join("scores.jsonl"));
    let arguments = format!(
        "train --datasets {}/list.toml --leave-one-dataset-out --output {} --tuned-layers 1 --tuned-epochs 1 \
         --folds 2 --held-out 0.2 --bootstrap 20 {arguments}",
        folder.display(),
        scores.display()
    );

    let output = CommandOutput::to_writer(true, fs::File::create(&printed)?);
    LeftOutCli::try_parse_from(arguments.split_whitespace())?
        .train
        .run(output, settings)?;

    let lines = fs::read_to_string(scores)?;
    let lines = lines.lines().map(serde_json::from_str);
    Ok((
        serde_json::from_str(&fs::read_to_string(printed)?)?,
        lines.collect::<Result<_, _>>()?,
    ))
}

/// The lines of a dataset.
fn lines_of<'a>(lines: &'a [Value], dataset: &str) -> Vec<&'a Value> {
    let own = lines.iter().filter(|line| line["dataset"] == dataset);
    own.collect()
}

/// Tau computed from lines of scores, where a missing score counts against the metric, and the number of pairs.
fn compute_tau(lines: &[&Value], metric: &str) -> (f64, usize) {
    let (mut net, mut all) = (0, 0_u32);
    for line in lines {
        let score = |at: &Value| {
            let at = usize::try_from(at.as_u64()?).ok()?;
            line["scores"][metric]["outputs"][at].as_f64()
        };
        for pair in line["preferences"].as_array().expect("a list") {
            let (better, worse) = (score(&pair["better"]), score(&pair["worse"]));
            let right = better.zip(worse).is_some_and(|(a, b)| a > b);
            net += if right { 1 } else { -1 };
            all += 1;
        }
    }

    (f64::from(net) / f64::from(all), all as usize)
}

#[test]
fn an_encoder_never_learns_from_the_dataset_that_it_scores() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    write(folder);
    let trainer = "--trainer cross-encoder --from none";
    let (report, lines) = leave_out(folder, settings, trainer).expect("trained");
    assert_eq!(report["settings"]["objective"]["kind"], "cross");
    assert_eq!(report["warnings"], serde_json::json!([]));

    for (number, name) in ["first", "second"].into_iter().enumerate() {
        let own = lines_of(&lines, name);
        assert_eq!(own.len(), SOURCES);
        let metrics = report["left_out"][number]["metrics"].as_array();
        let metrics = metrics.expect("a list");
        assert_eq!(metrics[0]["metric"], "cross-encoder");
        assert_eq!(metrics.len(), 7, "beside six that nobody trained");
        for metric in metrics {
            let name = metric["metric"].as_str().expect("a name");
            let (tau, pairs) = compute_tau(&own, name);
            let reported = metric["tau"]["value"].as_f64().expect("pairs");
            assert!((reported - tau).abs() < 1e-9, "{name}: {reported}, {tau}");
            assert_eq!(metric["tau"]["count"], pairs);
        }
        let share = metrics[0]["degenerate"]["value"].as_f64();
        assert!(share.is_some_and(|share| (0.0..=1.0).contains(&share)));
    }

    // Other ratings of the first dataset change what is learned for the second one, and nothing else.
    write_ratings(&folder.join("first.csv"), 100, -40);
    let (_, others) = leave_out(folder, settings, trainer).expect("trained");
    let scores = |lines: &[Value], name| -> Vec<Value> {
        let own = lines_of(lines, name).into_iter();
        own.map(|line| line["scores"]["cross-encoder"]["outputs"].clone())
            .collect()
    };
    assert_eq!(scores(&lines, "first"), scores(&others, "first"));
    assert_ne!(scores(&lines, "second"), scores(&others, "second"));
}

#[test]
fn lens_has_the_references_that_the_list_names() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    write(folder);
    let lens = "--trainer lens --frozen-epochs 1";
    let (report, lines) = leave_out(folder, settings, lens).expect("trained");
    assert_eq!(report["settings"]["objective"]["kind"], "lens");
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("second: 1 of 16 sources have no references"),
        "{warnings}"
    );

    for line in &lines {
        let scores = line["scores"]["lens"]["outputs"].as_array();
        let mut scores = scores.expect("a list").iter();
        let lacks = line["dataset"] == "second" && line["source"] == source(3);
        assert!(scores.all(|score| score.is_null() == lacks), "{line}");
    }

    // A metric to keep learns from the same references, which no source may lack.
    let list = fs::read_to_string(folder.join("list.toml")).expect("there");
    let file = folder.join("metric");
    let arguments = format!(
        "train --datasets {}/list.toml {lens} --tuned-layers 1 --tuned-epochs 1 --output {}",
        folder.display(),
        file.display()
    );
    let train = || {
        let output = CommandOutput::to_writer(true, std::io::sink());
        let command = LeftOutCli::parse_from(arguments.split_whitespace());
        command.train.run(output, settings)
    };

    let error = train().expect_err("refused").to_string();
    assert!(error.contains("has no references"), "{error}");
    fs::write(folder.join("list.toml"), list.replace("most", "all")).expect("written");
    train().expect("trained");
    let card = TunedModelCard::read(&file).expect("there");
    assert_eq!(card.plan.objective.kind(), LearnedMetricKind::Lens);
    assert_eq!(card.trained_on().len(), SOURCES);

    let without = list.replacen("references = \"all\"\n", "", 1);
    fs::write(folder.join("list.toml"), without).expect("written");
    let written = fs::read(folder.join("scores.jsonl")).expect("there");
    let error = leave_out(folder, settings, lens).expect_err("nothing is left to learn from");
    assert_eq!(
        error.to_string(),
        "without “second”, no source has references, which lens learns from: name `references` in the list"
    );
    let kept = fs::read(folder.join("scores.jsonl")).expect("there");
    assert_eq!(kept, written, "of the run before");
    let files = fs::read_dir(folder).expect("a folder");
    let names = files.map(|file| file.expect("there").file_name());
    assert!(
        names
            .into_iter()
            .all(|name| !name.to_string_lossy().starts_with('.'))
    );

    let few = fs::read_to_string(folder.join("second.csv")).expect("there");
    let few: Vec<&str> = few.lines().take(11).collect();
    fs::write(folder.join("second.csv"), few.join("\n")).expect("written");
    fs::write(
        folder.join("list.toml"),
        list.replace("most", "all") + "[[dataset]]\nname = \"third\"\nratings = \"second.csv\"\n",
    )
    .expect("written");
    let error = leave_out(folder, settings, "--trainer cross-encoder").expect_err("too few");
    assert!(
        error.to_string().starts_with("without “first”, "),
        "{error:#}"
    );

    let identical = format!("{lens} --identical-references");
    let error = leave_out(folder, settings, &identical).expect_err("refused");
    assert!(
        error.to_string().contains("one file with --references"),
        "{error:#}"
    );
}
