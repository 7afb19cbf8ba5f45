//! Scores of outputs.

use std::collections::BTreeMap;

use domain::{
    ids::{MetricId, OutputId, StudyId},
    score::LARGEST_NUMBER,
};

use crate::{
    Error, EventKind, Result, Store, bulk,
    columns::{self, BindId, TableRow},
    event,
};

/// The score of an output by a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputScore {
    /// The output.
    pub output: OutputId,
    /// Its score, or the reason why it has none.
    pub value: Result<f64, String>,
    /// The number of references with which it was computed; 0 if it depends on none.
    pub references: i64,
}

/// A score of one of a study's metrics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricScore {
    /// The metric.
    pub metric: MetricId,
    /// The output.
    pub output: OutputId,
    /// The score, as the metric gives it.
    pub value: f64,
}

impl Store {
    /// Stores scores of a metric, in place of earlier ones of these outputs, and returns their
    /// number.
    ///
    /// # Errors
    /// Refused where the study or the metric is gone, an output belongs to another study, or a
    /// score is not a number or is beyond [`LARGEST_NUMBER`].
    pub async fn put_scores(
        &self,
        study: StudyId,
        metric: MetricId,
        scores: &[OutputScore],
        now_ms: i64,
    ) -> Result<u64> {
        let is_in_range = |score: &OutputScore| {
            let value = score.value.as_ref();
            value.map_or(true, |value| value.abs() <= LARGEST_NUMBER)
        };
        if !scores.iter().all(is_in_range) {
            return Err(Error::Refused(
                "A score must be a number, and not beyond 1e15.".into(),
            ));
        }

        // The last of several scores for one output counts.
        let by_output: BTreeMap<_, _> = scores.iter().map(|score| (score.output, score)).collect();
        let scores: Vec<_> = by_output.into_values().collect();
        if scores.is_empty() {
            return Ok(0);
        }

        in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            let number = event::record(&mut tx, study, EventKind::Scores, metric, now_ms).await?;
            let updated_rows =
                sqlx::query("UPDATE metric SET event = $3 WHERE id = $1 AND study_id = $2")
                    .bind_id(metric)
                    .bind_id(study)
                    .bind(number)
                    .execute(&mut *tx)
                    .await?
                    .rows_affected();
            if updated_rows == 0 {
                return Err(Error::Refused(
                    "This metric is no longer there: add it again.".into(),
                ));
            }

            bulk::insert_on_conflict(
                &mut tx,
                "metric_score (metric_id, output_id, value, undefined, reference_count, event)",
                "ON CONFLICT (metric_id, output_id) DO UPDATE SET
                     value = excluded.value, undefined = excluded.undefined,
                     reference_count = excluded.reference_count, event = excluded.event",
                &scores,
                |row, score| {
                    row.bind_id(metric)
                        .bind_id(score.output)
                        .bind(*score.value.as_ref().unwrap_or(&0.0))
                        .bind(score.value.as_ref().err().cloned())
                        .bind(score.references)
                        .bind(number)
                },
            )
            .await?;

            let foreign = sqlx::query(
                "SELECT o.id FROM metric_score m JOIN output o ON o.id = m.output_id
                 WHERE m.metric_id = $1 AND m.event = $2 AND o.study_id <> $3 LIMIT 1",
            )
            .bind_id(metric)
            .bind(number)
            .bind_id(study)
            .fetch_optional(&mut *tx)
            .await?;
            if foreign.is_some() {
                return Err(Error::Refused("An output is not of this study.".into()));
            }

            scores.len() as u64
        })
    }

    /// The scores that the study's metrics gave its main outputs, metric by metric and in the order
    /// of outputs. Leaves out those without a value, and those beyond [`LARGEST_NUMBER`], which an
    /// earlier version may have stored.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn metric_scores(&self, study: StudyId) -> Result<Vec<MetricScore>> {
        let rows = sqlx::query(
            "SELECT k.id AS metric, m.output_id, m.value
             FROM metric k
             JOIN metric_score m ON m.metric_id = k.id
             JOIN output o ON o.id = m.output_id
             WHERE k.study_id = $1 AND m.undefined IS NULL AND o.purpose = 'main'
               AND m.value BETWEEN $2 AND $3
             ORDER BY k.created_at, k.id, o.position, o.id",
        )
        .bind_id(study)
        .bind(-LARGEST_NUMBER)
        .bind(LARGEST_NUMBER)
        .fetch_all(self.reader())
        .await?;

        rows.iter()
            .map(|row| {
                let row = TableRow::keyed("metric_score", row, "metric")?;
                Ok(MetricScore {
                    metric: columns::parse_text("metric", row.id(), "id", row.id())?,
                    output: row.parse("output_id")?,
                    value: row.get("value")?,
                })
            })
            .collect()
    }
}
