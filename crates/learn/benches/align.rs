//! How fast words are aligned: one source with 24 outputs, and a study of 2,400 pairs.
//!
//! `cargo bench -p learn`, with library and model fetched as for the tests. Texts are made up of a
//! small vocabulary, 26 words a source as in SimpEval; each pair is new to the encoder's memory.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

#[path = "../tests/models/available.rs"]
mod available;
mod synthetic;

use std::time::Instant;

use domain::{
    random::SeededRandom,
    text::{align::grid::AlignmentStyle, tokenised_text::TokenisedText},
};
use learn::aligner::Aligner;

use self::synthetic::{processor, simplified, text};

fn measure(name: &str, aligner: &Aligner, sources: usize, outputs: usize, seed: u64) {
    let mut random = SeededRandom::new(seed);
    let mut texts = Vec::new();
    for _ in 0..sources {
        let source = text(&mut random, 26);
        for _ in 0..outputs {
            let output = simplified(&mut random, &source);
            texts.push([&source, &output].map(|text| TokenisedText::new(text)));
        }
    }
    let pairs: Vec<_> = texts
        .iter()
        .map(|[source, output]| (source, output))
        .collect();
    let (wall, cpu) = (Instant::now(), processor());
    aligner
        .align(&pairs, AlignmentStyle::Word)
        .expect("aligned");
    let wall = wall.elapsed().as_secs_f64();
    let cpu = processor().zip(cpu).map(|(after, before)| after - before);
    let cpu = cpu.map_or_else(
        || "?".to_owned(),
        |cpu| format!("{:.0}", cpu * 1e3 / sources as f64),
    );
    println!(
        "{name:>8}: {:.0} ms and {cpu} ms of processor a source with {outputs} outputs; {:.0} pairs/s",
        wall * 1e3 / sources as f64,
        pairs.len() as f64 / wall,
    );
}

fn main() {
    let mut aligners = vec![("string", Aligner::strings()), ("grid", Aligner::grid())];
    if let Some(encoder) = available::encoder() {
        let aligner = Aligner::with_encoder(encoder).expect("the default encoder");
        aligners.push(("encoder", aligner));
    }
    for (name, aligner) in &aligners {
        measure(name, aligner, 1, 24, 1);
        measure(name, aligner, 10, 24, 2);
        measure(name, aligner, 100, 24, 3);
    }
}
