//! The learned metric on released ratings, and its file.

use std::{
    collections::{BTreeSet, HashSet},
    fs::File,
    ops::ControlFlow::{Break, Continue},
    path::Path,
};

use domain::statistics::{DeviationKind, bootstrap::ResamplingOptions, standardise};
use learn::metric::{
    CrossValidationSettings, FeatureResources, FeatureTable, HybridModel, HybridPlan, HybridScorer,
    HybridSettings, LearnedMetricQuality, ShippedModel, SourceGroup, TrainingRating,
    TrainingSource, WordFrequencies, build_degenerate_features, build_feature_table,
    compute_training_key, cross_validate, merge_tables, train, trees::TreeEnsemble,
};
use learn::training::mean_quality;
use testdata::{are_fetched, needs_released_data, released_path, tool_path};

/// The list of words, if it is fetched.
fn frequencies() -> Option<WordFrequencies> {
    let fetched = Path::new("frequencies").join(learn::metric::FREQUENCIES_FILE);
    let path = tool_path("RANKRATE_FREQUENCIES", fetched);
    are_fetched(&[&path])
        .then(|| WordFrequencies::open(&path).unwrap_or_else(|error| panic!("{error}")))
}

fn words_only() -> Option<FeatureResources> {
    Some(FeatureResources {
        frequencies: frequencies()?,
        encoder: None,
    })
}

/// The released ratings of some sources.
fn released(most: usize) -> Vec<TrainingSource> {
    let file = File::open(released_path("simpeval/simpeval_past.csv")).expect("released ratings");
    let file = formats::read_ratings(file, None).expect("readable");
    let z = standardise(&file.raw, DeviationKind::Population).z;
    let ratings = z.entries().map(|(_, unit, z_score)| {
        let output = &file.outputs[&z.units()[unit]];
        TrainingRating {
            source: &output.source_text,
            output: &output.text,
            z: z_score,
        }
    });
    let mut sources = TrainingSource::group_ratings(ratings);
    sources.truncate(most);
    sources
}

/// A synthetic study: outputs that keep more of the words are rated higher.
fn made_up() -> Vec<TrainingSource> {
    let words = "the old grey ships that sank near several rocky islands carried expensive copper";
    let words: Vec<&str> = words.split(' ').collect();
    let source = |at: usize| {
        let text = format!(
            "Yesterday {} {}.",
            words[at..].join(" "),
            words[..at].join(" ")
        );
        let output = |removed_count: usize| -> String {
            let all: Vec<&str> = text.split(' ').collect();
            all[..all.len() - removed_count].join(" ")
        };
        let outputs: Vec<String> = (0..8).map(output).collect();
        (text.clone(), outputs)
    };
    let all: Vec<_> = (0..8).map(source).collect();
    let ratings = all.iter().flat_map(|(text, outputs)| {
        outputs
            .iter()
            .enumerate()
            .map(|(at, output)| TrainingRating {
                source: text,
                output,
                z: 1.5 - at as f64 / 2.0,
            })
    });
    TrainingSource::group_ratings(ratings)
}

fn plan() -> HybridPlan {
    let mut settings = HybridSettings::reference_free(1);
    settings.trees.max_trees = 40;
    HybridPlan {
        settings,
        held_out: 0.2,
    }
}

fn made_table(resources: &FeatureResources, sources: &[TrainingSource]) -> FeatureTable {
    build_feature_table(sources, resources, &plan().settings, |_| Continue(())).expect("features")
}

fn trained(resources: &FeatureResources, table: FeatureTable) -> HybridModel {
    train(table, resources, &plan(), None, None, |_| Continue(())).expect("trained")
}

fn scores(
    model: HybridModel,
    resources: FeatureResources,
    groups: &[SourceGroup<'_>],
) -> Vec<Vec<f64>> {
    let metric = HybridScorer::new(model, resources).expect("the resources are the same");
    metric.scores(groups, |_| true).expect("scored")
}

#[test]
fn what_is_written_is_read_and_scores_the_same() {
    let Some(resources) = words_only() else {
        return;
    };
    let sources = made_up();
    let model = trained(&resources, made_table(&resources, &sources));
    let read = HybridModel::read(&model.write()).expect("whole");
    assert_eq!(read, model);
    assert_eq!(read.signature(), model.signature());
    let groups: Vec<SourceGroup<'_>> = sources.iter().map(TrainingSource::as_group).collect();
    let before = scores(model, resources.clone(), &groups);
    assert_eq!(
        before,
        scores(read, resources, &groups),
        "scores are deterministic"
    );
    let ordered = before.iter().filter(|group_scores| {
        group_scores[0] > group_scores[7] || group_scores[7] > group_scores[0]
    });
    assert_eq!(ordered.count(), groups.len());
}

#[test]
fn a_stopped_training_goes_on_to_the_identical_metric() {
    let Some(resources) = words_only() else {
        return;
    };
    let table = made_table(&resources, &made_up());
    let whole = trained(&resources, table.clone());
    let (plan, name) = (plan(), compute_training_key(&table, &plan()));
    let mut left = Vec::new();
    let stopped = train(table.clone(), &resources, &plan, None, None, |step| {
        left = step.trees.save(&name);
        if step.trees.len() == 17 {
            return std::ops::ControlFlow::Break(());
        }
        Continue(())
    });
    assert!(stopped.is_err());
    let trees = TreeEnsemble::load(&left, &name, table.columns()).expect("of this training");
    assert_eq!(trees.len(), 17);
    let resumed = train(table.clone(), &resources, &plan, None, Some(trees), |_| {
        Continue(())
    });
    assert_eq!(resumed.expect("trained").write(), whole.write());
    let other = compute_training_key(
        &table,
        &HybridPlan {
            held_out: 0.5,
            ..plan
        },
    );
    assert!(TreeEnsemble::load(&left, &other, table.columns()).is_err());
}

#[test]
fn a_damaged_file_is_refused_with_a_sentence() {
    let Some(resources) = words_only() else {
        return;
    };
    let file = trained(&resources, made_table(&resources, &made_up())).write();
    let why = |file: &[u8]| HybridModel::read(file).expect_err("damaged").to_string();
    assert!(why(b"no model").contains("safetensors"));
    assert!(why(&file[..file.len() - 8]).contains("safetensors"));
    let grid = include_bytes!("../../models/grid.safetensors");
    assert!(why(grid).contains("not a learned metric"));
    let mut errors = BTreeSet::new();
    for at in (file.len() / 2..file.len()).step_by(file.len() / 50) {
        let mut damaged = file.clone();
        damaged[at] ^= 0x5a;
        if let Err(error) = HybridModel::read(&damaged) {
            errors.insert(error.to_string());
        }
    }
    assert!(
        errors.iter().any(|error| error.contains("damaged")),
        "{errors:?}"
    );
}

#[test]
fn a_training_goes_on_from_an_older_metric() {
    let Some(resources) = words_only() else {
        return;
    };
    let sources = made_up();
    let older = trained(&resources, made_table(&resources, &sources[..6]));
    let new = made_table(&resources, &sources[5..]);
    let both =
        merge_tables(&new, &older, &resources, &plan().settings).expect("the same resources");
    assert_eq!(both.sources().len(), 8, "a source of both counts once");
    let both_sources = both.sources().to_vec();
    let model = train(both, &resources, &plan(), Some(&older), None, |_| {
        Continue(())
    })
    .expect("trained");
    assert_eq!(model.card().from, Some(older.signature()));
    let held_out = |source: &str| plan().holds_out(source);
    let learned = both_sources.into_iter().filter(|source| !held_out(source));
    assert_eq!(model.trained_on(), learned.collect::<Vec<_>>());
}

#[test]
fn a_new_metric_is_judged_on_sources_that_were_held_out() {
    let Some(resources) = words_only() else {
        return;
    };
    let plan = HybridPlan {
        held_out: 0.5,
        ..plan()
    };
    let learned_from = |sources: &[TrainingSource]| {
        let table = made_table(&resources, sources);
        train(table, &resources, &plan, None, None, |_| Continue(())).expect("trained")
    };
    let sources = made_up();
    let mut turned = sources.clone();
    let outputs = turned.iter_mut().flat_map(|source| &mut source.outputs);
    outputs.for_each(|output| output.z = -output.z);
    let (right, wrong) = (learned_from(&sources), learned_from(&turned));
    let all: HashSet<String> = sources.iter().map(TrainingSource::fingerprint).collect();
    let compare =
        |a: &HybridModel, b: &HybridModel| a.compare(b, &all, ResamplingOptions::default());
    let comparison = compare(&right, &wrong).expect("comparable");
    assert!(
        comparison.interval.low > 0.0 && comparison.tau > 0.5 && comparison.other < -0.5,
        "{comparison:?}"
    );
    assert_eq!(comparison.sources, all.len() - right.trained_on().len());
    let same = compare(&right, &right).expect("comparable");
    assert_eq!((same.interval.low, same.interval.high), (0.0, 0.0));
    assert!(
        right
            .compare(&wrong, &HashSet::new(), ResamplingOptions::default())
            .is_err()
    );
    let metric = HybridScorer::new(right, resources.clone()).expect("the same resources");
    let guarded = metric.evaluate_guard(&sources, &plan).expect("scored");
    assert!(guarded.is_some_and(|share| share > 0.5), "{guarded:?}");
    assert_eq!(metric.evaluate_guard(&[], &plan).expect("scored"), None);
}

#[test]
fn a_learning_curve_begins_with_what_was_known_and_ends_with_the_metric() {
    let Some(resources) = words_only() else {
        return;
    };
    let sources = made_up();
    let model = trained(&resources, made_table(&resources, &sources));
    let own: HashSet<String> = sources[4..]
        .iter()
        .map(TrainingSource::fingerprint)
        .collect();
    let mut reported = Vec::new();
    let curve = model.learning_curve(&own, |point| {
        reported.push(*point);
        Continue(())
    });
    assert_eq!(reported, curve);
    let learned = own
        .iter()
        .filter(|source| !plan().holds_out(source))
        .count();
    let outputs: Vec<usize> = curve.iter().map(|point| point.outputs).collect();
    assert_eq!(outputs, [0, 8 * learned]);
    let held_out = own.len() - learned;
    assert!(
        curve
            .iter()
            .all(|point| point.figures.sources == held_out && held_out > 0)
    );
    let stopped = model.learning_curve(&own, |_| Break(()));
    assert_eq!(stopped, curve[..1]);
}

#[test]
fn means_that_do_not_fit_are_refused() {
    let Some(resources) = words_only() else {
        return;
    };
    let error = HybridScorer::with_shipped_model(resources)
        .expect_err("it needs an encoder")
        .to_string();
    assert!(error.contains("RANKRATE_ENCODER"), "{error}");
}

#[test]
fn each_shipped_metric_takes_its_own_encoder_only() {
    let (Some(encoder), Some(words)) = (crate::available::encoder(), words_only()) else {
        return;
    };
    let resources = FeatureResources {
        encoder: Some(encoder),
        ..words
    };
    let [own, others @ ..] = ShippedModel::ALL;
    let scorer = HybridScorer::with_shipped_model(resources.clone()).expect("one is shipped");
    let features = &scorer.model().card().features;
    assert_eq!(features.encoder.as_deref(), Some(own.encoder));
    for other in others {
        let error = HybridScorer::new(other.load(), resources.clone());
        let error = error.expect_err("the vectors are not its own").to_string();
        assert!(
            error.contains(other.encoder) && error.contains(own.encoder),
            "{error}"
        );
    }
}

#[test]
fn scores_of_the_shipped_metric_say_what_they_mean() {
    let (Some(encoder), Some(words)) = (crate::available::encoder(), words_only()) else {
        return;
    };
    let resources = FeatureResources {
        encoder: Some(encoder),
        ..words
    };
    let scorer = HybridScorer::with_shipped_model(resources).expect("its own resources");
    let source = "The ferry was withdrawn from service after inspectors discovered corrosion beneath its hull.";
    let groups = [
        SourceGroup {
            source,
            references: &[],
            outputs: vec![
                "The ferry was taken out of service. Inspectors had found rust under its hull.",
                "ferry its hull corrosion the inspectors beneath after was from service discovered.",
            ],
        },
        SourceGroup {
            source: "Die Fähre wurde aus dem Verkehr gezogen, nachdem Prüfer Rost unter dem Rumpf entdeckten.",
            references: &[],
            outputs: vec!["Die Fähre fährt nicht mehr. Prüfer fanden Rost."],
        },
    ];
    let assessed = scorer.assess(&groups, |_| true).expect("assessed");
    let scores = scorer.scores(&groups, |_| true).expect("scored");
    let meanings: Vec<_> = assessed
        .iter()
        .flatten()
        .map(|of| of.meaning.expect("calibrated"))
        .collect();
    assert!(
        assessed
            .iter()
            .flatten()
            .map(|of| of.score)
            .eq(scores.into_iter().flatten())
    );
    let [good, bad, german] = meanings[..] else {
        panic!("{meanings:?}");
    };
    assert!(good.percent > 50.0 && bad.percent < 20.0, "{meanings:?}");
    for meaning in &meanings {
        let (low, high) = meaning.interval;
        assert!(0.0 <= low && low < meaning.percent && meaning.percent < high && high <= 100.0);
    }
    let outside = [good, bad, german].map(|meaning| meaning.is_out_of_domain);
    assert_eq!(outside, [false, false, true].map(Some));
}

/// The model that is shipped for the default encoder.
fn shipped_model() -> HybridModel {
    ShippedModel::ALL[0].load()
}

/// This model with another description.
fn with_card(edit: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let file = shipped_model().write();
    let (length, rest) = file.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    let (header, numbers) = rest.split_at(usize::try_from(length).expect("a short header"));
    let mut header: serde_json::Value = serde_json::from_slice(header).expect("JSON");
    let card = &mut header["__metadata__"]["rankrate-metric"];
    let mut content = serde_json::from_str(card.as_str().expect("text")).expect("JSON");
    edit(&mut content);
    *card = content.to_string().into();
    let header = header.to_string().into_bytes();
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], &header, numbers].concat()
}

#[test]
fn a_metric_whose_description_lies_is_refused() {
    let read = |edit: fn(&mut serde_json::Value)| HybridModel::read(&with_card(edit));
    let same = read(|_| ()).expect("whole");
    assert_eq!(same.signature(), shipped_model().signature());
    let damaged: [fn(&mut serde_json::Value); 7] = [
        |card| card["features"]["names"] = serde_json::json!(["words"]),
        |card| card["settings"]["gate"] = 1e-300.into(),
        |card| card["settings"]["low"] = 0.into(),
        |card| card["settings"]["guard"] = 1e300.into(),
        |card| card["data"] = "abc".into(),
        |card| card["calibration"]["parts"] = serde_json::json!([]),
        |card| card["calibration"]["ratings"][0] = 99.into(),
    ];
    for edit in damaged {
        let error = read(edit).expect_err("it makes no sense").to_string();
        assert!(error.contains("damaged"), "{error}");
    }
    // Its trees look at 133 features, and without an encoder there are fewer.
    let without_encoder = read(|card| card["features"]["encoder"] = serde_json::Value::Null);
    let other_names = read(|card| {
        card["features"]["encoder"] = serde_json::Value::Null;
        card["features"]["names"][3] = "something else".into();
    });
    let Some(resources) = words_only() else {
        return;
    };
    for model in [without_encoder, other_names] {
        let error = HybridScorer::new(model.expect("readable"), resources.clone());
        let error = error.expect_err("other features").to_string();
        assert!(error.contains("names 133 features"), "{error}");
    }
}

/// Pearson's r, hard pairs and degenerate texts, of ten folds.
fn check(figures: &LearnedMetricQuality, [r, hard, degenerate]: [f64; 3]) {
    let at_least = |figure: Option<f64>, least: f64| figure.is_some_and(|value| value >= least);
    assert!(at_least(figures.r, r), "{figures:?}");
    assert!(at_least(figures.hard, hard), "{figures:?}");
    assert!(at_least(figures.degenerate, degenerate), "{figures:?}");
}

/// With words alone and a third of the sources, so that it takes seconds; measured were .698, .449 and .924.
#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_is_learned_from_words_alone() {
    let Some(resources) = words_only() else {
        return;
    };
    let sources = released(34);
    let settings = HybridSettings::reference_free(1);
    let table =
        build_feature_table(&sources, &resources, &settings, |_| Continue(())).expect("features");
    let degenerate =
        build_degenerate_features(&sources, &table, &resources, &settings, |_| Continue(()))
            .expect("features");
    let once = CrossValidationSettings {
        folds: 5,
        repeats: 1,
        seed: 1,
    };
    let figures = cross_validate(&table, &degenerate, &settings, once, || Continue(()));
    let figures = mean_quality(&figures.expect("figures").repeats);
    check(&figures.expect("a repeat"), [0.65, 0.42, 0.85]);
}
