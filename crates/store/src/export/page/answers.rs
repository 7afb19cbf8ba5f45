//! The answers about the outputs of a page.

use std::collections::HashMap;

use domain::{
    category::Category,
    ids::{OutputId, RaterId},
};
use sqlx::{AnyConnection, Row, any::AnyRow};

use super::PageRange;
use crate::{
    Result,
    answer_columns::SHARED_RATING,
    columns::{TableRow, parse_json, parse_text},
    export::{ExportedMarks, ExportedRating, ExportedReply, ExportedUnjudged},
    rating_rows::RatingScope,
};

/// Answers about an output, apart from categories that were left as they are.
#[derive(Default)]
pub(super) struct OutputAnswers {
    pub(super) ratings: Vec<ExportedRating>,
    pub(super) categories: Vec<(RaterId, Category)>,
    pub(super) unjudged: Vec<ExportedUnjudged>,
    pub(super) edits: Vec<(RaterId, Vec<domain::edit::Edit>)>,
    pub(super) marks: Vec<ExportedMarks>,
    pub(super) notes: Vec<(RaterId, String)>,
    pub(super) replies: Vec<ExportedReply>,
}

/// A statement on the page's outputs `o`, each with the one that was judged for it.
macro_rules! outputs_with {
    ($select:literal, $answers:literal) => {
        concat!(
            $select,
            " FROM (
                SELECT id, id AS judged FROM output
                WHERE study_id = $1 AND position > $2 AND position <= $3 AND purpose = 'main'
                UNION ALL
                SELECT id, twin_of AS judged FROM output
                WHERE study_id = $1 AND position > $2 AND position <= $3 AND twin_of IS NOT NULL
             ) o ",
            $answers
        )
    };
}

/// The answers of raters about the page's outputs `o`.
const RATER_ANSWERS: &str = outputs_with!(
    "SELECT o.id AS of_output, a.id, a.rater_id, a.kind, a.dimension, a.value, a.scale, a.body,
                a.recorded_at, d.note AS question,
                CASE WHEN o.id = a.output_id THEN 0 ELSE 1 END AS shared",
    "JOIN annotation a ON a.output_id = o.judged AND a.current = 1
         JOIN rater r ON r.id = a.rater_id
         LEFT JOIN discussion d ON a.kind = 'reply' AND d.id = a.dimension
         LEFT JOIN assignment x ON x.id = a.assignment_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE m.withdrawn_at IS NULL
           AND (x.state = 'handed-in' OR (x.state = 'open' AND $4 = 1)
                OR (x.id IS NULL AND o.id = a.output_id))
           AND ($4 = 1 OR NOT EXISTS (SELECT 1 FROM open_question q
                WHERE q.assignment_id = a.assignment_id AND q.output_id = a.output_id))
         ORDER BY r.position"
);

/// The answers on which raters agreed, with the same columns.
const AGREED_ANSWERS: &str = outputs_with!(
    "SELECT o.id AS of_output, a.id, a.study_id AS rater_id, a.kind, a.dimension, a.value, a.scale, a.body,
                a.decided_at AS recorded_at, NULL AS question,
                CASE WHEN o.id = a.output_id THEN 0 ELSE 1 END AS shared",
    "JOIN consensus_answer a ON a.output_id = o.judged AND a.current = 1
         JOIN consensus c ON c.source_id = a.source_id
         WHERE c.agreed_at IS NOT NULL AND $4 = 0"
);

/// The answers about the page's outputs, in the order of raters. An annotator's answer about the
/// first output with a text counts for all of them.
pub(super) async fn load_answers(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<HashMap<OutputId, OutputAnswers>> {
    let query = range.query(match range.which {
        RatingScope::Consensus => AGREED_ANSWERS,
        RatingScope::HandedIn | RatingScope::IncludingOpen => RATER_ANSWERS,
    });
    let rows = query.bind(range.with_work()).fetch_all(connection).await?;

    let mut answers = HashMap::<_, OutputAnswers>::new();
    for row in &rows {
        let id: &str = row.try_get("of_output")?;
        let output: OutputId = parse_text("output", id, "id", id)?;
        add_answer(answers.entry(output).or_default(), row)?;
    }

    for output_answers in answers.values_mut() {
        // Removes marks from before the rater saw that the output cannot be judged.
        let unjudged = &output_answers.unjudged;
        output_answers
            .marks
            .retain(|of| unjudged.iter().all(|other| other.rater != of.rater));

        // Raters may agree on edits before they agree that the output cannot be judged.
        if range.which == RatingScope::Consensus && !unjudged.is_empty() {
            output_answers.edits.clear();
        }

        // Sorted here and not in SQL, because the databases order letters differently.
        let by_rater = output_answers
            .ratings
            .chunk_by_mut(|a, b| a.rater == b.rater);
        by_rater.for_each(|ratings| ratings.sort_by(|a, b| a.dimension.cmp(&b.dimension)));
    }

    Ok(answers)
}

fn add_answer(said: &mut OutputAnswers, row: &AnyRow) -> Result<()> {
    let row = TableRow::new("annotation", row)?;
    let rater = row.parse("rater_id")?;
    let body = row.get::<Option<&str>>("body")?.unwrap_or("null");
    let kind: &str = row.get("kind")?;

    match kind {
        "rating" | SHARED_RATING => {
            if let Some(value) = row.get("value")? {
                said.ratings.push(ExportedRating {
                    rater,
                    dimension: row.get("dimension")?,
                    scale: row.get("scale")?,
                    value,
                    verbatim: parse_json("annotation", row.id(), "body", body)?,
                    shared: kind == SHARED_RATING || row.flag("shared")?,
                    recorded_at: row.get("recorded_at")?,
                });
            }
        }
        "unjudged" => {
            if let Some(reason) = parse_json("annotation", row.id(), "body", body)? {
                said.unjudged.push(ExportedUnjudged {
                    rater,
                    reason,
                    shared: row.flag("shared")?,
                    recorded_at: row.get("recorded_at")?,
                });
            }
        }
        "category" => {
            let category: Option<Category> = parse_json("annotation", row.id(), "body", body)?;
            said.categories.extend(category.map(|c| (rater, c)));
        }
        "edits" => {
            let edits: Option<_> = parse_json("annotation", row.id(), "body", body)?;
            said.edits.extend(edits.map(|edits| (rater, edits)));
        }
        "marks" => {
            if let Some(marks) = parse_json("annotation", row.id(), "body", body)? {
                said.marks.push(ExportedMarks {
                    rater,
                    marks,
                    shared: row.flag("shared")?,
                    recorded_at: row.get("recorded_at")?,
                });
            }
        }
        "note" => {
            let note: String = parse_json("annotation", row.id(), "body", body)?;
            if !note.is_empty() {
                said.notes.push((rater, note));
            }
        }
        "reply" => {
            let reply: String = parse_json("annotation", row.id(), "body", body)?;
            let question: Option<String> = row.get("question")?;
            if let Some(question) = question.filter(|_| !reply.is_empty()) {
                said.replies.push(ExportedReply {
                    rater,
                    question,
                    reply,
                });
            }
        }
        _ => {}
    }
    Ok(())
}
