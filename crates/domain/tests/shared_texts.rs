//! Texts against the field's own figures.

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
use testdata::{needs_released_data, released_text};

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

fn read_golden() -> Vec<GoldenCategory> {
    let golden: GoldenCategories = serde_json::from_value(testdata::golden("categorize.json"))
        .expect("the golden file has its shape");
    golden.items
}

#[test]
fn paper_rule_equals_the_baseline_on_600_outputs() {
    let items = read_golden();
    assert_eq!(items.len(), 600);
    for item in items {
        let actual = categorise::categorise(&item.source, &item.output, ThresholdRule::PAPER);
        assert_eq!(
            actual.category, item.baseline_excl_copies.0,
            "{} {actual}",
            item.id
        );
    }
}

#[test]
fn sentence_counts_equal_punkt_on_600_outputs() {
    let items = read_golden();
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
fn evaluate_string_grade(file: &str) -> AlignmentEvaluation {
    let text = released_text(&format!("multimwa/{file}.tsv"));
    let mut tally = AlignmentTally::default();
    for line in text.lines() {
        let pair = GoldPair::parse(line).expect("a gold pair");
        let (source, output) = pair.texts();
        let links = pharaoh::link_set(&align(&source, &output).links);
        tally.add(&pair, &links, &pair.all_links());
    }
    tally.evaluation()
}

/// Measured: F1 .9765, exact .677, non-identical .559, edits .932 (the longest common subsequence:
/// .964, .433, 0, .886).
#[needs_released_data("multimwa")]
#[test]
fn string_grade_on_wiki_dev() {
    let evaluation = evaluate_string_grade("wiki-dev");
    assert_eq!(evaluation.pairs, 533);
    assert!(
        evaluation.f1 > 0.976 && evaluation.exact > 0.67,
        "{evaluation:?}"
    );
    assert!(
        evaluation.non_identical_f1 > 0.55 && evaluation.edits_f1 > 0.93,
        "{evaluation:?}"
    );
}

/// Measured: F1 .787, non-identical .449 (the longest common subsequence: .657, 0).
#[needs_released_data("multimwa")]
#[test]
fn string_grade_on_mtref_dev() {
    let evaluation = evaluate_string_grade("mtref-dev");
    assert_eq!(evaluation.pairs, 800);
    assert!(
        evaluation.f1 > 0.785 && evaluation.non_identical_f1 > 0.445,
        "{evaluation:?}"
    );
}
