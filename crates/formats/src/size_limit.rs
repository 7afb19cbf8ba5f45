//! Rows with texts that are too large to compare.

use domain::text::limits::check_size;

use crate::{
    error::{BadRow, ReadError},
    row::FileRow,
    row_iterator::RowIterator,
};

/// Turns rows with a text that is too large into bad ones.
pub(crate) fn reject_large_texts(rows: RowIterator<'_>) -> RowIterator<'_> {
    Box::new(rows.map(|row| {
        row.and_then(|row| match size_problem(&row) {
            Some(reason) => Err(ReadError::Row(BadRow::new(row.line, None, reason))),
            None => Ok(row),
        })
    }))
}

fn size_problem(row: &FileRow) -> Option<String> {
    let source = [("the source", &row.source.text)];
    let output = row.output.iter().map(|output| ("the output", &output.text));
    let references = row.source.references.iter();
    let references = references.map(|reference| ("a reference", reference));
    let mut texts = source.into_iter().chain(output).chain(references);
    texts.find_map(|(label, text)| {
        let error = check_size(text).err()?;
        Some(format!("{label} {error}"))
    })
}
