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

/// How often annotators could not judge the outputs of a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnjudgedOutputs {
    /// The system's name.
    pub system: String,
    /// How often its outputs were given to an annotator who submitted them.
    pub submitted: u32,
    /// How often each reason was given.
    pub reasons: BTreeMap<UnjudgedReason, u32>,
}

/// Main outputs of main sources of study `$1`, each with an annotator who submitted it and has not withdrawn.
macro_rules! submitted {
    ($columns:literal, $joins:literal, $rest:literal) => {
        concat!(
            "SELECT y.id, y.name, ",
            $columns,
            " FROM assignment x
             JOIN source s ON s.id = x.source_id AND s.purpose = 'main'
             JOIN output o ON o.source_id = s.id AND o.purpose = 'main'
             JOIN system y ON y.id = o.system_id AND y.hidden = 0
             JOIN rater r ON r.id = x.rater_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id ",
            $joins,
            " WHERE x.study_id = $1 AND x.state = 'handed-in' AND m.withdrawn_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM open_question q
                    WHERE q.assignment_id = x.id AND q.output_id = COALESCE(o.twin_of, o.id))
             GROUP BY y.id, y.name, y.position",
            $rest
        )
    };
}

impl Store {
    /// The systems some of whose outputs annotators could not judge, in the order in which they came; hidden ones are
    /// left out. An output that was judged with an identical one counts for its own system, too.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn unjudged_outputs(&self, study: StudyId) -> Result<Vec<UnjudgedOutputs>> {
        let rows = sqlx::query(submitted!(
            "a.body, COUNT(*) AS times",
            "JOIN annotation a ON a.assignment_id = x.id AND a.output_id = COALESCE(o.twin_of, o.id)
                AND a.kind = 'unjudged' AND a.current = 1 AND a.body <> 'null'",
            ", a.body ORDER BY y.position, y.id"
        ))
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
        let rows = sqlx::query(submitted!("COUNT(*) AS times", "", ""))
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
