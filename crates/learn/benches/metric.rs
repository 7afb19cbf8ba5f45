//! How fast the learned metric is trained on a study of 2,400 outputs, and how fast it scores them.
//!
//! `cargo bench -p learn --bench metric`, with library, model and word frequencies fetched as for the
//! tests. Texts are made up, 26 words a source as in SimpEval; each source has ten references. The
//! training without references continues from the metric that is shipped for the encoder, as it does by default.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

#[path = "../tests/models/available.rs"]
mod available;
mod synthetic;

use std::{ops::ControlFlow::Continue, path::Path, time::Instant};

use domain::random::SeededRandom;
use learn::metric::{
    FREQUENCIES_FILE, FeatureResources, HybridPlan, HybridScorer, HybridSettings, ShippedModel,
    SourceGroup, TrainingRating, TrainingSource, WordFrequencies, build_feature_table,
    merge_tables, train,
};

use self::synthetic::{processor, simplified, text};

const SOURCES: usize = 100;
const OUTPUTS: usize = 24;
const REFERENCES: usize = 10;

fn resources() -> Option<FeatureResources> {
    let fetched = Path::new("frequencies").join(FREQUENCIES_FILE);
    let path = testdata::tool_path("RANKRATE_FREQUENCIES", fetched);
    Some(FeatureResources {
        frequencies: WordFrequencies::open(&path)
            .map_err(|error| println!("skipped: {error}"))
            .ok()?,
        encoder: Some(available::encoder()?),
    })
}

/// Sources with references, and outputs that three people rated.
fn sources(seed: u64) -> Vec<TrainingSource> {
    let mut random = SeededRandom::new(seed);
    let mut pairs = Vec::new();
    for _ in 0..SOURCES {
        let source = text(&mut random, 26);
        for _ in 0..OUTPUTS {
            pairs.push((source.clone(), simplified(&mut random, &source)));
        }
    }
    let ratings = pairs.iter().enumerate().map(|(at, (source, output))| {
        let z = (at % 17) as f64 / 4.0 - 2.0;
        TrainingRating { source, output, z }
    });
    let mut sources = TrainingSource::group_ratings(ratings);
    for source in &mut sources {
        let reference = |_| simplified(&mut random, &source.text);
        source.references = (0..REFERENCES).map(reference).collect();
    }
    sources
}

/// Wall and processor seconds of what is done.
fn timed<T>(name: &str, count: usize, work: impl FnOnce() -> T) -> T {
    let (wall, cpu) = (Instant::now(), processor());
    let result = work();
    let wall = wall.elapsed().as_secs_f64();
    let cpu = processor().zip(cpu).map(|(after, before)| after - before);
    let cpu = cpu.map_or_else(|| "?".to_owned(), |cpu| format!("{cpu:.1}"));
    let a_second = count as f64 / wall;
    println!("{name}: {wall:.1} s, {cpu} s of processor; {a_second:.0} outputs/s");
    result
}

fn retrain(
    resources: &FeatureResources,
    settings: HybridSettings,
    name: &str,
    seed: u64,
) -> HybridScorer {
    let sources = sources(seed);
    let plan = HybridPlan {
        settings,
        held_out: 0.1,
    };
    let model = timed(name, SOURCES * OUTPUTS, || {
        let table = build_feature_table(&sources, resources, &settings, |_| Continue(()))
            .expect("features");
        let shipped = || ShippedModel::find(resources.encoder_name()).expect("one is shipped");
        let older = (settings.references == 0).then(|| shipped().load());
        let data = match &older {
            Some(older) => {
                merge_tables(&table, older, resources, &settings).expect("the same resources")
            }
            None => table,
        };
        train(data, resources, &plan, older.as_ref(), None, |_| {
            Continue(())
        })
        .expect("trained")
    });
    HybridScorer::new(model, resources.clone()).expect("the same resources")
}

fn score(metric: &HybridScorer, name: &str, seed: u64) {
    let sources = sources(seed);
    let groups: Vec<SourceGroup<'_>> = sources.iter().map(TrainingSource::as_group).collect();
    let scores = timed(name, SOURCES * OUTPUTS, || metric.scores(&groups, |_| true));
    assert_eq!(scores.expect("scored").len(), SOURCES);
}

fn main() {
    let Some(resources) = resources() else { return };
    let free = retrain(
        &resources,
        HybridSettings::reference_free(1),
        "retrain, no references",
        1,
    );
    score(&free, "score, no references", 2);
    let with = HybridSettings::with_references(1);
    let with = retrain(&resources, with, "train with 10 references", 3);
    score(&with, "score with 10 references", 4);
}
