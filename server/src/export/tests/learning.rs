//! What people corrected makes the aligner better.

use std::collections::HashMap;

use domain::{
    edit::Edit,
    text::{
        align::{Alignment, Link, evaluate::Tally, gold::GoldPair, grid::Style, pharaoh},
        edits::edits,
    },
};
use learn::aligner::{Aligner, Progress, Training, train_on};

use super::*;

/// The pairs of MTRef's development set, if the folder of shared data is there.
fn gold() -> Option<Vec<GoldPair>> {
    let path = shared().join("data/multimwa/mtref-dev.tsv");
    let Ok(file) = fs::read_to_string(&path) else {
        eprintln!("skipped: there is no {}", path.display());
        return None;
    };
    Some(
        file.lines()
            .map(|line| GoldPair::parse(line).unwrap())
            .collect(),
    )
}

/// The edits that somebody leaves who sees the words as the gold links have them.
fn as_gold_has_them(pair: &GoldPair) -> Vec<Edit> {
    let (source, output) = pair.texts();
    let link = |(source, output)| Link {
        source,
        output,
        confidence: 1.0,
    };
    let alignment = Alignment {
        links: pair.all().into_iter().map(link).collect(),
        near_misses: vec![],
        ..domain::text::align::align(&source, &output)
    };
    edits(&source, &output, &alignment)
}

/// The alignments that come out of a study whose annotator corrected the edits of every pair.
async fn corrected(pairs: &[GoldPair]) -> Vec<GoldPair> {
    let platform = Platform::new().await;
    let text = |words: &[String]| words.join(" ");
    let rows: Vec<String> = pairs
        .iter()
        .enumerate()
        .map(|(system, pair)| {
            let (source, output) = (text(&pair.source), text(&pair.output));
            json!({"source": source, "output": output, "system": system.to_string()}).to_string()
        })
        .collect();
    platform.import(rows.join("\n"), None).await;
    let by_texts: HashMap<(String, String), &GoldPair> = pairs
        .iter()
        .map(|pair| ((text(&pair.source), text(&pair.output)), pair))
        .collect();
    let (person, mut assignment) = platform.annotator("somebody").await;
    loop {
        let work = (person, assignment);
        let task = platform
            .store
            .task(person, assignment)
            .await
            .unwrap()
            .unwrap();
        for item in &task.items {
            let pair = by_texts[&(task.source.clone(), item.text.clone())];
            let slot = Slot::Edits {
                output: item.output,
            };
            let answer = Answer::Edits(Some(as_gold_has_them(pair)));
            platform.save(work, slot, answer).await;
        }
        platform.rate(work, |_| 50).await;
        platform.hand_in(work).await;
        match platform.next(person).await {
            Some(next) => assignment = next,
            None => break,
        }
    }
    let table = platform.table(Format::Alignments).await;
    table
        .lines()
        .skip(1)
        .map(|line| GoldPair::parse(line).unwrap())
        .collect()
}

/// Micro F1 of the links between differing words.
fn non_identical(aligner: &Aligner, pairs: &[GoldPair]) -> f64 {
    let texts: Vec<_> = pairs.iter().map(GoldPair::texts).collect();
    let texts: Vec<_> = texts
        .iter()
        .map(|(source, output)| (source, output))
        .collect();
    let mut tally = Tally::default();
    for (pair, found) in pairs
        .iter()
        .zip(aligner.align(&texts, Style::Word).unwrap())
    {
        tally.add(pair, &pharaoh::pairs(&found.links), &pair.all());
    }
    tally.evaluation().non_identical_f1
}

#[tokio::test]
async fn corrections_of_half_of_mtref_improve_the_other_half() {
    let Some(pairs) = gold() else { return };
    // By source, every other one: none is on both sides.
    let sources: Vec<_> = pairs.iter().map(|pair| pair.source.clone()).collect();
    let first = |pair: &GoldPair| sources.iter().position(|source| *source == pair.source);
    let (learnt, unseen): (Vec<_>, Vec<_>) = pairs
        .into_iter()
        .partition(|pair| first(pair).is_some_and(|at| at % 2 == 0));
    let corrections = corrected(&learnt).await;
    let aligner = Aligner::grid();
    let examples = aligner.examples(&corrections, Style::Word).unwrap();
    let network = aligner.network().unwrap();
    let training = Training {
        size: network.card().size,
        epochs: 3,
        batch: 12,
        rate: 1e-3,
        seed: 1,
        encoder: None,
    };
    let trained = train_on(network, &examples, &training, |_: Progress| true);
    let trained = Aligner::new(trained, None).unwrap();
    let before = non_identical(&aligner, &unseen);
    let after = non_identical(&trained, &unseen);
    println!(
        "{} corrections: F1 of links between differing words {before:.4}, then {after:.4}",
        corrections.len()
    );
    assert!(after > before + 0.02, "{before} then {after}");
}
