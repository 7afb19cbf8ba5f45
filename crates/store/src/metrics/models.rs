//! Models that were trained on a study's ratings: their files in chunks, so that every server process
//! has them.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::ids::{ModelId, StudyId};
use serde_json::Value;
use sqlx::{Row, any::AnyRow};

use crate::{LARGEST_CHUNK, Result, Store, bulk, columns, event};

/// A model in one version.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyModel {
    /// Which.
    pub id: ModelId,
    /// 1, 2, … among those of its name.
    pub version: i64,
    /// The metric that it computes, such as `learned-free`.
    pub name: String,
    /// SHA-256 of its file, in hexadecimal.
    pub hash: String,
    /// The size of its file.
    pub bytes: i64,
    /// What it came from, and how good it is on the sources held out.
    pub report: Value,
    /// When it was kept, in milliseconds since 1970.
    pub created_at: i64,
    /// Since when the study scores with it; `None` of one that was not adopted.
    pub adopted_at: Option<i64>,
}

/// A model about to be kept.
#[derive(Debug, Clone)]
pub struct NewModel<'a> {
    /// Which.
    pub id: ModelId,
    /// The metric that it computes.
    pub name: &'a str,
    /// SHA-256 of its file, in hexadecimal.
    pub hash: &'a str,
    /// Its file.
    pub file: &'a [u8],
    /// What it came from, and how good it is.
    pub report: &'a Value,
    /// Whether the study is to score with it from now on.
    pub adopted: bool,
}

impl Store {
    /// Keeps a model of the study, and tells its version. Keeping the same one twice changes nothing.
    ///
    /// # Errors
    /// Refused where the study is gone.
    pub async fn add_model(&self, study: StudyId, new: &NewModel<'_>, now_ms: i64) -> Result<i64> {
        let chunks: Vec<_> = (0_i64..).zip(new.file.chunks(LARGEST_CHUNK)).collect();
        in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            let row = sqlx::query(
                "SELECT CAST(COALESCE(MAX(version), 0) AS BIGINT) AS newest,
                        CAST(COALESCE(MAX(CASE WHEN id = $3 THEN version END), 0) AS BIGINT) AS own
                 FROM model WHERE study_id = $1 AND name = $2",
            )
            .bind(study.to_string())
            .bind(new.name)
            .bind(new.id.to_string())
            .fetch_one(&mut *tx)
            .await?;
            let (newest, own): (i64, i64) = (row.try_get("newest")?, row.try_get("own")?);
            if own == 0 {
                sqlx::query(
                    "INSERT INTO model (id, study_id, version, name, hash, bytes, report,
                                        created_at, adopted_at)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                )
                .bind(new.id.to_string())
                .bind(study.to_string())
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
                        row.bind(new.id.to_string())
                            .bind(*number)
                            .bind(BASE64_STANDARD.encode(chunk))
                    },
                )
                .await?;
                event::record(&mut tx, study, "model", &new.id.to_string(), now_ms).await?;
            }
            if own == 0 { newest + 1 } else { own }
        })
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
        .bind(study.to_string())
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
        .bind(id.to_string())
        .bind(study.to_string())
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
    /// Refused where the study is gone.
    pub async fn adopt_model(
        &self,
        study: StudyId,
        id: ModelId,
        adopted: bool,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            let changed =
                sqlx::query("UPDATE model SET adopted_at = $3 WHERE id = $1 AND study_id = $2")
                    .bind(id.to_string())
                    .bind(study.to_string())
                    .bind(adopted.then_some(now_ms))
                    .execute(&mut *tx)
                    .await?
                    .rows_affected()
                    == 1;
            if changed {
                event::record(&mut tx, study, "model", &id.to_string(), now_ms).await?;
            }
            changed
        })
    }
}

fn read_model(row: &AnyRow) -> Result<StudyModel> {
    let id: &str = row.try_get("id")?;
    Ok(StudyModel {
        id: columns::parse_text("model", id, "id", id)?,
        version: row.try_get("version")?,
        name: row.try_get("name")?,
        hash: row.try_get("hash")?,
        bytes: row.try_get("bytes")?,
        report: columns::parse_json("model", id, "report", row.try_get("report")?)?,
        created_at: row.try_get("created_at")?,
        adopted_at: row.try_get("adopted_at")?,
    })
}
