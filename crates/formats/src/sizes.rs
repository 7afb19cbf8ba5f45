//! Rows whose texts are too large to be compared.

use domain::text::limits::check_size;

use crate::{
    fault::{BadRow, Problem},
    read::Rows,
    row::Row,
};

/// The rows, of which those with a text that is too large are bad.
pub(crate) fn sized(rows: Rows<'_>) -> Rows<'_> {
    Box::new(rows.map(|row| {
        row.and_then(|row| match too_large(&row) {
            Some(reason) => Err(Problem::Row(BadRow::new(row.line, None, reason))),
            None => Ok(row),
        })
    }))
}

fn too_large(row: &Row) -> Option<String> {
    let source = [("the source", &row.source.text)];
    let output = row.output.iter().map(|output| ("the output", &output.text));
    let references = row.source.references.iter();
    let references = references.map(|reference| ("a reference", reference));
    let mut texts = source.into_iter().chain(output).chain(references);
    texts.find_map(|(which, text)| {
        let error = check_size(text).err()?;
        Some(format!("{which} {error}"))
    })
}
