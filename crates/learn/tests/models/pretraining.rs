//! Pre-training: both stages and what follows them, an interruption, the end of a stage, and what cannot be learned from.
//!
//! The tests use a tiny encoder with random weights; they need ONNX Runtime.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::Path,
};

use flate2::{Compression, write::GzEncoder};
use learn::{
    encoder::EncoderOptions,
    metric::{TrainingOutput, TrainingSource, WordFrequencies},
    training::ModelFile,
    tuning::{
        AblationProgress, AblationRequest, PretrainedCard, PretrainedEncoder, PretrainedSources,
        PretrainingData, PretrainingPlan, PretrainingProgress, PretrainingResources,
        PretrainingSignal, PretrainingStage, PretrainingText, ScoringCase, TextPooling,
        TunedScorer, TuningError, TuningObjective, TuningPlan, TuningResources, ablate,
        list_variants, pretrain, train,
    },
};
use safetensors::SafeTensors;
use tempfile::TempDir;
use testdata::are_fetched;

use crate::available::settings;

const WORDS: [&str; 8] = ["cat", "dog", "sat", "ran", "big", "red", "mat", "sun"];

/// The tiny encoder, a list of words and a folder to work in, if there is ONNX Runtime.
struct PretrainingSetup {
    _encoder: TempDir,
    resources: PretrainingResources,
    work: TempDir,
}

impl PretrainingSetup {
    fn open() -> Option<Self> {
        let encoder = crate::tiny_encoder::encoder();
        let work = tempfile::tempdir().expect("a folder");
        let options = EncoderOptions {
            folder: encoder.path().to_owned(),
            threads: 1,
            ..settings()
        };
        are_fetched(&[&options.runtime]).then(|| Self {
            resources: PretrainingResources {
                encoder: options,
                frequencies: frequencies(),
                source_key: |source| source.to_lowercase(),
                work: work.path().to_owned(),
            },
            _encoder: encoder,
            work,
        })
    }

    fn pretrain(&self) -> PretrainedEncoder {
        pretrain(&data(), &plan(), &self.resources, &mut |_| true).expect("pre-trained")
    }
}

/// A list of words in the form of wordfreq's.
fn frequencies() -> WordFrequencies {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let header = WordListHeader {
        format: "cB",
        version: 1,
    };
    let content = (header, [""; 0], ["buy"], WORDS);
    let bytes = rmp_serde::to_vec_named(&content).expect("plain data");
    let mut out = GzEncoder::new(file.as_file(), Compression::fast());
    out.write_all(&bytes).expect("written");
    out.finish().expect("written");
    WordFrequencies::open(file.path()).expect("a list")
}

#[derive(serde::Serialize)]
struct WordListHeader {
    format: &'static str,
    version: u32,
}

fn words(seed: usize, length: usize) -> String {
    // The digits of a number to the base of 8: no text twice.
    let number = seed * 2_654_435_761 % (1 << 24);
    let word = |at: usize| WORDS[(number >> (3 * at)) % WORDS.len()];
    (0..length).map(word).collect::<Vec<_>>().join(" ")
}

fn text(number: usize, references: usize) -> PretrainingText {
    let source = format!(
        "{}, and it {}.",
        words(number + 1, 4),
        words(number + 60, 3)
    );
    PretrainingText {
        outputs: vec![words(number + 1, 3), words(number + 900, 2 + number % 5)],
        references: (0..references)
            .map(|at| words(number + 1 + 31 * at, 4))
            .collect(),
        source,
    }
}

fn data() -> PretrainingData {
    PretrainingData {
        first: (0..16).map(|number| text(number, 0)).collect(),
        second: (100..110).map(|number| text(number, 2)).collect(),
    }
}

fn plan() -> PretrainingPlan {
    let usual = PretrainingPlan::new(1);
    let stage = |usual: TuningPlan, tuned_epochs| TuningPlan {
        tuned_epochs,
        tuned_layers: 1,
        encoder_lr: 1e-3,
        validation: 0.2,
        patience: 5,
        ..usual
    };
    PretrainingPlan {
        first: stage(usual.first, 3),
        second: stage(usual.second, 2),
        ..usual
    }
}

fn rated() -> Vec<TrainingSource> {
    let source = |number: usize| TrainingSource {
        text: words(number + 300, 8),
        references: Vec::new(),
        outputs: (0..5)
            .map(|at| TrainingOutput {
                text: words(number * 7 + at + 400, 2 + at),
                z: 1.0 - at as f64 / 2.0,
                ratings: 1,
            })
            .collect(),
    };
    (0..8).map(source).collect()
}

fn cross() -> TuningPlan {
    TuningPlan {
        tuned_epochs: 1,
        tuned_layers: 2,
        encoder_lr: 1e-3,
        ..TuningPlan::cross()
    }
}

/// The tensors of a file, by name.
fn tensors(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let bytes = fs::read(path).expect("there");
    let file = SafeTensors::deserialize(&bytes).expect("whole");
    let own =
        |(name, view): (String, safetensors::tensor::TensorView<'_>)| (name, view.data().to_vec());
    file.tensors().into_iter().map(own).collect()
}

#[test]
fn all_three_stages_run_one_after_the_other() {
    let Some(workplace) = PretrainingSetup::open() else {
        return;
    };
    let pretrained = workplace.pretrain();
    let card = PretrainedCard::read(&pretrained.path).expect("a card");
    assert_eq!(card, pretrained.card);
    let [first, second] = &card.stages[..] else {
        panic!("two stages, not {}", card.stages.len())
    };
    assert_eq!(
        (first.stage, second.stage),
        (PretrainingStage::First, PretrainingStage::Second)
    );
    assert_eq!(
        (
            first.sources,
            first.development_sources,
            first.signals.len()
        ),
        (16, 4, 7)
    );
    assert_eq!(
        (
            second.sources,
            second.development_sources,
            second.signals.len()
        ),
        (10, 2, 10)
    );
    // Two outputs and a split each; of the second stage's also two references.
    assert_eq!((first.candidates, second.candidates), (16 * 3, 10 * 5));
    for stage in [first, second] {
        let [begin, .., end] = &stage.history[..] else {
            panic!("several epochs")
        };
        assert!(end.loss < begin.loss, "{:?}", stage.history);
        let best = &stage.history[stage.epoch];
        let losses = stage
            .history
            .iter()
            .filter_map(|epoch| epoch.development_loss);
        assert_eq!(best.development_loss, losses.reduce(f64::min));
    }
    // Development sources are not learned from; the second stage's model knows what the first one learned from.
    let models = [first, second].map(|stage| stage.language_model.as_ref().expect("one"));
    assert_eq!(models.map(|model| model.sources), [12, 12 + 8]);
    assert_ne!(models[0].data, models[1].data);
    let listed = PretrainedSources::read(&pretrained.path).expect("there");
    let listed = listed.expect("the file lists its sources");
    assert_eq!(listed.len(), 16 + 10);
    let all = data();
    for text in all.first.iter().chain(&all.second) {
        assert!(listed.contains(&text.source.to_lowercase()));
    }
    assert!(!listed.contains(&rated()[0].text));
    let head = tensors(&pretrained.path)["pretraining.signals.weight"].len();
    assert_eq!(head, 10 * 16 * 4);

    // Stage 3: the metric that is trained further is another one than from the encoder alone, and scores.
    let further = |folder: &Path| {
        let encoder = EncoderOptions {
            folder: folder.to_owned(),
            ..workplace.resources.encoder.clone()
        };
        let resources = TuningResources {
            encoder,
            checkpoint: None,
        };
        train(&rated(), &cross(), &resources, &mut |_| true).expect("trained")
    };
    let from_pretrained = further(&pretrained.path);
    let from_encoder = further(&workplace.resources.encoder.folder);
    assert_eq!(from_pretrained.card().pretraining.as_deref(), Some(&card));
    assert_eq!(from_encoder.card().pretraining, None);
    assert_ne!(
        from_pretrained.card().signature(),
        from_encoder.card().signature()
    );
    let predicted = from_pretrained.predict_z(&rated()).expect("predicted");
    assert_ne!(
        predicted,
        from_encoder.predict_z(&rated()).expect("predicted")
    );
    let path = workplace.work.path().join("metric");
    from_pretrained.save(&path).expect("saved");
    let scorer = TunedScorer::open(&path, &workplace.resources.encoder).expect("a metric");
    let source = &rated()[0];
    let case = |output: &'static str| ScoringCase {
        source: &source.text,
        output,
        references: &[],
    };
    let scores = scorer
        .predict_z(&[case("cat sat"), case("dog")])
        .expect("scored");
    assert!(scores.iter().all(|score| score.is_finite()), "{scores:?}");
    let kept = scorer.card().pretraining.as_deref();
    assert_eq!(kept.map(|kept| &kept.stages[1].data), Some(&second.data));
}

#[test]
fn a_source_is_the_same_however_it_is_written() {
    let Some(workplace) = PretrainingSetup::open() else {
        return;
    };
    let shout = |number: usize| {
        let text = text(number, 2);
        PretrainingText {
            source: text.source.to_uppercase(),
            ..text
        }
    };
    let data = PretrainingData {
        second: (0..16).map(shout).collect(),
        ..data()
    };
    let pretrained = pretrain(&data, &plan(), &workplace.resources, &mut |_| true);
    let card = pretrained.expect("pre-trained").card;
    let stages = card.stages.iter();
    let counts = stages.map(|stage| {
        let model = stage.language_model.as_ref().expect("one");
        (stage.development_sources, model.sources)
    });
    assert_eq!(counts.collect::<Vec<_>>(), [(4, 12), (4, 12)]);
}

#[test]
fn an_interrupted_pretraining_resumes_as_if_it_had_not_been() {
    let Some(whole) = PretrainingSetup::open() else {
        return;
    };
    let expected = whole.pretrain();
    // In the second epoch of the first stage, then in that of the second one.
    let workplace = PretrainingSetup::open().expect("as before");
    for broken in [PretrainingStage::First, PretrainingStage::Second] {
        let mut stop = |progress: PretrainingProgress| {
            !matches!(progress, PretrainingProgress::Step { stage, step }
                if stage == broken && step.loss.is_some() && (step.epoch, step.step) == (1, 2))
        };
        let stopped = pretrain(&data(), &plan(), &workplace.resources, &mut stop);
        assert!(matches!(stopped, Err(TuningError::Stopped)), "{stopped:?}");
        let files = fs::read_dir(workplace.work.path()).expect("a folder");
        let name = |file: Result<fs::DirEntry, _>| file.expect("an entry").file_name();
        let names: Vec<String> = files
            .map(|file| name(file).to_string_lossy().into_owned())
            .collect();
        let start = format!("stage-{}-", broken.number());
        let is_checkpoint =
            |name: &&String| name.starts_with(&start) && name.ends_with(".checkpoint");
        assert_eq!(names.iter().filter(is_checkpoint).count(), 1, "{names:?}");
    }
    let mut first = None;
    let resumed = pretrain(&data(), &plan(), &workplace.resources, &mut |progress| {
        if let PretrainingProgress::Step { stage, step } = progress
            && step.loss.is_some()
        {
            first.get_or_insert((stage, step.epoch));
        }
        true
    });
    let resumed = resumed.expect("pre-trained");
    assert_eq!(first, Some((PretrainingStage::Second, 1)));
    assert_eq!(resumed.card, expected.card);
    assert_eq!(tensors(&resumed.path), tensors(&expected.path));

    // What is finished is not computed again; a plan that differs is.
    let mut steps = 0;
    let mut count = |_| {
        steps += 1;
        true
    };
    let again = pretrain(&data(), &plan(), &workplace.resources, &mut count).expect("finished");
    assert_eq!((again, steps), (resumed, 0));
    let mut stages = Vec::new();
    let mut other = plan();
    other.second.encoder_lr /= 2.0;
    let second_only = pretrain(&data(), &other, &workplace.resources, &mut |progress| {
        if let PretrainingProgress::Step { stage, .. } = progress {
            stages.push(stage);
        }
        true
    });
    let second_only = second_only.expect("another second stage");
    assert!(
        stages
            .iter()
            .all(|stage| *stage == PretrainingStage::Second)
    );
    assert!(!stages.is_empty());
    assert_eq!(second_only.card.stages[0], expected.card.stages[0]);
    assert_ne!(second_only.card.stages[1], expected.card.stages[1]);
    assert_eq!(second_only.card.plan, other);
    let other = PretrainingPlan { seed: 2, ..plan() };
    let other = pretrain(&data(), &other, &workplace.resources, &mut |_| true).expect("another");
    assert_ne!(other.card.stages, expected.card.stages);
}

#[test]
fn a_stage_ends_when_its_development_loss_no_longer_falls() {
    let Some(workplace) = PretrainingSetup::open() else {
        return;
    };
    let plan = plan();
    let plan = PretrainingPlan {
        first: TuningPlan {
            tuned_epochs: 20,
            // So small a rate changes no weight.
            encoder_lr: 1e-30,
            patience: 2,
            ..plan.first
        },
        ..plan
    };
    let data = PretrainingData {
        second: Vec::new(),
        ..data()
    };
    let pretrained = pretrain(&data, &plan, &workplace.resources, &mut |_| true).expect("done");
    let [stage] = &pretrained.card.stages[..] else {
        panic!("one stage")
    };
    assert_eq!((stage.epoch, stage.history.len()), (0, 3));
}

#[test]
fn the_first_pieces_vector_can_be_learned_with() {
    let Some(workplace) = PretrainingSetup::open() else {
        return;
    };
    let objective = TuningObjective::Cross {
        order_share: 0.2,
        pooling: TextPooling::First,
    };
    let plan = plan();
    let plan = PretrainingPlan {
        first: TuningPlan {
            objective,
            ..plan.first
        },
        signals: vec![PretrainingSignal::SourceFkgl, PretrainingSignal::SelfBleu],
        degraded: 0.0,
        ..plan
    };
    let data = PretrainingData {
        second: Vec::new(),
        ..data()
    };
    let by_first = pretrain(&data, &plan, &workplace.resources, &mut |_| true).expect("done");
    assert_eq!(by_first.card.stages[0].signals.len(), 2);
    assert_eq!(by_first.card.stages[0].language_model, None);
    assert_eq!(by_first.card.pooling(), TextPooling::First);
    let other = PretrainingSetup::open().expect("as before");
    let by_mean = PretrainingPlan {
        first: TuningPlan {
            objective: TuningPlan::cross().objective,
            ..plan.first.clone()
        },
        ..plan
    };
    let by_mean = pretrain(&data, &by_mean, &other.resources, &mut |_| true).expect("done");
    assert_ne!(
        by_mean.card.stages[0].history,
        by_first.card.stages[0].history
    );
}

#[test]
fn an_ablation_compares_variants_on_ratings() {
    let Some(workplace) = PretrainingSetup::open() else {
        return;
    };
    let mut data = data();
    // The source of a rated output is not learned from.
    data.first[0].source.clone_from(&rated()[3].text);
    let variants = list_variants(&plan(), &data);
    let variants: Vec<_> = variants.into_iter().take(4).collect();
    let (rated, tuning) = (rated(), cross());
    let request = AblationRequest {
        variants: &variants,
        data: &data,
        rated: &rated,
        tuning: &tuning,
        folds: (2, 1),
        resources: &workplace.resources,
    };
    let rows = ablate(&request, &mut |_| true).expect("compared");
    let names: Vec<&str> = rows.iter().map(|row| &*row.variant).collect();
    assert_eq!(
        names,
        ["none", "first-stage", "second-stage", "both-stages"]
    );
    let texts: Vec<[usize; 2]> = rows.iter().map(|row| row.texts).collect();
    assert_eq!(texts, [[0, 0], [15, 0], [0, 10], [15, 10]]);
    assert!(
        rows.iter()
            .all(|row| row.figures.outputs == 40 && row.figures.tau.is_some())
    );
    assert_ne!(rows[0].figures, rows[3].figures);

    // After an interruption only what is unfinished is computed: in another folder, up to the third variant.
    let workplace = PretrainingSetup::open().expect("as before");
    let request = AblationRequest {
        resources: &workplace.resources,
        ..request
    };
    let stopped = ablate(&request, &mut |progress| {
        !matches!(
            progress,
            AblationProgress::CrossValidation { variant: 2, .. }
        )
    });
    assert!(matches!(stopped, Err(TuningError::Stopped)), "{stopped:?}");
    let mut validated = BTreeSet::new();
    let mut on_progress = |progress| {
        if let AblationProgress::CrossValidation { variant, .. } = progress {
            validated.insert(variant);
        }
        true
    };
    let resumed = ablate(&request, &mut on_progress).expect("compared");
    assert_eq!(resumed, rows);
    assert_eq!(validated, BTreeSet::from([2, 3]));
    let slower = TuningPlan {
        encoder_lr: 9e-4,
        ..cross()
    };
    let request = AblationRequest {
        tuning: &slower,
        ..request
    };
    validated.clear();
    let mut on_progress = |progress| {
        if let AblationProgress::CrossValidation { variant, .. } = progress {
            validated.insert(variant);
        }
        true
    };
    let slower = ablate(&request, &mut on_progress).expect("compared");
    assert_eq!(validated.len(), 4);
    assert_ne!(slower, rows);
}

#[test]
fn what_cannot_be_learned_from_is_said() {
    let Some(workplace) = PretrainingSetup::open() else {
        return;
    };
    let check = |data: &PretrainingData, plan: &PretrainingPlan, expected: &str| {
        let result = pretrain(data, plan, &workplace.resources, &mut |_| true);
        let error = result.expect_err("refused").to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(
        &PretrainingData::default(),
        &plan(),
        "there are no texts to learn from",
    );
    let mut bare = data();
    bare.second[2].references.clear();
    check(
        &bare,
        &plan(),
        "has no references, which the second stage compares with",
    );
    let mut empty = data();
    empty.first[1].source = " ".to_owned();
    check(&empty, &plan(), "a source is empty");
    let of_references = PretrainingPlan {
        signals: vec![PretrainingSignal::Sari],
        ..plan()
    };
    check(&data(), &of_references, "stage 1 has no signal to learn");
    let degraded = PretrainingPlan {
        degraded: 1.5,
        ..plan()
    };
    check(&data(), &degraded, "from 0 to 1");
    let twice = PretrainingPlan {
        signals: vec![PretrainingSignal::SelfBleu; 2],
        ..plan()
    };
    check(&data(), &twice, "named twice");
    let lens = PretrainingPlan {
        first: TuningPlan::lens(),
        ..plan()
    };
    check(&data(), &lens, "only a cross-encoder");

    // A file that is no pre-trained encoder, and a pre-trained encoder where a metric is wanted.
    let pretrained = workplace.pretrain();
    let opened = ModelFile::open(&pretrained.path).expect_err("no metric");
    assert!(
        opened.reason().contains("does not score yet"),
        "{}",
        opened.reason()
    );
    let weights = workplace.resources.encoder.folder.join("model.safetensors");
    let resources = PretrainingResources {
        encoder: EncoderOptions {
            folder: weights,
            ..workplace.resources.encoder.clone()
        },
        ..workplace.resources.clone()
    };
    let refused = pretrain(&data(), &plan(), &resources, &mut |_| true);
    let refused = refused.expect_err("no folder").to_string();
    assert!(refused.contains("not a pre-trained encoder"), "{refused}");
    let config = workplace.resources.encoder.folder.join("config.json");
    let text = fs::read_to_string(&config).expect("there");
    fs::write(config, text.replace("\"bert\"", "\"mpnet\"")).expect("written");
    check(
        &data(),
        &plan(),
        "“mpnet” models compute features but cannot be trained",
    );
}
