//! Sources and outputs that a lead takes out of a study: removed where they were not judged, else hidden.
//!
//! Answers about something hidden are kept. Views leave both out (`migrations/0010_imports.sql`), so
//! no annotator is given it, and no figure or export has it, until it is shown again.

use domain::ids::{OutputId, SourceId, StudyId};
use sqlx::{AnyConnection, Row};

use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, TableRow, parse_text},
    event, import, lock, source_items,
};

/// A source that a lead hid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenSource {
    /// Its id.
    pub id: SourceId,
    /// The name it has in the files it came from.
    pub key: String,
    /// The source text.
    pub text: String,
}

/// An output that a lead hid, its source not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenOutput {
    /// Its id.
    pub id: OutputId,
    /// The system's name.
    pub system: String,
    /// Its text.
    pub text: String,
}

/// Whether rows of a source may go, as counts.
const USE_OF_SOURCE: &str = "
    SELECT (SELECT COUNT(*) FROM assignment WHERE source_id = $1 AND state = 'open') AS open,
           (SELECT COUNT(*) FROM assignment WHERE source_id = $1 AND state = 'handed-in')
           + (SELECT COUNT(*) FROM stored_annotation WHERE source_id = $1) AS judged";

impl Store {
    /// Whether a source has no assignment and no answers, so that it and its outputs can be removed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn is_untouched(&self, source: SourceId) -> Result<bool> {
        let mut reader = self.reader().acquire().await?;
        let source_use = load_source_use(&mut reader, source).await?;
        Ok(source_use == SourceUse::default())
    }

    /// The sources of the study that a lead hid, in the order in which they came.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn hidden_sources(&self, study: StudyId) -> Result<Vec<HiddenSource>> {
        let rows = sqlx::query(
            "SELECT id, key, text FROM stored_source
             WHERE study_id = $1 AND hidden_at IS NOT NULL ORDER BY position, id",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        let source = |row: &sqlx::any::AnyRow| {
            let row = TableRow::new("source", row)?;
            Ok(HiddenSource {
                id: row.parse("id")?,
                key: row.get("key")?,
                text: row.get("text")?,
            })
        };
        rows.iter().map(source).collect()
    }

    /// The outputs of a source that a lead hid, in the order in which they came.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn hidden_outputs(&self, source: SourceId) -> Result<Vec<HiddenOutput>> {
        let rows = sqlx::query(
            "SELECT o.id, o.text, y.name FROM stored_output o
             JOIN stored_system y ON y.id = o.system_id
             WHERE o.source_id = $1 AND o.hidden_at IS NOT NULL ORDER BY o.position, o.id",
        )
        .bind_id(source)
        .fetch_all(self.reader())
        .await?;
        let output = |row: &sqlx::any::AnyRow| {
            let row = TableRow::new("output", row)?;
            Ok(HiddenOutput {
                id: row.parse("id")?,
                system: row.get("name")?,
                text: row.get("text")?,
            })
        };
        rows.iter().map(output).collect()
    }

    /// Hides a source with its outputs. False where the study shows no such source.
    ///
    /// # Errors
    /// Refused while an annotator has it, and where the study is closed.
    pub async fn hide_source(&self, study: StudyId, source: SourceId, now_ms: i64) -> Result<bool> {
        let statements = [
            "UPDATE stored_source SET hidden_at = $2 WHERE id = $1",
            "UPDATE stored_output SET hidden_at = $2 WHERE source_id = $1 AND hidden_at IS NULL",
        ];
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let is_known = is_shown(&mut tx, study, source).await?;
            if is_known {
                refuse_open(load_source_use(&mut tx, source).await?)?;
                for sql in statements {
                    let hidden = sqlx::query(sql).bind_id(source).bind(now_ms);
                    hidden.execute(&mut *tx).await?;
                }
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            is_known
        })
    }

    /// Shows a source again, with the outputs that were hidden together with it. False where the study
    /// hides no such source.
    ///
    /// # Errors
    /// Refused where the study is closed.
    pub async fn show_source(&self, study: StudyId, source: SourceId, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            sqlx::query(
                "UPDATE stored_output SET hidden_at = NULL WHERE source_id = $1 AND hidden_at =
                    (SELECT hidden_at FROM stored_source WHERE id = $1 AND study_id = $2)",
            )
            .bind_id(source)
            .bind_id(study)
            .execute(&mut *tx)
            .await?;
            let shown = sqlx::query(
                "UPDATE stored_source SET hidden_at = NULL
                 WHERE id = $1 AND study_id = $2 AND hidden_at IS NOT NULL",
            )
            .bind_id(source)
            .bind_id(study)
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1;
            if shown {
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            shown
        })
    }

    /// Removes a source with its outputs for good. False where the study shows no such source.
    ///
    /// # Errors
    /// Refused where an annotator has or judged anything of it, while an import is under way, and where the
    /// study is closed.
    pub async fn remove_source(
        &self,
        study: StudyId,
        source: SourceId,
        now_ms: i64,
    ) -> Result<bool> {
        let statements = [
            // Identical outputs name the first of them, which may go before them.
            "UPDATE stored_output SET twin_of = NULL WHERE source_id = $1",
            "DELETE FROM stored_source WHERE id = $1",
        ];
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let is_known = is_shown(&mut tx, study, source).await?;
            if is_known {
                refuse_use(&mut tx, study, source).await?;
                for sql in statements {
                    let removed = sqlx::query(sql).bind_id(source);
                    removed.execute(&mut *tx).await?;
                }
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            is_known
        })
    }

    /// Hides one output. False where the study shows no such output.
    ///
    /// # Errors
    /// Refused while an annotator has its source, where identical outputs are judged through it, and where
    /// the study is closed.
    pub async fn hide_output(&self, study: StudyId, output: OutputId, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let source = source_items::find_source(&mut tx, study, output).await?;
            if let Some(source) = source {
                refuse_open(load_source_use(&mut tx, source).await?)?;
                let twins = systems_of_twins(&mut tx, output).await?;
                if !twins.is_empty() {
                    return Err(Error::Refused(format!(
                        "The identical output of {} is judged through this one: hide that first.",
                        twins.join(", ")
                    )));
                }
                sqlx::query("UPDATE stored_output SET hidden_at = $2 WHERE id = $1")
                    .bind_id(output)
                    .bind(now_ms)
                    .execute(&mut *tx)
                    .await?;
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            source.is_some()
        })
    }

    /// Shows an output again. False where the study hides no such output.
    ///
    /// # Errors
    /// Refused where its source, or the identical output that it is judged through, is hidden, while an
    /// annotator has its source, and where the study is closed.
    pub async fn show_output(&self, study: StudyId, output: OutputId, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let row = sqlx::query(
                "SELECT o.source_id,
                        CASE WHEN s.hidden_at IS NULL AND t.hidden_at IS NULL THEN 0 ELSE 1 END AS stays
                 FROM stored_output o
                 JOIN stored_source s ON s.id = o.source_id
                 LEFT JOIN stored_output t ON t.id = o.twin_of
                 WHERE o.id = $1 AND o.study_id = $2 AND o.hidden_at IS NOT NULL",
            )
            .bind_id(output)
            .bind_id(study)
            .fetch_optional(&mut *tx)
            .await?;
            if let Some(row) = &row {
                if row.try_get::<i64, _>("stays")? != 0 {
                    return Err(Error::Refused(
                        "The identical output that it is judged through is hidden, or its source is: \
                         show that first."
                            .into(),
                    ));
                }
                let source = parse_text("output", output, "source_id", row.try_get("source_id")?)?;
                refuse_open(load_source_use(&mut tx, source).await?)?;
                sqlx::query("UPDATE stored_output SET hidden_at = NULL WHERE id = $1")
                    .bind_id(output)
                    .execute(&mut *tx)
                    .await?;
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            row.is_some()
        })
    }

    /// Removes one output for good; of identical ones, the next is judged for all of them. False where the
    /// study shows no such output.
    ///
    /// # Errors
    /// Refused where an annotator has or judged anything of its source, while an import is under way, and where
    /// the study is closed.
    pub async fn remove_output(
        &self,
        study: StudyId,
        output: OutputId,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let source = source_items::find_source(&mut tx, study, output).await?;
            if let Some(source) = source {
                refuse_use(&mut tx, study, source).await?;
                make_next_twin_first(&mut tx, output).await?;
                sqlx::query("DELETE FROM stored_output WHERE id = $1")
                    .bind_id(output)
                    .execute(&mut *tx)
                    .await?;
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            source.is_some()
        })
    }
}

/// How a source is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct SourceUse {
    /// Annotators who have it.
    open: i64,
    /// Annotators who handed it in, and answers to it of whomever.
    judged: i64,
}

async fn load_source_use(tx: &mut AnyConnection, source: SourceId) -> Result<SourceUse> {
    let row = sqlx::query(USE_OF_SOURCE)
        .bind_id(source)
        .fetch_one(tx)
        .await?;
    Ok(SourceUse {
        open: row.try_get("open")?,
        judged: row.try_get("judged")?,
    })
}

fn refuse_open(found: SourceUse) -> Result<()> {
    if found.open > 0 {
        return Err(Error::Refused(
            "An annotator has this source at the moment: wait until it is handed in, or take it back \
             on the page Members."
                .into(),
        ));
    }
    Ok(())
}

/// Refuses where an annotator has or judged the source, or an import may be adding to it.
async fn refuse_use(tx: &mut AnyConnection, study: StudyId, source: SourceId) -> Result<()> {
    let source_use = load_source_use(tx, source).await?;
    refuse_open(source_use)?;
    if source_use.judged > 0 {
        return Err(Error::Refused(
            "This source was judged: it can be hidden, and what was said of it is kept.".into(),
        ));
    }
    import::refuse_concurrent_import(tx, study).await
}

async fn is_shown(tx: &mut AnyConnection, study: StudyId, source: SourceId) -> Result<bool> {
    let row = sqlx::query("SELECT id FROM source WHERE id = $1 AND study_id = $2")
        .bind_id(source)
        .bind_id(study)
        .fetch_optional(tx)
        .await?;
    Ok(row.is_some())
}

/// The systems whose identical outputs are judged through this one and shown.
async fn systems_of_twins(tx: &mut AnyConnection, output: OutputId) -> Result<Vec<String>> {
    let rows = sqlx::query(
        "SELECT y.name FROM output o JOIN system y ON y.id = o.system_id
         WHERE o.twin_of = $1 ORDER BY o.position, o.id",
    )
    .bind_id(output)
    .fetch_all(tx)
    .await?;
    rows.iter().map(|row| Ok(row.try_get("name")?)).collect()
}

/// Lets the next of identical outputs stand for them in the place of the first.
async fn make_next_twin_first(tx: &mut AnyConnection, first: OutputId) -> Result<()> {
    let next = sqlx::query(
        "SELECT id FROM stored_output WHERE twin_of = $1 ORDER BY position, id LIMIT 1",
    )
    .bind_id(first)
    .fetch_optional(&mut *tx)
    .await?;
    if let Some(row) = next {
        let next: &str = row.try_get("id")?;
        sqlx::query(
            "UPDATE stored_output SET twin_of = CASE WHEN id = $2 THEN NULL ELSE $2 END
             WHERE twin_of = $1",
        )
        .bind_id(first)
        .bind(next)
        .execute(tx)
        .await?;
    }
    Ok(())
}
