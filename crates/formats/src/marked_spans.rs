//! Marked spans, as `rankrate export --format spans` writes them: JSONL, one rater's marks of one output per line.
//!
//! ```json
//! {"source_id": "12", "source": "…", "output": "…", "system": "T5", "rater": "annotator 1",
//!  "marks": [{"type": "Removal", "level": "correct", "value": 1.0, "source": [[4, 9]], "output": []}]}
//! ```
//! (on one line). Stretches are [first character, character after the last], counted in Unicode scalar values from 0.
//! `source_id`, `level`, `value`, `source` and `output` of a mark may be absent; other keys are ignored. A level has one
//! value in the whole file; without a value its marks enter no mean.
//!
//! A line is refused if it lacks a text, marks a place outside its texts, gives a level a different value than an
//! earlier line, or repeats a rater's marks of the same output and system: the first one counts. The file is refused
//! if no line can be used.

use std::collections::{HashMap, hash_map::Entry};

use domain::{
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{MarkLevel, SpanTaxonomy, SpanType},
    },
};
use serde::Deserialize;

use crate::{
    error::{BadRow, FatalReadError, clip, not_an_object},
    input::{ContentKind, FileInput},
    json_line::without_python_numbers,
    visible_form,
};

/// The marks of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MarkedSpanFile {
    /// The types and levels that occur, in the order of the file, without levels that have no value.
    pub taxonomy: SpanTaxonomy,
    /// The judgements in the order of the file; at least one.
    pub rows: Vec<MarkedSpanRow>,
    /// The lines that are left out.
    pub bad_rows: Vec<BadRow>,
}

/// One rater's marks of one output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedSpanRow {
    /// The line.
    pub line: u64,
    /// The source's name, or its text where it has none.
    pub source: String,
    /// The text of the source.
    pub source_text: String,
    /// The text of the output.
    pub output: String,
    /// The system that wrote the output; `None` where the file does not name it.
    pub system: Option<String>,
    /// The rater.
    pub rater: String,
    /// The marks.
    pub marks: Vec<SpanMark>,
}

#[derive(Deserialize)]
struct SpanLineJson {
    source_id: Option<String>,
    source: Option<String>,
    output: Option<String>,
    system: Option<String>,
    rater: Option<String>,
    marks: Option<Vec<SpanMarkJson>>,
}

#[derive(Deserialize)]
struct SpanMarkJson {
    #[serde(rename = "type")]
    kind: String,
    level: Option<String>,
    value: Option<f64>,
    #[serde(default)]
    source: Vec<(usize, usize)>,
    #[serde(default)]
    output: Vec<(usize, usize)>,
}

/// Reads a file of marked spans to its end; the module's documentation describes it.
///
/// # Errors
/// [`FatalReadError`] where no line can be used, or the file cannot be read.
pub fn read_marked_spans<'r>(
    input: impl Into<FileInput<'r>>,
) -> Result<MarkedSpanFile, FatalReadError> {
    let input = input.into().open()?;
    if input.content_kind() == ContentKind::Array {
        return Err(FatalReadError::JsonArray);
    }

    let mut lines = input.into_lines()?;
    let mut file = MarkedSpanFile::default();
    let mut known = KnownMarks::default();
    while let Some((line, text)) = lines.read_line()? {
        if text.trim().is_empty() {
            continue;
        }
        match known.read_row(line, &text) {
            Ok(row) => file.rows.push(row),
            Err(bad_row) => file.bad_rows.push(bad_row),
        }
    }

    if file.rows.is_empty() {
        let first = file.bad_rows.into_iter().next();
        return Err(first.map_or(FatalReadError::NoRows, FatalReadError::Row));
    }
    file.taxonomy = known.taxonomy;
    Ok(file)
}

/// The types, levels and judgements of the lines so far.
#[derive(Default)]
struct KnownMarks {
    taxonomy: SpanTaxonomy,
    /// The lines by rater, source, output and system.
    lines: HashMap<String, u64>,
}

impl KnownMarks {
    fn read_row(&mut self, line: u64, text: &str) -> Result<MarkedSpanRow, BadRow> {
        let json: SpanLineJson = serde_json::from_str(&without_python_numbers(text))
            .map_err(|error| BadRow::new(line, None, not_an_object(&error)))?;

        let require = |value: Option<String>, key: &str| {
            let value = value.filter(|value| !value.trim().is_empty());
            value.ok_or_else(|| BadRow::new(line, Some(key), "is missing: add it"))
        };
        let source_text = require(json.source, "source")?;
        let output = json
            .output
            .ok_or_else(|| BadRow::new(line, Some("output"), "is missing: add it"))?;
        let name = |name: &str| visible_form(name).into_owned();
        let rater = name(&require(json.rater, "rater")?);
        let missing = "is missing: write [] where there is nothing to mark";
        let marks = json
            .marks
            .ok_or_else(|| BadRow::new(line, Some("marks"), missing))?;

        let source = json.source_id.filter(|key| !key.trim().is_empty());
        let system = json.system.filter(|name| !name.trim().is_empty());
        let row = MarkedSpanRow {
            line,
            source: name(source.as_deref().unwrap_or(&source_text)),
            system: system.as_deref().map(name),
            marks: read_marks(line, &marks, &source_text, &output)?,
            source_text,
            output,
            rater,
        };

        self.check_levels(line, &marks)?;
        self.check_repetition(&row)?;
        for mark in &marks {
            self.add(mark);
        }
        Ok(row)
    }

    fn check_levels(&self, line: u64, marks: &[SpanMarkJson]) -> Result<(), BadRow> {
        for mark in marks {
            let (Some(name), Some(value)) = (&mark.level, mark.value) else {
                continue;
            };

            let before = self.taxonomy.find_level(name).map(|level| level.value);
            let in_line = marks.iter().filter(|other| other.level == mark.level);
            let in_line = in_line.filter_map(|other| other.value).next();
            for other in before.into_iter().chain(in_line) {
                if other.total_cmp(&value).is_ne() {
                    let name = clip(name);
                    let reason = format!(
                        "the level “{name}” has the value {value}, and {other} before: give it one"
                    );
                    return Err(BadRow::new(line, Some("marks"), reason));
                }
            }
        }
        Ok(())
    }

    fn check_repetition(&mut self, row: &MarkedSpanRow) -> Result<(), BadRow> {
        let system = row.system.as_deref().unwrap_or_default();
        // Texts of a file never contain NUL.
        let key = [&row.rater[..], &row.source, &row.output, system].join("\0");
        let first = match self.lines.entry(key) {
            Entry::Vacant(new) => {
                new.insert(row.line);
                return Ok(());
            }
            Entry::Occupied(first) => *first.get(),
        };

        let rater = clip(&row.rater);
        let reason = format!(
            "“{rater}” marked this output before, on line {first}: one rater marks it once"
        );
        Err(BadRow::new(row.line, None, reason))
    }

    fn add(&mut self, mark: &SpanMarkJson) {
        if self.taxonomy.find_type(&mark.kind).is_none() {
            self.taxonomy.types.push(SpanType {
                name: mark.kind.clone(),
                ..SpanType::default()
            });
        }
        if let (Some(name), Some(value)) = (&mark.level, mark.value)
            && self.taxonomy.find_level(name).is_none()
        {
            self.taxonomy.levels.push(MarkLevel {
                name: name.clone(),
                value,
                ..MarkLevel::default()
            });
        }
    }
}

fn read_marks(
    line: u64,
    marks: &[SpanMarkJson],
    source: &str,
    output: &str,
) -> Result<Vec<SpanMark>, BadRow> {
    let sides = [("source", source), ("output", output)].map(|(name, text)| {
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        (name, ends.collect::<Vec<_>>())
    });

    let spans = |number: usize, side: usize, stretches: &[(usize, usize)]| {
        let (name, places) = &sides[side];
        let span = |(start, end): &(usize, usize)| match (places.get(*start), places.get(*end)) {
            (Some(from), Some(to)) if start < end => Ok(Span::new(*from, *to)),
            _ => {
                let reason = format!(
                    "mark {number} has the stretch [{start}, {end}] of the {name}, which has {} characters",
                    places.len() - 1
                );
                Err(BadRow::new(line, Some("marks"), reason))
            }
        };
        stretches.iter().map(span).collect::<Result<Vec<_>, _>>()
    };

    let numbered = (1..).zip(marks);
    let mark = |(number, mark): (usize, &SpanMarkJson)| {
        Ok(SpanMark {
            kind: mark.kind.clone(),
            level: mark.level.clone(),
            source: spans(number, 0, &mark.source)?,
            output: spans(number, 1, &mark.output)?,
        })
    };
    numbered.map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"source_id":"1","source":"Zoë left early.","output":"Zoë left.","system":"T5","rater":"a","marks":[{"type":"Removal","level":"correct","value":1,"source":[[9,14]],"source_words":["early"]},{"type":"Word","output":[[0,3]]}]}"#;

    fn read(text: &str) -> Result<MarkedSpanFile, FatalReadError> {
        read_marked_spans(text.as_bytes())
    }

    #[test]
    fn characters_become_bytes() {
        let file = read(&format!("{LINE}\n\n")).expect("a file");
        let [row] = &file.rows[..] else {
            panic!("{file:?}")
        };
        let words = |spans: &[Span], text: &str| {
            let words = spans.iter().filter_map(|span| span.slice(text));
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(words(&row.marks[0].source, &row.source_text), ["early"]);
        assert_eq!(words(&row.marks[1].output, &row.output), ["Zoë"]);
        assert_eq!(
            (row.marks[1].level.as_deref(), row.system.as_deref()),
            (None, Some("T5"))
        );
        let types: Vec<_> = file.taxonomy.types.iter().map(|kind| &*kind.name).collect();
        assert_eq!(types, ["Removal", "Word"]);
        let levels: Vec<_> = file
            .taxonomy
            .levels
            .iter()
            .map(|level| (&*level.name, level.value))
            .collect();
        assert_eq!(levels, [("correct", 1.0)]);
    }

    #[test]
    fn a_line_with_a_fault_is_left_out_with_the_fault() {
        for (bad, fault) in [
            (
                LINE.to_owned(),
                "line 2: “a” marked this output before, on line 1: one rater marks it once",
            ),
            (
                LINE.replace("\"a\"", "\"\""),
                "line 2, “rater”: is missing: add it",
            ),
            (
                LINE.replace("[0,3]", "[0,10]"),
                "line 2, “marks”: mark 2 has the stretch [0, 10] of the output, which has 9 characters",
            ),
            (
                LINE.replace("[0,3]", "[3,3]"),
                "line 2, “marks”: mark 2 has the stretch [3, 3] of the output, which has 9 characters",
            ),
            (
                LINE.replace("\"value\":1", "\"value\":0.5")
                    .replace("\"a\"", "\"b\""),
                "line 2, “marks”: the level “correct” has the value 0.5, and 1 before: give it one",
            ),
            (
                LINE.replace("marks", "spans"),
                "line 2, “marks”: is missing: write [] where there is nothing to mark",
            ),
        ] {
            let file = read(&format!("{LINE}\n{bad}\n")).expect("a file");
            let faults: Vec<_> = file.bad_rows.iter().map(ToString::to_string).collect();
            assert_eq!((file.rows.len(), faults), (1, vec![fault.to_owned()]));
        }
    }

    #[test]
    fn a_file_without_a_usable_line_is_refused() {
        let error = |text: &str| read(text).expect_err("a fault").to_string();
        assert_eq!(error("{}"), "line 1, “source”: is missing: add it");
        assert!(
            error("[{}]").contains("one JSON array"),
            "{}",
            error("[{}]")
        );
        assert!(
            error("source,rater\na,b\n").contains("is not a JSON object"),
            "{}",
            error("source,rater\na,b\n")
        );
    }
}
