//! One JSON object a line; the crate's documentation shows its shape.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    str::FromStr,
    sync::Arc,
};

use domain::{score::Scale, study::OVERALL};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    columns::on_scale,
    fault::{BadRow, Problem, clip},
    input::{Lines, NUL},
    mapping::{Field, Mapping},
    read::{Rows, until_fatal},
    row::{Number, Output, Rating, Row, Source},
};

/// Writes a value as one line of JSON.
///
/// # Errors
/// Where `out` fails, or the value cannot be JSON (a map with keys that are no texts).
pub fn write_line(mut out: impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")
}

pub(crate) fn rows<'r>(mut lines: Lines<impl Read + Send + 'r>, mapping: Mapping) -> Rows<'r> {
    until_fatal(move || {
        loop {
            let (line, text) = match lines.read().transpose()? {
                Ok(found) => found,
                Err(fault) => return Some(Err(Problem::Fatal(fault))),
            };
            if !text.trim().is_empty() {
                return Some(row(line, &text, &mapping).map_err(Problem::Row));
            }
        }
    })
}

fn row(line: u64, text: &str, mapping: &Mapping) -> Result<Row, BadRow> {
    let keys: BTreeMap<String, _> = serde_json::from_str(text).map_err(|error| {
        let (what, place) = (without_place(&error), error.column());
        let reason = format!("is no JSON object: {what}, character {place}");
        BadRow::new(line, None, reason)
    })?;
    if let Some(key) = keys.keys().find(|key| key.contains('\0')) {
        return Err(BadRow::new(line, Some(key), NUL));
    }
    let mut object = Object {
        line,
        keys,
        mapping,
    };
    let missing = |field: Field| {
        let reason = format!("is missing: add it, or map the field {field} to a key");
        BadRow::new(line, Some(field.name()), reason)
    };
    let source = Source {
        key: object.filled(Field::SourceId)?,
        text: object
            .filled(Field::Source)?
            .ok_or_else(|| missing(Field::Source))?,
        references: object.references()?,
    };
    let text = object.text(Field::Output)?;
    let system = object.filled(Field::System)?;
    let kind = object.parsed(Field::Kind)?;
    let category = object.parsed(Field::Category)?;
    let ratings = object.ratings()?;
    let output = match text {
        None if system.is_some() || !ratings.is_empty() => return Err(missing(Field::Output)),
        text => text.map(|text| Output {
            text,
            system,
            kind,
            category,
            ratings,
        }),
    };
    let verbatim = object.keys.into_iter();
    let verbatim = verbatim.map(|(key, json)| (key.into(), json.get().to_owned()));
    Ok(Row {
        line,
        source,
        output,
        verbatim: verbatim.collect(),
    })
}

/// One line: the keys that were not taken yet.
struct Object<'a> {
    line: u64,
    keys: BTreeMap<String, &'a RawValue>,
    mapping: &'a Mapping,
}

/// A rating as an object of its own.
#[derive(Deserialize)]
struct RatingObject<'a> {
    #[serde(borrow)]
    value: &'a RawValue,
    #[serde(borrow, default)]
    rater: Option<&'a RawValue>,
    #[serde(borrow, default)]
    dimension: Option<&'a RawValue>,
    #[serde(borrow, default)]
    z: Option<&'a RawValue>,
    scale: Option<Scale>,
}

impl<'a> Object<'a> {
    fn bad(&self, key: &str, reason: impl ToString) -> BadRow {
        BadRow::new(self.line, Some(key), reason)
    }

    /// The values of a key, unless they are `null`.
    fn take_key(&mut self, key: &str) -> Option<&'a RawValue> {
        self.keys.remove(key).filter(|json| json.get() != "null")
    }

    /// The keys of a field with their values.
    fn take(&mut self, field: Field) -> Vec<(&'a str, &'a RawValue)> {
        let names = self.mapping.taken(field);
        names
            .filter_map(|name| Some((name, self.take_key(name)?)))
            .collect()
    }

    /// A string, or a number as it is written.
    fn as_text(&self, key: &str, json: &RawValue) -> Result<String, BadRow> {
        let text = match json.get().as_bytes() {
            [b'"', ..] => serde_json::from_str(json.get()),
            [b'-' | b'0'..=b'9', ..] => Ok(json.get().to_owned()),
            _ => return Err(self.bad(key, "is no text: write it in quotation marks")),
        };
        let text = text.map_err(|error| self.bad(key, without_place(&error)))?;
        match text.contains('\0') {
            true => Err(self.bad(key, NUL)),
            false => Ok(text),
        }
    }

    /// A text that must not be empty.
    fn as_name(&self, key: &str, json: &RawValue) -> Result<String, BadRow> {
        let text = self.as_text(key, json)?;
        match text.trim().is_empty() {
            true => Err(self.bad(key, "is empty: fill it in")),
            false => Ok(text),
        }
    }

    fn text(&mut self, field: Field) -> Result<Option<String>, BadRow> {
        let found = self.take(field).pop();
        found.map(|(key, json)| self.as_text(key, json)).transpose()
    }

    /// The text of a field that must not be empty where it is there.
    fn filled(&mut self, field: Field) -> Result<Option<String>, BadRow> {
        let found = self.take(field).pop();
        found.map(|(key, json)| self.as_name(key, json)).transpose()
    }

    /// The meaning of a field; `None` where it is empty.
    fn parsed<T: FromStr<Err: ToString>>(&mut self, field: Field) -> Result<Option<T>, BadRow> {
        let text = self.text(field)?.filter(|text| !text.trim().is_empty());
        let parsed = text.map(|text| clip(text.trim()).parse());
        parsed
            .transpose()
            .map_err(|error: T::Err| self.bad(field.name(), error))
    }

    fn references(&mut self) -> Result<Vec<String>, BadRow> {
        let mut found = self.take(Field::Reference);
        found.extend(self.take_key("references").map(|json| ("references", json)));
        let mut texts = Vec::new();
        for (key, json) in found {
            for json in self.elements(key, json)? {
                texts.push(self.as_text(key, json)?);
            }
        }
        texts.retain(|text| !text.trim().is_empty());
        Ok(texts)
    }

    /// The elements of an array; of anything else, itself.
    fn elements(&self, key: &str, json: &'a RawValue) -> Result<Vec<&'a RawValue>, BadRow> {
        if json.get().starts_with('[') {
            serde_json::from_str(json.get()).map_err(|e| self.bad(key, without_place(&e)))
        } else {
            Ok(vec![json])
        }
    }

    fn ratings(&mut self) -> Result<Vec<Rating>, BadRow> {
        let [rater, dimension] = [Field::Rater, Field::Dimension]
            .map(|field| self.take(field).pop().map(|(_, json)| json));
        let single = self.take(Field::Rating);
        let several = single.len() > 1;
        let mut ratings = Vec::new();
        for (key, value) in single {
            let rating = RatingObject {
                value,
                rater,
                dimension,
                z: None,
                scale: None,
            };
            ratings.push(self.rating(key, &rating, if several { key } else { OVERALL })?);
        }
        if let Some(json) = self.take_key("ratings") {
            for json in self.elements("ratings", json)? {
                let rating = serde_json::from_str(json.get())
                    .map_err(|error| self.bad("ratings", without_place(&error)))?;
                ratings.push(self.rating("ratings", &rating, OVERALL)?);
            }
        }
        Ok(ratings)
    }

    fn rating(
        &self,
        key: &str,
        rating: &RatingObject<'_>,
        dimension: &str,
    ) -> Result<Rating, BadRow> {
        let text = |json: Option<&RawValue>| json.map(|json| self.as_name(key, json)).transpose();
        let named = text(rating.dimension)?;
        let dimension = named.map_or_else(|| dimension.into(), Arc::<str>::from);
        let scale = self.mapping.scales.of(&dimension).or(rating.scale);
        let value = self.number(key, rating.value)?;
        on_scale(scale, &value).map_err(|reason| self.bad(key, reason))?;
        Ok(Rating {
            rater: text(rating.rater)?,
            column: key.into(),
            dimension,
            scale,
            value,
            z: rating.z.map(|z| self.number(key, z)).transpose()?,
        })
    }

    fn number(&self, key: &str, json: &RawValue) -> Result<Number, BadRow> {
        self.as_text(key, json)?
            .parse()
            .map_err(|error| self.bad(key, error))
    }
}

/// What the parser says, less its place, which knows nothing of the file.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) => clip(what),
        None => clip(&text),
    }
}
