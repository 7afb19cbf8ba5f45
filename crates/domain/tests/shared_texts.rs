//! Texts against the field's own figures: tests that read the folder of shared data where it is.

#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::{env, fs, path::PathBuf};

use domain::{
    category::Category,
    text::{
        align::{
            align,
            evaluate::{AlignmentEvaluation, AlignmentTally},
            gold::GoldPair,
            pharaoh,
        },
        categorise::{self, ThresholdRule},
        sentences::split_sentences,
    },
};
use serde::Deserialize;

/// The text of a shared file; `None`, said on standard output, where the folder is absent.
fn read_shared(path: &str) -> Option<String> {
    let folder = env::var_os("RANKRATE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let file = folder.join(path);
    if !file.exists() {
        println!("skipped: {} is not there", file.display());
        return None;
    }
    Some(fs::read_to_string(file).expect("a shared file is UTF-8 text"))
}

#[derive(Deserialize)]
struct GoldenCategories {
    items: Vec<GoldenCategory>,
}

#[derive(Deserialize)]
struct GoldenCategory {
    id: u32,
    source: String,
    output: String,
    n_sentences_punkt: usize,
    baseline_excl_copies: SimpEvalCategory,
}

/// A category under the name of SimpEval's files.
struct SimpEvalCategory(Category);

impl<'de> Deserialize<'de> for SimpEvalCategory {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

fn read_golden() -> Option<Vec<GoldenCategory>> {
    let text = read_shared("golden/categorize.json")?;
    let golden: GoldenCategories =
        serde_json::from_str(&text).expect("the golden file has its shape");
    Some(golden.items)
}

#[test]
fn paper_rule_equals_the_baseline_on_600_outputs() {
    let Some(items) = read_golden() else { return };
    assert_eq!(items.len(), 600);
    for item in items {
        let found = categorise::categorise(&item.source, &item.output, ThresholdRule::PAPER);
        assert_eq!(
            found.category, item.baseline_excl_copies.0,
            "{} {found}",
            item.id
        );
    }
}

#[test]
fn sentence_counts_equal_punkt_on_600_outputs() {
    let Some(items) = read_golden() else { return };
    let differing: Vec<_> = items
        .iter()
        .map(|item| {
            (
                item.id,
                split_sentences(&item.output).len(),
                item.n_sentences_punkt,
            )
        })
        .filter(|(_, ours, punkt)| ours != punkt)
        .collect();
    assert_eq!(differing, []);
}

/// The string grade on a file of gold pairs, sure and possible links together.
fn evaluate_string_grade(file: &str) -> Option<AlignmentEvaluation> {
    let text = read_shared(&format!("data/multimwa/{file}.tsv"))?;
    let mut tally = AlignmentTally::default();
    for line in text.lines() {
        let pair = GoldPair::parse(line).expect("a gold pair");
        let (source, output) = pair.texts();
        let links = pharaoh::link_set(&align(&source, &output).links);
        tally.add(&pair, &links, &pair.all_links());
    }
    Some(tally.evaluation())
}

/// Measured: F1 .9765, exact .677, non-identical .559, edits .932 (the longest common subsequence:
/// .964, .433, 0, .886).
#[test]
fn string_grade_on_wiki_dev() {
    let Some(found) = evaluate_string_grade("wiki-dev") else {
        return;
    };
    assert_eq!(found.pairs, 533);
    assert!(found.f1 > 0.976 && found.exact > 0.67, "{found:?}");
    assert!(
        found.non_identical_f1 > 0.55 && found.edits_f1 > 0.93,
        "{found:?}"
    );
}

/// Measured: F1 .787, non-identical .449 (the longest common subsequence: .657, 0).
#[test]
fn string_grade_on_mtref_dev() {
    let Some(found) = evaluate_string_grade("mtref-dev") else {
        return;
    };
    assert_eq!(found.pairs, 800);
    assert!(
        found.f1 > 0.785 && found.non_identical_f1 > 0.445,
        "{found:?}"
    );
}
