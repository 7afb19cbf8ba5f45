//! One JSON object a line; the crate's documentation shows its shape.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    str::FromStr,
    sync::Arc,
};

use domain::{score::RatingScale, source_context::SourceContext, study::OVERALL};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    archived_answers::{ArchivedLine, ArchivedScore},
    assignment_status::is_rejected,
    columns::check_scale,
    error::{BadRow, ReadError, clip, json_message, not_an_object},
    input::{LineReader, NUL},
    json_line::without_python_numbers,
    mapping::{ColumnMapping, FileField},
    numbers::is_missing,
    row::{FileOutput, FileRating, FileRow, FileSource, WrittenNumber},
    row_iterator::{BoxedRows, until_fatal},
    row_remarks::RowRemarks,
    visible_form,
};

/// Writes a value as one line of JSON.
///
/// # Errors
/// Where `out` fails, or the value cannot be JSON (a map whose keys are not texts).
pub fn write_line(mut out: impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")
}

pub(crate) fn read_rows(
    mut lines: LineReader<'_>,
    mapping: ColumnMapping,
    remarks: RowRemarks,
) -> BoxedRows<'_> {
    until_fatal(move || {
        loop {
            let (line, text) = match lines.read_line().transpose()? {
                Ok(numbered_line) => numbered_line,
                Err(fault) => return Some(Err(ReadError::Fatal(fault))),
            };
            if !text.trim().is_empty() {
                let row = parse_row(line, &text, &mapping, &remarks);
                return Some(row.map_err(ReadError::Row));
            }
        }
    })
}

fn parse_row(
    line: u64,
    text: &str,
    mapping: &ColumnMapping,
    remarks: &RowRemarks,
) -> Result<FileRow, BadRow> {
    let text = without_python_numbers(text);
    let mut keys: BTreeMap<String, &RawValue> = serde_json::from_str(&text)
        .map_err(|error| BadRow::new(line, None, not_an_object(&error)))?;
    if let Some(key) = keys.keys().find(|key| key.contains('\0')) {
        return Err(BadRow::new(line, Some(key), NUL));
    }

    let archived = ArchivedLine::take(&mut keys)
        .map_err(|(key, error)| BadRow::new(line, Some(key), json_message(&error)))?;
    let mut object = JsonLine {
        line,
        keys,
        mapping,
        is_archived: archived.is_some(),
        remarks,
    };

    let missing = |field: FileField| {
        let reason = "is missing: add it, or say which key holds it";
        BadRow::new(line, Some(field.name()), reason)
    };
    let source = FileSource {
        key: object.take_name(FileField::SourceId)?,
        text: object
            .take_non_empty(FileField::Source)?
            .ok_or_else(|| missing(FileField::Source))?,
        context: SourceContext {
            before: object.take_context(FileField::ContextBefore)?,
            after: object.take_context(FileField::ContextAfter)?,
        },
        references: object.take_references()?,
    };

    let text = object.take_text(FileField::Output)?;
    let system = object.take_name(FileField::System)?;
    let kind = object.take_parsed(FileField::Kind)?;
    let category = object.take_parsed(FileField::Category)?;
    let mut ratings = object.take_ratings()?;
    if !ratings.is_empty()
        && let Some(column) = object.rejecting_key()
    {
        remarks.add_rejected(&column);
        ratings.clear();
    }

    let ArchivedLine {
        answers,
        scores,
        columns,
    } = archived.unwrap_or_default();
    for score in &scores {
        ratings.push(object.parse_score(score)?);
    }

    let output = match text {
        None if system.is_some() || !ratings.is_empty() => return Err(missing(FileField::Output)),
        text => text.map(|text| FileOutput {
            text,
            system,
            kind,
            category,
            ratings,
            archived: answers.map(Box::new),
        }),
    };

    let verbatim = object.keys.into_iter();
    let verbatim = verbatim.map(|(key, json)| (key.into(), json.get().to_owned()));
    let columns = columns.into_iter().map(|(name, text)| (name.into(), text));
    let verbatim = columns.chain(verbatim);

    Ok(FileRow {
        line,
        source,
        output,
        verbatim: verbatim.collect(),
    })
}

/// An object without the keys taken so far.
struct JsonLine<'a> {
    line: u64,
    keys: BTreeMap<String, &'a RawValue>,
    mapping: &'a ColumnMapping,
    /// Whether the line is from an exported study.
    is_archived: bool,
    remarks: &'a RowRemarks,
}

/// A rating as an object of its own.
#[derive(Deserialize)]
struct JsonRating<'a> {
    #[serde(borrow)]
    value: &'a RawValue,
    #[serde(borrow, default)]
    rater: Option<&'a RawValue>,
    #[serde(borrow, default)]
    dimension: Option<&'a RawValue>,
    #[serde(borrow, default)]
    z: Option<&'a RawValue>,
    scale: Option<RatingScale>,
    #[serde(borrow, default)]
    shared: Option<&'a RawValue>,
    #[serde(borrow, default)]
    recorded_at: Option<&'a RawValue>,
}

impl<'a> JsonLine<'a> {
    fn bad_row(&self, key: &str, reason: impl ToString) -> BadRow {
        BadRow::new(self.line, Some(key), reason)
    }

    /// The value of a key, unless it is `null`.
    fn take_key(&mut self, key: &str) -> Option<&'a RawValue> {
        self.keys.remove(key).filter(|json| json.get() != "null")
    }

    /// The keys of a field with their values.
    fn take_field(&mut self, field: FileField) -> Vec<(&'a str, &'a RawValue)> {
        let names = self.mapping.fields.columns_or_default(field);
        names
            .filter_map(|name| Some((name, self.take_key(name)?)))
            .collect()
    }

    /// A string, or a number as it is written.
    fn as_text(&self, key: &str, json: &RawValue) -> Result<String, BadRow> {
        let text = match json.get().as_bytes() {
            [b'"', ..] => serde_json::from_str(json.get()),
            [b'-' | b'0'..=b'9', ..] => Ok(json.get().to_owned()),
            _ => return Err(self.bad_row(key, "is not a text: write it in quotation marks")),
        };
        let text = text.map_err(|error| self.bad_row(key, json_message(&error)))?;
        match text.contains('\0') {
            true => Err(self.bad_row(key, NUL)),
            false => Ok(text),
        }
    }

    /// A text that must not be empty.
    fn as_filled(&self, key: &str, json: &RawValue) -> Result<String, BadRow> {
        let text = self.as_text(key, json)?;
        match text.trim().is_empty() {
            true => Err(self.bad_row(key, "is empty: fill it in")),
            false => Ok(text),
        }
    }

    /// The visible form of a name.
    fn as_name(&self, key: &str, json: &RawValue) -> Result<String, BadRow> {
        let written = self.as_text(key, json)?;
        let name = visible_form(&written);
        if name.is_empty() {
            return Err(self.bad_row(key, "is empty: fill it in"));
        }
        if *name != *written {
            self.remarks.add_name(&written, &name);
        }
        Ok(name.into_owned())
    }

    /// The key by which a platform says that the assignment was rejected.
    fn rejecting_key(&self) -> Option<Arc<str>> {
        let mut keys = self.keys.iter();
        let (key, _) = keys.find(|(key, json)| is_rejected(key, json.get().trim_matches('"')))?;
        Some(key.as_str().into())
    }

    fn take_text(&mut self, field: FileField) -> Result<Option<String>, BadRow> {
        let last = self.take_field(field).pop();
        last.map(|(key, json)| self.as_text(key, json)).transpose()
    }

    /// The text of a field that must not be empty if the line has it.
    fn take_non_empty(&mut self, field: FileField) -> Result<Option<String>, BadRow> {
        let last = self.take_field(field).pop();
        last.map(|(key, json)| self.as_filled(key, json))
            .transpose()
    }

    /// The name in a field.
    fn take_name(&mut self, field: FileField) -> Result<Option<String>, BadRow> {
        let last = self.take_field(field).pop();
        last.map(|(key, json)| self.as_name(key, json)).transpose()
    }

    /// The value of a field; `None` where it is missing.
    fn take_parsed<T: FromStr<Err: ToString>>(
        &mut self,
        field: FileField,
    ) -> Result<Option<T>, BadRow> {
        let text = self.take_text(field)?.filter(|text| !is_missing(text));
        let parsed = text.map(|text| clip(text.trim()).parse());
        parsed
            .transpose()
            .map_err(|error: T::Err| self.bad_row(field.name(), error))
    }

    /// The text before or after the source; empty where it is blank.
    fn take_context(&mut self, field: FileField) -> Result<String, BadRow> {
        let text = self.take_text(field)?;
        Ok(text
            .filter(|text| !text.trim().is_empty())
            .unwrap_or_default())
    }

    fn take_references(&mut self) -> Result<Vec<String>, BadRow> {
        let mut values = self.take_field(FileField::Reference);
        values.extend(self.take_key("references").map(|json| ("references", json)));
        let mut texts = Vec::new();
        for (key, json) in values {
            for json in self.elements(key, json)? {
                texts.push(self.as_text(key, json)?);
            }
        }
        texts.retain(|text| !text.trim().is_empty());
        Ok(texts)
    }

    /// The elements of an array; anything else is its own only element.
    fn elements(&self, key: &str, json: &'a RawValue) -> Result<Vec<&'a RawValue>, BadRow> {
        if json.get().starts_with('[') {
            serde_json::from_str(json.get()).map_err(|e| self.bad_row(key, json_message(&e)))
        } else {
            Ok(vec![json])
        }
    }

    fn take_ratings(&mut self) -> Result<Vec<FileRating>, BadRow> {
        let [rater, dimension] = [FileField::Rater, FileField::Dimension]
            .map(|field| self.take_field(field).pop().map(|(_, json)| json));
        let plain_ratings = self.take_field(FileField::Rating);

        // With several keys, each is a dimension; a single one is overall.
        let named_by_key = plain_ratings.len() > 1;
        let mut ratings = Vec::new();
        for (key, value) in plain_ratings {
            let rating = JsonRating {
                value,
                rater,
                dimension,
                z: None,
                scale: None,
                shared: None,
                recorded_at: None,
            };
            let dimension = if named_by_key { key } else { OVERALL };
            ratings.extend(self.parse_rating(key, &rating, dimension)?);
        }

        if let Some(json) = self.take_key("ratings") {
            for json in self.elements("ratings", json)? {
                let rating = serde_json::from_str(json.get())
                    .map_err(|error| self.bad_row("ratings", json_message(&error)))?;
                ratings.extend(self.parse_rating("ratings", &rating, OVERALL)?);
            }
        }
        Ok(ratings)
    }

    /// A score of an exported study, which has no rater.
    fn parse_score(&self, score: &ArchivedScore) -> Result<FileRating, BadRow> {
        let z = score.z.as_ref().map(|z| self.parse_written("scores", z));
        Ok(FileRating {
            rater: None,
            column: (&*score.column).into(),
            dimension: OVERALL.into(),
            scale: None,
            value: self.parse_written("scores", &score.value)?,
            z: z.transpose()?,
            shared: false,
            recorded_at: None,
        })
    }

    /// A rating; `None` where its value is missing.
    fn parse_rating(
        &self,
        key: &str,
        rating: &JsonRating<'_>,
        dimension: &str,
    ) -> Result<Option<FileRating>, BadRow> {
        let text = |json: Option<&RawValue>| json.map(|json| self.as_name(key, json)).transpose();
        let own_dimension = text(rating.dimension)?;
        let dimension = own_dimension.map_or_else(|| dimension.into(), Arc::<str>::from);
        let scale = self.mapping.scales.scale_for(&dimension).or(rating.scale);
        let z = rating.z.map(|z| self.parse_number(key, z)).transpose()?;
        let z = z.flatten();

        let Some(value) = self.parse_number(key, rating.value)? else {
            return match z {
                None => Ok(None),
                Some(_) => Err(self.bad_row(
                    key,
                    "has the z-score of no rating: add the rating or leave this out",
                )),
            };
        };

        check_scale(scale, value.value(), value.text())
            .map_err(|reason| self.bad_row(key, reason))?;
        Ok(Some(FileRating {
            rater: text(rating.rater)?,
            column: key.into(),
            dimension,
            scale,
            value,
            z,
            shared: self.is_archived && rating.shared.is_some_and(|json| json.get() == "true"),
            recorded_at: text(rating.recorded_at.filter(|_| self.is_archived))?,
        }))
    }

    /// A number; `None` where it is missing.
    fn parse_number(&self, key: &str, json: &RawValue) -> Result<Option<WrittenNumber>, BadRow> {
        if json.get() == "null" {
            return Ok(None);
        }
        let text = self.as_text(key, json)?;
        if is_missing(&text) {
            return Ok(None);
        }
        self.parse_written(key, &text).map(Some)
    }

    fn parse_written(&self, key: &str, text: &str) -> Result<WrittenNumber, BadRow> {
        text.parse().map_err(|error| self.bad_row(key, error))
    }
}
