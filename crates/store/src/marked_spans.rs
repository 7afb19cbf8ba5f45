//! Spans that annotators marked.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    ids::{OutputId, SourceId, StudyId},
    span_marks::SpanMark,
};
use sqlx::{AnyConnection, any::AnyRow};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, read_rows},
    comparisons::{ComparedOutput, load_output_rows, read_output},
    consensus::load_agreed_marks,
    rating_rows::RatingScope,
};

/// The marks of a study, and the systems of its outputs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StudyMarks {
    /// The judgements, in the order in which they were made.
    pub judgements: Vec<MarkRecord>,
    /// The main outputs of all sources with their systems, in the order of the file.
    pub outputs: Vec<ComparedOutput>,
}

/// An annotator's current marks of an output; empty if there is nothing to mark.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkRecord {
    /// The rater's pseudonym.
    pub rater: String,
    /// The name of the source.
    pub source: String,
    /// Its text.
    pub source_text: Arc<str>,
    /// The output; it represents all outputs of its source with the same text.
    pub output: OutputId,
    /// Its text.
    pub text: String,
    /// The marks.
    pub marks: Vec<SpanMark>,
}

impl Store {
    /// The marks of the study's main outputs, without those of raters who withdrew or could not judge the output.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn study_marks(&self, study: StudyId, which: RatingScope) -> Result<StudyMarks> {
        let mut connection = self.reader().acquire().await?;
        let rows = load_mark_rows(&mut connection, study, which).await?;
        let texts = load_source_texts(&mut connection, study).await?;
        let judgements =
            self.readable_rows("annotation", study, &rows, |row| read_marks(row, &texts))?;

        let rows = load_output_rows(&mut connection, study).await?;
        Ok(StudyMarks {
            judgements: judgements.into_iter().flatten().collect(),
            outputs: self.readable_rows("output", study, &rows, read_output)?,
        })
    }
}

async fn load_mark_rows(
    connection: &mut AnyConnection,
    study: StudyId,
    which: RatingScope,
) -> Result<Vec<AnyRow>> {
    if which == RatingScope::Consensus {
        return load_agreed_marks(connection, study).await;
    }

    let rows = sqlx::query(
        "SELECT a.id, r.label, a.source_id, a.output_id, o.text, a.body
         FROM annotation a
         JOIN assignment x ON x.id = a.assignment_id
         JOIN source s ON s.id = a.source_id
         JOIN output o ON o.id = a.output_id
         JOIN rater r ON r.id = a.rater_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE a.study_id = $1 AND a.kind = 'marks' AND a.current = 1 AND a.body <> 'null'
           AND (x.state = 'handed-in' OR (x.state = 'open' AND $2 = 1))
           AND s.purpose = 'main' AND o.purpose = 'main' AND m.withdrawn_at IS NULL
           AND ($2 = 1 OR NOT EXISTS (
                SELECT 1 FROM open_question q
                WHERE q.assignment_id = a.assignment_id AND q.output_id = a.output_id))
           AND NOT EXISTS (
                SELECT 1 FROM annotation u
                WHERE u.assignment_id = a.assignment_id AND u.output_id = a.output_id
                  AND u.kind = 'unjudged' AND u.current = 1 AND u.body <> 'null')
         ORDER BY a.event, a.id",
    )
    .bind_id(study)
    .bind(i64::from(which == RatingScope::IncludingOpen))
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// The names and texts of the main sources with marked outputs; each text is read once.
async fn load_source_texts(
    connection: &mut AnyConnection,
    study: StudyId,
) -> Result<BTreeMap<SourceId, (String, Arc<str>)>> {
    let rows = sqlx::query(
        "SELECT s.id, s.key, s.text FROM source s
         WHERE s.study_id = $1 AND s.purpose = 'main' AND EXISTS (
            SELECT 1 FROM annotation a
            WHERE a.source_id = s.id AND a.kind = 'marks' AND a.current = 1)",
    )
    .bind_id(study)
    .fetch_all(connection)
    .await?;

    read_rows("source", &rows, |row| {
        let text: String = row.get("text")?;
        Ok((row.parse("id")?, (row.get("key")?, text.into())))
    })
}

/// Reads the marks of an output; `None` if they were taken back, or the source came after the texts
/// were read.
fn read_marks(
    row: &TableRow<'_>,
    sources: &BTreeMap<SourceId, (String, Arc<str>)>,
) -> Result<Option<MarkRecord>> {
    let source: SourceId = row.parse("source_id")?;
    let marks: Option<Vec<SpanMark>> = row.json("body")?;
    let (Some(marks), Some((key, text))) = (marks, sources.get(&source)) else {
        return Ok(None);
    };

    Ok(Some(MarkRecord {
        rater: row.get("label")?,
        source: key.clone(),
        source_text: Arc::clone(text),
        output: row.parse("output_id")?,
        text: row.get("text")?,
        marks,
    }))
}
