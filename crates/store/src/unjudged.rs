//! Outputs that annotators could not judge, system by system.

use std::collections::BTreeMap;

use domain::{
    ids::{StudyId, SystemId},
    work::unjudged::UnjudgedReason,
};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_count},
};

/// The number of times that annotators could not judge the outputs of a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnjudgedOutputs {
    /// The system's name.
    pub system: String,
    /// The number of times that its outputs were given to an annotator who submitted them.
    pub submitted: u32,
    /// The number of times that each reason was given.
    pub reasons: BTreeMap<UnjudgedReason, u32>,
}

/// The reasons of study `$1`, counted by system and reason. It begins with the reasons, of which
/// there are few: beginning with the assignments and their outputs would look up every answer of
/// the study.
const REASONS: &str = "
    WITH reason AS MATERIALIZED (
        SELECT assignment_id, output_id, body FROM annotation
        WHERE study_id = $1 AND kind = 'unjudged' AND current = 1 AND body <> 'null'
    )
    SELECT y.id, y.name, a.body, COUNT(*) AS times
    FROM reason a
    JOIN assignment x ON x.id = a.assignment_id AND x.state = 'handed-in'
    JOIN source s ON s.id = x.source_id AND s.purpose = 'main'
    JOIN output o ON o.source_id = s.id AND o.purpose = 'main'
         AND COALESCE(o.twin_of, o.id) = a.output_id
    JOIN system y ON y.id = o.system_id AND y.hidden = 0
    JOIN rater r ON r.id = x.rater_id
    LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
    WHERE m.withdrawn_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM open_question q
           WHERE q.assignment_id = a.assignment_id AND q.output_id = a.output_id)
    GROUP BY y.id, y.name, y.position, a.body
    ORDER BY y.position, y.id";

/// The number of times that outputs of each system of study `$1` were given to an annotator who
/// submitted them and has not withdrawn. It counts by source first, because all outputs of a source
/// were given to the same annotators.
const SUBMITTED: &str = "
    WITH submitted AS MATERIALIZED (
        SELECT x.id, x.source_id FROM assignment x
        JOIN rater r ON r.id = x.rater_id
        LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
        WHERE x.study_id = $1 AND x.state = 'handed-in' AND m.withdrawn_at IS NULL
    ), of_source AS MATERIALIZED (
        SELECT source_id, COUNT(*) AS times FROM submitted GROUP BY source_id
    ), to_check AS MATERIALIZED (
        SELECT q.output_id, COUNT(DISTINCT q.assignment_id) AS times
        FROM discussion d
        JOIN open_question q ON q.discussion_id = d.id
        JOIN submitted x ON x.id = q.assignment_id
        WHERE d.study_id = $1
        GROUP BY q.output_id
    )
    SELECT o.system_id AS id, CAST(SUM(c.times - COALESCE(q.times, 0)) AS BIGINT) AS times
    FROM of_source c
    JOIN source s ON s.id = c.source_id AND s.purpose = 'main'
    JOIN output o ON o.source_id = s.id AND o.purpose = 'main'
    LEFT JOIN to_check q ON q.output_id = COALESCE(o.twin_of, o.id)
    GROUP BY o.system_id";

impl Store {
    /// The systems with outputs that annotators could not judge, in the order in which they came,
    /// without hidden ones. An output that was judged through an identical one counts for its own
    /// system, too.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn unjudged_outputs(&self, study: StudyId) -> Result<Vec<UnjudgedOutputs>> {
        let rows = sqlx::query(REASONS)
            .bind_id(study)
            .fetch_all(self.reader())
            .await?;

        let mut systems = Vec::<(SystemId, UnjudgedOutputs)>::new();
        for row in &rows {
            let read = TableRow::new("system", row)?;
            let id = read.parse("id")?;
            if systems.last().is_none_or(|(last, _)| *last != id) {
                let system = UnjudgedOutputs {
                    system: read.get("name")?,
                    submitted: 0,
                    reasons: BTreeMap::new(),
                };
                systems.push((id, system));
            }
            if let Some((_, system)) = systems.last_mut() {
                let times = parse_count(row, "times")?;
                system.reasons.insert(read.json("body")?, times);
            }
        }

        if systems.is_empty() {
            return Ok(vec![]);
        }
        let rows = sqlx::query(SUBMITTED)
            .bind_id(study)
            .fetch_all(self.reader())
            .await?;
        for row in &rows {
            let id = TableRow::new("system", row)?.parse("id")?;
            if let Some((_, system)) = systems.iter_mut().find(|(known, _)| *known == id) {
                system.submitted = parse_count(row, "times")?;
            }
        }

        Ok(systems.into_iter().map(|(_, system)| system).collect())
    }
}
