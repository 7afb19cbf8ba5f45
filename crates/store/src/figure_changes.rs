//! What events changed of what figures are computed from.

use std::collections::BTreeSet;

use domain::ids::{SourceId, StudyId};
use sqlx::Row;

use crate::{Result, Store, columns::parse_text};

/// Whose ratings and categories are no longer as they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FigureChanges {
    /// Those of these sources, at most.
    Sources(BTreeSet<SourceId>),
    /// Perhaps all.
    Everything,
}

impl Store {
    /// The number of the newest event of every study.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn newest_events(&self) -> Result<Vec<(StudyId, i64)>> {
        let rows = sqlx::query("SELECT id, events FROM study")
            .fetch_all(self.reader())
            .await?;
        rows.iter()
            .map(|row| {
                let id: &str = row.try_get("id")?;
                Ok((parse_text("study", id, "id", id)?, row.try_get("events")?))
            })
            .collect()
    }

    /// Whose ratings and categories the study's events with a number above `after` changed.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn figure_changes_after(&self, study: StudyId, after: i64) -> Result<FigureChanges> {
        // A member who answered and leaves is taken out of how figures came about, too. Who only joins
        // has answered nothing before.
        let wide = sqlx::query(
            "SELECT e.number FROM event e
             WHERE e.study_id = $1 AND e.number > $2
               AND (e.kind IN ('import', 'study', 'quality-control', 'source', 'system')
                    OR (e.kind = 'member' AND EXISTS (
                        SELECT 1 FROM rater r
                        JOIN annotation a ON a.rater_id = r.id AND a.event < e.number
                        WHERE r.study_id = e.study_id AND r.person_id = e.subject)))
             LIMIT 1",
        )
        .bind(study.to_string())
        .bind(after)
        .fetch_optional(self.reader())
        .await?;
        if wide.is_some() {
            return Ok(FigureChanges::Everything);
        }
        let rows = sqlx::query(
            "SELECT a.source_id FROM event e JOIN annotation a ON a.id = e.subject
             WHERE e.study_id = $1 AND e.number > $2 AND e.kind IN ('rating', 'category')
             UNION
             SELECT x.source_id FROM event e JOIN assignment x ON x.id = e.subject
             WHERE e.study_id = $1 AND e.number > $2
               AND e.kind IN ('open', 'handed-in', 'skipped', 'released')",
        )
        .bind(study.to_string())
        .bind(after)
        .fetch_all(self.reader())
        .await?;
        let source = |row| {
            let id: &str = sqlx::any::AnyRow::try_get(row, "source_id")?;
            parse_text("source", id, "id", id)
        };
        Ok(FigureChanges::Sources(
            rows.iter().map(source).collect::<Result<_>>()?,
        ))
    }
}
