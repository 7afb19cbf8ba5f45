//! Outputs that are hidden, shown again and removed.

use domain::ids::{OutputId, SourceId, StudyId};
use sqlx::AnyConnection;

use super::source_use::{load_source_use, refuse_open, refuse_use};
use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, TableRow, read_rows},
    event, lock, source_items,
};

/// An output that a lead hid without its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenOutput {
    /// Its id.
    pub id: OutputId,
    /// The system's name.
    pub system: String,
    /// Its text.
    pub text: String,
}

impl Store {
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
        read_rows("output", &rows, |row| {
            Ok(HiddenOutput {
                id: row.parse("id")?,
                system: row.get("name")?,
                text: row.get("text")?,
            })
        })
    }

    /// Hides one output. Returns false if the study shows no such output.
    ///
    /// # Errors
    /// Refused while an annotator has its source, where identical outputs are judged through it, and where
    /// the study is closed.
    pub async fn hide_output(&self, study: StudyId, output: OutputId, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let found = source_items::find_judged(&mut tx, study, output).await?;
            if let Some((source, _)) = found {
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

            found.is_some()
        })
    }

    /// Shows an output again. Returns false if the study hides no such output.
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
                let row = TableRow::named("output", row, output);
                if row.flag("stays")? {
                    return Err(Error::Refused(
                        "The identical output that it is judged through is hidden, or its source is: \
                         show that first."
                            .into(),
                    ));
                }

                let source = row.parse("source_id")?;
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

    /// Removes one output for good; the next of identical outputs is then judged for all of them.
    /// Returns false if the study shows no such output.
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
        change_in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let found = source_items::find_judged(&mut tx, study, output).await?;

            if let Some((source, _)) = found {
                refuse_use(&mut tx, study, source).await?;
                make_next_twin_first(&mut tx, output).await?;
                sqlx::query("DELETE FROM stored_output WHERE id = $1")
                    .bind_id(output)
                    .execute(&mut *tx)
                    .await?;
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }

            found.is_some()
        })
    }
}

/// The systems whose visible identical outputs are judged through this one.
async fn systems_of_twins(tx: &mut AnyConnection, output: OutputId) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar(
        "SELECT y.name FROM output o JOIN system y ON y.id = o.system_id
         WHERE o.twin_of = $1 ORDER BY o.position, o.id",
    )
    .bind_id(output)
    .fetch_all(tx)
    .await?)
}

/// Lets the next of identical outputs represent them in place of the first.
async fn make_next_twin_first(tx: &mut AnyConnection, first: OutputId) -> Result<()> {
    let next: Option<String> = sqlx::query_scalar(
        "SELECT id FROM stored_output WHERE twin_of = $1 ORDER BY position, id LIMIT 1",
    )
    .bind_id(first)
    .fetch_optional(&mut *tx)
    .await?;

    if let Some(next) = next {
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
