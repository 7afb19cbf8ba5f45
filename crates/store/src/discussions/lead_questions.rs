//! The lead's questions that an annotator sees with a source.

use domain::{ids::AssignmentId, work::task::LeadQuestion};
use sqlx::AnyConnection;

use crate::{
    Result,
    columns::{BindId, TableRow, read_row, read_rows},
};

/// The questions about single outputs that the annotator of an assignment has not answered yet, in
/// the order in which they were asked.
pub(crate) async fn open_questions(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
) -> Result<Vec<LeadQuestion>> {
    let rows = sqlx::query(
        "SELECT d.id, q.output_id, d.note FROM open_question q
         JOIN discussion d ON d.id = q.discussion_id
         JOIN output o ON o.id = q.output_id
         WHERE q.assignment_id = $1
         ORDER BY d.asked_at, d.id",
    )
    .bind_id(assignment)
    .fetch_all(tx)
    .await?;
    read_rows("discussion", &rows, read_question)
}

/// The lead's last question about an output of a source that was given back as a whole; `None` if
/// it is open for another reason.
pub(crate) async fn source_question(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
) -> Result<Option<LeadQuestion>> {
    let row = sqlx::query(
        "SELECT d.id, d.output_id, d.note FROM assignment a
         JOIN discussion d ON d.source_id = a.source_id
         JOIN output o ON o.id = d.output_id
         WHERE a.id = $1 AND a.state = 'open' AND a.reason = d.note
         ORDER BY d.asked_at DESC LIMIT 1",
    )
    .bind_id(assignment)
    .fetch_optional(tx)
    .await?;
    read_row("discussion", row, read_question)
}

fn read_question(row: &TableRow<'_>) -> Result<LeadQuestion> {
    Ok(LeadQuestion {
        id: row.parse("id")?,
        output: row.parse("output_id")?,
        note: row.get("note")?,
    })
}
