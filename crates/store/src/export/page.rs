//! One page of an export.

use std::{collections::HashMap, sync::Arc};

use domain::{
    category::{Category, majority_category},
    ids::{MetricId, OutputId, RaterId, SourceId},
    study::AssignmentState,
};
use sqlx::{AnyConnection, Row, any::AnyRow};

use super::{ExportSnapshot, ExportedOutput, ExportedRating, ExportedSource, ExportedWork};
use crate::{
    Result,
    columns::{TableRow, parse_json, parse_text},
    import::AutomaticAnswers,
    rating_rows::RatingScope,
};

/// The page after what was read, and the place of its last output.
pub(super) async fn load_page(
    export: &mut ExportSnapshot,
    limit: u32,
) -> Result<(Vec<ExportedOutput>, i64)> {
    let study = export.study.to_string();
    let rows = sqlx::query(
        "SELECT o.id, o.source_id, o.position, o.text, o.twin_of, o.verbatim, o.category,
                o.category_reason, o.category_version, o.edits, o.edits_version,
                y.name AS system_name, y.kind AS system_kind
         FROM output o
         JOIN source s ON s.id = o.source_id
         JOIN system y ON y.id = o.system_id
         WHERE o.study_id = $1 AND o.position > $2 AND o.purpose = 'main' AND s.purpose = 'main'
         ORDER BY o.position LIMIT $3",
    )
    .bind(&study)
    .bind(export.after)
    .bind(i64::from(limit))
    .fetch_all(&mut export.connection)
    .await?;
    let Some(last) = rows.last() else {
        return Ok((vec![], export.after));
    };
    let range = PageRange {
        study,
        after: export.after,
        last: last.try_get("position")?,
        with_work: i64::from(export.which == RatingScope::IncludingOpen),
    };
    let sources = load_sources(&mut export.connection, &range).await?;
    let mut answers = load_answers(&mut export.connection, &range).await?;
    let mut scores = load_scores(&mut export.connection, &range).await?;
    let read = |row| {
        let mut output = read_output(row, &sources, &mut answers)?;
        output.metric_scores = scores.remove(&output.output).unwrap_or_default();
        Ok(output)
    };
    let page = rows.iter().map(read).collect::<Result<_>>()?;
    Ok((page, range.last))
}

/// The outputs of a page.
struct PageRange {
    study: String,
    after: i64,
    last: i64,
    with_work: i64,
}

/// The sources of a page, with their references and the work on them.
async fn load_sources(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<HashMap<SourceId, Arc<ExportedSource>>> {
    let mut sources = HashMap::new();
    let rows = sqlx::query(
        "SELECT id, key, text FROM source WHERE id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)",
    )
    .bind(&range.study)
    .bind(range.after)
    .bind(range.last)
    .fetch_all(&mut *connection)
    .await?;
    for row in &rows {
        let row = TableRow::new("source", row)?;
        let source = row.parse("id")?;
        let exported = ExportedSource {
            source,
            key: row.get("key")?,
            text: row.get("text")?,
            references: vec![],
            work: vec![],
        };
        sources.insert(source, exported);
    }
    let rows = sqlx::query(
        "SELECT source_id, text FROM reference WHERE source_id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)
         ORDER BY position",
    )
    .bind(&range.study)
    .bind(range.after)
    .bind(range.last)
    .fetch_all(&mut *connection)
    .await?;
    for row in &rows {
        if let Some(source) = sources.get_mut(&read_source_id(row, "reference")?) {
            source.references.push(row.try_get("text")?);
        }
    }
    let main = load_main_outputs(connection, range).await?;
    for (source, work) in load_work(connection, range, &main).await? {
        if let Some(source) = sources.get_mut(&source) {
            source.work.push(work);
        }
    }
    Ok(sources
        .into_iter()
        .map(|(id, source)| (id, Arc::new(source)))
        .collect())
}

fn read_source_id(row: &AnyRow, table: &'static str) -> Result<SourceId> {
    let id: &str = row.try_get("source_id")?;
    parse_text(table, id, "source_id", id)
}

/// The main outputs of the page's sources, as far as people judge them.
async fn load_main_outputs(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<Vec<OutputId>> {
    let rows = sqlx::query(
        "SELECT id FROM output WHERE purpose = 'main' AND twin_of IS NULL AND source_id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)",
    )
    .bind(&range.study)
    .bind(range.after)
    .bind(range.last)
    .fetch_all(connection)
    .await?;
    let id = |row: &AnyRow| {
        let row = TableRow::new("output", row)?;
        row.parse("id")
    };
    rows.iter().map(id).collect()
}

/// The work that counts on the page's sources, by the order of raters.
async fn load_work(
    connection: &mut AnyConnection,
    range: &PageRange,
    main: &[OutputId],
) -> Result<Vec<(SourceId, ExportedWork)>> {
    let rows = sqlx::query(
        "SELECT x.id, x.source_id, x.rater_id, x.state, x.created_at, x.ended_at, n.body,
                COALESCE((SELECT CAST(SUM(t.active_ms) AS BIGINT) FROM activity t
                    WHERE t.assignment_id = x.id AND t.step = 'categorise'), 0) AS categorise_ms,
                COALESCE((SELECT CAST(SUM(t.active_ms) AS BIGINT) FROM activity t
                    WHERE t.assignment_id = x.id AND t.step = 'highlight'), 0) AS highlight_ms,
                COALESCE((SELECT CAST(SUM(t.active_ms) AS BIGINT) FROM activity t
                    WHERE t.assignment_id = x.id AND t.step = 'rate'), 0) AS rate_ms
         FROM assignment x
         JOIN rater r ON r.id = x.rater_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         LEFT JOIN annotation n ON n.assignment_id = x.id AND n.current = 1 AND n.kind = 'order'
         WHERE x.source_id IN (
            SELECT source_id FROM output WHERE study_id = $1 AND position > $2 AND position <= $3)
           AND (x.state = 'handed-in' OR (x.state = 'open' AND $4 = 1))
           AND m.withdrawn_at IS NULL
         ORDER BY r.position",
    )
    .bind(&range.study)
    .bind(range.after)
    .bind(range.last)
    .bind(range.with_work)
    .fetch_all(connection)
    .await?;
    let work = |row: &AnyRow| {
        let id: &str = row.try_get("id")?;
        let table = "assignment";
        let ms =
            |column: &str| -> Result<u64> { Ok(row.try_get::<i64, _>(column)?.unsigned_abs()) };
        let order: Option<&str> = row.try_get("body")?;
        let order: Option<Option<Vec<OutputId>>> = order
            .map(|text| parse_json("annotation", id, "body", text))
            .transpose()?;
        let of_main = |order: Vec<OutputId>| {
            order
                .into_iter()
                .filter(|output| main.contains(output))
                .collect()
        };
        let work = ExportedWork {
            rater: parse_text(table, id, "rater_id", row.try_get("rater_id")?)?,
            state: parse_text(table, id, "state", row.try_get("state")?)?,
            given_at: row.try_get("created_at")?,
            handed_in_at: row.try_get("ended_at")?,
            active_ms: [ms("categorise_ms")?, ms("highlight_ms")?, ms("rate_ms")?],
            order: order.flatten().map(of_main),
        };
        Ok((read_source_id(row, table)?, work))
    };
    rows.iter().map(work).collect()
}

/// Answers about an output, apart from categories that were left as they are.
#[derive(Default)]
struct OutputAnswers {
    ratings: Vec<ExportedRating>,
    categories: Vec<(RaterId, Category)>,
    edits: Vec<(RaterId, Vec<domain::edit::Edit>)>,
    notes: Vec<(RaterId, String)>,
}

/// The answers about the page's outputs, in the order of raters. An annotator's answer to the first
/// output with a text is one to all of them.
async fn load_answers(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<HashMap<OutputId, OutputAnswers>> {
    let rows = sqlx::query(
        "SELECT o.id AS of_output, a.id, a.rater_id, a.kind, a.dimension, a.value, a.scale, a.body,
                a.recorded_at, r.position AS rater_position,
                CASE WHEN a.assignment_id IS NULL THEN 1 ELSE 0 END AS imported,
                CASE WHEN o.id = a.output_id THEN 0 ELSE 1 END AS shared
         FROM (
            SELECT id, id AS judged FROM output
            WHERE study_id = $1 AND position > $2 AND position <= $3 AND purpose = 'main'
            UNION ALL
            SELECT id, twin_of AS judged FROM output
            WHERE study_id = $1 AND position > $2 AND position <= $3 AND twin_of IS NOT NULL
         ) o
         JOIN annotation a ON a.output_id = o.judged AND a.current = 1
         JOIN rater r ON r.id = a.rater_id
         LEFT JOIN assignment x ON x.id = a.assignment_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE m.withdrawn_at IS NULL
           AND (x.state = 'handed-in' OR (x.state = 'open' AND $4 = 1)
                OR (x.id IS NULL AND o.id = a.output_id))
         ORDER BY r.position",
    )
    .bind(&range.study)
    .bind(range.after)
    .bind(range.last)
    .bind(range.with_work)
    .fetch_all(connection)
    .await?;
    let mut answers = HashMap::<_, OutputAnswers>::new();
    for row in &rows {
        let id: &str = row.try_get("of_output")?;
        let output: OutputId = parse_text("output", id, "id", id)?;
        add_answer(answers.entry(output).or_default(), row)?;
    }
    for output_answers in answers.values_mut() {
        // Here and not in SQL: the databases sort letters differently.
        let by_rater = output_answers
            .ratings
            .chunk_by_mut(|a, b| a.rater == b.rater);
        by_rater.for_each(|ratings| ratings.sort_by(|a, b| a.dimension.cmp(&b.dimension)));
    }
    Ok(answers)
}

/// The scores of the page's outputs by metric, without those that are undefined.
async fn load_scores(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<HashMap<OutputId, Vec<(MetricId, f64)>>> {
    let rows = sqlx::query(
        "SELECT m.output_id, m.metric_id, m.value FROM metric_score m
         JOIN output o ON o.id = m.output_id
         WHERE o.study_id = $1 AND o.position > $2 AND o.position <= $3 AND o.purpose = 'main'
           AND m.undefined IS NULL",
    )
    .bind(&range.study)
    .bind(range.after)
    .bind(range.last)
    .fetch_all(connection)
    .await?;
    let mut scores = HashMap::<_, Vec<_>>::new();
    for row in &rows {
        let id: &str = row.try_get("output_id")?;
        let output = parse_text("metric_score", id, "output_id", id)?;
        let metric = parse_text("metric_score", id, "metric_id", row.try_get("metric_id")?)?;
        let value = row.try_get("value")?;
        scores.entry(output).or_default().push((metric, value));
    }
    Ok(scores)
}

fn add_answer(said: &mut OutputAnswers, row: &AnyRow) -> Result<()> {
    let id: &str = row.try_get("id")?;
    let table = "annotation";
    let rater = parse_text(table, id, "rater_id", row.try_get("rater_id")?)?;
    let body: Option<&str> = row.try_get("body")?;
    let body = body.unwrap_or("null");
    match row.try_get("kind")? {
        "rating" => {
            if let Some(value) = row.try_get("value")? {
                said.ratings.push(ExportedRating {
                    rater,
                    dimension: row.try_get("dimension")?,
                    scale: row.try_get("scale")?,
                    value,
                    verbatim: parse_json(table, id, "body", body)?,
                    shared: row.try_get::<i64, _>("shared")? != 0,
                    recorded_at: row.try_get("recorded_at")?,
                });
            }
        }
        "category" => {
            let category: Option<Category> = parse_json(table, id, "body", body)?;
            said.categories.extend(category.map(|c| (rater, c)));
        }
        "edits" => {
            let edits: Option<_> = parse_json(table, id, "body", body)?;
            said.edits.extend(edits.map(|edits| (rater, edits)));
        }
        "note" => {
            let note: String = parse_json(table, id, "body", body)?;
            if !note.is_empty() {
                said.notes.push((rater, note));
            }
        }
        _ => {}
    }
    Ok(())
}

fn read_output(
    row: &AnyRow,
    sources: &HashMap<SourceId, Arc<ExportedSource>>,
    answers: &mut HashMap<OutputId, OutputAnswers>,
) -> Result<ExportedOutput> {
    let id: &str = row.try_get("id")?;
    let table = "output";
    let output = parse_text(table, id, "id", id)?;
    let twin_of: Option<&str> = row.try_get("twin_of")?;
    let source = read_source_id(row, table)?;
    let source = sources.get(&source).ok_or_else(|| {
        crate::columns::bad_row(table, id, "source_id", "there is no such source")
    })?;
    let automatic = AutomaticAnswers {
        category: parse_text(table, id, "category", row.try_get("category")?)?,
        reason: row.try_get("category_reason")?,
        category_version: row.try_get("category_version")?,
        edits: parse_json(table, id, "edits", row.try_get("edits")?)?,
        edits_version: row.try_get("edits_version")?,
    };
    let output_answers = answers.remove(&output).unwrap_or_default();
    let categories = rater_categories(source, output_answers.categories, automatic.category);
    Ok(ExportedOutput {
        output,
        source: Arc::clone(source),
        system: row.try_get("system_name")?,
        kind: parse_text("system", id, "kind", row.try_get("system_kind")?)?,
        text: row.try_get("text")?,
        twin_of: twin_of
            .map(|twin| parse_text(table, id, "twin_of", twin))
            .transpose()?,
        verbatim: row.try_get("verbatim")?,
        category: majority_category(categories.iter().map(|(_, c)| *c), automatic.category),
        automatic,
        categories,
        ratings: output_answers.ratings,
        edits: output_answers.edits,
        notes: output_answers.notes,
        metric_scores: vec![],
    })
}

/// A rater who handed the source in without a correction gave the automatic category. Open
/// assignments do not count here.
fn rater_categories(
    source: &ExportedSource,
    given: Vec<(RaterId, Category)>,
    automatic: Category,
) -> Vec<(RaterId, Category)> {
    let (worked, imported): (Vec<_>, Vec<_>) = given
        .into_iter()
        .partition(|(rater, _)| source.work.iter().any(|work| work.rater == *rater));
    let handed_in = source
        .work
        .iter()
        .filter(|work| work.state == AssignmentState::HandedIn);
    let own = |rater| worked.iter().find(|(r, _)| *r == rater);
    let people = handed_in.map(|work| (work.rater, own(work.rater).map_or(automatic, |c| c.1)));
    imported.into_iter().chain(people).collect()
}
