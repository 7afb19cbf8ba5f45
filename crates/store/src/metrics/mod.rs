//! A study's metrics and their scores: a cache of scores that can be computed again, and the only
//! copy of scores computed elsewhere.

mod models;
mod output_entries;
mod outputs_to_score;
mod scores;

use domain::{
    ids::{MetricId, ModelId, StudyId},
    metrics::ScoreDirection,
};
use sqlx::{AnyConnection, Row, any::AnyRow};

pub(crate) use self::models::load_aligner_version;
pub use self::{
    models::{ALIGNER_MODEL, AdoptedAligner, NewModel, StudyModel},
    output_entries::OutputEntry,
    outputs_to_score::OutputToScore,
    scores::{MetricScore, OutputScore},
};
use crate::{
    EventKind, Result, Store,
    columns::{self, BindId, TableRow, read_rows},
    event, lock,
};

/// A metric, in one version, that scores outputs of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyMetric {
    /// Its id.
    pub id: MetricId,
    /// Its name, such as `sari`.
    pub name: String,
    /// Everything that its scores depend on.
    pub signature: String,
    /// Where its scores come from.
    pub origin: MetricOrigin,
    /// The direction of its scores.
    pub direction: ScoreDirection,
    /// Whether they depend on references.
    pub uses_references: bool,
    /// Hashes of the texts of the sources that it learned from.
    pub trained_on: Vec<String>,
    /// The study's own model that computes it.
    pub model: Option<ModelId>,
    /// When the study got it, in milliseconds since 1970.
    pub created_at: i64,
    /// The number of the event that announced its newest scores; 0 before the first.
    pub event: i64,
}

/// The origin of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricOrigin {
    /// From a formula, here.
    Computed,
    /// From a file: they were computed elsewhere.
    Imported,
    /// From a model that learned from ratings, here.
    Learned,
}

impl MetricOrigin {
    const ALL: [Self; 3] = [Self::Computed, Self::Imported, Self::Learned];

    /// The name in the store.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Computed => "computed",
            Self::Imported => "imported",
            Self::Learned => "learned",
        }
    }
}

/// A metric that a study may be given.
#[derive(Debug, Clone)]
pub struct NewMetric<'a> {
    /// Its id, unless the study has it already.
    pub id: MetricId,
    /// Its name.
    pub name: &'a str,
    /// Everything that its scores depend on.
    pub signature: &'a str,
    /// Where its scores come from.
    pub origin: MetricOrigin,
    /// The direction of its scores.
    pub direction: ScoreDirection,
    /// Whether they depend on references.
    pub uses_references: bool,
    /// Hashes of the texts of the sources that it learned from.
    pub trained_on: &'a [String],
    /// The study's own model that computes it.
    pub model: Option<ModelId>,
}

impl Store {
    /// Adds a metric to the study, unless it has one of this name and signature, and returns its
    /// id. An existing one takes the direction given now.
    ///
    /// # Errors
    /// Refused where the study no longer exists.
    pub async fn declare_metric(
        &self,
        study: StudyId,
        new: &NewMetric<'_>,
        now_ms: i64,
    ) -> Result<MetricId> {
        in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let existing = sqlx::query(
                "SELECT id, direction FROM metric
                 WHERE study_id = $1 AND name = $2 AND signature = $3",
            )
            .bind_id(study)
            .bind(new.name)
            .bind(new.signature)
            .fetch_optional(&mut *tx)
            .await?;

            if let Some(row) = existing {
                let (id, direction): (&str, &str) = (row.try_get("id")?, row.try_get("direction")?);
                let metric = columns::parse_text("metric", id, "id", id)?;
                if direction != new.direction.name() {
                    store_direction(&mut tx, study, metric, new.direction, now_ms).await?;
                }
                metric
            } else {
                sqlx::query(
                    "INSERT INTO metric (id, study_id, name, signature, origin, uses_references,
                                         trained_on, model_id, created_at, direction)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                )
                .bind_id(new.id)
                .bind_id(study)
                .bind(new.name)
                .bind(new.signature)
                .bind(new.origin.name())
                .bind(i64::from(new.uses_references))
                .bind(columns::to_json(&new.trained_on))
                .bind_id(new.model)
                .bind(now_ms)
                .bind(new.direction.name())
                .execute(&mut *tx)
                .await?;
                event::record(&mut tx, study, EventKind::Metric, new.id, now_ms).await?;
                new.id
            }
        })
    }

    /// The study's metrics, in the order in which it got them.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn metrics(&self, study: StudyId) -> Result<Vec<StudyMetric>> {
        let mut connection = self.reader().acquire().await?;
        let rows = rows_of_study(&mut connection, study).await?;
        self.readable_rows("metric", study, &rows, read_metric)
    }

    /// Sets the direction of an imported metric's scores. Returns false if the study has no such
    /// metric: for metrics that are computed here, the direction is known.
    ///
    /// # Errors
    /// Refused where the study no longer exists.
    pub async fn set_metric_direction(
        &self,
        study: StudyId,
        id: MetricId,
        direction: ScoreDirection,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let exists = sqlx::query(
                "SELECT id FROM metric WHERE id = $1 AND study_id = $2 AND origin = 'imported'",
            )
            .bind_id(id)
            .bind_id(study)
            .fetch_optional(&mut *tx)
            .await?
            .is_some();

            if exists {
                store_direction(&mut tx, study, id, direction, now_ms).await?;
            }
            exists
        })
    }

    /// Removes a metric with its scores from the study. Returns false if it has no such metric.
    ///
    /// # Errors
    /// Refused where the study no longer exists.
    pub async fn remove_metric(&self, study: StudyId, id: MetricId, now_ms: i64) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let removed = sqlx::query("DELETE FROM metric WHERE id = $1 AND study_id = $2")
                .bind_id(id)
                .bind_id(study)
                .execute(&mut *tx)
                .await?
                .rows_affected()
                == 1;

            if removed {
                event::record(&mut tx, study, EventKind::Metric, id, now_ms).await?;
            }
            removed
        })
    }
}

/// Stores a direction, and announces that figures of the metric changed.
async fn store_direction(
    tx: &mut AnyConnection,
    study: StudyId,
    id: MetricId,
    direction: ScoreDirection,
    now_ms: i64,
) -> Result<()> {
    sqlx::query("UPDATE metric SET direction = $1 WHERE id = $2")
        .bind(direction.name())
        .bind_id(id)
        .execute(&mut *tx)
        .await?;
    event::record(tx, study, EventKind::Metric, id, now_ms).await?;
    Ok(())
}

/// The study's metrics, in the order in which it got them.
pub(crate) async fn load_metrics(
    connection: &mut AnyConnection,
    study: StudyId,
) -> Result<Vec<StudyMetric>> {
    let rows = rows_of_study(connection, study).await?;
    read_rows("metric", &rows, read_metric)
}

async fn rows_of_study(connection: &mut AnyConnection, study: StudyId) -> Result<Vec<AnyRow>> {
    let rows = sqlx::query(
        "SELECT id, name, signature, origin, direction, uses_references, trained_on, model_id,
                created_at, event
         FROM metric WHERE study_id = $1 ORDER BY created_at, id",
    )
    .bind_id(study)
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

fn read_metric(row: &TableRow<'_>) -> Result<StudyMetric> {
    let origin: &str = row.get("origin")?;
    let metric_origin = MetricOrigin::ALL
        .into_iter()
        .find(|candidate| candidate.name() == origin);

    Ok(StudyMetric {
        id: row.parse("id")?,
        name: row.get("name")?,
        signature: row.get("signature")?,
        origin: metric_origin.ok_or_else(|| {
            let reason = format!("“{origin}” is not an origin of scores");
            columns::bad_row("metric", row.id(), "origin", reason)
        })?,
        direction: row.parse("direction")?,
        uses_references: row.flag("uses_references")?,
        trained_on: row.json("trained_on")?,
        model: row.parse_optional("model_id")?,
        created_at: row.get("created_at")?,
        event: row.get("event")?,
    })
}
