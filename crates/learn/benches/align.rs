//! How fast words are aligned: one source with 24 outputs, and a study of 2,400 pairs.
//!
//! `cargo bench -p learn`, with library and model fetched as for the tests. Texts are made up of a
//! small vocabulary, 26 words a source as in SimpEval; each pair is new to the encoder's memory.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

#[path = "../tests/available/mod.rs"]
mod available;

use std::{fs, time::Instant};

use domain::{
    random::Random,
    text::{align::grid::Style, tokenised::Tokenised},
};
use learn::aligner::Aligner;

const WORDS: &str = "the a of in and was were by for with river ferry harbour bridge storm engineers \
    rebuilt closed opened winter spring damaged workers finished repairs carried passengers cargo \
    northern bank town council decided old stone wooden narrow built destroyed flood after before \
    several many years later because although , .";

fn text(random: &mut Random, words: usize) -> Tokenised {
    let all: Vec<&str> = WORDS.split_whitespace().collect();
    let chosen: Vec<&str> = (0..words).map(|_| all[random.below(all.len())]).collect();
    Tokenised::new(&chosen.join(" "))
}

/// A source's words with some left out and some replaced.
fn simplified(random: &mut Random, source: &Tokenised) -> Tokenised {
    let all: Vec<&str> = WORDS.split_whitespace().collect();
    let kept: Vec<&str> = source
        .words()
        .filter_map(|word| match random.below(10) {
            0..2 => None,
            2 => Some(all[random.below(all.len())]),
            _ => Some(word),
        })
        .collect();
    Tokenised::new(&kept.join(" "))
}

/// Processor time of this process so far, in seconds; absent where the system does not tell.
fn processor() -> Option<f64> {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?;
    Some(ticks / TICKS)
}

fn measure(name: &str, aligner: &Aligner, sources: usize, outputs: usize, seed: u64) {
    let mut random = Random::new(seed);
    let mut texts = Vec::new();
    for _ in 0..sources {
        let source = text(&mut random, 26);
        for _ in 0..outputs {
            texts.push((source.clone(), simplified(&mut random, &source)));
        }
    }
    let pairs: Vec<_> = texts
        .iter()
        .map(|(source, output)| (source, output))
        .collect();
    let (wall, cpu) = (Instant::now(), processor());
    aligner.align(&pairs, Style::Word).expect("aligned");
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
