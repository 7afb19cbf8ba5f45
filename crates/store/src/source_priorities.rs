//! The sources that come first among those with equally many raters, in studies whose lead has them
//! chosen where the ranking of systems is uncertain.
//!
//! Only a few sources at a time have a priority, so that giving out a source takes no longer than
//! by position, and choosing them writes little. They are chosen outside of annotators' requests.

use domain::{
    ids::{SourceId, StudyId},
    study::{SourceOrder, StudySettings},
};
use sqlx::AnyConnection;

use crate::{
    Result, Store, bulk,
    columns::{BindId, read_rows},
    lock,
};

impl Store {
    /// The open studies that may have their sources chosen, with the number of their newest event.
    /// Leaves out arms of experiments, whose sources keep the same order in all arms.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn studies_with_chosen_sources(&self) -> Result<Vec<(StudyId, i64)>> {
        let rows = sqlx::query(
            "SELECT s.id, s.events FROM study s
             WHERE s.erased_at IS NULL AND s.closed_at IS NULL AND s.settings LIKE '%' || $1 || '%'
               AND NOT EXISTS (SELECT 1 FROM experiment_arm a WHERE a.study_id = s.id)
             ORDER BY s.id",
        )
        .bind(SourceOrder::WhereUncertain.name())
        .fetch_all(self.reader())
        .await?;

        read_rows("study", &rows, |row| {
            Ok((row.parse("id")?, row.get("events")?))
        })
    }

    /// The main sources of the study that no annotator has open or handed in, by position.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn sources_without_raters(&self, study: StudyId) -> Result<Vec<SourceId>> {
        let rows = sqlx::query(
            "SELECT s.id FROM source s
             WHERE s.study_id = $1 AND s.purpose = 'main' AND s.taken = 0
               AND NOT EXISTS (SELECT 1 FROM group_place g WHERE g.source_id = s.id AND g.taken > 0)
             ORDER BY s.position",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        read_rows("source", &rows, |row| row.parse("id"))
    }

    /// The sources of the study that come first, in their order.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn first_sources(&self, study: StudyId) -> Result<Vec<SourceId>> {
        let rows = sqlx::query(
            "SELECT id FROM stored_source WHERE study_id = $1 AND priority > 0 ORDER BY priority DESC",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        read_rows("stored_source", &rows, |row| row.parse("id"))
    }

    /// Lets these sources of the study, and no others, come first among those with equally many
    /// raters, in this order. Does nothing if the study's settings no longer ask for it. Returns
    /// whether it did anything.
    ///
    /// # Errors
    /// Refused where the study is closed.
    pub async fn set_first_sources(&self, study: StudyId, first: &[SourceId]) -> Result<bool> {
        in_transaction!(self, |tx| {
            let locked_study = lock::lock_open_study(&mut tx, study).await?;
            let is_chosen = locked_study.settings.source_order == SourceOrder::WhereUncertain;
            if is_chosen && !is_arm(&mut tx, study).await? {
                put_first(&mut tx, study, first).await?;
                true
            } else {
                false
            }
        })
    }
}

/// Removes all priorities if the settings do not ask for any.
pub(crate) async fn follow_order(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
) -> Result<()> {
    match settings.source_order {
        SourceOrder::WhereUncertain => Ok(()),
        SourceOrder::AsImported => forget_priorities(tx, study).await,
    }
}

/// Removes the priorities of all sources of the study.
pub(crate) async fn forget_priorities(tx: &mut AnyConnection, study: StudyId) -> Result<()> {
    for statement in [
        "UPDATE group_place SET priority = 0 WHERE source_id IN (
            SELECT id FROM stored_source WHERE study_id = $1 AND priority > 0)",
        "UPDATE stored_source SET priority = 0 WHERE study_id = $1 AND priority > 0",
    ] {
        sqlx::query(statement)
            .bind_id(study)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// Whether the study is an arm of an experiment.
async fn is_arm(tx: &mut AnyConnection, study: StudyId) -> Result<bool> {
    let row = sqlx::query("SELECT arm FROM experiment_arm WHERE study_id = $1")
        .bind_id(study)
        .fetch_optional(tx)
        .await?;
    Ok(row.is_some())
}

async fn put_first(tx: &mut AnyConnection, study: StudyId, first: &[SourceId]) -> Result<()> {
    forget_priorities(tx, study).await?;
    let places: Vec<_> = first.iter().rev().zip(1_i64..).collect();

    // Keys may be repeated, so a source may get several equal priorities.
    for statement in [
        "UPDATE stored_source SET priority = (SELECT MAX(k.priority) FROM keys k WHERE k.id = stored_source.id)
         WHERE id IN (SELECT k.id FROM keys k) RETURNING id",
        "UPDATE group_place SET priority = (SELECT MAX(k.priority) FROM keys k WHERE k.id = group_place.source_id)
         WHERE source_id IN (SELECT k.id FROM keys k) RETURNING source_id",
    ] {
        bulk::select(&mut *tx, "id, priority", statement, &places, |query, place| {
            query.bind_id(*place.0).bind(place.1)
        })
        .await?;
    }
    Ok(())
}
