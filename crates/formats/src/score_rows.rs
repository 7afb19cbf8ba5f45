//! Scores of outputs that were computed elsewhere.

use std::{
    collections::{BTreeMap, VecDeque},
    io::Read,
    sync::Arc,
};

use serde_json::Value;

use crate::{
    error::{BadRow, FatalReadError, ReadError, clip},
    input::{ContentKind, CsvHeader, CsvRecord, CsvTable, LineReader, NUL, Utf8Reader},
    row::WrittenNumber,
    row_reader::until_fatal,
};

/// A file of scores, opened.
pub struct ScoreRows<'r> {
    /// The metrics, in the order of the file; of JSONL those that its first rows name.
    pub names: Vec<Arc<str>>,
    /// Its rows.
    pub rows: Box<dyn Iterator<Item = Result<ScoreRow, ReadError>> + Send + 'r>,
}

/// The scores of one output.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreRow {
    /// The line that it begins on.
    pub line: u64,
    /// Which output.
    pub output: OutputIdentifier,
    /// What each metric gave it, with its name; what is missing is left out.
    pub scores: Vec<(Arc<str>, f64)>,
}

/// How a row says which output it means. Something of it is there, but not everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputIdentifier {
    /// The output's own id.
    pub output_id: Option<String>,
    /// The source's name in the files it came from.
    pub source_id: Option<String>,
    /// The source's text.
    pub source: Option<String>,
    /// The output's text.
    pub output: Option<String>,
    /// Who wrote it.
    pub system: Option<String>,
}

/// What columns that name an output are called.
const OUTPUT_ID: [&str; 2] = ["output_id", "id"];
const SOURCE_ID: [&str; 2] = ["source_id", "original_id"];
const SOURCE: [&str; 2] = ["source", "original"];
const OUTPUT: [&str; 3] = ["output", "generation", "simplification"];
const SYSTEM: [&str; 1] = ["system"];

/// What a missing score looks like.
const MISSING: [&str; 5] = ["", "None", "null", "NaN", "nan"];

/// How many rows are looked at for columns of numbers.
const DETECTION_ROWS: usize = 50;

/// Opens a table or JSONL with one output a row, named by `output_id`, or by `source` or `source_id`
/// with `system` or `output`. Every other column that holds numbers is a metric, ratings excepted.
/// Empty cells, `None` and `NaN` are missing scores.
///
/// # Errors
/// [`Fatal`] where no column names outputs, none holds scores, or the file does not read.
pub fn open_scores<'r>(input: impl Read + Send + 'r) -> Result<ScoreRows<'r>, FatalReadError> {
    let input = Utf8Reader::open(input)?;
    match input.content_kind() {
        ContentKind::Array => Err(FatalReadError::JsonArray),
        ContentKind::Objects => read_objects(LineReader::new(input)),
        ContentKind::Cells(_) => read_table(CsvTable::open(input)?),
    }
}

fn read_table<'r>(
    mut table: CsvTable<impl Read + Send + 'r>,
) -> Result<ScoreRows<'r>, FatalReadError> {
    let header = table.header().clone();
    let known = IdentifierColumns::from_header(&header)?;
    let mut numbers = vec![false; header.names().len()];
    for record in table.peek_records(DETECTION_ROWS) {
        for (is_number, cell) in numbers.iter_mut().zip(&record.cells) {
            *is_number |= cell.parse::<WrittenNumber>().is_ok();
        }
    }
    let is_metric = |place: &usize| numbers[*place] && may_be_metric(&header.names()[*place]);
    let metrics: Vec<usize> = (0..numbers.len()).filter(is_metric).collect();
    if metrics.is_empty() {
        return Err(no_scores(&header));
    }
    let names = metrics.iter().map(|place| header.names()[*place].clone());
    Ok(ScoreRows {
        names: names.collect(),
        rows: until_fatal(move || {
            let record = table.read_record().map_err(ReadError::Fatal).transpose()?;
            Some(record.and_then(|record| {
                let row = parse_record(&record, &header, &known, &metrics);
                row.map_err(ReadError::Row)
            }))
        }),
    })
}

/// Where a table names outputs.
struct IdentifierColumns {
    output_id: Option<usize>,
    source_id: Option<usize>,
    source: Option<usize>,
    output: Option<usize>,
    system: Option<usize>,
}

impl IdentifierColumns {
    fn from_header(header: &CsvHeader) -> Result<Self, FatalReadError> {
        let find = |names: &[&str]| {
            let found = names.iter().map(|name| header.find_column(name));
            found
                .collect::<Result<Vec<_>, _>>()
                .map(|it| it.into_iter().flatten().next())
        };
        let known = Self {
            output_id: find(&OUTPUT_ID)?,
            source_id: find(&SOURCE_ID)?,
            source: find(&SOURCE)?,
            output: find(&OUTPUT)?,
            system: find(&SYSTEM)?,
        };
        let (source, output) = (
            known.source.or(known.source_id),
            known.system.or(known.output),
        );
        if known.output_id.is_none() && (source.is_none() || output.is_none()) {
            let expected = "output_id, or source (or source_id) with system or output";
            return Err(header.wrong_header(expected, "say which output each score belongs to"));
        }
        Ok(known)
    }
}

fn no_scores(header: &CsvHeader) -> FatalReadError {
    header.wrong_header(
        "a column of numbers named like its metric, such as questeval",
        "add one",
    )
}

fn may_be_metric(name: &str) -> bool {
    let names = [&OUTPUT_ID[..], &SOURCE_ID, &SOURCE, &OUTPUT, &SYSTEM].concat();
    !name.is_empty() && !names.contains(&name) && !name.starts_with("rating")
}

fn parse_record(
    record: &CsvRecord,
    header: &CsvHeader,
    known: &IdentifierColumns,
    metrics: &[usize],
) -> Result<ScoreRow, BadRow> {
    header.check_record(record)?;
    let text = |place: Option<usize>| {
        let cell = record.cells.get(place?)?;
        (!cell.trim().is_empty()).then(|| cell.to_owned())
    };
    let mut scores = Vec::new();
    for place in metrics {
        let (name, cell) = (&header.names()[*place], record.cells[*place].trim());
        if !MISSING.contains(&cell) {
            let number: WrittenNumber = cell
                .parse()
                .map_err(|error| BadRow::new(record.line, Some(name), error))?;
            scores.push((name.clone(), number.value()));
        }
    }
    let of = OutputIdentifier {
        output_id: text(known.output_id),
        source_id: text(known.source_id),
        source: text(known.source),
        // An output may be empty, and still be one.
        output: known.output.map(|place| record.cells[place].to_owned()),
        system: text(known.system),
    };
    check_row(ScoreRow {
        line: record.line,
        output: of,
        scores,
    })
}

fn check_row(row: ScoreRow) -> Result<ScoreRow, BadRow> {
    let OutputIdentifier {
        output_id,
        source_id,
        source,
        output,
        system,
    } = &row.output;
    let by_source = source.is_some() || source_id.is_some();
    if output_id.is_none() && !(by_source && (system.is_some() || output.is_some())) {
        let reason = "does not say which output it means: fill in output_id, or source and system";
        return Err(BadRow::new(row.line, None, reason));
    }
    if row.scores.is_empty() {
        return Err(BadRow::new(row.line, None, "has no score"));
    }
    Ok(row)
}

fn read_objects<'r>(
    mut lines: LineReader<impl Read + Send + 'r>,
) -> Result<ScoreRows<'r>, FatalReadError> {
    let mut ahead = VecDeque::new();
    let mut names = Vec::<Arc<str>>::new();
    while ahead.len() < DETECTION_ROWS {
        let Some((line, text)) = lines.read_line()? else {
            break;
        };
        let row = parse_object(line, &text);
        for (name, _) in row.iter().flatten().flat_map(|row| &row.scores) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        ahead.push_back(row);
    }
    if names.is_empty() {
        // The first row that is wrong says more than that there is nothing.
        return Err(match ahead.into_iter().find_map(Result::err) {
            Some(bad) => FatalReadError::Row(bad),
            None => FatalReadError::TextFiles(
                "no row has a score: add a key with a number, named like its metric".to_owned(),
            ),
        });
    }
    let rows = until_fatal(move || {
        loop {
            let row = match ahead.pop_front() {
                Some(row) => row,
                None => match lines.read_line().transpose()? {
                    Ok((line, text)) => parse_object(line, &text),
                    Err(fault) => return Some(Err(ReadError::Fatal(fault))),
                },
            };
            if let Some(row) = row.transpose() {
                return Some(row.map_err(ReadError::Row));
            }
        }
    });
    Ok(ScoreRows { names, rows })
}

/// The row of a line; `None` of an empty one.
fn parse_object(line: u64, text: &str) -> Result<Option<ScoreRow>, BadRow> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut keys: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|error| {
        let reason = format!("is no JSON object: {}", clip(&error.to_string()));
        BadRow::new(line, None, reason)
    })?;
    let mut take = |names: &[&str]| {
        let found: Vec<_> = names.iter().filter_map(|name| keys.remove(*name)).collect();
        found.into_iter().find_map(|value| match value {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    };
    let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let of = OutputIdentifier {
        output_id: filled(take(&OUTPUT_ID)),
        source_id: filled(take(&SOURCE_ID)),
        source: filled(take(&SOURCE)),
        output: take(&OUTPUT),
        system: filled(take(&SYSTEM)),
    };
    let texts = [
        &of.output_id,
        &of.source_id,
        &of.source,
        &of.output,
        &of.system,
    ];
    let has_nul = |text: &String| text.contains('\0');
    if texts.into_iter().flatten().any(has_nul) || keys.keys().any(has_nul) {
        return Err(BadRow::new(line, None, NUL));
    }
    let scores = keys.into_iter().filter_map(|(name, value)| {
        let value = value.as_f64().filter(|value| value.is_finite())?;
        may_be_metric(&name).then(|| (name.into(), value))
    });
    let scores = scores.collect();
    check_row(ScoreRow {
        line,
        output: of,
        scores,
    })
    .map(Some)
}
