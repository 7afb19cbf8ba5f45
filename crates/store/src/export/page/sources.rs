//! The sources of a page.

use std::{collections::HashMap, sync::Arc};

use domain::{
    ids::{AssignmentId, OutputId, SourceId},
    source_context::SourceContext,
};
use sqlx::{AnyConnection, Row};

use super::{PageRange, read_source_id};
use crate::{
    Result,
    columns::{TableRow, parse_text, read_rows},
    export::{ExportedSource, ExportedWork},
    rating_rows::RatingScope,
};

/// The sources of a page, with their references and the work on them.
pub(super) async fn load_sources(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<HashMap<SourceId, Arc<ExportedSource>>> {
    let mut sources = HashMap::new();
    let query = range.query(
        "SELECT id, key, text FROM source WHERE id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)",
    );
    let rows = query.fetch_all(&mut *connection).await?;
    for row in &rows {
        let row = TableRow::new("source", row)?;
        let source = row.parse("id")?;
        let exported = ExportedSource {
            source,
            key: row.get("key")?,
            text: row.get("text")?,
            references: vec![],
            context: SourceContext::default(),
            work: vec![],
        };
        sources.insert(source, exported);
    }

    let query = range.query(
        "SELECT source_id, text FROM reference WHERE source_id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)
         ORDER BY position",
    );
    let rows = query.fetch_all(&mut *connection).await?;
    for row in &rows {
        if let Some(source) = sources.get_mut(&read_source_id(row, "reference")?) {
            source.references.push(row.try_get("text")?);
        }
    }

    let query = range.query(
        "SELECT source_id, source_id AS id, side, text FROM context WHERE source_id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)",
    );
    let rows = query.fetch_all(&mut *connection).await?;
    for row in &rows {
        if let Some(source) = sources.get_mut(&read_source_id(row, "context")?) {
            let row = TableRow::new("context", row)?;
            source.context.set(row.parse("side")?, row.get("text")?);
        }
    }

    if range.which == RatingScope::Consensus {
        return Ok(shared(sources));
    }

    let main = load_main_outputs(connection, range).await?;
    for (source, work) in load_work(connection, range, &main).await? {
        if let Some(source) = sources.get_mut(&source) {
            source.work.push(work);
        }
    }
    Ok(shared(sources))
}

fn shared(sources: HashMap<SourceId, ExportedSource>) -> HashMap<SourceId, Arc<ExportedSource>> {
    let sources = sources.into_iter();
    sources.map(|(id, source)| (id, Arc::new(source))).collect()
}

/// The main outputs of the page's sources that people judge.
async fn load_main_outputs(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<Vec<OutputId>> {
    let query = range.query(
        "SELECT id FROM output WHERE purpose = 'main' AND twin_of IS NULL AND source_id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)",
    );
    let rows = query.fetch_all(connection).await?;
    read_rows("output", &rows, |row| row.parse("id"))
}

/// The work that counts on the page's sources, in the order of raters.
async fn load_work(
    connection: &mut AnyConnection,
    range: &PageRange,
    main: &[OutputId],
) -> Result<Vec<(SourceId, ExportedWork)>> {
    let query = range.query(
        "SELECT x.id, x.source_id, x.rater_id, x.state, x.created_at, x.ended_at, n.body,
                COALESCE((SELECT CAST(SUM(t.active_ms) AS BIGINT) FROM activity t
                    WHERE t.assignment_id = x.id AND t.step = 'categorise'), 0) AS categorise_ms,
                COALESCE((SELECT CAST(SUM(t.active_ms) AS BIGINT) FROM activity t
                    WHERE t.assignment_id = x.id AND t.step = 'highlight'), 0) AS highlight_ms,
                COALESCE((SELECT CAST(SUM(t.active_ms) AS BIGINT) FROM activity t
                    WHERE t.assignment_id = x.id AND t.step = 'rate'), 0) AS rate_ms,
                COALESCE((SELECT CAST(SUM(t.active_ms) AS BIGINT) FROM activity t
                    WHERE t.assignment_id = x.id AND t.step = 'answer'), 0) AS answer_ms,
                COALESCE((SELECT CAST(SUM(t.active_ms) AS BIGINT) FROM activity t
                    WHERE t.assignment_id = x.id AND t.step = 'write'), 0) AS write_ms
         FROM assignment x
         JOIN rater r ON r.id = x.rater_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         LEFT JOIN annotation n ON n.assignment_id = x.id AND n.current = 1 AND n.kind = 'order'
         WHERE x.source_id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)
           AND (x.state = 'handed-in' OR (x.state = 'open' AND $4 = 1))
           AND m.withdrawn_at IS NULL
         ORDER BY r.position",
    );
    let rows = query
        .bind(range.with_work())
        .fetch_all(&mut *connection)
        .await?;

    let to_check = load_outputs_to_check(connection, range).await?;
    read_rows("assignment", &rows, |row| {
        let ms = |column| -> Result<u64> { Ok(row.get::<i64>(column)?.unsigned_abs()) };
        let order: Option<Option<Vec<OutputId>>> =
            row.in_table("annotation").json_optional("body")?;
        let assignment: AssignmentId = row.parse("id")?;
        let to_check = to_check.get(&assignment).cloned().unwrap_or_default();
        let of_main = |order: Vec<OutputId>| {
            let kept = |output: &OutputId| main.contains(output) && !to_check.contains(output);
            order.into_iter().filter(kept).collect()
        };

        let work = ExportedWork {
            rater: row.parse("rater_id")?,
            state: row.parse("state")?,
            given_at: row.get("created_at")?,
            handed_in_at: row.get("ended_at")?,
            active_ms: [
                ms("categorise_ms")?,
                ms("highlight_ms")?,
                ms("rate_ms")?,
                ms("answer_ms")?,
                ms("write_ms")?,
            ],
            order: order.flatten().map(of_main),
            to_check,
        };
        let source: &str = row.get("source_id")?;
        Ok((parse_text("assignment", source, "source_id", source)?, work))
    })
}

/// The outputs of the page's sources that raters should look at again, by assignment.
async fn load_outputs_to_check(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<HashMap<AssignmentId, Vec<OutputId>>> {
    let query = range.query(
        "SELECT q.assignment_id, q.output_id FROM open_question q
         JOIN assignment x ON x.id = q.assignment_id
         WHERE x.state = 'handed-in' AND x.source_id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)",
    );
    let rows = query.fetch_all(connection).await?;

    let mut outputs = HashMap::<_, Vec<_>>::new();
    for row in &rows {
        let row = TableRow::keyed("reopened_output", row, "assignment_id")?;
        let output = row.parse("output_id")?;
        outputs
            .entry(row.parse("assignment_id")?)
            .or_default()
            .push(output);
    }
    Ok(outputs)
}
