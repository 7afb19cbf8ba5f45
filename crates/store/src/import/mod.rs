//! Importing a file's rows into a study: all or none, and importing twice changes nothing.
//!
//! Rows are written in short transactions under the id of the import, so that saving an answer
//! never waits for long. Views hide the rows of an import that is not done
//! (`migrations/0010_imports.sql`), so nobody sees any of them before one last short transaction
//! says that it is. If a process dies on the way, the next import or a server deletes its rows.

mod cleanup;
mod dimensions;
mod pending;
mod quality_items;
mod rater_answers;
mod record;
mod rows;
mod study_index;
mod texts;
mod undo;

use std::ops::{Deref, DerefMut};

use domain::{
    dimensions::RatedRange,
    ids::{ImportId, JobId, OutputId, PersonId, StudyId},
    study::{QualityControl, SystemKind},
};
use sqlx::AnyConnection;
use uuid::Uuid;

use self::{
    pending::PendingRows,
    record::{ImportRecord, ImportStamp},
    study_index::StudyIndex,
};
pub(crate) use self::{
    quality_items::BASELINE_PREFIX,
    record::{LiveImports, refuse_concurrent_import},
};
pub use self::{
    record::ImportEntry,
    rows::{AutomaticAnswers, ImportCounts, NewOutput, NewRating, VerbatimRating},
};
use crate::{
    Error, EventKind, Result, Store,
    columns::{self, BindId},
    event,
};

/// The number of new outputs or answers from which an import refreshes PostgreSQL's statistics.
const LARGE_IMPORT: u64 = 1_000;

/// An import in progress; a study has at most one.
///
/// The methods of its [`ImportRows`], one for each kind of data, don't wait: they check a row
/// against the existing data and keep it. [`StudyImport::flush`] sends the kept rows; without it
/// they are kept until the end. An [`Error::Refused`] concerns the row alone: nothing of it was
/// kept, and the import can continue. Dropping an import is as good as [`StudyImport::rollback`],
/// except that other processes notice later.
pub struct StudyImport {
    record: ImportRecord,
    rows: ImportRows,
    /// The quality-control items that the study asks for, and those that were added.
    quality_control: QualityControl,
    added: Vec<OutputId>,
    /// The dimensions of the file, and whether the study lacked one of them.
    dimensions: Vec<RatedRange>,
    dimensions_lacked: bool,
    /// The rows that earlier runs of the same job imported.
    imported_before: ImportCounts,
}

/// The rows of an import that were checked against a study and kept. Those of a [`StudyImport`] are
/// stored; without one, they only show what an import would do.
///
/// An [`Error::Refused`] concerns the row alone: nothing of it was kept.
pub struct ImportRows {
    ids: Box<dyn FnMut() -> Uuid + Send>,
    index: StudyIndex,
    pending: PendingRows,
    counts: ImportCounts,
}

/// The rows of an import to write in one transaction, with the study to which they belong.
pub(crate) struct FinishedRows {
    import: ImportId,
    pending: PendingRows,
    counts: ImportCounts,
}

impl Store {
    /// The rows of an import that is never stored, to see what it would do to a study; `None` for a
    /// new one. Rows that a running import has sent count as existing.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn rehearse_import(
        &self,
        study: Option<StudyId>,
        ids: impl FnMut() -> Uuid + Send + 'static,
    ) -> Result<ImportRows> {
        let index = match study {
            None => StudyIndex::default(),
            Some(study) => StudyIndex::load(&mut *self.reader().acquire().await?, study).await?,
        };
        Ok(ImportRows::new(index, ids))
    }

    /// Begins an import at `now_ms`, with new ids from `ids`.
    ///
    /// # Errors
    /// [`Error::ImportUnderWay`] where another one is under way in the study, refused where the study is
    /// gone or closed, or when the database fails.
    pub async fn begin_import(
        &self,
        study: StudyId,
        now_ms: i64,
        ids: impl FnMut() -> Uuid + Send + 'static,
    ) -> Result<StudyImport> {
        self.begin_import_of(study, None, now_ms, ids).await
    }

    /// Like [`Self::begin_import`], for a job. Gives up what the job's earlier runs, whose workers
    /// are dead, left unfinished. Imports that they finished, although the end of the job was not
    /// stored, count as part of this one.
    ///
    /// # Errors
    /// As for [`Self::begin_import`]; refused, too, where such an import was undone since.
    pub async fn begin_job_import(
        &self,
        study: StudyId,
        job: JobId,
        now_ms: i64,
        ids: impl FnMut() -> Uuid + Send + 'static,
    ) -> Result<StudyImport> {
        let imported_before = self.take_over_imports(job).await?;
        let mut import = self.begin_import_of(study, Some(job), now_ms, ids).await?;
        import.imported_before = imported_before;
        Ok(import)
    }

    async fn begin_import_of(
        &self,
        study: StudyId,
        job: Option<JobId>,
        now_ms: i64,
        mut ids: impl FnMut() -> Uuid + Send + 'static,
    ) -> Result<StudyImport> {
        let id = ImportId(ids());
        let (record, asked) = ImportRecord::begin(self, study, id, job, now_ms).await?;
        let mut reader = self.reader().acquire().await?;
        let index = StudyIndex::load(&mut reader, study).await?;

        Ok(StudyImport {
            record,
            rows: ImportRows::new(index, ids),
            quality_control: asked,
            dimensions: vec![],
            dimensions_lacked: false,
            added: vec![],
            imported_before: ImportCounts::default(),
        })
    }
}

impl StudyImport {
    /// Records the person who began the import, and its files; otherwise it is the command line's.
    pub fn describe(&mut self, person: Option<PersonId>, names: &[String]) {
        self.record.person = person;
        self.record.names = names.to_vec();
    }

    /// Backdates its rows and its end to `at_ms`. Its lease still goes by the time at which it
    /// began, so that no server takes it for dead.
    pub const fn date_rows(&mut self, at_ms: i64) {
        self.record.date_rows(at_ms);
    }

    /// Renews its lease at `now_ms`. The next [`Self::flush_full`] stores that, if rows are sent or
    /// half a minute has passed. An import that is not renewed for two minutes is taken for dead.
    pub const fn renew(&mut self, now_ms: i64) {
        self.record.renew(now_ms);
    }

    /// Sends the kept rows to the database once they fill a short transaction: each commit writes
    /// the pages of all indexes that its rows are in. Nobody sees them before
    /// [`StudyImport::commit`].
    ///
    /// # Errors
    /// When the database fails, or the import was taken for dead; it cannot continue then.
    pub async fn flush_full(&mut self) -> Result<()> {
        while self.rows.pending.fill_transaction()
            && let Some(batch) = self.rows.pending.next_batch()
        {
            self.record.write(&batch).await?;
        }

        // A file may bring few new rows, or bring them slowly.
        if self.record.is_renewal_due() {
            self.record.write(&PendingRows::default()).await?;
        }
        Ok(())
    }

    /// Sends all kept rows to the database, in short transactions with pauses between them. Nobody
    /// sees them before [`StudyImport::commit`].
    ///
    /// # Errors
    /// When the database fails, or the import was taken for dead; it cannot continue then.
    pub async fn flush(&mut self) -> Result<()> {
        while let Some(batch) = self.rows.pending.next_batch() {
            self.record.write(&batch).await?;
        }
        Ok(())
    }

    /// Adds the quality-control items that the study lacks with the imported rows, chosen by
    /// `seed`, as [`Store::add_quality_control`] does. Returns their number. Call it last before
    /// [`StudyImport::commit`]: outputs imported afterwards would take their positions.
    ///
    /// # Errors
    /// When the database fails; the import cannot continue then.
    pub async fn add_quality_control(
        &mut self,
        seed: u64,
        automatic: impl Fn(&str, &str) -> AutomaticAnswers + Send + Sync,
    ) -> Result<u32> {
        self.flush().await?;
        let planned_items = self.record.plan_items(self.quality_control, seed).await?;

        // Baselines of quality control don't count as systems of the file.
        let rows = &mut self.rows;
        let counts = rows.counts;

        for item in planned_items {
            let name = quality_items::system_name(item.purpose);
            let system = rows.system(&name, Some(SystemKind::Baseline))?;
            let (id, position) = (OutputId((rows.ids)()), rows.index.next.output());
            let output = item.to_output(id, system, position, &automatic);
            rows.pending.outputs.push(output);
            self.added.push(id);
        }

        rows.counts = counts;
        Ok(u32::try_from(self.added.len()).unwrap_or(u32::MAX))
    }

    /// Ends the import: its rows become visible, and an event announces them, unless nothing was
    /// new.
    ///
    /// # Errors
    /// When the database fails, or the study was closed meanwhile; then none of it is visible.
    pub async fn commit(mut self) -> Result<ImportCounts> {
        let published = async {
            self.flush().await?;
            let counts = self.rows.counts;
            if counts == ImportCounts::default() && self.added.is_empty() && !self.dimensions_lacked
            {
                return self.record.delete().await;
            }

            if counts.outputs.max(counts.answers) >= LARGE_IMPORT {
                self.record.refresh_statistics().await;
            }
            self.record
                .publish(counts, &self.added, &self.dimensions)
                .await
        };

        match published.await {
            Ok(()) => {
                let mut counts = self.rows.counts;
                counts += self.imported_before;
                Ok(counts)
            }
            Err(error) => {
                if let Err(error) = self.rollback().await {
                    tracing::debug!(%error, "the rows of an import are left to the next one");
                }
                Err(error)
            }
        }
    }

    /// Ends the import: its rows never become visible. [`Store::clear_imports`] deletes what was
    /// sent, at the latest when the study's next import begins.
    ///
    /// # Errors
    /// When the database fails; nothing of it is visible then, either.
    pub async fn rollback(self) -> Result<()> {
        self.record.abandon().await
    }
}

impl ImportRows {
    fn new(index: StudyIndex, ids: impl FnMut() -> Uuid + Send + 'static) -> Self {
        Self {
            ids: Box::new(ids),
            index,
            pending: PendingRows::default(),
            counts: ImportCounts::default(),
        }
    }

    /// The rows, to write them into a study that is created with them.
    pub(crate) fn finish(mut self) -> FinishedRows {
        FinishedRows {
            import: ImportId((self.ids)()),
            counts: self.counts,
            pending: self.pending,
        }
    }

    /// The counts of new rows so far.
    #[must_use]
    pub const fn counts(&self) -> ImportCounts {
        self.counts
    }

    /// Frees the memory of rows that will not be stored; later rows are still compared with them.
    pub fn forget_pending(&mut self) {
        self.pending = PendingRows::default();
    }
}

impl FinishedRows {
    /// Writes the rows into a study that the transaction creates, as a finished import by the
    /// person or by the command line.
    pub(crate) async fn write(
        &self,
        tx: &mut AnyConnection,
        study: StudyId,
        person: Option<PersonId>,
        now_ms: i64,
    ) -> Result<()> {
        if self.counts == ImportCounts::default() {
            return Ok(());
        }
        sqlx::query(
            "INSERT INTO import (id, study_id, state, counts, began_at, ended_at, leased_until, names, person_id)
             VALUES ($1, $2, 'done', $3, $4, $4, $4, $5, $6)",
        )
        .bind_id(self.import)
        .bind_id(study)
        .bind(columns::to_json(&self.counts))
        .bind(now_ms)
        .bind(columns::to_json(&["Training items of another study"]))
        .bind_id(person)
        .execute(&mut *tx)
        .await?;

        let event = event::record(&mut *tx, study, EventKind::Import, study, now_ms).await?;
        let stamp = ImportStamp {
            study: study.to_string(),
            import: self.import.to_string(),
            event,
            now_ms,
        };
        self.pending.send(tx, &stamp).await
    }
}

impl Deref for StudyImport {
    type Target = ImportRows;

    fn deref(&self) -> &ImportRows {
        &self.rows
    }
}

impl DerefMut for StudyImport {
    fn deref_mut(&mut self) -> &mut ImportRows {
        &mut self.rows
    }
}

/// PostgreSQL stores no NUL characters.
fn check_storable(texts: &[&str]) -> Result<()> {
    if texts.iter().any(|text| text.contains('\0')) {
        return refuse("The row holds a NUL character, which no text has.".into());
    }
    Ok(())
}

fn refuse<T>(sentence: String) -> Result<T> {
    Err(Error::Refused(sentence))
}
