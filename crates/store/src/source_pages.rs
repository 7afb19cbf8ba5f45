//! Sources, outputs and scores in pages, for programs that read a study piece by piece.
//!
//! A page begins after a position and not after a number of rows, so that rows added or deleted
//! meanwhile shift nothing.

use std::collections::{BTreeSet, HashMap};

use domain::{
    ids::{MetricId, OutputId, SourceId, StudyId},
    source_context::SourceContext,
    study::SourcePurpose,
};
use sqlx::{AnyConnection, AssertSqlSafe};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, read_rows},
};

/// The largest number of ids that one statement names.
const IDS_PER_STATEMENT: usize = 500;

/// A source in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSource {
    /// Its id.
    pub id: SourceId,
    /// Its position in the study.
    pub position: i64,
    /// Its name in the files it came from.
    pub key: String,
    /// The source text.
    pub text: String,
    /// Its purpose.
    pub purpose: SourcePurpose,
    /// Human simplifications.
    pub references: Vec<String>,
    /// The text around it.
    pub context: SourceContext,
    /// The number of its outputs, without quality-control items.
    pub outputs: u32,
    /// The number of annotators who have handed it in, except those who withdrew.
    pub handed_in: u32,
}

/// The score of an output in a page.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedScore {
    /// The position of the output in the study.
    pub position: i64,
    /// The output.
    pub output: OutputId,
    /// The source.
    pub source: SourceId,
    /// The source's name in the files it came from.
    pub source_key: String,
    /// The system that wrote the output.
    pub system: String,
    /// The metric.
    pub metric: MetricId,
    /// The score as the metric gives it, or the reason why there is none.
    pub value: std::result::Result<f64, String>,
    /// The event that announced it.
    pub event: i64,
}

impl Store {
    /// The sources of a study after a position, at most `limit`; only these, if `only` is given.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn source_page(
        &self,
        study: StudyId,
        after: i64,
        limit: u32,
        only: Option<&BTreeSet<SourceId>>,
    ) -> Result<Vec<ListedSource>> {
        let mut reader = self.reader().acquire().await?;
        let mut page = Vec::new();
        for condition in conditions("s.id", only) {
            let sql = AssertSqlSafe(format!(
                "SELECT s.id, s.position, s.key, s.text, s.purpose,
                        (SELECT COUNT(*) FROM output o
                         WHERE o.source_id = s.id AND o.purpose = 'main') AS outputs,
                        (SELECT COUNT(*) FROM assignment a
                         JOIN rater r ON r.id = a.rater_id
                         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
                         WHERE a.study_id = s.study_id AND a.source_id = s.id
                           AND a.state = 'handed-in' AND m.withdrawn_at IS NULL) AS handed_in
                 FROM source s WHERE s.study_id = $1 AND s.position > $2 {condition}
                 ORDER BY s.position LIMIT $3"
            ));
            let rows = sqlx::query(sql)
                .bind_id(study)
                .bind(after)
                .bind(i64::from(limit))
                .fetch_all(&mut *reader)
                .await?;
            for row in &rows {
                page.push(read_source(&TableRow::new("source", row)?)?);
            }
        }

        page.sort_by_key(|source| source.position);
        page.truncate(limit as usize);
        add_texts(&mut reader, &mut page).await?;
        Ok(page)
    }

    /// The position of the study's first main output of a main source after a position; of one of
    /// these sources, if `only` is given. [`crate::export::ExportSnapshot::next_page`] reads the
    /// same outputs.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn next_output_place(
        &self,
        study: StudyId,
        after: i64,
        only: Option<&BTreeSet<SourceId>>,
    ) -> Result<Option<i64>> {
        let mut reader = self.reader().acquire().await?;
        let mut first: Option<i64> = None;

        for condition in conditions("o.source_id", only) {
            let sql = AssertSqlSafe(format!(
                "SELECT o.position FROM output o
                 JOIN source s ON s.id = o.source_id
                 WHERE o.study_id = $1 AND o.position > $2 AND o.purpose = 'main' AND s.purpose = 'main'
                   {condition}
                 ORDER BY o.position LIMIT 1"
            ));
            let place: Option<i64> = sqlx::query_scalar(sql)
                .bind_id(study)
                .bind(after)
                .fetch_optional(&mut *reader)
                .await?;
            if let Some(place) = place {
                first = Some(first.map_or(place, |first| first.min(place)));
            }
        }

        Ok(first)
    }

    /// The scores of a study's main outputs after an output's position and a metric, at most
    /// `limit`, of those that an event after `since` announced. They are in the order of outputs,
    /// and within an output of the metrics' ids.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn score_page(
        &self,
        study: StudyId,
        after: (i64, Option<MetricId>),
        since: i64,
        limit: u32,
    ) -> Result<Vec<ListedScore>> {
        let (place, metric) = after;

        let rows = sqlx::query(
            "SELECT o.id, o.position, o.source_id, s.key AS source_key, y.name AS system,
                    m.metric_id, m.value, m.undefined, m.event
             FROM output o
             JOIN metric_score m ON m.output_id = o.id
             JOIN source s ON s.id = o.source_id
             JOIN system y ON y.id = o.system_id
             WHERE o.study_id = $1 AND o.purpose = 'main' AND m.event > $4
               AND (o.position > $2 OR (o.position = $2 AND m.metric_id > $3))
             ORDER BY o.position, m.metric_id LIMIT $5",
        )
        .bind_id(study)
        .bind(place)
        .bind(metric.map_or_else(String::new, |metric| metric.to_string()))
        .bind(since)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        read_rows("output", &rows, read_score)
    }
}

/// Conditions, each on at most [`IDS_PER_STATEMENT`] of the ids, which together match all of them.
fn conditions(column: &str, only: Option<&BTreeSet<SourceId>>) -> Vec<String> {
    let Some(only) = only else {
        return vec![String::new()];
    };
    let ids: Vec<_> = only.iter().map(|id| format!("'{id}'")).collect();
    ids.chunks(IDS_PER_STATEMENT)
        .map(|ids| format!("AND {column} IN ({})", ids.join(", ")))
        .collect()
}

/// Adds references and contexts to a page.
async fn add_texts(connection: &mut AnyConnection, page: &mut [ListedSource]) -> Result<()> {
    let ids: BTreeSet<_> = page.iter().map(|source| source.id).collect();
    let mut places: HashMap<SourceId, usize> = HashMap::new();
    places.extend(page.iter().enumerate().map(|(at, source)| (source.id, at)));

    for condition in conditions("source_id", Some(&ids)) {
        let sql = format!(
            "SELECT source_id AS id, text FROM reference WHERE 1 = 1 {condition} ORDER BY position"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut *connection);
        for row in &rows.await? {
            let row = TableRow::new("reference", row)?;
            if let Some(at) = places.get(&row.parse("id")?) {
                page[*at].references.push(row.get("text")?);
            }
        }

        let sql =
            format!("SELECT source_id AS id, side, text FROM context WHERE 1 = 1 {condition}");
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut *connection);
        for row in &rows.await? {
            let row = TableRow::new("context", row)?;
            if let Some(at) = places.get(&row.parse("id")?) {
                let (side, text) = (row.parse("side")?, row.get("text")?);
                page[*at].context.set(side, text);
            }
        }
    }
    Ok(())
}

fn read_source(row: &TableRow<'_>) -> Result<ListedSource> {
    Ok(ListedSource {
        id: row.parse("id")?,
        position: row.get("position")?,
        key: row.get("key")?,
        text: row.get("text")?,
        purpose: row.parse("purpose")?,
        references: vec![],
        context: SourceContext::default(),
        outputs: row.count("outputs")?,
        handed_in: row.count("handed_in")?,
    })
}

fn read_score(row: &TableRow<'_>) -> Result<ListedScore> {
    Ok(ListedScore {
        position: row.get("position")?,
        output: row.parse("id")?,
        source: row.parse("source_id")?,
        source_key: row.get("source_key")?,
        system: row.get("system")?,
        metric: row.parse("metric_id")?,
        value: match row.get::<Option<String>>("undefined")? {
            Some(reason) => Err(reason),
            None => Ok(row.get("value")?),
        },
        event: row.get("event")?,
    })
}
