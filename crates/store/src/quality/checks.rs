//! How annotators did on quality-control items.

use domain::{
    ids::{OutputId, RaterId, SourceId, StudyId},
    study::OutputPurpose,
};
use sqlx::{Row, any::AnyRow};

use crate::{
    Result, Store,
    columns::parse_text,
    rating_rows::{StudyPart, part},
};

/// An annotator's score of a quality-control item.
#[derive(Debug, Clone, PartialEq)]
pub struct QualityCheck {
    /// The rater.
    pub rater: RaterId,
    /// The rater's pseudonym.
    pub label: String,
    /// The item.
    pub output: OutputId,
    /// The kind of item.
    pub purpose: OutputPurpose,
    /// Its source.
    pub source: SourceId,
    /// On what.
    pub dimension: String,
    /// The score.
    pub value: f64,
    /// The same annotator's score of what it was made from: of a repeated item it should be the
    /// same, of a scrambled one higher.
    pub original: Option<f64>,
}

impl Store {
    /// The scores of quality-control items in sources of a part of the study that were handed in,
    /// rater by rater; without raters who withdrew.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn quality_checks(
        &self,
        study: StudyId,
        part: StudyPart,
    ) -> Result<Vec<QualityCheck>> {
        // SQLite joins in the order of CROSS JOIN: few outputs are quality-control items, and there are many ratings.
        let statement = part!(
            part,
            "SELECT a.id, a.rater_id, r.label, a.output_id, o.purpose, a.source_id, a.dimension,
                    a.value, b.value AS original
             FROM source s
             CROSS JOIN output o
             CROSS JOIN annotation a
             JOIN rater r ON r.id = a.rater_id
             JOIN assignment x ON x.id = a.assignment_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
             LEFT JOIN annotation b ON b.rater_id = a.rater_id AND b.output_id = o.made_from
                AND b.kind = 'rating' AND b.dimension = a.dimension AND b.current = 1
                AND NOT EXISTS (SELECT 1 FROM open_question q
                    WHERE q.assignment_id = b.assignment_id AND q.output_id = b.output_id)",
            whole: "WHERE s.study_id = $1 AND $2 = ''",
            source: "WHERE s.study_id = $1 AND s.id = $2",
            "AND o.source_id = s.id AND a.output_id = o.id AND a.kind = 'rating' AND a.current = 1
               AND a.value IS NOT NULL AND o.purpose <> 'main' AND x.state = 'handed-in'
               AND m.withdrawn_at IS NULL
             ORDER BY r.position, o.position"
        );
        let rows = self.part_rows(statement, study, part).await?;
        self.readable(study, &rows, read_check)
    }
}

fn read_check(row: &AnyRow) -> Result<QualityCheck> {
    let id: &str = row.try_get("id")?;
    let table = "annotation";
    Ok(QualityCheck {
        rater: parse_text(table, id, "rater_id", row.try_get("rater_id")?)?,
        label: row.try_get("label")?,
        output: parse_text(table, id, "output_id", row.try_get("output_id")?)?,
        purpose: parse_text("output", id, "purpose", row.try_get("purpose")?)?,
        source: parse_text(table, id, "source_id", row.try_get("source_id")?)?,
        dimension: row.try_get("dimension")?,
        value: row.try_get("value")?,
        original: row.try_get("original")?,
    })
}
