//! The command with an encoder of two layers that knows a dozen words; needs ONNX Runtime.

#[path = "../../../../crates/learn/tests/models/tiny_encoder.rs"]
mod tiny_encoder;

use std::{fs, path::Path};

use clap::Parser as _;
use domain::metrics::LearnedMetricKind;
use learn::{
    encoder::library_name, metric::fingerprint, training::MeaningUse, tuning::TunedModelCard,
};
use tempfile::TempDir;

use super::TrainCommand;
use crate::{
    cli::{output::CommandOutput, rerank::RerankArgs},
    learned_metric::testing,
    metrics::{MetricKind, MetricResources, ScoringBatch, score_part},
    progress::ProgressDisplay,
    settings::EncoderSettings,
};

const WORDS: [&str; 8] = ["cat", "dog", "sat", "ran", "big", "red", "mat", "sun"];

#[derive(Debug, clap::Parser)]
struct TuningTestCli {
    #[command(flatten)]
    train: TrainCommand,
}

#[derive(Debug, clap::Parser)]
struct RerankTestCli {
    #[command(flatten)]
    rerank: RerankArgs,
}

/// A text of one word for each octal digit of a number, which differs between seeds.
pub(in crate::cli) fn text(seed: usize, length: usize) -> String {
    let number = seed * 2_654_435_761 % (1 << 24);
    let word = |at: usize| WORDS[(number >> (3 * at)) % WORDS.len()];
    (0..length).map(word).collect::<Vec<_>>().join(" ")
}

pub(in crate::cli) fn source(number: usize) -> String {
    text(number + 1, 8)
}

/// Writes the ratings and references of twenty sources with five outputs each. Both raters like outputs that name the
/// cat.
fn write(folder: &Path) {
    let mut rows =
        vec!["original_id,original,generation,system,sentence_type,rating_1,rating_2".to_owned()];
    let (mut originals, mut references) = (String::new(), String::new());

    for number in 0..20 {
        let source = source(number);
        for system in 0..5 {
            let output = text(100 + number * 5 + system, 3 + system % 3);
            let liked = if output.contains("cat") { 40 } else { 0 };
            let (a, b) = (50 + liked + system, 30 + liked / 2 + system);
            rows.push(format!(
                "{number},{source},{output},{system},Paraphrases,{a},{b}"
            ));
        }
        originals += &format!("{source}\n");
        let two = [300, 400].map(|from| text(from + number, 8));
        references += &format!("{}\n", two.join("\t"));
    }

    let write = |name, text| fs::write(folder.join(name), text).expect("written");
    write("ratings.csv", rows.join("\n"));
    write("test.src", originals);
    write("test.dst", references);
}

/// An encoder of two layers with its settings, and an empty folder.
pub(in crate::cli) struct EncoderWorkspace {
    settings: EncoderSettings,
    folder: TempDir,
    encoder: TempDir,
}

impl EncoderWorkspace {
    /// A new workspace, if ONNX Runtime is installed.
    pub(in crate::cli) fn open() -> Option<Self> {
        let encoder = tiny_encoder::encoder();
        Some(Self {
            settings: settings(encoder.path(), &[])?,
            folder: tempfile::tempdir().expect("a folder can be made"),
            encoder,
        })
    }

    /// The settings with further arguments.
    fn settings_with(&self, more: &[&str]) -> EncoderSettings {
        settings(self.encoder.path(), more).expect("there")
    }

    /// The folder and the settings.
    pub(in crate::cli) fn parts(&self) -> (&Path, &EncoderSettings) {
        (self.folder.path(), &self.settings)
    }
}

/// Settings with the encoder in that folder, if ONNX Runtime is installed.
fn settings(encoder: &Path, more: &[&str]) -> Option<EncoderSettings> {
    let fetched = Path::new("runtime").join(library_name());
    let runtime = testdata::tool_path("RANKRATE_RUNTIME", fetched);
    if !testdata::are_fetched(&[&runtime]) {
        return None;
    }

    let (encoder, runtime) = (encoder.display().to_string(), runtime.display().to_string());
    let fixed = [
        "--encoder",
        &encoder,
        "--onnx-runtime",
        &runtime,
        "--encoder-threads",
        "1",
    ];
    testing::settings_with_words(&[&fixed[..], more].concat())
}

fn run(folder: &Path, settings: &EncoderSettings, arguments: &str) -> anyhow::Result<()> {
    let folder = folder.display().to_string();
    let arguments = format!("train FOLDER/ratings.csv {arguments}");
    let arguments = arguments
        .split(' ')
        .map(|argument| argument.replace("FOLDER", &folder));
    TuningTestCli::try_parse_from(arguments)?
        .train
        .run(CommandOutput::to_writer(true, std::io::sink()), settings)
}

#[test]
fn an_encoder_learns_and_its_file_scores() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    write(folder);
    let common = "--tuned-epochs 1 --tuned-layers 1 --held-out 0.2 --cross-validate --folds 2 \
                  --repeats 2 --output FOLDER/";
    let lens = "--trainer lens --references FOLDER --frozen-epochs 2 --lens-features six";
    for (kind, arguments) in [
        (LearnedMetricKind::Lens, lens),
        (LearnedMetricKind::CrossEncoder, "--trainer cross-encoder"),
    ] {
        let name = kind.name();
        run(folder, settings, &format!("{arguments} {common}{name}")).expect("trained");
        let path = folder.join(name);
        let card = TunedModelCard::read(&path).expect("there");
        let figures = card.cross_validated.expect("asked for");
        assert_eq!(figures.outputs, 100);
        assert!(
            figures.pearson.is_some() && figures.tau.is_some(),
            "{figures:?}"
        );
        let mut sources: Vec<String> = (0..20).map(|at| fingerprint(source(at))).collect();
        sources.sort();
        assert_eq!(card.trained_on(), sources);

        let path = path.display().to_string();
        let named = workspace.settings_with(&["--learned-metric", &path]);
        let mut batch = ScoringBatch::default();
        let references = [source(3)];
        batch.add(&source(0), "the cat sat", || &references);
        batch.add(&source(1), "the dog ran", || &[]);
        let resources = MetricResources::new(&named);
        let metrics = [MetricKind::Learned(kind)];
        let scores = score_part(
            &batch,
            &metrics,
            &resources,
            MeaningUse::Needed,
            ProgressDisplay::Hidden,
            None,
        );
        let scores = scores.expect("scored");
        // 100 outputs were held out, so that the metric says what its scores mean.
        let meaning = scores[0].meanings[0].expect("calibrated");
        let (low, high) = meaning.interval;
        assert!(
            0.0 <= low && low <= meaning.percent && meaning.percent <= high && high <= 100.0,
            "{meaning:?}"
        );
        assert_eq!(meaning.is_out_of_domain, None, "it has no features");
        assert_eq!(scores[0].meanings[1].is_some(), !kind.needs_references());
        assert_eq!(scores[0].signature, Some(card.signature()));
        assert_eq!(scores[0].trained_on, sources);
        let has_score: Vec<bool> = scores[0].values.iter().map(Option::is_some).collect();
        assert_eq!(has_score, [true, !kind.needs_references()]);

        // The file also picks among candidates; for lens, these are one another's references.
        let candidates = folder.join("candidates.jsonl");
        let line = r#"{"source":"the cat sat","candidates":["the cat","a dog ran"]}"#;
        fs::write(&candidates, line).expect("written");
        let candidates = candidates.display().to_string();
        let reranking = RerankTestCli::parse_from(["rerank", &candidates, "--model", &path]);
        let mut out = Vec::new();
        let picked = reranking.rerank.write(true, settings, &mut out);
        picked.expect("its own file is taken");
        let picked: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        let scores = picked["scores"].as_array().expect("a score a candidate");
        assert!(scores.len() == 2 && scores.iter().all(|score| score.is_number()));

        // The file does not serve metrics of other names, and does not get in their way.
        let others = LearnedMetricKind::ALL.iter().copied();
        let others = others.filter(|other| *other != kind && *other != LearnedMetricKind::SHIPPED);
        for other in others {
            let why = resources.scorer(MetricKind::Learned(other));
            let why = why.expect_err("none is named").to_string();
            assert!(why.contains("rankrate train FILE"), "{why}");
        }
    }
}

#[test]
fn an_encoder_without_a_shipped_metric_gets_one_of_its_own() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    write(folder);
    let candidates = folder.join("candidates.jsonl");
    let line = r#"{"source":"the cat sat","candidates":["the cat","a dog ran"]}"#;
    fs::write(&candidates, line).expect("written");

    let rerank = |settings: &EncoderSettings| -> anyhow::Result<()> {
        let arguments = ["rerank".into(), candidates.clone()];
        let command = RerankTestCli::parse_from(arguments);
        command.rerank.write(true, settings, &mut Vec::new())
    };
    let learned_free = MetricKind::Learned(LearnedMetricKind::SHIPPED);
    let score = |settings: &EncoderSettings| -> anyhow::Result<()> {
        MetricResources::new(settings).scorer(learned_free)?;
        Ok(())
    };
    let train = |arguments: &str| {
        let arguments = format!("{arguments} --held-out 0 --output FOLDER/metric");
        run(folder, settings, &arguments)
    };

    for result in [score(settings), rerank(settings), train("--seed 1")] {
        let why = format!("{:#}", result.expect_err("none is shipped"));
        for part in [
            "the encoder bert-2x16-",
            "all-MiniLM-L6-v2 (",
            "all-mpnet-base-v2 (",
            "rankrate train FILE --from none",
        ] {
            assert!(why.contains(part), "{part}: {why}");
        }
    }

    // The message's advice works.
    train("--from none").expect("trained");
    let path = folder.join("metric").display().to_string();
    let named = workspace.settings_with(&["--learned-metric", &path]);
    score(&named).expect("its own metric");
    rerank(&named).expect("its own metric");
}

#[test]
fn what_a_trainer_cannot_use_is_said() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    write(folder);

    for (arguments, expected) in [
        (
            "--trainer lens",
            "name a folder or a file with --references",
        ),
        (
            "--trainer cross-encoder --references FOLDER",
            "looks at no references",
        ),
        (
            "--trainer cross-encoder --lens-features six",
            "looks at no references",
        ),
        ("--trainer cross-encoder --from shipped", "--trainer hybrid"),
        (
            "--trainer cross-encoder --from FOLDER/ratings.csv",
            "not a safetensors file",
        ),
        (
            "--trainer cross-encoder --top-references 2",
            "looks at no references",
        ),
        (
            "--trainer lens --references FOLDER --pooling first",
            "--pooling and --order-share are for --trainer cross-encoder",
        ),
        (
            "--trainer lens --references FOLDER --hidden 8",
            "--hidden takes two widths",
        ),
        (
            "--trainer lens --references FOLDER --top-references 0",
            "over one reference at least",
        ),
        (
            "--trainer cross-encoder --frozen-epochs 1",
            "set no frozen epochs",
        ),
        (
            "--trainer cross-encoder --split FOLDER/none",
            "none was not read",
        ),
        (
            "--trainer cross-encoder --split FOLDER/ratings.csv",
            "none of the validation sources is rated",
        ),
        (
            "--trainer cross-encoder --split FOLDER/test.src",
            "all rated sources are validation sources",
        ),
        ("--tuned-layers 2", "--trainer lens or cross-encoder"),
    ] {
        let arguments = format!("{arguments} --output FOLDER/metric");
        let error = run(folder, settings, &arguments).expect_err("refused");
        let error = format!("{error:#}");
        assert!(error.contains(expected), "{arguments}: {error}");
    }

    assert!(!folder.join("metric").exists());
}
