//! Outputs that still lack a score.

use std::collections::{HashMap, hash_map::Entry};

use domain::ids::{MetricId, OutputId, SourceId, StudyId};
use sqlx::AssertSqlSafe;

use crate::{
    EventEffect, Result, Store,
    columns::{BindId, TableRow},
    event_kind::kinds_with_effect,
};

/// An output to score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputToScore {
    /// The output.
    pub output: OutputId,
    /// The source.
    pub source: SourceId,
    /// The source's text.
    pub source_text: String,
    /// The output's text.
    pub text: String,
    /// The source's references, in their order.
    pub references: Vec<String>,
}

/// A statement over main outputs `o` of study `$1` that lack a score of metric `$2`, or have one
/// computed with fewer references than there are. If the metric needs references, outputs without
/// any are left out.
macro_rules! unscored {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            " FROM output o
              JOIN source s ON s.id = o.source_id
              JOIN metric k ON k.id = $2 AND k.study_id = o.study_id
              LEFT JOIN (SELECT r.source_id, COUNT(*) AS count
                         FROM reference r JOIN source q ON q.id = r.source_id
                         WHERE q.study_id = $1 GROUP BY r.source_id) f ON f.source_id = o.source_id
              LEFT JOIN metric_score m ON m.metric_id = k.id AND m.output_id = o.id
              WHERE o.study_id = $1 AND o.purpose = 'main' AND s.purpose = 'main'
                AND CASE WHEN k.uses_references = 0 THEN m.output_id IS NULL
                         ELSE COALESCE(m.reference_count, 0) < COALESCE(f.count, 0) END ",
            $after
        )
    };
}

impl Store {
    /// The number of the study's main outputs that lack a score of the metric, or have one computed
    /// with fewer references than there are now. An output without references lacks no score of a
    /// metric that needs some.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_to_score(&self, study: StudyId, metric: MetricId) -> Result<u64> {
        let count: i64 = sqlx::query_scalar(unscored!("SELECT COUNT(*)", ""))
            .bind_id(study)
            .bind_id(metric)
            .fetch_one(self.reader())
            .await?;
        Ok(count.cast_unsigned())
    }

    /// The first of these outputs, in their order, at most `limit`.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn outputs_to_score(
        &self,
        study: StudyId,
        metric: MetricId,
        limit: u32,
    ) -> Result<Vec<OutputToScore>> {
        let rows = sqlx::query(unscored!(
            "SELECT o.id, o.source_id, o.text, s.text AS source_text",
            "ORDER BY o.position, o.id LIMIT $3"
        ))
        .bind_id(study)
        .bind_id(metric)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;

        let mut references = HashMap::<SourceId, Vec<String>>::new();
        let mut outputs = Vec::with_capacity(rows.len());
        for row in &rows {
            let row = TableRow::new("output", row)?;
            let source = row.parse("source_id")?;
            let references = match references.entry(source) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.references(source).await?),
            };
            outputs.push(OutputToScore {
                output: row.parse("id")?,
                source,
                source_text: row.get("source_text")?,
                text: row.get("text")?,
                references: references.clone(),
            });
        }

        Ok(outputs)
    }

    /// Whether an event with a number above `after` may have brought outputs, references or metrics
    /// that leave something to score.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn may_lack_scores(&self, study: StudyId, after: i64) -> Result<bool> {
        let kinds = kinds_with_effect(EventEffect::MissingScores);
        let sql = AssertSqlSafe(format!(
            "SELECT number FROM event
             WHERE study_id = $1 AND number > $2 AND kind IN ({kinds}) LIMIT 1"
        ));
        let row = sqlx::query(sql)
            .bind_id(study)
            .bind(after)
            .fetch_optional(self.reader())
            .await?;
        Ok(row.is_some())
    }
}
