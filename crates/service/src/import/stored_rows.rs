//! Rows from elsewhere than a person's file, which are stored as a file for an import.

use domain::ids::{PersonId, StudyId, UploadId};
use serde::Serialize;
use store::{LARGEST_CHUNK, NewUpload, Store};

use crate::Context;

/// Writes the rows as the lines of a JSONL file.
///
/// # Errors
/// When a row cannot be written as JSON.
pub fn write_rows(rows: &[impl Serialize]) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    for row in rows {
        formats::write_line(&mut content, row)?;
    }
    Ok(content)
}

/// Stores a file as if it had been uploaded.
///
/// # Errors
/// When the database fails.
pub async fn store_file(
    store: &Store,
    context: Context,
    study: StudyId,
    name: &str,
    content: &[u8],
    created_by: PersonId,
) -> store::Result<UploadId> {
    let id = UploadId(context.new_id());
    let new = NewUpload {
        id,
        study,
        name,
        size: i64::try_from(content.len()).expect("a file in memory has fewer than 2⁶³ bytes"),
        created_by: Some(created_by),
    };

    store.create_upload(&new, context.now_ms()).await?;

    for (number, chunk) in (0..).zip(content.chunks(LARGEST_CHUNK)) {
        store.append_chunk(id, number, chunk).await?;
    }

    store.seal_upload(id).await?;
    Ok(id)
}
