//! Uploaded files, stored in chunks so that every server process has them.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::ids::{PersonId, StudyId, UploadId};
use sqlx::{AnyConnection, Row};

use crate::{
    Error, Result, Store,
    columns::{BindId, TableRow},
};

/// The largest chunk, in bytes.
pub const LARGEST_CHUNK: usize = 1 << 20;

/// The largest number of files that a study keeps until they are imported. More are not needed at
/// once, and each is in the database.
const MOST_KEPT: i64 = 200;

/// The number of bytes of these files from which no other file is accepted.
const MOST_KEPT_BYTES: i64 = 1 << 30;

/// An uploaded file, complete or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Its id.
    pub id: UploadId,
    /// The study that it is for.
    pub study: StudyId,
    /// The file's name, as the sender has it: for people, never a path.
    pub name: String,
    /// Its size in bytes as the sender stated it; until it is complete, the largest that it may
    /// have.
    pub size: i64,
    /// The person who sends it.
    pub created_by: Option<PersonId>,
    /// When it was begun, in milliseconds since 1970.
    pub created_at: i64,
    /// Whether all of it has arrived.
    pub complete: bool,
}

/// A file to upload.
#[derive(Debug, Clone)]
pub struct NewUpload<'a> {
    /// Its id.
    pub id: UploadId,
    /// The study that it is for.
    pub study: StudyId,
    /// The file's name.
    pub name: &'a str,
    /// Its size in bytes; for [`Store::seal_upload`], the largest that it may have.
    pub size: i64,
    /// The person who sends it.
    pub created_by: Option<PersonId>,
}

impl Store {
    /// Begins an upload.
    ///
    /// # Errors
    /// [`Error::TooMany`] where too many files of the study, or too large ones, wait to be
    /// imported.
    pub async fn create_upload(&self, new: &NewUpload<'_>, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            check_kept_files(&mut tx, new.study).await?;
            sqlx::query(
                "INSERT INTO upload (id, study_id, name, size, created_by, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind_id(new.id)
            .bind_id(new.study)
            .bind(new.name)
            .bind(new.size)
            .bind_id(new.created_by)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// Stores the chunk of that number, from 0. Sending it again changes nothing.
    ///
    /// # Errors
    /// [`Error::Refused`] where there is no such upload or it is complete, or the chunk is empty,
    /// too large, exceeds the stated size of the file, or differs from the one sent under its
    /// number before.
    pub async fn append_chunk(&self, id: UploadId, number: u32, content: &[u8]) -> Result<()> {
        if content.is_empty() || content.len() > LARGEST_CHUNK {
            return Err(Error::Refused(format!(
                "A chunk of a file has 1 to {LARGEST_CHUNK} bytes."
            )));
        }
        let bytes = i64::try_from(content.len()).expect("a chunk is small");
        let content = BASE64_STANDARD.encode(content);

        in_transaction!(self, |tx| {
            let (size, complete) = lock_upload(&mut tx, id).await?;

            match load_chunk(&mut tx, id, number).await? {
                Some(before) if before == content => {}
                Some(_) => {
                    return Err(Error::Refused(
                        "The file changed while it was sent: send it again.".into(),
                    ));
                }
                None if complete => {
                    return Err(Error::Refused("This file is here in full already.".into()));
                }
                None => {
                    let (_, before) = received_bytes(&mut tx, id).await?;
                    if before + bytes > size {
                        return Err(Error::Refused(
                            "The file is larger than was said: send it again.".into(),
                        ));
                    }

                    sqlx::query(
                        "INSERT INTO upload_chunk (upload_id, number, bytes, content)
                         VALUES ($1, $2, $3, $4)",
                    )
                    .bind_id(id)
                    .bind(i64::from(number))
                    .bind(bytes)
                    .bind(&content)
                    .execute(&mut *tx)
                    .await?;
                }
            }
        })
    }

    /// The numbers of the chunks that have arrived, so that sending can continue where it was
    /// interrupted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn chunks(&self, id: UploadId) -> Result<Vec<i64>> {
        Ok(sqlx::query_scalar(
            "SELECT number FROM upload_chunk WHERE upload_id = $1 ORDER BY number",
        )
        .bind_id(id)
        .fetch_all(self.reader())
        .await?)
    }

    /// Completes a file with the chunks that have arrived, for a sender who could not state its
    /// size before. Returns the size.
    ///
    /// # Errors
    /// [`Error::Refused`] where there is no such upload, or a chunk is missing.
    pub async fn seal_upload(&self, id: UploadId) -> Result<i64> {
        in_transaction!(self, |tx| {
            lock_upload(&mut tx, id).await?;
            let (gap, bytes) = received_bytes(&mut tx, id).await?;
            if gap {
                return Err(Error::Refused(
                    "A part of the file is missing: send it again.".into(),
                ));
            }

            sqlx::query("UPDATE upload SET size = $2, complete = 1 WHERE id = $1")
                .bind_id(id)
                .bind(bytes)
                .execute(&mut *tx)
                .await?;
            bytes
        })
    }

    /// The file's name, size and state.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn upload(&self, id: UploadId) -> Result<Option<Upload>> {
        let row = sqlx::query(
            "SELECT study_id, name, size, created_by, created_at, complete
             FROM upload WHERE id = $1",
        )
        .bind_id(id)
        .fetch_optional(self.reader())
        .await?;
        let Some(row) = row else { return Ok(None) };

        let row = TableRow::named("upload", &row, id);
        Ok(Some(Upload {
            id,
            study: row.parse("study_id")?,
            name: row.get("name")?,
            size: row.get("size")?,
            created_by: row.parse_optional("created_by")?,
            created_at: row.get("created_at")?,
            complete: row.flag("complete")?,
        }))
    }

    /// The bytes of one chunk; `None` past the last. A file is read by asking for 0, 1, … in turn.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn read_chunk(&self, id: UploadId, number: u32) -> Result<Option<Vec<u8>>> {
        let mut reader = self.reader().acquire().await?;
        let Some(content) = load_chunk(&mut reader, id, number).await? else {
            return Ok(None);
        };
        match BASE64_STANDARD.decode(content) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) => Err(Error::BadRow {
                table: "upload_chunk",
                row: format!("{id}, {number}"),
                column: "content",
                reason: error.to_string(),
            }),
        }
    }

    /// Deletes a file, after it was read. Returns false if there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_upload(&self, id: UploadId) -> Result<bool> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM upload WHERE id = $1")
                .bind_id(id)
                .execute(&mut *tx)
                .await?
                .rows_affected()
                == 1
        })
    }

    /// Deletes files that were begun before `before_ms`. Returns their number.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_uploads(&self, before_ms: i64) -> Result<u64> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM upload WHERE created_at < $1")
                .bind(before_ms)
                .execute(&mut *tx)
                .await?
                .rows_affected()
        })
    }
}

/// Refuses another file if the study has too many, or too large ones.
async fn check_kept_files(tx: &mut AnyConnection, study: StudyId) -> Result<()> {
    let (files, bytes): (i64, i64) = sqlx::query_as(
        "SELECT COUNT(DISTINCT u.id), CAST(COALESCE(SUM(c.bytes), 0) AS BIGINT)
         FROM upload u LEFT JOIN upload_chunk c ON c.upload_id = u.id
         WHERE u.study_id = $1",
    )
    .bind_id(study)
    .fetch_one(tx)
    .await?;

    if files < MOST_KEPT && bytes < MOST_KEPT_BYTES {
        return Ok(());
    }

    let mib = bytes >> 20;
    Err(Error::TooMany(format!(
        "This study has {files} files of {mib} MiB that wait to be imported, and takes no more. Import them first; files \
         that are not imported are deleted after two days."
    )))
}

/// Holds the upload until the transaction ends. Returns its size and whether it is complete.
async fn lock_upload(tx: &mut AnyConnection, id: UploadId) -> Result<(i64, bool)> {
    let row =
        sqlx::query("UPDATE upload SET complete = complete WHERE id = $1 RETURNING size, complete")
            .bind_id(id)
            .fetch_optional(tx)
            .await?
            .ok_or_else(|| {
                Error::Refused(
                    "This file is no longer awaited: send it again from the start.".into(),
                )
            })?;
    Ok((
        row.try_get("size")?,
        row.try_get::<i64, _>("complete")? != 0,
    ))
}

/// Whether a chunk before the last is missing, and the number of bytes that have arrived.
async fn received_bytes(tx: &mut AnyConnection, id: UploadId) -> Result<(bool, i64)> {
    let (chunks, last, bytes): (i64, i64, i64) = sqlx::query_as(
        "SELECT COUNT(*), COALESCE(MAX(number), -1), CAST(COALESCE(SUM(bytes), 0) AS BIGINT)
         FROM upload_chunk WHERE upload_id = $1",
    )
    .bind_id(id)
    .fetch_one(tx)
    .await?;
    Ok((chunks != last + 1, bytes))
}

/// A chunk as it is stored.
async fn load_chunk(tx: &mut AnyConnection, id: UploadId, number: u32) -> Result<Option<String>> {
    Ok(
        sqlx::query_scalar("SELECT content FROM upload_chunk WHERE upload_id = $1 AND number = $2")
            .bind_id(id)
            .bind(i64::from(number))
            .fetch_optional(tx)
            .await?,
    )
}
