//! The figures that events make out of date.

use std::collections::BTreeSet;

use domain::ids::{SourceId, StudyId};
use sqlx::AssertSqlSafe;

use crate::{
    EventEffect, Result, Store,
    columns::{BindId, parse_text, read_rows},
    event_kind::kinds_with_effect,
};

/// The sources whose ratings and categories changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FigureChanges {
    /// At most these sources.
    Sources(BTreeSet<SourceId>),
    /// Perhaps all sources.
    Everything,
}

impl Store {
    /// The number of the newest event of every study.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn newest_events(&self) -> Result<Vec<(StudyId, i64)>> {
        let rows = sqlx::query("SELECT id, events FROM study WHERE erased_at IS NULL")
            .fetch_all(self.reader())
            .await?;
        read_rows("study", &rows, |row| {
            Ok((row.parse("id")?, row.get("events")?))
        })
    }

    /// The sources whose ratings and categories the study's events with a number above `after` changed.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn figure_changes_after(&self, study: StudyId, after: i64) -> Result<FigureChanges> {
        // When a member who has answered leaves, their answers stop counting. A member who has just
        // joined has no answers yet.
        let all_sources = kinds_with_effect(EventEffect::AllSources);
        let sources_of_member = kinds_with_effect(EventEffect::SourcesOfMember);
        let sql = AssertSqlSafe(format!(
            "SELECT e.number FROM event e
             WHERE e.study_id = $1 AND e.number > $2
               AND (e.kind IN ({all_sources})
                    OR (e.kind IN ({sources_of_member}) AND EXISTS (
                        SELECT 1 FROM rater r
                        JOIN annotation a ON a.rater_id = r.id AND a.event < e.number
                        WHERE r.study_id = e.study_id AND r.person_id = e.subject)))
             LIMIT 1"
        ));
        let wide = sqlx::query(sql)
            .bind_id(study)
            .bind(after)
            .fetch_optional(self.reader())
            .await?;
        if wide.is_some() {
            return Ok(FigureChanges::Everything);
        }

        let of_annotation = kinds_with_effect(EventEffect::SourceOfAnnotation);
        let of_assignment = kinds_with_effect(EventEffect::SourceOfAssignment);
        let itself = kinds_with_effect(EventEffect::SourceItself);
        let sql = AssertSqlSafe(format!(
            "SELECT a.source_id FROM event e JOIN annotation a ON a.id = e.subject
             WHERE e.study_id = $1 AND e.number > $2 AND e.kind IN ({of_annotation})
             UNION
             SELECT x.source_id FROM event e JOIN assignment x ON x.id = e.subject
             WHERE e.study_id = $1 AND e.number > $2 AND e.kind IN ({of_assignment})
             UNION
             SELECT e.subject AS source_id FROM event e
             WHERE e.study_id = $1 AND e.number > $2 AND e.kind IN ({itself})"
        ));
        let ids: Vec<String> = sqlx::query_scalar(sql)
            .bind_id(study)
            .bind(after)
            .fetch_all(self.reader())
            .await?;

        let sources = ids.iter().map(|id| parse_text("source", id, "id", id));
        Ok(FigureChanges::Sources(sources.collect::<Result<_>>()?))
    }
}
