//! Automatic edits that a better aligner makes again.

use std::collections::HashSet;

use domain::{
    edit::Edit,
    ids::{OutputId, SourceId, StudyId},
    text::edits::EditsVersion,
};
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{
    EventKind, Result, Store,
    columns::{self, BindId, TableRow, read_rows},
    event, lock, metrics,
};

/// How long a new output may hold its source back, in milliseconds. After that the source is given
/// out as it is: an aligner that fails must not stop a study.
pub const HOLD_MS: i64 = 10 * 60 * 1000;

/// How long an aligner counts as available after a server last reported it, in milliseconds.
pub const AVAILABLE_MS: i64 = 2 * 60 * 1000;

/// The SQL condition on an output `o` that an aligner may still change: its edits were not corrected,
/// and no annotator has its source, who would see them change.
macro_rules! untouched {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            " NOT EXISTS (SELECT 1 FROM annotation a
                          WHERE a.output_id = o.id AND a.kind = 'edits' AND a.current = 1)
              AND NOT EXISTS (SELECT 1 FROM assignment g
                              WHERE g.source_id = o.source_id AND g.state <> 'released') ",
            $after
        )
    };
}

/// An output whose automatic edits may be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputToAlign {
    /// The output.
    pub output: OutputId,
    /// The source's text.
    pub source: String,
    /// The output's text.
    pub text: String,
}

impl Store {
    /// Records that a running server makes edits of this version. Repeat the call well within
    /// [`AVAILABLE_MS`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn report_aligner(&self, version: EditsVersion, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "INSERT INTO aligner (version, seen_at) VALUES ($1, $2)
                 ON CONFLICT (version) DO UPDATE SET seen_at = excluded.seen_at
                 WHERE aligner.seen_at < excluded.seen_at",
            )
            .bind(version.to_string())
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// The best version of edits among those reported within [`AVAILABLE_MS`] of the latest report.
    /// `None` if none was ever reported.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn server_aligner(&self) -> Result<Option<EditsVersion>> {
        let rows = sqlx::query(
            "SELECT version FROM aligner WHERE seen_at > (SELECT MAX(seen_at) FROM aligner) - $1",
        )
        .bind(AVAILABLE_MS)
        .fetch_all(self.reader())
        .await?;

        let reported = read_versions(&rows)?.into_iter();
        Ok(reported.max_by_key(|version| (version.grade, version.aligner, version.edits)))
    }

    /// For each open study, the versions, as text, of the automatic edits that may be made again.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn edits_versions(&self) -> Result<Vec<(StudyId, String)>> {
        let rows = sqlx::query(untouched!(
            "SELECT DISTINCT o.study_id, o.edits_version
             FROM output o JOIN study s ON s.id = o.study_id
             WHERE s.closed_at IS NULL AND",
            ""
        ))
        .fetch_all(self.reader())
        .await?;

        rows.iter()
            .map(|row| {
                let row = TableRow::keyed("output", row, "study_id")?;
                Ok((row.parse("study_id")?, row.get("edits_version")?))
            })
            .collect()
    }

    /// The number of outputs of the study with automatic edits of `version` that may be made again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_to_align(&self, study: StudyId, version: &str) -> Result<u64> {
        let count: i64 = sqlx::query_scalar(untouched!(
            "SELECT COUNT(*) FROM output o WHERE o.study_id = $1 AND o.edits_version = $2 AND",
            ""
        ))
        .bind_id(study)
        .bind(version)
        .fetch_one(self.reader())
        .await?;
        Ok(count.cast_unsigned())
    }

    /// Outputs of the study whose automatic edits of `version` may be made again, source by source, at
    /// most `limit`.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn outputs_to_align(
        &self,
        study: StudyId,
        version: &str,
        limit: u32,
    ) -> Result<Vec<OutputToAlign>> {
        let rows = sqlx::query(untouched!(
            "SELECT o.id, o.text, s.text AS source
             FROM output o JOIN source s ON s.id = o.source_id
             WHERE o.study_id = $1 AND o.edits_version = $2 AND",
            "ORDER BY o.source_id, o.id LIMIT $3"
        ))
        .bind_id(study)
        .bind(version)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;

        read_rows("output", &rows, |row| {
            Ok(OutputToAlign {
                output: row.parse("id")?,
                source: row.get("source")?,
                text: row.get("text")?,
            })
        })
    }

    /// Replaces automatic edits by new ones, each with the version that made it. Outputs that were
    /// corrected or given to an annotator meanwhile keep theirs. Returns the number of outputs
    /// changed.
    ///
    /// # Errors
    /// Refused where the study no longer exists or is closed.
    pub async fn put_automatic_edits(
        &self,
        study: StudyId,
        edits: &[(OutputId, Vec<Edit>, String)],
        now_ms: i64,
    ) -> Result<u64> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;

            let mut changed = 0;
            for (output, edits, version) in edits {
                changed += sqlx::query(untouched!(
                    "UPDATE stored_output AS o SET edits = $3, edits_version = $4
                     WHERE o.id = $1 AND o.study_id = $2 AND",
                    ""
                ))
                .bind_id(output)
                .bind_id(study)
                .bind(columns::to_json(edits))
                .bind(version)
                .execute(&mut *tx)
                .await?
                .rows_affected();
            }

            if changed > 0 {
                event::record(&mut tx, study, EventKind::Alignment, study, now_ms).await?;
            }

            changed
        })
    }
}

/// The reported versions that parse. Others come from a later program, which this one cannot judge.
fn read_versions(rows: &[AnyRow]) -> Result<Vec<EditsVersion>> {
    let mut versions = Vec::with_capacity(rows.len());
    for row in rows {
        versions.extend(row.try_get::<&str, _>(0)?.parse::<EditsVersion>());
    }
    Ok(versions)
}

/// The sources of the study that should not be given out yet: one of their outputs was added within
/// [`HOLD_MS`], and a running server has a better aligner than the one that made its edits, or can
/// run the study's own.
pub(crate) async fn load_held_back(
    tx: &mut AnyConnection,
    study: StudyId,
    now_ms: i64,
) -> Result<HashSet<SourceId>> {
    let rows = sqlx::query("SELECT version FROM aligner WHERE seen_at > $1")
        .bind(now_ms - AVAILABLE_MS)
        .fetch_all(&mut *tx)
        .await?;
    let available = read_versions(&rows)?;
    if available.is_empty() {
        return Ok(HashSet::new());
    }

    let own = metrics::load_aligner_version(tx, study).await?;
    let rows = sqlx::query(untouched!(
        "SELECT DISTINCT o.source_id, o.edits_version FROM output o
         WHERE o.study_id = $1 AND o.added_at > $2 AND",
        ""
    ))
    .bind_id(study)
    .bind(now_ms - HOLD_MS)
    .fetch_all(tx)
    .await?;

    let mut held_back = HashSet::new();
    for row in &rows {
        let made_by = row.try_get::<&str, _>("edits_version")?;
        let waits = made_by
            .parse::<EditsVersion>()
            .is_ok_and(|made_by| match own {
                Some(own) => {
                    let can_run = |server: &EditsVersion| server.grade >= own.grade;
                    made_by.is_replaced_by(own) && available.iter().any(can_run)
                }
                None => {
                    let replaces = |server: &EditsVersion| made_by.is_replaced_by(*server);
                    available.iter().any(replaces)
                }
            });
        if waits {
            held_back.insert(TableRow::keyed("output", row, "source_id")?.parse("source_id")?);
        }
    }

    Ok(held_back)
}
