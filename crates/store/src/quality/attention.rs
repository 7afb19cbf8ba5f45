//! Raters' results on attention items.

use domain::{
    ids::{AssignmentId, RaterId, SourceId, StudyId},
    study::StudySettings,
    work::{
        attention::{ExpectedOutput, passes_attention_item},
        change::StoredAnswer,
    },
};
use sqlx::{AnyConnection, any::AnyRow};

use crate::{
    Result, Store, answer_columns,
    columns::{BindId, TableRow, read_rows},
    rating_rows::{StudyPart, part},
    studies,
};

/// The outcome of an attention item that a rater handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttentionResult {
    /// The rater.
    pub rater: RaterId,
    /// The item.
    pub source: SourceId,
    /// Whether the answers were as expected.
    pub passed: bool,
}

/// The columns of an answer to an attention item.
macro_rules! attention_answers {
    () => {
        "SELECT x.id AS assignment_id, x.rater_id, x.source_id, x.group_id,
                a.id, a.output_id, a.kind, a.dimension, a.compared, a.value, a.scale, a.body "
    };
}

/// The columns of an output with an expected answer.
macro_rules! expected_outputs {
    () => {
        "SELECT o.id, o.source_id, o.category, o.expected, o.edits, o.text, s.text AS source_text "
    };
}

impl Store {
    /// The outcomes of attention items of a part of the study that were handed in, where their
    /// answers allow one. Raters who withdrew do not count; crowd raters who were excluded, by a
    /// lead or by failed items, do.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn attention_results(
        &self,
        study: StudyId,
        part: StudyPart,
    ) -> Result<Vec<AttentionResult>> {
        let outputs = part!(
            part,
            concat!(expected_outputs!(), "FROM source s JOIN output o ON o.source_id = s.id"),
            whole: "WHERE s.study_id = $1 AND $2 = ''",
            source: "WHERE s.study_id = $1 AND s.id = $2",
            "AND s.purpose = 'attention' AND o.expected IS NOT NULL"
        );
        let outputs = self.part_rows(outputs, study, part).await?;
        if outputs.is_empty() {
            return Ok(vec![]);
        }

        // SQLite joins in the order of CROSS JOIN: few sources are attention items, and there are many answers.
        let answers = part!(
            part,
            concat!(
                attention_answers!(),
                "FROM source s
                 CROSS JOIN assignment x
                 CROSS JOIN annotation a
                 JOIN rater r ON r.id = x.rater_id
                 LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id"
            ),
            whole: "WHERE s.study_id = $1 AND $2 = ''",
            source: "WHERE s.study_id = $1 AND s.id = $2",
            "AND s.purpose = 'attention' AND x.study_id = s.study_id AND x.source_id = s.id
               AND x.state = 'handed-in' AND a.assignment_id = x.id AND a.current = 1
               AND a.kind IN ('category', 'rating', 'unjudged', 'comparison', 'answer', 'marks', 'edits')
               AND (m.withdrawn_at IS NULL OR EXISTS (
                   SELECT 1 FROM participant p
                   WHERE p.study_id = r.study_id AND p.person_id = r.person_id
                     AND p.left_as IN ('failed-checks', 'excluded')))
             ORDER BY r.position, x.id"
        );
        let answers = self.part_rows(answers, study, part).await?;

        let settings = {
            let mut reader = self.reader().acquire().await?;
            studies::load_settings(&mut reader, study).await?
        };

        let outputs = self.readable_rows("output", study, &outputs, read_output)?;
        let answers = self.readable(study, &answers, read_answer)?;
        Ok(judge(&outputs, &answers, &settings))
    }
}

/// The number of attention items that the rater failed, and the number judged, among those
/// submitted after a time.
pub(crate) async fn count_failed_attention(
    tx: &mut AnyConnection,
    rater: RaterId,
    settings: &StudySettings,
    after_ms: i64,
) -> Result<(u32, u32)> {
    let rows = sqlx::query(concat!(
        expected_outputs!(),
        "FROM assignment x
         JOIN source s ON s.id = x.source_id AND s.purpose = 'attention'
         JOIN output o ON o.source_id = s.id
         WHERE x.rater_id = $1 AND x.state = 'handed-in' AND x.ended_at > $2
           AND o.expected IS NOT NULL"
    ))
    .bind_id(rater)
    .bind(after_ms)
    .fetch_all(&mut *tx)
    .await?;
    if rows.is_empty() {
        return Ok((0, 0));
    }
    let outputs: Result<Vec<_>> = read_rows("output", &rows, read_output);

    let rows = sqlx::query(concat!(
        attention_answers!(),
        "FROM assignment x
         JOIN source s ON s.id = x.source_id AND s.purpose = 'attention'
         JOIN annotation a ON a.assignment_id = x.id AND a.current = 1
         WHERE x.rater_id = $1 AND x.state = 'handed-in' AND x.ended_at > $2
           AND a.kind IN ('category', 'rating', 'unjudged', 'comparison', 'answer', 'marks', 'edits')
         ORDER BY x.id"
    ))
    .bind_id(rater)
    .bind(after_ms)
    .fetch_all(tx)
    .await?;
    let answers: Result<Vec<_>> = rows.iter().map(read_answer).collect();

    let results = judge(&outputs?, &answers?, settings);
    let failed = results.iter().filter(|result| !result.passed).count();
    let count = |results: usize| u32::try_from(results).unwrap_or(u32::MAX);
    Ok((count(failed), count(results.len())))
}

/// An answer to an attention item.
struct AttentionAnswer {
    assignment: AssignmentId,
    rater: RaterId,
    source: SourceId,
    /// The id of the group for which it was given.
    group: Option<String>,
    answer: StoredAnswer,
}

/// Judges each assignment; `answers` are in the order of assignments.
fn judge(
    outputs: &[(SourceId, ExpectedOutput)],
    answers: &[AttentionAnswer],
    settings: &StudySettings,
) -> Vec<AttentionResult> {
    let Some(dimension) = settings.dimensions.first() else {
        return vec![];
    };

    let assignments = answers.chunk_by(|one, next| one.assignment == next.assignment);
    let result = |answers: &[AttentionAnswer]| {
        let AttentionAnswer {
            rater,
            source,
            ref group,
            ..
        } = answers[0];

        let rates_first = settings.rates_first(group.as_deref());
        let outputs = outputs.iter().filter(|(of, _)| *of == source);
        let outputs = outputs.map(|(_, output)| ExpectedOutput {
            expected: output.expected.clone().as_asked(rates_first),
            ..output.clone()
        });
        let outputs: Vec<_> = outputs.collect();
        let given: Vec<_> = answers.iter().map(|answer| answer.answer.clone()).collect();
        let passed = passes_attention_item(&outputs, &given, dimension, &settings.protocol)?;
        Some(AttentionResult {
            rater,
            source,
            passed,
        })
    };

    assignments.filter_map(result).collect()
}

fn read_output(row: &TableRow<'_>) -> Result<(SourceId, ExpectedOutput)> {
    let output = ExpectedOutput {
        output: row.parse("id")?,
        expected: row.json("expected")?,
        automatic: row.parse("category")?,
        texts: (row.get("source_text")?, row.get("text")?),
        edits: row.json("edits")?,
    };
    Ok((row.parse("source_id")?, output))
}

fn read_answer(row: &AnyRow) -> Result<AttentionAnswer> {
    let answer = answer_columns::read(row)?;
    let row = TableRow::new("annotation", row)?;
    Ok(AttentionAnswer {
        assignment: row.parse("assignment_id")?,
        rater: row.parse("rater_id")?,
        source: row.parse("source_id")?,
        group: row.get("group_id")?,
        answer,
    })
}
