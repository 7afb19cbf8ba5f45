//! Models that were trained on a study's ratings: their files in chunks, so that every server process
//! has them.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::ids::{ModelId, StudyId};
use serde_json::Value;
use sqlx::{Row, any::AnyRow};

use crate::{
    EventKind, LARGEST_CHUNK, Result, Store, bulk,
    columns::{self, BindId, TableRow},
    event, lock,
};

/// A model in one version.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyModel {
    /// Its id.
    pub id: ModelId,
    /// 1, 2, … among those of its name.
    pub version: i64,
    /// The metric that it computes, such as `learned-free`.
    pub name: String,
    /// SHA-256 of its file, in hexadecimal.
    pub hash: String,
    /// The size of its file.
    pub bytes: i64,
    /// Its training data, and its figures on the held-out sources.
    pub report: Value,
    /// When it was kept, in milliseconds since 1970.
    pub created_at: i64,
    /// Since when the study scores with it; `None` of one that was not adopted.
    pub adopted_at: Option<i64>,
}

/// A model about to be kept.
#[derive(Debug, Clone)]
pub struct NewModel<'a> {
    /// Its id.
    pub id: ModelId,
    /// The metric that it computes.
    pub name: &'a str,
    /// SHA-256 of its file, in hexadecimal.
    pub hash: &'a str,
    /// Its file.
    pub file: &'a [u8],
    /// Its training data and its figures.
    pub report: &'a Value,
    /// Whether the study is to score with it from now on.
    pub adopted: bool,
}

impl Store {
    /// Keeps a model of the study, and tells its version. Keeping the same one twice changes nothing.
    ///
    /// # Errors
    /// Refused where the study no longer exists.
    pub async fn add_model(&self, study: StudyId, new: &NewModel<'_>, now_ms: i64) -> Result<i64> {
        let chunks: Vec<_> = (0_i64..).zip(new.file.chunks(LARGEST_CHUNK)).collect();
        let (version, _) = change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let row = sqlx::query(
                "SELECT CAST(COALESCE(MAX(version), 0) AS BIGINT) AS newest,
                        CAST(COALESCE(MAX(CASE WHEN id = $3 THEN version END), 0) AS BIGINT) AS own
                 FROM model WHERE study_id = $1 AND name = $2",
            )
            .bind_id(study)
            .bind(new.name)
            .bind_id(new.id)
            .fetch_one(&mut *tx)
            .await?;
            let (newest, own): (i64, i64) = (row.try_get("newest")?, row.try_get("own")?);
            if own == 0 {
                sqlx::query(
                    "INSERT INTO model (id, study_id, version, name, hash, bytes, report,
                                        created_at, adopted_at)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                )
                .bind_id(new.id)
                .bind_id(study)
                .bind(newest + 1)
                .bind(new.name)
                .bind(new.hash)
                .bind(i64::try_from(new.file.len()).expect("a file in memory is small"))
                .bind(new.report.to_string())
                .bind(now_ms)
                .bind(new.adopted.then_some(now_ms))
                .execute(&mut *tx)
                .await?;
                bulk::insert(
                    &mut tx,
                    "model_chunk (model_id, number, content)",
                    &chunks,
                    |row, (number, chunk)| {
                        row.bind_id(new.id)
                            .bind(*number)
                            .bind(BASE64_STANDARD.encode(chunk))
                    },
                )
                .await?;
                event::record(&mut tx, study, EventKind::Model, new.id, now_ms).await?;
            }
            let is_new = own == 0;
            (if is_new { newest + 1 } else { own }, is_new)
        })?;
        Ok(version)
    }

    /// The study's models, newest first.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn models(&self, study: StudyId) -> Result<Vec<StudyModel>> {
        let rows = sqlx::query(
            "SELECT id, version, name, hash, bytes, report, created_at, adopted_at
             FROM model WHERE study_id = $1 ORDER BY created_at DESC, version DESC",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(read_model).collect()
    }

    /// The file of a model of the study; `None` where there is no such model.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn model_file(&self, study: StudyId, id: ModelId) -> Result<Option<Vec<u8>>> {
        let rows = sqlx::query(
            "SELECT c.number, c.content FROM model m JOIN model_chunk c ON c.model_id = m.id
             WHERE m.id = $1 AND m.study_id = $2 ORDER BY c.number",
        )
        .bind_id(id)
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        let mut file = Vec::new();
        for row in &rows {
            let content: &str = row.try_get("content")?;
            BASE64_STANDARD
                .decode_vec(content, &mut file)
                .map_err(|error| columns::bad_row("model_chunk", id, "content", error))?;
        }
        Ok((!rows.is_empty()).then_some(file))
    }

    /// Makes the study score with this model, or no longer. False where it has no such model.
    ///
    /// # Errors
    /// Refused where the study no longer exists.
    pub async fn adopt_model(
        &self,
        study: StudyId,
        id: ModelId,
        adopted: bool,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let changed =
                sqlx::query("UPDATE model SET adopted_at = $3 WHERE id = $1 AND study_id = $2")
                    .bind_id(id)
                    .bind_id(study)
                    .bind(adopted.then_some(now_ms))
                    .execute(&mut *tx)
                    .await?
                    .rows_affected()
                    == 1;
            if changed {
                event::record(&mut tx, study, EventKind::Model, id, now_ms).await?;
            }
            changed
        })
    }
}

fn read_model(row: &AnyRow) -> Result<StudyModel> {
    let row = TableRow::new("model", row)?;
    Ok(StudyModel {
        id: row.parse("id")?,
        version: row.get("version")?,
        name: row.get("name")?,
        hash: row.get("hash")?,
        bytes: row.get("bytes")?,
        report: row.json("report")?,
        created_at: row.get("created_at")?,
        adopted_at: row.get("adopted_at")?,
    })
}
