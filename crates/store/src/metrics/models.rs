//! Models that were trained on a study: metrics on its ratings, and aligners on its checked edits.
//! Their files are stored in chunks, so that every server process has them.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::{
    ids::{ModelId, StudyId},
    text::edits::EditsVersion,
};
use serde_json::Value;
use sqlx::{AnyConnection, Row};

use crate::{
    EventKind, LARGEST_CHUNK, Result, Store, bulk,
    columns::{self, BindId, TableRow, read_rows},
    event, lock,
};

/// The name of models that align words instead of computing a metric.
pub const ALIGNER_MODEL: &str = "aligner";

/// A model in one version.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyModel {
    /// Its id.
    pub id: ModelId,
    /// Its version among the models of its name, from 1.
    pub version: i64,
    /// The metric that it computes, such as `learned-free`, or [`ALIGNER_MODEL`].
    pub name: String,
    /// SHA-256 of its file, in hexadecimal.
    pub hash: String,
    /// The size of its file, in bytes.
    pub bytes: i64,
    /// Its training data, and its figures on the held-out sources.
    pub report: Value,
    /// When it was stored, in milliseconds since 1970.
    pub created_at: i64,
    /// When the study adopted it; `None` if it is not adopted.
    pub adopted_at: Option<i64>,
}

/// The aligner that a study uses instead of the server's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptedAligner {
    /// The study.
    pub study: StudyId,
    /// The aligner.
    pub model: ModelId,
    /// SHA-256 of its file, in hexadecimal.
    pub hash: String,
}

/// A model to store.
#[derive(Debug, Clone)]
pub struct NewModel<'a> {
    /// Its id.
    pub id: ModelId,
    /// The metric that it computes, or [`ALIGNER_MODEL`].
    pub name: &'a str,
    /// SHA-256 of its file, in hexadecimal.
    pub hash: &'a str,
    /// Its file.
    pub file: &'a [u8],
    /// Its training data and its figures.
    pub report: &'a Value,
    /// Whether the study uses it from now on.
    pub adopted: bool,
}

impl Store {
    /// Stores a model of the study, and returns its version. Storing the same one again changes
    /// nothing.
    ///
    /// # Errors
    /// Refused where the study no longer exists.
    pub async fn add_model(&self, study: StudyId, new: &NewModel<'_>, now_ms: i64) -> Result<i64> {
        let chunks: Vec<_> = (0_i64..).zip(new.file.chunks(LARGEST_CHUNK)).collect();
        let (version, _) = change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let (newest, own): (i64, i64) = sqlx::query_as(
                "SELECT CAST(COALESCE(MAX(version), 0) AS BIGINT) AS newest,
                        CAST(COALESCE(MAX(CASE WHEN id = $3 THEN version END), 0) AS BIGINT) AS own
                 FROM model WHERE study_id = $1 AND name = $2",
            )
            .bind_id(study)
            .bind(new.name)
            .bind_id(new.id)
            .fetch_one(&mut *tx)
            .await?;

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

    /// The study's learned metrics, newest first.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn models(&self, study: StudyId) -> Result<Vec<StudyModel>> {
        let rows = sqlx::query(
            "SELECT id, version, name, hash, bytes, report, created_at, adopted_at
             FROM model WHERE study_id = $1 AND name <> $2
             ORDER BY created_at DESC, version DESC",
        )
        .bind_id(study)
        .bind(ALIGNER_MODEL)
        .fetch_all(self.reader())
        .await?;
        read_rows("model", &rows, read_model)
    }

    /// The aligners that were trained on the study's checked edits, newest first.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn aligners(&self, study: StudyId) -> Result<Vec<StudyModel>> {
        let rows = sqlx::query(
            "SELECT id, version, name, hash, bytes, report, created_at, adopted_at
             FROM model WHERE study_id = $1 AND name = $2
             ORDER BY created_at DESC, version DESC",
        )
        .bind_id(study)
        .bind(ALIGNER_MODEL)
        .fetch_all(self.reader())
        .await?;
        read_rows("model", &rows, read_model)
    }

    /// The aligner of each study that uses one of its own.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn adopted_aligners(&self) -> Result<Vec<AdoptedAligner>> {
        let rows = sqlx::query(
            "SELECT id, study_id, hash FROM model WHERE name = $1 AND adopted_at IS NOT NULL",
        )
        .bind(ALIGNER_MODEL)
        .fetch_all(self.reader())
        .await?;
        read_rows("model", &rows, read_adopted)
    }

    /// The file of a model of the study; `None` if there is no such model.
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

    /// Makes the study score with this metric, or no longer. Returns false if it has no such
    /// metric.
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
        let statement =
            "UPDATE model SET adopted_at = $3 WHERE id = $1 AND study_id = $2 AND name <> $4";
        self.set_adopted(study, id, statement, adopted.then_some(now_ms), now_ms)
            .await
    }

    /// Makes the study align with this aligner instead of any other, or with the server's again.
    /// Returns false if it has no such aligner.
    ///
    /// # Errors
    /// Refused where the study no longer exists.
    pub async fn adopt_aligner(
        &self,
        study: StudyId,
        id: ModelId,
        adopted: bool,
        now_ms: i64,
    ) -> Result<bool> {
        // No other aligner stays adopted.
        let statement = "UPDATE model SET adopted_at = CASE WHEN id = $1 THEN $3 END
             WHERE study_id = $2 AND name = $4
               AND EXISTS (SELECT 1 FROM model WHERE id = $1 AND study_id = $2 AND name = $4)";
        self.set_adopted(study, id, statement, adopted.then_some(now_ms), now_ms)
            .await
    }

    /// Runs `statement`, which adopts the model or drops it, and returns whether there was such a
    /// model.
    async fn set_adopted(
        &self,
        study: StudyId,
        id: ModelId,
        statement: &'static str,
        adopted_at: Option<i64>,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let changed = sqlx::query(statement)
                .bind_id(id)
                .bind_id(study)
                .bind(adopted_at)
                .bind(ALIGNER_MODEL)
                .execute(&mut *tx)
                .await?
                .rows_affected()
                > 0;

            if changed {
                event::record(&mut tx, study, EventKind::Model, id, now_ms).await?;
            }
            changed
        })
    }
}

/// The version of edits that the study's own aligner makes, as the report of its training names it;
/// `None` if the study uses the server's.
pub(crate) async fn load_aligner_version(
    tx: &mut AnyConnection,
    study: StudyId,
) -> Result<Option<EditsVersion>> {
    let report: Option<String> = sqlx::query_scalar(
        "SELECT report FROM model WHERE study_id = $1 AND name = $2 AND adopted_at IS NOT NULL",
    )
    .bind_id(study)
    .bind(ALIGNER_MODEL)
    .fetch_optional(tx)
    .await?;

    // A report that cannot be read comes from a later program.
    let report = report.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    Ok(report.and_then(|report| report["edits_version"].as_str()?.parse().ok()))
}

fn read_adopted(row: &TableRow<'_>) -> Result<AdoptedAligner> {
    Ok(AdoptedAligner {
        study: row.parse("study_id")?,
        model: row.parse("id")?,
        hash: row.get("hash")?,
    })
}

fn read_model(row: &TableRow<'_>) -> Result<StudyModel> {
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
