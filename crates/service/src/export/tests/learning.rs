//! Training on people's corrections improves the aligner.

use std::collections::HashMap;

use domain::{
    edit::Edit,
    text::{
        align::{
            Alignment, AlignmentLink, evaluate::AlignmentTally, gold::GoldPair,
            grid::AlignmentStyle, pharaoh,
        },
        edits::derive_edits,
    },
};
use learn::aligner::{Aligner, AlignerProgress, AlignerTrainingOptions, continue_training};

use super::*;

/// The pairs of MTRef's development set.
fn gold_pairs() -> Vec<GoldPair> {
    released_text("multimwa/mtref-dev.tsv")
        .lines()
        .map(|line| GoldPair::parse(line).unwrap())
        .collect()
}

/// The edits of an annotator who corrects them to match the gold links.
fn edits_from_gold(pair: &GoldPair) -> Vec<Edit> {
    let (source, output) = pair.texts();
    let link = |(source, output)| AlignmentLink {
        source,
        output,
        confidence: 1.0,
    };

    let alignment = Alignment {
        links: pair.all_links().into_iter().map(link).collect(),
        near_misses: vec![],
        ..domain::text::align::align(&source, &output)
    };
    derive_edits(&source, &output, &alignment)
}

/// The exported alignments of a study whose annotator corrected the edits of every pair.
async fn export_corrections(pairs: &[GoldPair]) -> Vec<GoldPair> {
    let platform = ExportFixture::new().await;
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
            let slot = AnnotationSlot::Edits {
                output: item.output,
            };
            let answer = AnnotationAnswer::Edits(Some(edits_from_gold(pair)));
            platform.save(work, slot, answer).await;
        }
        platform.rate(work, |_| 50).await;
        platform.hand_in(work).await;
        match platform.next(person).await {
            Some(next) => assignment = next,
            None => break,
        }
    }

    let table = platform.table(ExportFormat::Alignments).await;
    table
        .lines()
        .skip(1)
        .map(|line| GoldPair::parse(line).unwrap())
        .collect()
}

/// Micro F1 of the links between differing words.
fn non_identical_f1(aligner: &Aligner, pairs: &[GoldPair]) -> f64 {
    let texts: Vec<_> = pairs.iter().map(GoldPair::texts).collect();
    let texts: Vec<_> = texts
        .iter()
        .map(|(source, output)| (source, output))
        .collect();

    let mut tally = AlignmentTally::default();
    for (pair, found) in pairs
        .iter()
        .zip(aligner.align(&texts, AlignmentStyle::Word).unwrap())
    {
        tally.add(pair, &pharaoh::link_set(&found.links), &pair.all_links());
    }
    tally.evaluation().non_identical_f1
}

#[needs_released_data("multimwa")]
#[tokio::test]
async fn corrections_of_half_of_mtref_improve_the_other_half() {
    let pairs = gold_pairs();
    // Every other source is learnt from, so none is on both sides.
    let sources: Vec<_> = pairs.iter().map(|pair| pair.source.clone()).collect();
    let first = |pair: &GoldPair| sources.iter().position(|source| *source == pair.source);
    let (learnt, unseen): (Vec<_>, Vec<_>) = pairs
        .into_iter()
        .partition(|pair| first(pair).is_some_and(|at| at % 2 == 0));

    let corrections = export_corrections(&learnt).await;
    let aligner = Aligner::grid();
    let examples = aligner
        .examples(&corrections, AlignmentStyle::Word)
        .unwrap();

    let network = aligner.network().unwrap();
    let training = AlignerTrainingOptions {
        size: network.card().size,
        epochs: 3,
        batch: 12,
        learning_rate: 1e-3,
        seed: 1,
        encoder: None,
    };
    let trained = continue_training(network, &examples, &training, |_: AlignerProgress| true);
    let trained = Aligner::new(trained, None).unwrap();

    let before = non_identical_f1(&aligner, &unseen);
    let after = non_identical_f1(&trained, &unseen);
    println!(
        "{} corrections: F1 of links between differing words {before:.4}, then {after:.4}",
        corrections.len()
    );
    assert!(after > before + 0.02, "{before} then {after}");
}
