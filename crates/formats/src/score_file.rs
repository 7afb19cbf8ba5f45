//! Scores of outputs that were computed elsewhere, by any metric: CSV or JSONL, one output a row.

use std::{
    collections::{BTreeMap, HashMap},
    io::Read,
};

use serde_json::Value;

use crate::{
    agreement::RatedOutput,
    columns::ColumnLayout,
    error::{BadRow, FatalReadError},
    input::{ContentKind, CsvTable, LineReader, Utf8Reader},
    source_key::exact_key,
};

/// A file of scores. Its columns (or keys) say which output a row is about: `id`, or `source` (a text, or
/// its name in the ratings) with `output` or `system` or both; `original`, `original_id`, `generation` and
/// `processed_generation` are taken for these as SimpEval has them. Every other column whose first value is
/// a number holds the scores of the metric that it is called after; `rating_…` never does.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreFile {
    /// The metrics in the order of the file.
    pub metrics: Vec<String>,
    /// The columns that are neither, in the order of the file.
    pub ignored: Vec<String>,
    rows: Vec<ScoreFileRow>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct ScoreFileRow {
    line: u64,
    id: Option<String>,
    source: Option<String>,
    output: Option<String>,
    system: Option<String>,
    /// By metric; `None` for an empty cell, `NaN`, `None` or `null`.
    scores: Vec<Option<f64>>,
}

/// Scores put beside the outputs that they belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedScores {
    /// By metric, in the order of [`ScoreFile::metrics`]; each one score an output, in the order given,
    /// `None` where there is none.
    pub scores: Vec<Vec<Option<f64>>>,
    /// The lines of rows that belong to no output.
    pub unmatched: Vec<u64>,
}

const SOURCE: [&str; 3] = ["source", "original", "original_id"];
const OUTPUT: [&str; 3] = ["output", "processed_generation", "generation"];
const EXPECTED: &str = "id, or source with output or system, and a column for each metric";

impl ScoreFile {
    /// Reads a file to its end.
    ///
    /// # Errors
    /// [`Fatal`] where it cannot be read, says of no output which it is, or holds what is no number among
    /// the scores of a metric.
    pub fn read(input: impl Read) -> Result<Self, FatalReadError> {
        let input = Utf8Reader::open(input)?;
        let (header, records) = match input.content_kind() {
            ContentKind::Array => return Err(FatalReadError::JsonArray),
            ContentKind::Objects => read_jsonl(LineReader::new(input))?,
            ContentKind::Cells(_) => read_csv(CsvTable::open(input)?)?,
        };
        Self::from_records(&header, &records)
    }

    fn from_records(
        header: &[String],
        records: &[(u64, Vec<String>)],
    ) -> Result<Self, FatalReadError> {
        let place = |name: &str| header.iter().position(|column| column == name);
        let first = |names: &[&str]| names.iter().find_map(|name| place(name));
        let (id, system) = (place("id"), place("system"));
        let (source, output) = (first(&SOURCE), first(&OUTPUT));
        let names = id.is_some() || (source.is_some() && (output.is_some() || system.is_some()));
        let wrong = |advice: &str| FatalReadError::WrongHeader {
            expected: EXPECTED.to_owned(),
            found: header.join(","),
            advice: advice.to_owned(),
        };
        if !names {
            return Err(wrong("name the output of each row by such columns"));
        }
        let about = |name: &str| {
            let fixed = ["id", "system"].contains(&name);
            fixed || SOURCE.contains(&name) || OUTPUT.contains(&name) || name.starts_with("rating_")
        };
        let is_score = |place: &usize| {
            let mut values = records.iter().map(|(_, cells)| cells[*place].trim());
            values
                .find(|cell| !is_missing(cell))
                .is_some_and(|cell| cell.parse::<f64>().is_ok())
        };
        let others = (0..header.len()).filter(|place| !about(&header[*place]));
        let (columns, ignored): (Vec<usize>, Vec<usize>) = others.partition(is_score);
        if columns.is_empty() {
            return Err(wrong("add a column of numbers, called after its metric"));
        }
        let row = |(line, cells): &(u64, Vec<String>)| {
            let text = |place: Option<usize>| place.map(|place| cells[place].clone());
            let said = |place| text(place).filter(|text| !text.trim().is_empty());
            let score = |place: &usize| parse_score(*line, &header[*place], cells[*place].trim());
            Ok(ScoreFileRow {
                line: *line,
                id: said(id),
                source: said(source),
                output: text(output),
                system: said(system),
                scores: columns.iter().map(score).collect::<Result<_, _>>()?,
            })
        };
        let name = |place: usize| header[place].clone();
        Ok(Self {
            rows: records
                .iter()
                .map(row)
                .collect::<Result<_, BadRow>>()
                .map_err(FatalReadError::Row)?,
            metrics: columns.into_iter().map(name).collect(),
            ignored: ignored.into_iter().map(name).collect(),
        })
    }

    /// Puts each score beside the outputs it belongs to: those with the row's `id`, else those of its
    /// source that have its text and its system, as far as the row says. A row may belong to several
    /// outputs: without a system, to all with its text.
    #[must_use]
    pub fn match_outputs(&self, outputs: &[&RatedOutput]) -> MatchedScores {
        let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut by_source: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, output) in outputs.iter().enumerate() {
            if let Some(id) = &output.id {
                by_id.entry(id).or_default().push(at);
            }
            let mut names = [exact_key(&output.source), exact_key(&output.source_text)].to_vec();
            names.dedup();
            for name in names {
                by_source.entry(name).or_default().push(at);
            }
        }
        let mut scores = vec![vec![None; outputs.len()]; self.metrics.len()];
        let mut unmatched = Vec::new();
        for row in &self.rows {
            let same = |said: &Option<String>, is: &str| {
                said.as_ref().is_none_or(|said| said.trim() == is.trim())
            };
            let fits = |at: &&usize| {
                let output = outputs[**at];
                row.id.is_some()
                    || (same(&row.output, &output.text) && same(&row.system, &output.system))
            };
            let candidates = match (&row.id, &row.source) {
                (Some(id), _) => by_id.get(id.as_str()),
                (None, Some(source)) => by_source.get(&exact_key(source)),
                (None, None) => None,
            };
            let mut found = candidates.into_iter().flatten().filter(fits).peekable();
            if found.peek().is_none() {
                unmatched.push(row.line);
            }
            for at in found {
                for (column, score) in scores.iter_mut().zip(&row.scores) {
                    column[*at] = *score;
                }
            }
        }
        MatchedScores { scores, unmatched }
    }
}

fn is_missing(cell: &str) -> bool {
    let none = ["", "nan", "none", "null"];
    none.iter().any(|none| cell.eq_ignore_ascii_case(none))
}

fn parse_score(line: u64, column: &str, cell: &str) -> Result<Option<f64>, BadRow> {
    if is_missing(cell) {
        return Ok(None);
    }
    let parsed = cell.parse::<f64>().ok().filter(|number| number.is_finite());
    let reason = "is no number: correct it, or leave it empty where there is no score";
    parsed
        .map(Some)
        .ok_or_else(|| BadRow::new(line, Some(column), reason))
}

/// The columns of a file, and its rows with their lines.
type ScoreTable = (Vec<String>, Vec<(u64, Vec<String>)>);

fn read_csv(mut table: CsvTable<impl Read>) -> Result<ScoreTable, FatalReadError> {
    let header = table.header().clone();
    for name in header.names() {
        ColumnLayout::require(&header, name, EXPECTED)?;
    }
    let mut records = Vec::new();
    while let Some(record) = table.read_record()? {
        header.check_record(&record).map_err(FatalReadError::Row)?;
        records.push((
            record.line,
            record.cells.iter().map(str::to_owned).collect(),
        ));
    }
    let names = header.names().iter().map(|name| (**name).to_owned());
    Ok((names.collect(), records))
}

fn read_jsonl(mut lines: LineReader<impl Read>) -> Result<ScoreTable, FatalReadError> {
    let mut header: Vec<String> = Vec::new();
    let mut found: Vec<(u64, BTreeMap<String, Value>)> = Vec::new();
    while let Some((line, text)) = lines.read_line()? {
        if text.trim().is_empty() {
            continue;
        }
        let object: BTreeMap<String, Value> = serde_json::from_str(&text).map_err(|error| {
            FatalReadError::Row(BadRow::new(
                line,
                None,
                format!("is no JSON object: {error}"),
            ))
        })?;
        for name in object
            .keys()
            .filter(|name| !header.contains(name))
            .cloned()
            .collect::<Vec<_>>()
        {
            header.push(name);
        }
        found.push((line, object));
    }
    let cell = |value: Option<&Value>| match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let rows = found.iter().map(|(line, object)| {
        let cells = header.iter().map(|name| cell(object.get(name)));
        (*line, cells.collect())
    });
    let rows = rows.collect();
    Ok((header, rows))
}
