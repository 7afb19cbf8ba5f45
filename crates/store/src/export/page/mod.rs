//! One page of an export.

mod answers;
mod final_values;
mod sources;

use std::{collections::HashMap, sync::Arc};

use domain::{
    category::{Category, majority_category},
    ids::{MetricId, OutputId, RaterId, SourceId},
    study::AssignmentState,
};
use sqlx::{
    Any, AnyConnection, Row,
    any::{AnyArguments, AnyRow},
    query::Query,
};

use self::{
    answers::{OutputAnswers, load_answers},
    final_values::load_final_values,
    sources::load_sources,
};
use super::{ExportSnapshot, ExportedOutput, ExportedSource};
use crate::{
    Result,
    columns::{TableRow, bad_row, parse_text},
    import::AutomaticAnswers,
    rating_rows::RatingScope,
};

/// The page after the last output that was read, and the position of its own last output.
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
        which: export.which,
    };

    let sources = load_sources(&mut export.connection, &range).await?;
    let mut answers = load_answers(&mut export.connection, &range).await?;
    let mut scores = load_scores(&mut export.connection, &range).await?;
    let mut decisions = load_final_values(&mut export.connection, &range).await?;

    let read = |row| {
        let mut output = read_output(row, &sources, &mut answers)?;
        output.metric_scores = scores.remove(&output.output).unwrap_or_default();
        let decided = decisions.remove(&output.output).unwrap_or_default();
        (output.final_values, output.final_category) = decided;
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
    which: RatingScope,
}

impl PageRange {
    /// A query for the data of the page: of study `$1`, the outputs after position `$2`, up to
    /// `$3`.
    fn query(&self, statement: &'static str) -> Query<'static, Any, AnyArguments> {
        sqlx::query(statement)
            .bind(self.study.clone())
            .bind(self.after)
            .bind(self.last)
    }

    /// 1 if open sources count, too, else 0.
    fn with_work(&self) -> i64 {
        i64::from(self.which == RatingScope::IncludingOpen)
    }
}

fn read_source_id(row: &AnyRow, table: &'static str) -> Result<SourceId> {
    let id: &str = row.try_get("source_id")?;
    parse_text(table, id, "source_id", id)
}

/// The scores of the page's outputs by metric, without those that are undefined.
async fn load_scores(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<HashMap<OutputId, Vec<(MetricId, f64)>>> {
    let query = range.query(
        "SELECT m.output_id, m.metric_id, m.value FROM metric_score m
         JOIN output o ON o.id = m.output_id
         WHERE o.study_id = $1 AND o.position > $2 AND o.position <= $3 AND o.purpose = 'main'
           AND m.undefined IS NULL",
    );
    let rows = query.fetch_all(connection).await?;

    let mut scores = HashMap::<_, Vec<_>>::new();
    for row in &rows {
        let row = TableRow::keyed("metric_score", row, "output_id")?;
        let (metric, value) = (row.parse("metric_id")?, row.get("value")?);
        scores
            .entry(row.parse("output_id")?)
            .or_default()
            .push((metric, value));
    }
    Ok(scores)
}

fn read_output(
    row: &AnyRow,
    sources: &HashMap<SourceId, Arc<ExportedSource>>,
    answers: &mut HashMap<OutputId, OutputAnswers>,
) -> Result<ExportedOutput> {
    let source = read_source_id(row, "output")?;
    let row = TableRow::new("output", row)?;
    let output = row.parse("id")?;
    let source = sources
        .get(&source)
        .ok_or_else(|| bad_row("output", row.id(), "source_id", "there is no such source"))?;

    let automatic = AutomaticAnswers {
        category: row.parse("category")?,
        reason: row.get("category_reason")?,
        category_version: row.get("category_version")?,
        edits: row.json("edits")?,
        edits_version: row.get("edits_version")?,
    };

    let output_answers = answers.remove(&output).unwrap_or_default();
    let twin_of = row.parse_optional("twin_of")?;
    let judged = twin_of.unwrap_or(output);
    let given = output_answers.categories;
    let categories = rater_categories(source, judged, given, automatic.category);

    Ok(ExportedOutput {
        output,
        source: Arc::clone(source),
        system: row.get("system_name")?,
        kind: parse_text("system", row.id(), "kind", row.get("system_kind")?)?,
        text: row.get("text")?,
        twin_of,
        verbatim: row.get("verbatim")?,
        category: majority_category(categories.iter().map(|(_, c)| *c), automatic.category),
        automatic,
        categories,
        ratings: output_answers.ratings,
        unjudged: output_answers.unjudged,
        edits: output_answers.edits,
        marks: output_answers.marks,
        notes: output_answers.notes,
        replies: output_answers.replies,
        final_values: vec![],
        final_category: None,
        metric_scores: vec![],
    })
}

/// The categories by rater. A rater who handed in the source without a correction gave the
/// automatic category. Open assignments, and outputs to be looked at again, don't count.
fn rater_categories(
    source: &ExportedSource,
    judged: OutputId,
    given: Vec<(RaterId, Category)>,
    automatic: Category,
) -> Vec<(RaterId, Category)> {
    let (worked, imported): (Vec<_>, Vec<_>) = given
        .into_iter()
        .partition(|(rater, _)| source.work.iter().any(|work| work.rater == *rater));

    let handed_in = source
        .work
        .iter()
        .filter(|work| work.state == AssignmentState::HandedIn)
        .filter(|work| !work.to_check.contains(&judged));

    let own = |rater| worked.iter().find(|(r, _)| *r == rater);
    let people = handed_in.map(|work| (work.rater, own(work.rater).map_or(automatic, |c| c.1)));
    imported.into_iter().chain(people).collect()
}
