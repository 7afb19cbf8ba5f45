//! A first look at a file, for people to say what is what.

use std::io::Read;

use serde_json::{Map, Value};

use crate::{
    fault::Fatal,
    format::{self, Family, Format},
    input::{Guarded, Lines, Look, Table},
    mapping::Mapping,
};

/// The beginning of a file as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// What the file looks like. [`Format::Csv`] and [`Format::Jsonl`] are read by a mapping.
    pub format: Format,
    /// The columns, or the keys of the rows.
    pub header: Vec<String>,
    /// The first rows, cells under the header; where a row is short, the rest is missing.
    pub rows: Vec<Vec<String>>,
    /// Which column is probably what, for people to correct.
    pub mapping: Mapping,
}

/// Looks at the first `count` rows of a file called `name` (by which plain text is told).
///
/// # Errors
/// [`Fatal`] as in [`crate::open`], as far as this was read.
pub fn preview(name: &str, input: impl Read, count: usize) -> Result<Preview, Fatal> {
    let input = Guarded::open(input)?;
    match input.look() {
        _ if is_text(name) => text(input, count),
        Look::Objects => objects(input, count),
        Look::Array => Err(Fatal::JsonArray),
        Look::Cells(_) => table(input, count),
    }
}

fn is_text(name: &str) -> bool {
    name.ends_with(".orig") || name.ends_with(".txt") || name.contains(".simp.")
}

fn text(input: Guarded<impl Read>, count: usize) -> Result<Preview, Fatal> {
    let mut lines = Lines::new(input);
    let mut rows = Vec::new();
    for _ in 0..count {
        let Some((_, line)) = lines.read()? else {
            break;
        };
        rows.push(vec![line]);
    }
    Ok(Preview {
        format: Format::Text,
        header: vec!["sentence".to_owned()],
        rows,
        mapping: Mapping::default(),
    })
}

fn table(input: Guarded<impl Read>, count: usize) -> Result<Preview, Fatal> {
    let mut table = Table::open(input)?;
    let header: Vec<String> = table
        .header()
        .names()
        .iter()
        .map(ToString::to_string)
        .collect();
    let mapping = Mapping::suggest(&header);
    let format = match format::columns(&mut table, Family::Any, &Mapping::default()) {
        Ok((format, _)) => format,
        Err(_) => Format::Csv,
    };
    let mut rows = Vec::new();
    for _ in 0..count {
        let Some(record) = table.read()? else { break };
        rows.push(record.cells.iter().map(str::to_owned).collect());
    }
    Ok(Preview {
        format,
        header,
        rows,
        mapping,
    })
}

/// Lines that are no objects are left out here; reading the file reports them.
fn objects(input: Guarded<impl Read>, count: usize) -> Result<Preview, Fatal> {
    let mut lines = Lines::new(input);
    let mut objects: Vec<Map<String, Value>> = Vec::new();
    for _ in 0..count {
        let Some((_, line)) = lines.read()? else {
            break;
        };
        objects.extend(serde_json::from_str(&line));
    }
    let mut header: Vec<String> = Vec::new();
    for key in objects.iter().flat_map(Map::keys) {
        if !header.contains(key) {
            header.push(key.clone());
        }
    }
    let cell = |object: &Map<String, Value>, key: &String| match object.get(key) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let row = |object| header.iter().map(|key| cell(object, key)).collect();
    let rows = objects.iter().map(row).collect();
    // These two are read by their own shape, whatever is mapped.
    let own = |key: &&String| !matches!(key.as_str(), "ratings" | "references");
    let mapped: Vec<_> = header.iter().filter(own).collect();
    Ok(Preview {
        format: Format::Jsonl,
        rows,
        mapping: Mapping::suggest(&mapped),
        header,
    })
}
