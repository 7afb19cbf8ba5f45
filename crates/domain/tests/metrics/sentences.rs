//! Scores of single outputs.

use domain::metrics::{
    DeletionMeasure, FkglCounts, LengthUnit, LetterCase, PreparedSource, ReferenceCount,
    SourceCase, TextMetric, bleu, bleu_to_source, chrf, compression, edit_distance,
    levenshtein_ratio, sari, sari_lens, sari_lens_signature,
    tokens::{mteval_13a, treebank_words},
};
use serde_json::Value;
use testdata::golden;

use crate::shared::{assert_close, texts};

/// Calls `check` with the source prepared, the output, what is expected, and the item's name.
fn each_item(check: impl Fn(&PreparedSource, &str, &Value, &str)) {
    let golden = golden("text_sentence.json");
    for item in golden["items"].as_array().unwrap() {
        let side = PreparedSource::new(
            item["source"].as_str().unwrap(),
            &texts(&item["references"]),
        );
        let output = item["hypothesis"].as_str().unwrap();
        check(&side, output, &item["expected"], &item["id"].to_string());
    }
}

#[test]
fn sacrebleu_2_6_sentence_bleu() {
    each_item(|side, output, expected, id| {
        assert_eq!(mteval_13a(output), expected["tok13a_hyp"], "{id}");
        let actual = bleu(side, output, LetterCase::Mixed);
        let expected_bleu = &expected["sacrebleu_sentence"];
        assert_close(actual.score, &expected_bleu["score"], id);
        assert_close(actual.brevity_penalty, &expected_bleu["bp"], id);
        for (found, expected) in actual
            .precisions
            .iter()
            .zip(expected_bleu["precisions"].as_array().unwrap())
        {
            assert_close(*found, expected, id);
        }
        let lower = bleu(side, output, LetterCase::Lower);
        assert_close(lower.score, &expected_bleu["score_lowercase"], id);
        let copied = bleu_to_source(side, output, LetterCase::Mixed);
        assert_close(copied.score, &expected["self_bleu_src_sentence"], id);
    });
}

/// Each letter case with each tokeniser, of outputs and of the corpus that they make.
#[test]
fn sacrebleu_2_6_options_of_bleu() {
    let golden = golden("bleu_options.json");
    let items: Vec<_> = golden["items"].as_array().unwrap().iter().collect();
    let pairs: Vec<_> = items
        .iter()
        .map(|item| {
            let side = PreparedSource::new("", &texts(&item["references"]));
            (side, item["hypothesis"].as_str().unwrap())
        })
        .collect();
    let metrics = TextMetric::other_bleu().chain([TextMetric::BLEU]);
    for metric in metrics {
        let name = metric.name();
        for ((side, output), item) in pairs.iter().zip(&items) {
            let score = metric.score(side, output).unwrap();
            assert_close(score, &item["expected"][name], &format!("{name}: {output}"));
        }
        let corpus = pairs.iter().map(|(side, output)| (side, *output));
        let score = metric.corpus_score(corpus).unwrap();
        assert_close(score, &golden["expected_corpus"][name], name);
    }
}

#[test]
fn bleu_signs_with_its_options() {
    let metric = TextMetric::from_name("bleu-lc-intl").unwrap();
    let signature = metric.signature(ReferenceCount::Each(2)).to_string();
    assert!(
        signature
            .starts_with("bleu-lc-intl|variant:sacrebleu-sentence-exp|tok:intl|case:lc|nrefs:2|"),
        "{signature}"
    );
}

#[test]
fn sacrebleu_2_6_chrf2() {
    each_item(|side, output, expected, id| {
        assert_close(chrf(side, output), &expected["sacrebleu_chrf2"], id);
    });
}

#[test]
fn easse_sari_and_its_parts() {
    each_item(|side, output, expected, id| {
        let expected = &expected["easse_sari"];
        let actual = sari(side, output, DeletionMeasure::F1);
        assert_close(actual.score, &expected["sari"], id);
        assert_close(actual.add, &expected["add"], id);
        assert_close(actual.keep, &expected["keep"], id);
        assert_close(actual.delete, &expected["del"], id);
        let actual = sari(side, output, DeletionMeasure::Precision);
        assert_close(actual.score, &expected["sari_delprec"], id);
        assert_close(actual.delete, &expected["del_prec"], id);
    });
}

#[test]
fn lens_repository_sari_and_its_parts() {
    each_item(|side, output, expected, id| {
        assert_eq!(
            serde_json::json!(treebank_words(&output.to_lowercase())),
            expected["nltk_word_tokenize_lower"],
            "{id}"
        );
        let expected = &expected["lens_sari"];
        let actual = sari_lens(side, output, SourceCase::Written);
        assert_close(actual.keep, &expected["keep"], id);
        assert_close(actual.delete, &expected["del_p_r_f"][0], id);
        assert_close(actual.add, &expected["add"], id);
        assert_close(
            actual.score,
            &expected["final_p(0-1,used by LENS repo)"],
            id,
        );
    });
}

/// The paper's loader lower-cases sources: its figures are those of the repository's function on such
/// ones. Capitals of the source make the difference, and not in every item.
#[test]
fn the_lens_paper_lowers_the_source_first() {
    let counts = std::cell::Cell::new((0, 0));
    each_item(|side, output, _, id| {
        let lowered = PreparedSource::new(&side.source().to_lowercase(), side.references());
        let paper = sari_lens(side, output, SourceCase::Lower);
        assert_eq!(
            paper,
            sari_lens(&lowered, output, SourceCase::Written),
            "{id}"
        );
        let repository = sari_lens(side, output, SourceCase::Written);
        // Of additions alone: what is kept and deleted is counted in lower case by both.
        assert_eq!(
            (paper.keep, paper.delete),
            (repository.keep, repository.delete)
        );
        let (differ, items) = counts.get();
        let differs = paper.add.to_bits() != repository.add.to_bits();
        counts.set((differ + usize::from(differs), items + 1));
    });
    let (differ, items) = counts.get();
    assert!(0 < differ && differ < items, "{differ} of {items}");
    let references = ["Rivers rose and the Ferry sank."];
    let side = PreparedSource::new("The Ferry sank as rivers rose.", &references);
    let score = |case| sari_lens(&side, "The ferry sank as the rivers rose.", case).score;
    assert!(score(SourceCase::Lower) <= score(SourceCase::Written));
    let signature = |case| sari_lens_signature(case, ReferenceCount::Each(1)).to_string();
    assert_ne!(signature(SourceCase::Lower), signature(SourceCase::Written));
}

#[test]
fn easse_fkgl() {
    each_item(|_, output, expected, id| {
        let expected = &expected["fkgl_easse"];
        let actual = FkglCounts::new(output);
        assert_eq!(expected["words"], actual.words, "{id}");
        assert_eq!(expected["syllables"], actual.syllables, "{id}");
        assert_eq!(expected["sentences"], actual.sentences, "{id}");
        assert_close(actual.fkgl(), &expected["score"], id);
    });
}

#[test]
fn levenshtein_library_ratios() {
    each_item(|side, output, expected, id| {
        let ratio = levenshtein_ratio(side.source(), output);
        assert_close(ratio, &expected["levenshtein_ratio_src_hyp(indel)"], id);
        let similarity = 1.0 - edit_distance(side.source(), output);
        assert_close(similarity, &expected["normalized_similarity_1-d/max"], id);
    });
}

#[test]
fn compression_of_characters_words_and_tokens() {
    each_item(|side, output, expected, id| {
        for (length, name) in [
            (LengthUnit::Characters, "char"),
            (LengthUnit::Words, "ws_tokens"),
            (LengthUnit::Tokens, "nltk_tokens"),
        ] {
            let actual = compression(side.source(), output, length).unwrap();
            assert_close(actual, &expected["compression"][name], id);
        }
    });
}
