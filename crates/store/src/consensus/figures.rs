//! Consensus in figures: once finished, it counts like the judgement of one more rater.

use std::collections::HashMap;

use domain::{
    category::Category,
    ids::{OutputId, StudyId},
};
use sqlx::{AnyConnection, any::AnyRow};

use crate::{
    Rater, Result, Store,
    columns::BindId,
    member_list::{CONSENSUS_LABEL, consensus_rater},
    rating_rows::{RatingScope, StudyPart, part},
};

/// The SQL condition that the raters did not agree to leave the output of answer `a` unjudged; true
/// for answers without an output.
macro_rules! is_judged {
    () => {
        " AND NOT EXISTS (
               SELECT 1 FROM consensus_answer u
               WHERE u.source_id = a.source_id AND u.output_id = a.output_id
                 AND u.kind = 'unjudged' AND u.current = 1 AND u.body <> 'null')"
    };
}

impl Store {
    /// The raters whose ratings count in a scope, in the order in which they joined the study.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn scope_raters(&self, study: StudyId, scope: RatingScope) -> Result<Vec<Rater>> {
        match scope {
            RatingScope::Consensus => Ok(vec![consensus_rater(study)]),
            RatingScope::HandedIn | RatingScope::IncludingOpen => self.raters(study).await,
        }
    }

    /// Whether the study has a finished consensus on some source.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_consensus(&self, study: StudyId) -> Result<bool> {
        let row = sqlx::query(
            "SELECT source_id FROM consensus WHERE study_id = $1 AND agreed_at IS NOT NULL LIMIT 1",
        )
        .bind_id(study)
        .fetch_optional(self.reader())
        .await?;
        Ok(row.is_some())
    }

    /// The categories on which raters agreed, by the outputs that they judged.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn consensus_categories(
        &self,
        study: StudyId,
        part: StudyPart,
    ) -> Result<HashMap<OutputId, Category>> {
        let statement = part!(
            part,
            "SELECT a.id, a.output_id, a.body FROM consensus_answer a
             JOIN consensus c ON c.source_id = a.source_id
             WHERE a.study_id = $1 AND a.kind = 'category' AND a.current = 1
               AND c.agreed_at IS NOT NULL AND a.body <> 'null'",
            whole: "AND $2 = ''",
            source: "AND a.source_id = $2",
            ""
        );

        let rows = self.part_rows(statement, study, part).await?;
        Ok(self
            .readable_rows("consensus_answer", study, &rows, |row| {
                Ok((row.parse("output_id")?, row.json("body")?))
            })?
            .into_iter()
            .collect())
    }
}

/// The comparisons on which raters agreed, as rows of annotations.
pub(crate) async fn load_agreed_comparisons(
    connection: &mut AnyConnection,
    study: StudyId,
) -> Result<Vec<AnyRow>> {
    let rows = sqlx::query(
        "SELECT a.id, $2 AS label, s.key, a.dimension, a.compared, a.body, a.decided_at AS recorded_at
         FROM consensus_answer a
         JOIN consensus c ON c.source_id = a.source_id
         JOIN source s ON s.id = a.source_id
         WHERE a.study_id = $1 AND a.kind = 'comparison' AND a.current = 1
           AND c.agreed_at IS NOT NULL AND s.purpose = 'main'
         ORDER BY s.position, a.decided_at, a.id",
    )
    .bind_id(study)
    .bind(CONSENSUS_LABEL)
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// The marks on which raters agreed, as rows of annotations.
pub(crate) async fn load_agreed_marks(
    connection: &mut AnyConnection,
    study: StudyId,
) -> Result<Vec<AnyRow>> {
    let rows = sqlx::query(concat!(
        "SELECT a.id, $2 AS label, a.source_id, a.output_id, o.text, a.body
         FROM consensus_answer a
         JOIN consensus c ON c.source_id = a.source_id
         JOIN source s ON s.id = a.source_id
         JOIN output o ON o.id = a.output_id
         WHERE a.study_id = $1 AND a.kind = 'marks' AND a.current = 1 AND a.body <> 'null'
           AND c.agreed_at IS NOT NULL AND s.purpose = 'main' AND o.purpose = 'main'",
        is_judged!(),
        " ORDER BY s.position, a.decided_at, a.id"
    ))
    .bind_id(study)
    .bind(CONSENSUS_LABEL)
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// The agreed answers to questions, and the categories on which conditions depend, as rows of
/// annotations.
pub(crate) async fn load_agreed_answers(
    connection: &mut AnyConnection,
    study: StudyId,
) -> Result<Vec<AnyRow>> {
    let rows = sqlx::query(concat!(
        "SELECT a.id, $2 AS label, a.source_id, s.key, a.output_id, o.category, a.kind, a.dimension, a.body,
                a.decided_at AS recorded_at
         FROM consensus_answer a
         JOIN consensus c ON c.source_id = a.source_id
         JOIN source s ON s.id = a.source_id
         LEFT JOIN output o ON o.id = a.output_id
         WHERE a.study_id = $1 AND a.kind IN ('answer', 'category') AND a.current = 1 AND a.body <> 'null'
           AND c.agreed_at IS NOT NULL AND s.purpose = 'main'
           AND (a.output_id IS NULL OR o.purpose = 'main')",
        is_judged!(),
        " ORDER BY s.position, a.decided_at, a.id"
    ))
    .bind_id(study)
    .bind(CONSENSUS_LABEL)
    .fetch_all(connection)
    .await?;
    Ok(rows)
}
