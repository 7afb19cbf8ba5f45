//! SARI, BLEU and FKGL of every output of a file and how long they take, for `bench/metrics`, which
//! holds both against others' programs.
//!
//! The file is JSON: `[{"source": …, "references": […], "outputs": […]}]`. The answer is a line of JSON:
//! the scores by metric in the order of the outputs, and the seconds of the fastest of several runs, from
//! texts to scores, of each metric and of all three together. On one thread.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use std::{env, fs, hint::black_box, time::Instant};

use domain::metrics::{DeletionMeasure, LetterCase, PreparedSource, bleu, fkgl, sari};
use serde::Deserialize;
use serde_json::json;

const RUNS: usize = 9;

#[derive(Deserialize)]
struct BenchSource {
    source: String,
    references: Vec<String>,
    outputs: Vec<String>,
}

fn main() {
    let Some(file) = env::args().skip(1).find(|arg| arg != "--bench") else {
        println!("nothing to compare: run bench/metrics, which makes the file");
        return;
    };
    let file = fs::read(&file).expect("a readable file");
    let sources: Vec<BenchSource> =
        serde_json::from_slice(&file).expect("sources with their outputs");
    let sari = |side: &PreparedSource, output: &str| sari(side, output, DeletionMeasure::F1).score;
    let bleu = |side: &PreparedSource, output: &str| bleu(side, output, LetterCase::Mixed).score;
    let fkgl = |_: &PreparedSource, output: &str| fkgl(output);
    let (of_sari, sari_seconds) = fastest(&sources, sari);
    let (of_bleu, bleu_seconds) = fastest(&sources, bleu);
    let (of_fkgl, fkgl_seconds) = fastest(&sources, fkgl);
    let all = |side: &PreparedSource, output: &str| {
        (sari(side, output), bleu(side, output), fkgl(side, output))
    };
    let (_, seconds) = fastest(&sources, all);
    println!(
        "{}",
        json!({
            "scores": { "SARI": of_sari, "BLEU": of_bleu, "FKGL": of_fkgl },
            "seconds": { "SARI": sari_seconds, "BLEU": bleu_seconds, "FKGL": fkgl_seconds, "all": seconds },
        })
    );
}

/// The scores of all outputs, and the seconds of the fastest run.
fn fastest<T>(
    sources: &[BenchSource],
    score: impl Fn(&PreparedSource, &str) -> T,
) -> (Vec<T>, f64) {
    let run = || {
        let start = Instant::now();
        let mut scores = Vec::new();
        for source in black_box(sources) {
            let side = PreparedSource::new(&source.source, &source.references);
            scores.extend(source.outputs.iter().map(|output| score(&side, output)));
        }
        (scores, start.elapsed().as_secs_f64())
    };
    let (mut scores, mut least) = run();
    for _ in 1..RUNS {
        let (next, seconds) = run();
        (scores, least) = (next, least.min(seconds));
    }
    (scores, least)
}
