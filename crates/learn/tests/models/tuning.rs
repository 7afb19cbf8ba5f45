//! Metrics whose encoder learns: what training computes is what ONNX Runtime does, a training that was
//! broken off goes on as if it had not been, and files are refused that do not fit.
//!
//! Most tests use a tiny encoder with random weights; they need ONNX Runtime.

use std::{fs, path::Path};

use learn::{
    encoder::EncoderOptions,
    metric::{TrainingOutput, TrainingSource},
    tuning::{
        FeatureBlocks, ScoringCase, TextPooling, TunedModel, TunedModelCard, TunedScorer,
        TuningError, TuningObjective, TuningPlan, TuningProgress, TuningResources, cross_validate,
        find_largest_difference, train,
    },
};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use tempfile::TempDir;
use testdata::are_fetched;

use crate::available::{available, settings};

/// A folder with the tiny encoder, and the settings for it, if there is ONNX Runtime.
fn open_tiny_encoder() -> Option<(TempDir, EncoderOptions)> {
    let folder = crate::tiny_encoder::encoder();
    let settings = EncoderOptions {
        folder: folder.path().to_owned(),
        ..settings()
    };
    are_fetched(&[&settings.runtime]).then_some((folder, settings))
}

/// Outputs are good that have a cat in them, and worse the longer they are.
fn sources() -> Vec<TrainingSource> {
    let words = ["cat", "dog", "sat", "ran", "big", "red", "mat", "sun"];
    let text = |seed: usize, length: usize| {
        // The digits of a number to the base of 8: no text twice.
        let number = seed * 2_654_435_761 % (1 << 24);
        let word = |at: usize| words[(number >> (3 * at)) % words.len()];
        (0..length).map(word).collect::<Vec<_>>().join(" ")
    };
    let source = |number: usize| {
        let output = |at: usize| {
            let text = text(number * 7 + at, 1 + at % 6);
            let cat = if text.contains("cat") { 1.0 } else { -0.5 };
            TrainingOutput {
                z: cat - text.len() as f64 / 40.0 + at as f64 / 1e3,
                text,
                ratings: 1,
            }
        };
        let mut outputs: Vec<TrainingOutput> = (0..7).map(output).collect();
        outputs.dedup_by(|a, b| a.text == b.text);
        TrainingSource {
            text: text(number, 8),
            references: (0..4).map(|at| text(number + 31 * at, 9)).collect(),
            outputs,
        }
    };
    (0..12).map(source).collect()
}

fn lens() -> TuningPlan {
    TuningPlan {
        objective: TuningObjective::Lens {
            features: FeatureBlocks::Seven,
            hidden: [16, 8],
            top: 3,
            identical: false,
        },
        frozen_epochs: 3,
        tuned_epochs: 2,
        tuned_layers: 1,
        head_lr: 3e-3,
        encoder_lr: 1e-3,
        sources_a_step: [1, 1],
        ..TuningPlan::lens()
    }
}

fn cross() -> TuningPlan {
    TuningPlan {
        tuned_layers: 2,
        encoder_lr: 1e-3,
        ..TuningPlan::cross()
    }
}

fn resources(settings: &EncoderOptions) -> TuningResources {
    TuningResources {
        encoder: settings.clone(),
        checkpoint: None,
    }
}

fn trained(settings: &EncoderOptions, plan: &TuningPlan) -> TunedModel {
    train(&sources(), plan, &resources(settings), &mut |_| true).expect("trained")
}

/// The scores of the outputs by ONNX Runtime, by source.
fn scored(scorer: &TunedScorer) -> Vec<Vec<f64>> {
    let score = |source: &TrainingSource| {
        let case = |output| ScoringCase {
            source: &source.text,
            output,
            references: &source.references,
        };
        let cases: Vec<ScoringCase<'_>> = source
            .outputs
            .iter()
            .map(|output| case(&output.text))
            .collect();
        scorer.predict_z(&cases).expect("scored")
    };
    sources().iter().map(score).collect()
}

fn assert_close(ours: &[Vec<f64>], theirs: &[Vec<f64>], tolerance: f64) {
    let (ours, theirs) = (ours.concat(), theirs.concat());
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert!((ours - theirs).abs() < tolerance, "{ours} and {theirs}");
    }
}

#[test]
fn training_computes_what_onnx_runtime_does() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let texts = ["cat sat", "the big red dog ran", "sun"];
    let difference = find_largest_difference(&settings, &texts).unwrap();
    assert!(difference < 1e-5, "{difference}");
    if let Some(settings) = available() {
        let texts = [
            "The ferry was rebuilt.",
            "Unhurriedly, the glassblower cooled her vase.",
        ];
        let difference = find_largest_difference(&settings, &texts).unwrap();
        assert!(difference < 1e-5, "{difference}");
    }
}

#[test]
fn a_saved_model_scores_as_in_training() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let six = TuningPlan {
        objective: TuningObjective::Lens {
            features: FeatureBlocks::Six,
            hidden: [16, 8],
            top: 1,
            identical: true,
        },
        ..lens()
    };
    let frozen = TuningPlan {
        tuned_epochs: 0,
        ..lens()
    };
    let first_piece = TuningPlan {
        objective: TuningObjective::Cross {
            order_share: 0.2,
            pooling: TextPooling::First,
        },
        ..cross()
    };
    let last_layer = TuningPlan {
        tuned_layers: 1,
        ..first_piece.clone()
    };
    for plan in [lens(), six, frozen, cross(), first_piece, last_layer] {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("model.safetensors");
        let model = trained(&settings, &plan);
        model.save(&path).unwrap();
        let scorer = TunedScorer::open(&path, &settings).unwrap();
        assert_eq!(scorer.card().signature(), model.card().signature());
        assert_eq!(scorer.card().split, model.card().split);
        assert_close(
            &scored(&scorer),
            &model.predict_z(&sources()).unwrap(),
            1e-4,
        );
    }
}

#[test]
fn the_card_says_what_was_trained_on_what() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let card: TunedModelCard = trained(&settings, &lens()).card().clone();
    assert_eq!(
        (card.split.training.len(), card.split.validation.len()),
        (10, 2)
    );
    assert!(card.split.training.is_disjoint(&card.split.validation));
    let choice = card.validation().selection_score();
    assert!(
        card.history
            .iter()
            .all(|result| result.validation.selection_score() <= choice)
    );
    let signature = card.signature();
    assert!(
        signature.starts_with("lens|features:seven|refs:max|encoder:bert-2x16-"),
        "{signature}"
    );
    assert!(signature.contains("|seed:1|version:"), "{signature}");
}

#[test]
fn the_signature_tells_trainings_apart_by_every_setting() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let signature = |plan: TuningPlan| trained(&settings, &plan).card().signature();
    let usual = signature(cross());
    assert!(
        usual.contains("|encoder-lr:0.001|head-lr-factor:8|batch:1|"),
        "{usual}"
    );
    let slower = signature(TuningPlan {
        encoder_lr: 9e-4,
        ..cross()
    });
    assert_eq!(
        slower,
        usual.replace("encoder-lr:0.001", "encoder-lr:0.0009")
    );
    // The cross-encoder has no epochs with the encoder frozen.
    let unused = TuningPlan {
        head_lr: 0.5,
        ..cross()
    };
    assert_eq!(signature(unused), usual);
}

/// A card as version 0.1 wrote it: without dropout in the encoder, pooling and the mark that its signature states the
/// settings.
const OLD_CARD: &str = r#"{"layout":1,"program":"0.1.0","encoder":"bert-2x16-0123456789ab","plan":{"objective":
{"kind":"cross","order_share":0.2},"frozen_epochs":0,"tuned_epochs":2,"tuned_layers":2,"frozen_rate":0.002,"rate":0.001,
"head_factor":8.0,"sources_a_step":[4,1],"decay":0.01,"dropout":0.1,"validation":0.1,"patience":10,"seed":1},
"data":"00112233445566778899","split":{"training":["a"],"validation":["b"]},"epoch":0,"history":[{"epoch":0,"tuned":true,
"loss":1.0,"validation":{"pearson":0.5,"tau":0.4,"hard":null,"outputs":7}}],"order_share":0.0,"cross_validated":null}"#;

#[test]
fn a_file_of_an_earlier_version_scores_and_keeps_its_signature() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("model.safetensors");
    let model = trained(&settings, &cross());
    model.save(&path).unwrap();
    let weights = fs::read(&path).unwrap();
    let (_, header) = SafeTensors::read_metadata(&weights).unwrap();
    let mut texts = header.metadata().clone().unwrap();
    texts.insert("rankrate-tuned-metric".to_owned(), OLD_CARD.to_owned());
    let file = SafeTensors::deserialize(&weights).unwrap();
    safetensors::serialize_to_file(file.tensors(), Some(texts), &path).unwrap();
    let scorer = TunedScorer::open(&path, &settings).unwrap();
    assert_eq!(
        scorer.card().signature(),
        "cross|refs:none|encoder:bert-2x16-0123456789ab|tuned:2|data:001122334455|seed:1|version:0.1.0"
    );
    assert_eq!(scorer.card().trained_on(), ["a", "b"]);
    // The old card gives its ranking head no weight, so that scores are those of the other head alone.
    let scores = scored(&scorer).concat();
    assert!(scores.iter().all(|score| score.is_finite()));
}

#[test]
fn what_is_easy_is_learned() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let plan = TuningPlan {
        frozen_epochs: 40,
        patience: 40,
        head_lr: 1e-2,
        tuned_epochs: 0,
        ..lens()
    };
    let cross_validation = cross_validate(
        &sources(),
        &plan,
        &resources(&settings),
        (3, 1),
        &mut |_, _| true,
    );
    let cross_validation = cross_validation.unwrap();
    assert!(
        cross_validation.figures.tau.unwrap() > 0.4,
        "{:?}",
        cross_validation.figures
    );
    for (scores, source) in cross_validation.scores.iter().zip(sources()) {
        assert_eq!(scores.len(), source.outputs.len());
    }
}

#[test]
fn a_broken_off_training_goes_on_as_if_it_had_not_been() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let whole = trained(&settings, &lens());
    // In the middle of a frozen epoch, and of a tuned one.
    for broken in [1, 4] {
        let place = tempfile::tempdir().unwrap();
        let resources = TuningResources {
            checkpoint: Some(place.path().join("checkpoint")),
            ..resources(&settings)
        };
        let stop = |progress: TuningProgress| {
            progress.loss.is_none() || (progress.epoch, progress.step) != (broken, 5)
        };
        let stopped = train(&sources(), &lens(), &resources, &mut { stop });
        assert!(matches!(stopped, Err(TuningError::Stopped)));
        let mut first = None;
        let on = train(&sources(), &lens(), &resources, &mut |progress| {
            if progress.loss.is_some() {
                first.get_or_insert(progress.epoch);
            }
            true
        });
        let on = on.unwrap();
        assert_eq!(first, Some(broken));
        assert_eq!(on.card().epoch, whole.card().epoch);
        assert_eq!(
            on.predict_z(&sources()).unwrap(),
            whole.predict_z(&sources()).unwrap()
        );
    }
}

/// Earlier versions wrote the memory of their optimisers as bytes of another engine.
#[test]
fn a_checkpoint_of_an_earlier_version_is_gone_on_with() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("checkpoint");
    let resources = TuningResources {
        checkpoint: Some(path.clone()),
        ..resources(&settings)
    };
    let stop = |progress: TuningProgress| (progress.epoch, progress.step) != (4, 5);
    let stopped = train(&sources(), &lens(), &resources, &mut { stop });
    assert!(matches!(stopped, Err(TuningError::Stopped)));

    let bytes = fs::read(&path).unwrap();
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let mut tensors = file.tensors();
    tensors.retain(|(name, _)| !name.starts_with("optimiser."));
    for name in ["optimiser.0", "optimiser.1"] {
        let memory = TensorView::new(Dtype::U8, vec![5], b"burn!").unwrap();
        tensors.push((name.to_owned(), memory));
    }
    safetensors::serialize_to_file(tensors, header.metadata().clone(), &path).unwrap();

    let mut first = None;
    let model = train(&sources(), &lens(), &resources, &mut |progress| {
        if progress.loss.is_some() {
            first.get_or_insert(progress.epoch);
        }
        true
    });
    assert_eq!(first, Some(4));
    let scores = model.unwrap().predict_z(&sources()).unwrap().concat();
    assert!(scores.iter().all(|score| score.is_finite()));
}

#[test]
fn epochs_without_gain_end_a_stage() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let plan = TuningPlan {
        frozen_epochs: 50,
        // So small a rate changes no order.
        head_lr: 1e-12,
        patience: 2,
        ..lens()
    };
    let card = trained(&settings, &plan).card().clone();
    let epochs: Vec<usize> = card.history.iter().map(|result| result.epoch).collect();
    assert!(epochs.len() < 20, "{epochs:?}");
    assert_eq!(epochs[epochs.len() - 2..], [50, 51]);
    assert_eq!(card.history.iter().filter(|result| result.tuned).count(), 2);
}

#[test]
fn a_checkpoint_of_another_training_is_not_gone_on_with() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let resources = TuningResources {
        checkpoint: Some(place.path().join("checkpoint")),
        ..resources(&settings)
    };
    let other = TuningPlan { seed: 2, ..lens() };
    train(&sources(), &other, &resources, &mut |_| true).unwrap();
    let model = train(&sources(), &lens(), &resources, &mut |_| true).unwrap();
    assert_eq!(model.card(), trained(&settings, &lens()).card());

    // A setting that only epochs with a frozen encoder have makes no other training of a cross-encoder.
    train(&sources(), &cross(), &resources, &mut |_| true).unwrap();
    let unused = TuningPlan {
        head_lr: 0.5,
        ..cross()
    };
    let slower = TuningPlan {
        encoder_lr: 9e-4,
        ..cross()
    };
    let count_steps = |plan: &TuningPlan| {
        let mut steps = 0;
        let mut count = |progress: TuningProgress| {
            steps += usize::from(progress.loss.is_some());
            true
        };
        train(&sources(), plan, &resources, &mut count).unwrap();
        steps
    };
    assert_eq!(count_steps(&unused), 0);
    assert_ne!(count_steps(&slower), 0);
}

#[test]
fn a_file_that_is_replaced_serves_who_has_it_open() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("model.safetensors");
    trained(&settings, &cross()).save(&path).unwrap();
    let open = TunedScorer::open(&path, &settings).unwrap();
    let before = scored(&open);
    trained(&settings, &lens()).save(&path).unwrap();
    assert_eq!(scored(&open), before);
    assert!(
        TunedScorer::open(&path, &settings)
            .unwrap()
            .needs_references()
    );
    let files = fs::read_dir(place.path()).unwrap().count();
    assert_eq!(files, 1);
}

#[test]
fn what_does_not_fit_is_refused() {
    let Some((folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let check = |result: Result<TunedScorer, TuningError>, expect: &str| {
        let error = result.err().unwrap().to_string();
        assert!(error.contains(expect), "{error}");
    };
    let bare = folder.path().join("model.safetensors");
    check(
        TunedScorer::open(&bare, &settings),
        "there is no rankrate-tuned-metric in it",
    );
    check(
        TunedScorer::open(Path::new("/nowhere"), &settings),
        "/nowhere cannot be read",
    );

    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("model.safetensors");
    trained(&settings, &cross()).save(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 4]).unwrap();
    check(TunedScorer::open(&path, &settings), "its size differs");
    let text = |from: &str, to: &str| {
        let at = whole
            .windows(from.len())
            .position(|window| window == from.as_bytes());
        let mut changed = whole.clone();
        changed[at.unwrap()..][..from.len()].copy_from_slice(to.as_bytes());
        fs::write(&path, changed).unwrap();
    };
    text("\\\"layout\\\":1", "\\\"layout\\\":7");
    check(TunedScorer::open(&path, &settings), "it has layout 7");
    text("cross.order.weight", "cross.other.weight");
    check(
        TunedScorer::open(&path, &settings),
        "there is no tensor cross.order.weight",
    );
}

#[test]
fn validation_sources_can_be_named() {
    let Some((_folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let all: Vec<String> = sources().iter().map(TrainingSource::fingerprint).collect();
    let plan = TuningPlan {
        validation_sources: [all[2].clone(), all[7].clone()].into(),
        tuned_epochs: 1,
        ..cross()
    };
    let card = trained(&settings, &plan).card().clone();
    assert_eq!(card.split.validation, plan.validation_sources);
    assert_eq!(card.split.training.len(), 10);
    assert!(card.split.training.is_disjoint(&card.split.validation));
}

#[test]
fn what_cannot_be_trained_is_said() {
    let Some((folder, settings)) = open_tiny_encoder() else {
        return;
    };
    let check = |sources: &[TrainingSource], plan: TuningPlan, expect: &str| {
        let result = train(sources, &plan, &resources(&settings), &mut |_| true);
        let error = result.err().unwrap().to_string();
        assert!(error.contains(expect), "{error}");
    };
    let mut bare = sources();
    bare[3].references.clear();
    check(&bare, lens(), "has no references, which LENS learns from");
    check(&[], lens(), "there are no rated outputs");
    check(
        &sources(),
        TuningPlan {
            encoder_lr: f64::NAN,
            ..lens()
        },
        "above 0",
    );
    check(
        &sources(),
        TuningPlan {
            frozen_epochs: 1,
            ..cross()
        },
        "set no frozen epochs",
    );
    let result = cross_validate(
        &sources(),
        &lens(),
        &resources(&settings),
        (13, 1),
        &mut |_, _| true,
    );
    assert!(result.unwrap_err().to_string().contains("into 13 folds"));
    let config = folder.path().join("config.json");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(config, text.replace("\"bert\"", "\"mpnet\"")).unwrap();
    for plan in [lens(), cross()] {
        check(
            &sources(),
            plan,
            "“mpnet” models compute features but cannot be trained",
        );
    }
}
