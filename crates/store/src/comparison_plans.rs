//! Planned comparisons: pairs of a source's outputs, chosen by what earlier comparisons leave open.
//!
//! They are planned when the first annotator opens the source and then stay, so that all its
//! annotators compare the same outputs.

use domain::{
    ids::{AssignmentId, OutputId, SourceId},
    protocol::StudyProtocol,
};
use sqlx::{AnyConnection, Row};

use crate::{
    Result, Store,
    columns::{self, BindId, TableRow, parse_json},
};

/// A source with outputs that are in no planned pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnplannedSource {
    /// The source.
    pub source: SourceId,
    /// Its main outputs, one per text, in the order of the file, with the names of their systems.
    pub outputs: Vec<(OutputId, String)>,
    /// The pairs that are planned already.
    pub planned: Vec<[OutputId; 2]>,
}

impl Store {
    /// The source of an assignment, if it is a main source with at least two outputs, some of which
    /// are in no planned pair.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn unplanned_source(
        &self,
        assignment: AssignmentId,
    ) -> Result<Option<UnplannedSource>> {
        let mut connection = self.reader().acquire().await?;
        let rows = sqlx::query(
            "SELECT o.id, o.source_id, y.name FROM assignment a
             JOIN source s ON s.id = a.source_id
             JOIN output o ON o.source_id = s.id
             JOIN system y ON y.id = o.system_id
             WHERE a.id = $1 AND s.purpose = 'main' AND o.purpose = 'main' AND o.twin_of IS NULL
             ORDER BY o.position, o.id",
        )
        .bind_id(assignment)
        .fetch_all(&mut *connection)
        .await?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };

        let source = TableRow::new("output", first)?.parse("source_id")?;
        let mut outputs = vec![];
        for row in &rows {
            let row = TableRow::new("output", row)?;
            outputs.push((row.parse("id")?, row.get("name")?));
        }

        let planned = load_pairs(&mut connection, source).await?;
        let is_planned = |output: &OutputId| planned.iter().flatten().any(|one| one == output);
        let is_open = outputs.iter().any(|(output, _)| !is_planned(output));

        Ok((is_open && outputs.len() > 1).then_some(UnplannedSource {
            source,
            outputs,
            planned,
        }))
    }

    /// Stores the pairs of a source, unless others were planned meanwhile.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn plan_comparisons(
        &self,
        unplanned: &UnplannedSource,
        pairs: &[[OutputId; 2]],
    ) -> Result<()> {
        let before = match &unplanned.planned[..] {
            [] => String::new(),
            planned => columns::to_json(&planned),
        };

        in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE stored_source SET planned_pairs = $2
                 WHERE id = $1 AND COALESCE(planned_pairs, '') = $3",
            )
            .bind_id(unplanned.source)
            .bind(columns::to_json(&pairs))
            .bind(before.clone())
            .execute(&mut *tx)
            .await?;
        })
    }
}

/// The planned pairs of a source, if the protocol plans them; empty otherwise, and until the first
/// annotator has opened it.
pub(crate) async fn load(
    tx: &mut AnyConnection,
    source: SourceId,
    protocol: &StudyProtocol,
) -> Result<Vec<[OutputId; 2]>> {
    match protocol.compare_step() {
        Some(step) if step.is_adaptive => load_pairs(tx, source).await,
        _ => Ok(vec![]),
    }
}

async fn load_pairs(tx: &mut AnyConnection, source: SourceId) -> Result<Vec<[OutputId; 2]>> {
    let row = sqlx::query(
        "SELECT COALESCE(planned_pairs, '[]') AS pairs FROM stored_source WHERE id = $1",
    )
    .bind_id(source)
    .fetch_one(tx)
    .await?;
    parse_json("source", source, "planned_pairs", row.try_get("pairs")?)
}
