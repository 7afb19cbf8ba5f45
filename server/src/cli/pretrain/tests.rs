//! The command with an encoder of two layers that knows a dozen words; needs ONNX Runtime.

use std::{
    fs,
    io::Write,
    path::Path,
    sync::{Arc, Mutex},
};

use clap::Parser as _;
use learn::tuning::{PretrainedCard, TunedModelCard};

use super::*;
use crate::cli::train::{
    TrainCommand,
    encoder_tests::{EncoderWorkspace, text},
};

#[derive(Debug, clap::Parser)]
struct PretrainTestCli {
    #[command(flatten)]
    pretrain: PretrainArgs,
}

#[derive(Debug, clap::Parser)]
struct FurtherTrainingCli {
    #[command(flatten)]
    train: TrainCommand,
}

/// The output of a command, for a test to read.
#[derive(Debug, Clone, Default)]
struct SharedBytes(Arc<Mutex<Vec<u8>>>);

impl Write for SharedBytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("alone").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes texts with and without references, and ratings of other texts.
fn write(folder: &Path) {
    let write = |name, text: String| fs::write(folder.join(name), text).expect("written");
    let lines = (0..12).map(|number| format!("{}; it ran.\n", text(number + 50, 5)));
    write("texts.txt", lines.collect());

    let mut rows = "source,output,system\n".to_owned();
    for number in 0..6 {
        let source = text(number + 500, 6);
        for system in 0..2 {
            rows += &format!("{source},{},{system}\n", text(number * 2 + system + 700, 4));
        }
    }
    write("outputs.csv", rows);

    let (mut originals, mut references) = (String::new(), String::new());
    for number in 0..8 {
        originals += &format!("{}\n", text(number + 500, 6));
        references += &format!("{}\t{}\n", text(number + 900, 5), text(number + 950, 4));
    }
    write("test.src", originals);
    write("test.dst", references);

    let mut rows =
        "original_id,original,generation,system,sentence_type,rating_1,rating_2\n".to_owned();
    for number in 0..12 {
        for system in 0..4 {
            let output = text(100 + number * 5 + system, 3 + system % 3);
            let (a, b) = (50 + 9 * system, 30 + 5 * system);
            rows += &format!(
                "{number},{},{output},{system},Paraphrases,{a},{b}\n",
                text(number + 1, 8)
            );
        }
    }
    write("ratings.csv", rows);
}

fn run(
    folder: &Path,
    settings: &EncoderSettings,
    arguments: &str,
) -> anyhow::Result<serde_json::Value> {
    let folder = folder.display().to_string();
    let arguments = format!("pretrain {arguments}");
    let arguments = arguments
        .split_whitespace()
        .map(|argument| argument.replace("FOLDER", &folder));

    let written = SharedBytes::default();
    let output = CommandOutput::to_writer(true, written.clone());
    PretrainTestCli::try_parse_from(arguments)?
        .pretrain
        .run(output, settings)?;

    let bytes = written.0.lock().expect("alone").clone();
    Ok(serde_json::from_slice(&bytes)?)
}

const BRIEFLY: &str = "--first-epochs 1 --second-epochs 1 --tuned-layers 1 --held-out 0.2";

#[test]
fn an_encoder_is_pretrained_and_a_metric_made_of_it() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    write(folder);
    let arguments = format!(
        "FOLDER/texts.txt FOLDER/outputs.csv --references FOLDER --work FOLDER/work --pooling first \
         --output FOLDER/pretrained {BRIEFLY}"
    );
    let report = run(folder, settings, &arguments).expect("pre-trained");
    assert_eq!(report["schema"], "pretrain/1");
    let stages = &report["card"]["stages"];
    assert_eq!(
        (&stages[0]["sources"], &stages[1]["sources"]),
        (&18.into(), &8.into())
    );
    // Each source has two references, and six of them have two outputs.
    assert_eq!(stages[1]["candidates"], 8 * 2 + 6 * 2);
    let pretrained = folder.join("pretrained");
    let card = PretrainedCard::read(&pretrained).expect("a card");
    assert_eq!(card.stages[1].data, stages[1]["data"]);

    // A second run reuses what the first left in the work folder, and leaves no checkpoint there.
    let again = run(folder, settings, &arguments).expect("nothing to do");
    assert_eq!(again, report);
    let kept = fs::read_dir(folder.join("work")).expect("a folder").count();
    assert_eq!(kept, 2);

    let path = |name: &str| folder.join(name).display().to_string();
    let (ratings, from, metric) = (path("ratings.csv"), path("pretrained"), path("metric"));
    let train = [
        "train",
        &ratings,
        "--trainer",
        "cross-encoder",
        "--from",
        &from,
        "--output",
        &metric,
        "--tuned-epochs",
        "1",
        "--order-share",
        "0.3",
        "--batch",
        "2",
        "--encoder-lr",
        "1e-4",
    ];
    let written = SharedBytes::default();
    let output = CommandOutput::to_writer(true, written.clone());
    let command = FurtherTrainingCli::parse_from(train).train;
    command.run(output, settings).expect("trained");
    let report = written.0.lock().expect("alone").clone();
    let report: serde_json::Value = serde_json::from_slice(&report).expect("a report");

    // The files have eighteen sources, six of which are among the eight with references. None of them is rated.
    let overlap = serde_json::json!({
        "pretrained_sources": 20, "rated_sources": 12, "shared": 0,
        "development_sources": 2, "development_shared": 0,
    });
    assert_eq!(report["pretraining_overlap"], overlap);
    let trained = TunedModelCard::read(Path::new(&metric)).expect("a metric");
    let kept = trained.pretraining.as_deref();
    assert_eq!(
        kept.map(|kept| &kept.stages[1].data),
        Some(&card.stages[1].data)
    );
    let objective = learn::tuning::TuningObjective::Cross {
        order_share: 0.3,
        pooling: learn::tuning::TextPooling::First,
    };
    assert_eq!(trained.plan.objective, objective);
    assert_eq!(
        (trained.plan.sources_a_step, trained.plan.encoder_lr),
        ([2, 2], 1e-4)
    );
}

#[test]
fn rated_sources_of_pretraining_are_counted_however_they_are_written() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    write(folder);

    // Five of the twelve rated sources, one a line, in capitals.
    let lines = (0..5).map(|number| format!("{}\n", text(number + 1, 8).to_uppercase()));
    fs::write(folder.join("texts.txt"), lines.collect::<String>()).expect("written");
    let arguments = format!("FOLDER/texts.txt --output FOLDER/pretrained {BRIEFLY}");
    run(folder, settings, &arguments).expect("pre-trained");

    let path = |name: &str| folder.join(name).display().to_string();
    let (ratings, from) = (path("ratings.csv"), path("pretrained"));
    let validate = |is_json: bool| {
        let train = [
            "train",
            &ratings,
            "--trainer",
            "cross-encoder",
            "--from",
            &from,
            "--tuned-epochs",
            "1",
            "--tuned-layers",
            "1",
            "--cross-validate",
            "--folds",
            "2",
            "--repeats",
            "1",
        ];
        let written = SharedBytes::default();
        let output = CommandOutput::to_writer(is_json, written.clone());
        let command = FurtherTrainingCli::parse_from(train).train;
        command.run(output, settings).expect("validated");
        let written = written.0.lock().expect("alone").clone();
        String::from_utf8(written).expect("text")
    };

    let report: serde_json::Value = serde_json::from_str(&validate(true)).expect("a report");
    let overlap = serde_json::json!({
        "pretrained_sources": 5, "rated_sources": 12, "shared": 5,
        "development_sources": null, "development_shared": null,
    });
    assert_eq!(report["pretraining_overlap"], overlap);

    let text = validate(false);
    assert!(
        text.contains("! pre-training had 5 of 12 sources that were held out"),
        "{text}"
    );
}

#[test]
fn an_ablation_is_a_table_of_variants() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    write(folder);

    let arguments = format!(
        "FOLDER/texts.txt --references FOLDER --limit 6 --ablation FOLDER/ratings.csv --folds 2 \
         --third-epochs 1 --variants none,both-stages,not-degraded {BRIEFLY}"
    );
    let report = run(folder, settings, &arguments).expect("compared");
    assert_eq!(report["schema"], "pretrain-ablation/1");
    let rows = report["variants"].as_array().expect("rows");
    let names: Vec<_> = rows.iter().map(|row| row["variant"].as_str()).collect();
    assert_eq!(names, ["none", "both-stages", "not-degraded"].map(Some));

    let texts: Vec<_> = rows.iter().map(|row| &row["texts"]).collect();
    assert_eq!(
        texts,
        [&serde_json::json!([0, 0]), &[6, 6].into(), &[6, 6].into()]
    );
    assert!(
        rows.iter()
            .all(|row| row["outputs"] == 48 && row["tau"].is_number())
    );
}

#[test]
fn wrong_arguments_are_explained() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    write(folder);
    fs::write(folder.join("empty.txt"), "\n").expect("written");
    for (arguments, expected) in [
        ("--output FOLDER/out", "required"),
        ("FOLDER/texts.txt", "--output"),
        ("FOLDER/none.txt --output FOLDER/out", "none.txt"),
        (
            "FOLDER/empty.txt --output FOLDER/out",
            "there are no texts to learn from",
        ),
        ("FOLDER/test.src --output FOLDER/out", "ends in .txt"),
        (
            "FOLDER/texts.txt --output FOLDER/out --signals readability",
            "there is no signal “readability”",
        ),
        (
            "FOLDER/texts.txt --output FOLDER/out --signals sari",
            "stage 1 has no signal",
        ),
        (
            "FOLDER/texts.txt --output FOLDER/out --degraded 2",
            "from 0 to 1",
        ),
        (
            "FOLDER/texts.txt --output FOLDER/out --first-lr 0",
            "above 0",
        ),
        (
            "FOLDER/texts.txt --output FOLDER/out --third-epochs 2",
            "--ablation",
        ),
        (
            "FOLDER/texts.txt --ablation FOLDER/ratings.csv --variants both-stages",
            "there is no variant “both-stages” of these texts",
        ),
    ] {
        let error = run(folder, settings, arguments).expect_err("refused");
        let error = format!("{error:#}");
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    assert!(!folder.join("out").exists());
}
