//! Scores of outputs as CSV or JSONL, in a shape that `meta-eval --scores` reads.

use std::{collections::BTreeMap, io::Write};

use formats::{CsvWriter, FormulaEscaping, write_line};
use learn::{metric::ScoreMeaning, training::MeaningUse};
use serde::Serialize;

use super::{ScoreFormat, input::ScoreInputRow};
use crate::metrics::{BatchScores, MetricKind, ScoreMeaningReport};

/// The columns of scores.
pub(super) struct ScoreColumns<'a> {
    pub(super) metrics: &'a [MetricKind],
    /// Whether scores come with their meaning, for metrics that know it.
    pub(super) meanings: MeaningUse,
    /// Whether the file names sources; only then is there a column for these names.
    pub(super) has_source_ids: bool,
}

/// Writes scores, slice by slice.
pub(super) enum ScoreWriter<W: Write> {
    Csv {
        writer: Box<CsvWriter<W>>,
        has_source_ids: bool,
    },
    Jsonl(W),
}

impl<W: Write> ScoreWriter<W> {
    /// Writes the header if the format has one.
    pub(super) fn new(
        out: W,
        format: ScoreFormat,
        columns: &ScoreColumns<'_>,
    ) -> anyhow::Result<Self> {
        Ok(match format {
            ScoreFormat::Csv => Self::Csv {
                writer: Box::new(CsvWriter::new(
                    out,
                    columns.header(),
                    FormulaEscaping::Verbatim,
                )?),
                has_source_ids: columns.has_source_ids,
            },
            ScoreFormat::Jsonl => Self::Jsonl(out),
        })
    }

    pub(super) fn write(
        &mut self,
        rows: &[ScoreInputRow],
        scores: &[BatchScores],
    ) -> anyhow::Result<()> {
        match self {
            Self::Csv {
                writer,
                has_source_ids,
            } => write_csv(rows, scores, *has_source_ids, writer),
            Self::Jsonl(out) => write_jsonl(rows, scores, out),
        }
    }

    /// Writes what is buffered, and warns of cells that a spreadsheet would run as formulas.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Csv { writer, .. } => {
                let formula_cells = writer.formula_cells();
                if formula_cells > 0 {
                    tracing::warn!(
                        "{formula_cells} cells begin like a formula (=, +, -, @): do not open the file in a spreadsheet"
                    );
                }
                writer.finish()?.flush()?;
            }
            Self::Jsonl(mut out) => out.flush()?,
        }
        Ok(())
    }
}

impl ScoreColumns<'_> {
    fn header(&self) -> Vec<String> {
        let output_columns = ["id", "source_id", "source", "system", "output"];
        let is_written = |name: &&str| *name != "source_id" || self.has_source_ids;
        let output_columns = output_columns.into_iter().filter(is_written);

        let names = self.metrics.iter().map(|metric| metric.name().to_owned());
        let has_meanings = |metric: &&MetricKind| metric.has_meanings(self.meanings);
        let assessed = self.metrics.iter().filter(has_meanings);
        let meanings = assessed.flat_map(|metric| {
            ["percent", "low", "high", "out-of-domain"].map(|of| format!("{}:{of}", metric.name()))
        });
        let signatures = self.metrics.iter();
        let signatures = signatures.map(|metric| format!("signature:{}", metric.name()));

        let output_columns = output_columns.map(str::to_owned);
        let header = output_columns.chain(names).chain(meanings);
        header.chain(signatures).collect()
    }
}

fn write_csv(
    rows: &[ScoreInputRow],
    scores: &[BatchScores],
    has_source_ids: bool,
    writer: &mut CsvWriter<impl Write>,
) -> anyhow::Result<()> {
    let with_meanings = scores.iter().filter(|metric| !metric.meanings.is_empty());
    for (place, row) in rows.iter().enumerate() {
        let source_id = has_source_ids.then_some(&row.source_id);
        let output_cells = [Some(&row.id), source_id, Some(&row.source)];
        let output_cells = output_cells.into_iter().flatten();
        let output_cells = output_cells.chain([&row.system, &row.output]).cloned();

        let value = |metric: &BatchScores| {
            let score = metric.values[place];
            score.map_or_else(String::new, |score| score.to_string())
        };
        let signature = |metric: &BatchScores| metric.signature.clone().unwrap_or_default();

        let values = scores.iter().map(value);
        let meanings = with_meanings
            .clone()
            .flat_map(|metric| metric.meanings[place].map_or_else(Default::default, meaning_cells));
        let score_cells = values.chain(meanings).chain(scores.iter().map(signature));
        writer.write(output_cells.chain(score_cells))?;
    }
    Ok(())
}

fn meaning_cells(meaning: ScoreMeaning) -> [String; 4] {
    let (low, high) = meaning.interval;
    let is_out = match meaning.is_out_of_domain {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    };
    let [percent, low, high] = [meaning.percent, low, high].map(|value| format!("{value:.1}"));
    [percent, low, high, is_out.to_owned()]
}

fn write_jsonl(
    rows: &[ScoreInputRow],
    scores: &[BatchScores],
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let signature = |metric: &BatchScores| (metric.name.clone(), metric.signature.clone());
    let signatures: BTreeMap<_, _> = scores.iter().map(signature).collect();

    for (at, row) in rows.iter().enumerate() {
        let mut object = BTreeMap::new();
        let names = [
            ("id", &row.id),
            ("source_id", &row.source_id),
            ("system", &row.system),
        ];
        for (name, text) in names {
            if !text.is_empty() {
                object.insert(name, RowValue::Text(text));
            }
        }

        object.insert("source", RowValue::Text(&row.source));
        object.insert("output", RowValue::Text(&row.output));
        for metric in scores {
            object.insert(&metric.name, RowValue::Score(metric.values[at]));
        }

        let meanings = scores.iter().filter_map(|metric| {
            let meaning = metric.meanings.get(at).copied().flatten()?;
            Some((&metric.name[..], meaning.into()))
        });
        let meanings: BTreeMap<_, _> = meanings.collect();
        if !meanings.is_empty() {
            object.insert("meanings", RowValue::Meanings(meanings));
        }

        object.insert("signatures", RowValue::Signatures(&signatures));
        write_line(&mut *out, &object)?;
    }
    Ok(())
}

/// A value of a line, whose keys are both fields of the row and names of metrics.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum RowValue<'a> {
    Text(&'a str),
    Score(Option<f64>),
    Meanings(BTreeMap<&'a str, ScoreMeaningReport>),
    Signatures(&'a BTreeMap<String, Option<String>>),
}

#[cfg(test)]
mod tests {
    use domain::metrics::ScoreDirection;
    use formats::{RatedOutput, ScoreFile};

    use super::*;

    fn write(
        row: &ScoreInputRow,
        scores: &[BatchScores],
        meanings: MeaningUse,
        format: ScoreFormat,
    ) -> Vec<u8> {
        let metrics = scores.iter().map(|metric| MetricKind::named(&metric.name));
        let metrics: Vec<_> = metrics.collect::<Result<_, _>>().expect("known");
        let columns = ScoreColumns {
            metrics: &metrics,
            meanings,
            has_source_ids: false,
        };

        let mut out = Vec::new();
        let mut writer = ScoreWriter::new(&mut out, format, &columns).expect("a header");
        let rows = std::slice::from_ref(row);
        writer.write(rows, scores).expect("a buffer takes all");
        writer.finish().expect("a buffer takes all");
        out
    }

    #[test]
    fn meanings_have_columns_of_their_own() {
        let row = ScoreInputRow {
            id: "1".to_owned(),
            source_id: String::new(),
            source: "The vessel sank.".to_owned(),
            system: "A".to_owned(),
            output: "The boat sank.".to_owned(),
            references: Vec::new(),
        };
        let meaning = ScoreMeaning {
            percent: 61.34,
            interval: (20.0, 100.0),
            is_out_of_domain: Some(true),
        };
        let scores = [BatchScores {
            name: "learned-free".to_owned(),
            signature: None,
            direction: ScoreDirection::HigherIsBetter,
            trained_on: Vec::new(),
            values: vec![Some(0.5)],
            meanings: vec![Some(meaning)],
        }];

        let written = |format| {
            String::from_utf8(write(&row, &scores, MeaningUse::Needed, format)).expect("text")
        };
        assert_eq!(
            written(ScoreFormat::Csv),
            "id,source,system,output,learned-free,learned-free:percent,learned-free:low,learned-free:high,\
             learned-free:out-of-domain,signature:learned-free\n\
             1,The vessel sank.,A,The boat sank.,0.5,61.3,20.0,100.0,yes,\n"
        );

        let line: serde_json::Value =
            serde_json::from_str(&written(ScoreFormat::Jsonl)).expect("a line of JSON");
        let expected = serde_json::json!({
            "percent": 61.3, "interval": [20.0, 100.0], "out_of_domain": true
        });
        assert_eq!(line["meanings"]["learned-free"], expected);
    }

    #[test]
    fn what_is_written_is_read_as_scores_again() {
        let row = ScoreInputRow {
            id: String::new(),
            source_id: String::new(),
            source: "The vessel, sank.".to_owned(),
            system: "A".to_owned(),
            output: String::new(),
            references: Vec::new(),
        };
        let scores =
            [("sari", Some(41.5)), ("lens", None), ("fkgl", Some(2.0))].map(|(name, score)| {
                BatchScores {
                    name: name.to_owned(),
                    signature: Some(format!("{name}|…")),
                    direction: ScoreDirection::guess(name),
                    trained_on: Vec::new(),
                    values: vec![score],
                    meanings: vec![],
                }
            });

        let rated_output = RatedOutput {
            system: (*row.system).into(),
            id: None,
            source: "1".into(),
            category: None,
            source_text: (*row.source).into(),
            text: (*row.output).into(),
        };

        for format in [ScoreFormat::Csv, ScoreFormat::Jsonl] {
            let out = write(&row, &scores, MeaningUse::Unneeded, format);
            let file = ScoreFile::read(&out[..]).expect("our own shape");
            let mut metrics = file.metrics.clone();
            metrics.sort_unstable();
            assert_eq!(metrics, ["fkgl", "sari"], "{format:?}");
            let matched = file.match_outputs(&[&rated_output]);
            assert!(matched.unmatched.is_empty(), "{format:?}");
            let sari = file
                .metrics
                .iter()
                .position(|name| name == "sari")
                .expect("is there");
            assert_eq!(matched.scores[sari], [Some(41.5)]);
        }
    }
}
