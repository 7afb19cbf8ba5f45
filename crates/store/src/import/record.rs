//! The record of an import, which decides whether its rows are visible.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use domain::{
    dimensions::RatedRange,
    ids::{ImportId, JobId, OutputId, PersonId, StudyId},
    study::QualityControl,
    text::categorise::ThresholdRule,
};
use sqlx::AnyConnection;

use super::{
    ImportCounts, dimensions,
    pending::PendingRows,
    quality_items::{self, NewQualityItem},
};
use crate::{
    DatabaseEngine, Error, EventKind, Result, Store, bulk,
    columns::{self, BindId, TableRow, read_rows},
    event, lock, places,
};

/// The lease of an import, in milliseconds.
const LEASE_MS: i64 = 120_000;
/// How far a lease is extended, in milliseconds, before the database is told even if no rows are
/// sent.
const RENEWAL_MS: i64 = 30_000;

/// The imports that this process began, each with a reference that lives as long as the import.
pub(crate) type LiveImports = HashMap<ImportId, Weak<()>>;

/// An import that is done, or was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportEntry {
    /// Its id.
    pub id: ImportId,
    /// The job that ran it; absent for the command line.
    pub job: Option<JobId>,
    /// The names of its files.
    pub names: Vec<String>,
    /// The name of the person who began it; absent for the command line.
    pub person: Option<String>,
    /// The counts of new rows.
    pub counts: ImportCounts,
    /// When it was done, in milliseconds since 1970.
    pub ended_at: i64,
    /// When it was undone.
    pub undone_at: Option<i64>,
}

/// The columns that all rows of an import share.
pub(super) struct ImportStamp {
    pub(super) study: String,
    pub(super) import: String,
    /// One more than the number of the study's newest event when the import began.
    pub(super) event: i64,
    pub(super) now_ms: i64,
}

/// An import that is running.
pub(super) struct ImportRecord {
    pub(super) store: Store,
    pub(super) study: StudyId,
    id: ImportId,
    stamp: ImportStamp,
    /// The rule by which its outputs get their automatic categories.
    rule: ThresholdRule,
    leased_until: i64,
    /// The lease as the database has it.
    stored_until: i64,
    pub(super) person: Option<PersonId>,
    pub(super) names: Vec<String>,
    /// Shows this process that the import is alive.
    _alive: Arc<()>,
}

impl ImportRecord {
    /// Refreshes the statistics with which PostgreSQL plans statements. It does so by itself, but
    /// up to a minute later: until then, the first figures of a study would take ten times as long.
    pub(super) async fn refresh_statistics(&self) {
        if self.store.engine() != DatabaseEngine::Postgres {
            return;
        }
        let refreshed = async {
            in_transaction!(self.store, |tx| {
                sqlx::query(
                    "ANALYZE stored_source, stored_output, stored_annotation, stored_rater, stored_system",
                )
                .execute(&mut *tx)
                .await?;
            })
        };
        if let Err(error) = refreshed.await {
            tracing::warn!(%error, "the statistics of the tables stay as they were");
        }
    }

    /// Begins an import, after deleting the rows of dead ones. Also returns which quality-control
    /// items the study asks for.
    pub(super) async fn begin(
        store: &Store,
        study: StudyId,
        id: ImportId,
        job: Option<JobId>,
        now_ms: i64,
    ) -> Result<(Self, QualityControl)> {
        store.clear_imports_of(Some(study), now_ms).await?;

        let alive = Arc::new(());
        store.live_imports().insert(id, Arc::downgrade(&alive));
        let locked_study = in_transaction!(store, |tx| {
            let locked_study = lock::lock_open_study(&mut tx, study).await?;
            refuse_concurrent_import(&mut tx, study).await?;
            if let Some(job) = job {
                refuse_undone(&mut tx, job).await?;
            }
            sqlx::query(
                "INSERT INTO import (id, study_id, state, began_at, leased_until, job_id)
                 VALUES ($1, $2, 'running', $3, $4, $5)",
            )
            .bind_id(id)
            .bind_id(study)
            .bind(now_ms)
            .bind(now_ms + LEASE_MS)
            .bind_id(job)
            .execute(&mut *tx)
            .await?;
            locked_study
        })?;

        // From here on no import is undone; the rows of one that was must go before rows are
        // compared.
        store.clear_imports_of(Some(study), now_ms).await?;
        let record = Self {
            store: store.clone(),
            study,
            id,
            stamp: ImportStamp {
                study: study.to_string(),
                import: id.to_string(),
                event: locked_study.events + 1,
                now_ms,
            },
            rule: locked_study.settings.rule(),
            leased_until: now_ms + LEASE_MS,
            stored_until: now_ms + LEASE_MS,
            person: None,
            names: vec![],
            _alive: alive,
        };
        Ok((record, locked_study.settings.quality_control))
    }

    pub(super) const fn date_rows(&mut self, at_ms: i64) {
        self.stamp.now_ms = at_ms;
    }

    pub(super) const fn renew(&mut self, now_ms: i64) {
        self.leased_until = now_ms + LEASE_MS;
    }

    /// Whether the lease was extended so far that the database should know.
    pub(super) const fn is_renewal_due(&self) -> bool {
        self.leased_until - self.stored_until >= RENEWAL_MS
    }

    /// Writes rows, still invisible, and the lease, in one transaction. It need not be durable:
    /// after a power cut nobody continues the import.
    pub(super) async fn write(&mut self, batch: &PendingRows) -> Result<()> {
        let store = self.store.non_durable();
        in_transaction!(store, |tx| {
            let renewed = sqlx::query(
                "UPDATE import SET leased_until = $2 WHERE id = $1 AND state = 'running'",
            )
            .bind(&self.stamp.import)
            .bind(self.leased_until)
            .execute(&mut *tx)
            .await?;
            require_alive(renewed.rows_affected())?;
            batch.send(&mut tx, &self.stamp).await?;
        })?;

        self.stored_until = self.leased_until;
        self.store.pause_for_writers().await;
        Ok(())
    }

    /// Chooses the quality-control items as if the import were done.
    pub(super) async fn plan_items(
        &self,
        asked: QualityControl,
        seed: u64,
    ) -> Result<Vec<NewQualityItem>> {
        quality_items::plan_items(&self.store, self.study, &self.stamp.import, asked, seed).await
    }

    /// Makes the rows visible, including the `added` quality-control items, and announces them.
    pub(super) async fn publish(
        &self,
        counts: ImportCounts,
        added: &[OutputId],
        of_file: &[RatedRange],
    ) -> Result<()> {
        in_transaction!(self.store, |tx| {
            let settings = lock::lock_open_study(&mut tx, self.study).await?.settings;
            if settings.rule() != self.rule {
                return Err(Error::Refused(
                    "The study's rule for automatic categories was changed meanwhile: import the file \
                     again."
                        .into(),
                ));
            }

            places::keep_group_places(&mut tx, self.study, &settings).await?;
            let has_new_dimension =
                dimensions::add_dimensions(&mut tx, self.study, settings, of_file).await?;

            let update = sqlx::query(
                "UPDATE import SET state = 'done', ended_at = $2, counts = $3, names = $4,
                                   person_id = $5
                 WHERE id = $1 AND state = 'running'",
            )
            .bind(&self.stamp.import)
            .bind(self.stamp.now_ms)
            .bind(columns::to_json(&counts))
            .bind(columns::to_json(&self.names))
            .bind_id(self.person)
            .execute(&mut *tx)
            .await?;
            require_alive(update.rows_affected())?;

            // Sources that were given out meanwhile stay as they are.
            let taken_back = bulk::execute_for(
                &mut tx,
                "DELETE FROM stored_output
                 WHERE EXISTS (SELECT 1 FROM assignment a WHERE a.source_id = stored_output.source_id)
                   AND id IN ",
                added,
            )
            .await?;

            let (study, now_ms) = (self.study, self.stamp.now_ms);
            if counts != ImportCounts::default() || has_new_dimension {
                event::record(&mut tx, study, EventKind::Import, &self.stamp.study, now_ms).await?;
            }
            let added = (added.len() as u64).saturating_sub(taken_back);
            quality_items::announce(
                &mut tx,
                study,
                u32::try_from(added).unwrap_or(u32::MAX),
                now_ms,
            )
            .await?;
        })?;

        self.store.live_imports().remove(&self.id);
        Ok(())
    }

    /// Gives the import up; its rows, which were never visible, are deleted later.
    pub(super) async fn abandon(&self) -> Result<()> {
        in_transaction!(self.store, |tx| {
            sqlx::query("UPDATE import SET state = 'leaving' WHERE id = $1 AND state = 'running'")
                .bind(&self.stamp.import)
                .execute(&mut *tx)
                .await?;
        })?;
        self.store.live_imports().remove(&self.id);
        Ok(())
    }

    /// Deletes the record of an import that brought nothing.
    pub(super) async fn delete(&self) -> Result<()> {
        self.store.clear_import(self.id).await
    }
}

impl Store {
    /// Gives up what earlier runs of the job, whose workers are dead, left unfinished, so that the
    /// job can import its files again. Returns the counts of the imports that they finished,
    /// although the end of the job was not stored.
    pub(super) async fn take_over_imports(&self, job: JobId) -> Result<ImportCounts> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE import SET state = 'leaving' WHERE job_id = $1 AND state = 'running'",
            )
            .bind_id(job)
            .execute(&mut *tx)
            .await?;
        })?;

        let rows =
            sqlx::query("SELECT id, counts FROM import WHERE job_id = $1 AND state = 'done'")
                .bind_id(job)
                .fetch_all(self.reader())
                .await?;

        let mut counts = ImportCounts::default();
        for row in &rows {
            let imported: ImportCounts = TableRow::new("import", row)?.json("counts")?;
            counts += imported;
        }
        Ok(counts)
    }

    /// The imports of the study that are done or were undone, newest first.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn imports(&self, study: StudyId) -> Result<Vec<ImportEntry>> {
        let rows = sqlx::query(
            "SELECT i.id, i.job_id, i.names, i.counts, i.ended_at, i.undone_at, p.name
             FROM import i LEFT JOIN person p ON p.id = i.person_id
             WHERE i.study_id = $1 AND i.ended_at IS NOT NULL
             ORDER BY i.ended_at DESC, i.id DESC",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        read_rows("import", &rows, read_entry)
    }
}

fn read_entry(row: &TableRow<'_>) -> Result<ImportEntry> {
    Ok(ImportEntry {
        id: row.parse("id")?,
        job: row.parse_optional("job_id")?,
        names: row.json("names")?,
        person: row.get("name")?,
        counts: row.json("counts")?,
        ended_at: row.get("ended_at")?,
        undone_at: row.get("undone_at")?,
    })
}

/// Refuses if an import is in progress in the study, even a dead one.
pub(crate) async fn refuse_concurrent_import(tx: &mut AnyConnection, study: StudyId) -> Result<()> {
    let another = sqlx::query("SELECT id FROM import WHERE study_id = $1 AND state = 'running'")
        .bind_id(study)
        .fetch_optional(tx)
        .await?;
    another.map_or(Ok(()), |_| Err(Error::ImportUnderWay))
}

/// Refuses if an earlier run of the job imported its files, and that import was undone since.
async fn refuse_undone(tx: &mut AnyConnection, job: JobId) -> Result<()> {
    let undone = sqlx::query("SELECT id FROM import WHERE job_id = $1 AND undone_at IS NOT NULL")
        .bind_id(job)
        .fetch_optional(tx)
        .await?;
    match undone {
        None => Ok(()),
        Some(_) => Err(Error::Refused(
            "This import was taken back before its job had ended, so it was not run again.".into(),
        )),
    }
}

/// Refuses if the update of a running import's record changed no row.
fn require_alive(rows_affected: u64) -> Result<()> {
    if rows_affected == 0 {
        return Err(Error::Refused(
            "This import was given up: it gave no sign of life for two minutes, or its study was erased. Begin it \
             again where the study is still there."
                .into(),
        ));
    }
    Ok(())
}
