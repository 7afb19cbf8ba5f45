//! Comparisons of outputs, as annotators made them.

use domain::{
    comparison::{ComparisonAnswer, ComparisonChoice},
    ids::{OutputId, StudyId},
};
use sqlx::{AnyConnection, any::AnyRow};

use crate::{
    Result, Store, answer_columns,
    columns::{BindId, TableRow, bad_row, read_rows},
    consensus::load_agreed_comparisons,
    export::ExportSnapshot,
    rating_rows::RatingScope,
};

/// The comparisons of a study and the outputs that they concern.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StudyComparisons {
    /// The comparisons, in the order in which they were made.
    pub comparisons: Vec<ComparisonRecord>,
    /// The main outputs of all sources with their systems, in the order of the file.
    pub outputs: Vec<ComparedOutput>,
}

/// A current comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonRecord {
    /// The rater's pseudonym.
    pub rater: String,
    /// The name of the source.
    pub source: String,
    /// The dimension.
    pub dimension: String,
    /// The answer. Each output in it represents all outputs of its source with the same text.
    pub answer: ComparisonAnswer<OutputId>,
    /// When it was stored, in milliseconds since 1970.
    pub recorded_at: i64,
}

/// An output and the system that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedOutput {
    /// The output.
    pub output: OutputId,
    /// The output that was judged: itself, or the first of its source with the same text.
    pub judged_as: OutputId,
    /// The name of its system.
    pub system: String,
    /// Whether figures of systems leave its system out.
    pub is_hidden: bool,
}

/// The SQL condition that no quality-control item is in the comparison `a`.
macro_rules! is_without_checks {
    () => {
        " AND NOT EXISTS (
               SELECT 1 FROM output q WHERE q.source_id = a.source_id AND q.purpose <> 'main'
                 AND a.compared LIKE '%' || q.id || '%')"
    };
}
pub(crate) use is_without_checks;

impl Store {
    /// The comparisons of the study's main sources, without those of raters who withdrew.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn study_comparisons(
        &self,
        study: StudyId,
        which: RatingScope,
    ) -> Result<StudyComparisons> {
        let mut connection = self.reader().acquire().await?;
        let rows = load_comparison_rows(&mut connection, study, which).await?;
        let comparisons = self.readable_rows("annotation", study, &rows, read_comparison)?;

        let rows = load_output_rows(&mut connection, study).await?;
        Ok(StudyComparisons {
            comparisons: comparisons.into_iter().flatten().collect(),
            outputs: self.readable_rows("output", study, &rows, read_output)?,
        })
    }
}

impl ExportSnapshot {
    /// The comparisons of the study's main sources, without those of raters who withdrew.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn comparisons(&mut self) -> Result<StudyComparisons> {
        let (study, which) = (self.study, self.which);
        let rows = load_comparison_rows(&mut self.connection, study, which).await?;
        let comparisons: Vec<_> = read_rows("annotation", &rows, read_comparison)?;

        let rows = load_output_rows(&mut self.connection, study).await?;
        Ok(StudyComparisons {
            comparisons: comparisons.into_iter().flatten().collect(),
            outputs: read_rows("output", &rows, read_output)?,
        })
    }
}

async fn load_comparison_rows(
    connection: &mut AnyConnection,
    study: StudyId,
    which: RatingScope,
) -> Result<Vec<AnyRow>> {
    if which == RatingScope::Consensus {
        return load_agreed_comparisons(connection, study).await;
    }

    let rows = sqlx::query(concat!(
        "SELECT a.id, r.label, s.key, a.dimension, a.compared, a.body, a.recorded_at
         FROM annotation a
         JOIN assignment x ON x.id = a.assignment_id
         JOIN source s ON s.id = a.source_id
         JOIN rater r ON r.id = a.rater_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE a.study_id = $1 AND a.kind = 'comparison' AND a.current = 1
           AND (x.state = 'handed-in' OR (x.state = 'open' AND $2 = 1))
           AND s.purpose = 'main' AND m.withdrawn_at IS NULL
           AND ($2 = 1 OR NOT EXISTS (
                SELECT 1 FROM open_question q
                WHERE q.assignment_id = a.assignment_id AND a.compared LIKE '%' || q.output_id || '%'))",
        is_without_checks!(),
        " ORDER BY a.event, a.id"
    ))
    .bind_id(study)
    .bind(i64::from(which == RatingScope::IncludingOpen))
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

pub(crate) async fn load_output_rows(
    connection: &mut AnyConnection,
    study: StudyId,
) -> Result<Vec<AnyRow>> {
    let rows = sqlx::query(
        "SELECT o.id, COALESCE(o.twin_of, o.id) AS judged_as, y.name, y.hidden
         FROM output o JOIN system y ON y.id = o.system_id
         WHERE o.study_id = $1 AND o.purpose = 'main'
         ORDER BY o.position, o.id",
    )
    .bind_id(study)
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

pub(crate) fn read_output(row: &TableRow<'_>) -> Result<ComparedOutput> {
    Ok(ComparedOutput {
        output: row.parse("id")?,
        judged_as: row.parse("judged_as")?,
        system: row.get("name")?,
        is_hidden: row.flag("hidden")?,
    })
}

/// Reads a comparison; `None` if the choice was taken back or is incomplete.
fn read_comparison(row: &TableRow<'_>) -> Result<Option<ComparisonRecord>> {
    let id: &str = row.get("id")?;
    let shown = answer_columns::parse_compared(id, row.get("compared")?)?;

    let Some(choice) = row.json::<Option<ComparisonChoice<OutputId>>>("body")? else {
        return Ok(None);
    };
    let answer = choice
        .answer(&shown)
        .map_err(|fault| bad_row("annotation", id, "body", fault.to_string()))?;
    let Some(answer) = answer else {
        return Ok(None);
    };

    Ok(Some(ComparisonRecord {
        rater: row.get("label")?,
        source: row.get("key")?,
        dimension: row.get("dimension")?,
        answer,
        recorded_at: row.get("recorded_at")?,
    }))
}
