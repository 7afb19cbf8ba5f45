//! Scores of corpora.

use std::collections::BTreeMap;

use domain::metrics::{
    BleuCounts, ChrfCounts, DeletionMeasure, FkglCounts, LetterCase, PreparedSource, SariCounts,
    TextMetric, bleu,
};
use serde_json::Value;
use testdata::{golden, needs_released_data};

use crate::shared::{assert_close, asset_lines, read_asset, read_simpeval_past};

/// The counts of outputs that are added up.
#[derive(Default)]
struct CorpusCounts {
    outputs: usize,
    bleu: BleuCounts,
    bleu_lower: BleuCounts,
    to_source: BleuCounts,
    sum_of_bleu: f64,
    chrf: ChrfCounts,
    sari: SariCounts,
    fkgl: FkglCounts,
}

impl CorpusCounts {
    fn add(&mut self, side: &PreparedSource, output: &str) {
        let add = |sum: &mut BleuCounts, counts: BleuCounts| *sum = sum.plus(&counts);
        self.outputs += 1;
        add(
            &mut self.bleu,
            BleuCounts::new(side, output, LetterCase::Mixed),
        );
        add(
            &mut self.bleu_lower,
            BleuCounts::new(side, output, LetterCase::Lower),
        );
        add(
            &mut self.to_source,
            BleuCounts::to_source(side, output, LetterCase::Mixed),
        );
        self.sum_of_bleu += bleu(side, output, LetterCase::Mixed).score;
        self.chrf = self.chrf.plus(&ChrfCounts::new(side, output));
        self.sari = self.sari.plus(&SariCounts::new(side, output));
        self.fkgl = self.fkgl.plus(&FkglCounts::new(output));
    }

    fn check(&self, expected: &Value, name: &str) {
        let label = |metric| format!("{metric} of {name}");
        assert_eq!(expected["n"], self.outputs);
        let bleu = &expected["sacrebleu_corpus"];
        assert_close(self.bleu.corpus().score, &bleu["score"], &label("BLEU"));
        assert_close(
            self.bleu_lower.corpus().score,
            &bleu["score_lc"],
            &label("BLEU, lower-cased"),
        );
        let copied = &expected["self_bleu_vs_source_corpus"];
        assert_close(
            self.to_source.corpus().score,
            copied,
            &label("BLEU to the source"),
        );
        let mean = self.sum_of_bleu / self.outputs as f64;
        assert_close(mean, &expected["mean_sentence_bleu"], &label("mean BLEU"));
        assert_close(self.chrf.chrf(), &expected["chrf"], &label("chrF"));
        let (sari, expected_sari) = (self.sari.sari(DeletionMeasure::F1), &expected["easse_sari"]);
        assert_close(sari.score, &expected_sari["sari"], &label("SARI"));
        assert_close(sari.add, &expected_sari["add"], &label("SARI, add"));
        assert_close(sari.keep, &expected_sari["keep"], &label("SARI, keep"));
        assert_close(sari.delete, &expected_sari["del"], &label("SARI, delete"));
        assert_close(self.fkgl.fkgl(), &expected["easse_fkgl"], &label("FKGL"));
    }
}

#[needs_released_data("asset", "simpeval")]
#[test]
fn sacrebleu_and_easse_on_simpeval_past() {
    let (golden, rows) = (golden("text_corpus.json"), read_simpeval_past());
    let sources = read_asset("orig");
    let references: Vec<_> = (0..10).map(|n| read_asset(&format!("simp.{n}"))).collect();
    let sides: BTreeMap<usize, PreparedSource> = asset_lines(&golden)
        .into_iter()
        .map(|(source, line)| {
            let references: Vec<_> = references.iter().map(|texts| &texts[line]).collect();
            (source, PreparedSource::new(&sources[line], &references))
        })
        .collect();
    let outputs = rows
        .iter()
        .map(|row| (&sides[&row.source], row.output.as_str()));
    let expected = &golden["expected_all_rows_file_order"];
    for (metric, expected) in [
        (TextMetric::Sari, &expected["easse_sari"]["sari"]),
        (TextMetric::SariAdd, &expected["easse_sari"]["add"]),
        (TextMetric::BLEU, &expected["sacrebleu_corpus"]["score"]),
        (
            TextMetric::SelfBleu,
            &expected["self_bleu_vs_source_corpus"],
        ),
        (TextMetric::Chrf, &expected["chrf"]),
        (TextMetric::Fkgl, &expected["easse_fkgl"]),
    ] {
        assert_close(
            metric.corpus_score(outputs.clone()).unwrap(),
            expected,
            metric.name(),
        );
    }
    let mut all = CorpusCounts::default();
    let mut systems: BTreeMap<&str, CorpusCounts> = BTreeMap::new();
    for row in &rows {
        let side = &sides[&row.source];
        all.add(side, &row.output);
        systems
            .entry(&row.system)
            .or_default()
            .add(side, &row.output);
    }
    for (system, corpus) in &systems {
        corpus.check(&golden["expected_by_system"][system], system);
    }
    assert_eq!(
        golden["expected_by_system"].as_object().unwrap().len(),
        systems.len()
    );
    all.check(&golden["expected_all_rows_file_order"], "all");
}

#[needs_released_data("asset")]
#[test]
fn sacrebleu_and_easse_on_the_first_writer_of_asset() {
    let (golden, sources) = (golden("text_corpus.json"), read_asset("orig"));
    let writers: Vec<_> = (0..10).map(|n| read_asset(&format!("simp.{n}"))).collect();
    let mut corpus = CorpusCounts::default();
    for (line, source) in sources.iter().enumerate() {
        let references: Vec<_> = writers[1..].iter().map(|texts| &texts[line]).collect();
        corpus.add(&PreparedSource::new(source, &references), &writers[0][line]);
    }
    let expected = &golden["asset_human_refs_leave_one_out"]["ref0_vs_rest9_full359"];
    corpus.check(expected, "ref0");
}
