//! Outputs that raters are asked to look at again.

mod lead_questions;
mod replies;

use std::collections::HashSet;

use domain::{
    ids::{AssignmentId, DiscussionId, OutputId, PersonId, RaterId, SourceId, StudyId},
    study::AssignmentState,
};
use sqlx::AnyConnection;

pub(crate) use self::lead_questions::{open_questions, source_question};
pub use self::replies::{QuestionReply, ScoreChange};
use crate::{
    Error, EventKind, Result, Store,
    assignments::{AssignmentRecord, lease_end, load_assignment, renew_lease, set_state},
    begun_consensus,
    columns::{BindId, TableRow, read_rows},
    event, lock,
    rating_rows::{StudyPart, part},
    source_items,
};

/// A question to the raters of an output.
#[derive(Debug, Clone, Copy)]
pub struct NewDiscussion<'a> {
    /// Its id.
    pub id: DiscussionId,
    /// The output that it concerns.
    pub output: OutputId,
    /// The part of the source that raters get back.
    pub scope: QuestionScope,
    /// The lead's question.
    pub note: &'a str,
    /// The lead.
    pub asked_by: PersonId,
}

/// The part of a source that raters get back with a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionScope {
    /// The output alone: their answers to the others keep counting.
    Output,
    /// The whole source: none of their answers to it counts until they hand it in again.
    Source,
}

/// A question that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discussion {
    /// Its id.
    pub id: DiscussionId,
    /// The part of the source that raters got back.
    pub scope: QuestionScope,
    /// The output that it concerns.
    pub output: OutputId,
    /// Its source.
    pub source: SourceId,
    /// The lead's question.
    pub note: String,
    /// When, in milliseconds since 1970.
    pub asked_at: i64,
    /// The number of raters who have the output, or the whole source, open now.
    pub open: i64,
}

impl Discussion {
    /// Whether it concerns one output that an annotator still has open: only such a question can be
    /// withdrawn.
    #[must_use]
    pub fn is_unanswered(&self) -> bool {
        self.scope == QuestionScope::Output && self.open > 0
    }
}

impl Store {
    /// Gives an output, or its whole source, back to all raters who handed it in, with the lead's
    /// question. Until they hand it in again, their answers to it do not count. Returns how many
    /// got it back; `None` if the study has no such output.
    ///
    /// # Errors
    /// Refused where nobody handed in the source here, or its raters have begun to agree on it.
    pub async fn discuss(
        &self,
        study: StudyId,
        new: NewDiscussion<'_>,
        now_ms: i64,
    ) -> Result<Option<usize>> {
        in_transaction!(self, |tx| {
            let locked_study = lock::lock_open_study(&mut tx, study).await?;
            match source_items::find_judged(&mut tx, study, new.output).await? {
                None => None,
                Some((source, output)) => {
                    if begun_consensus::is_begun(&mut tx, source).await? {
                        return Err(Error::Refused(
                            "The raters of this source have begun to agree on it, so their own answers stay as \
                             they are: change what they agreed on, on the page Consensus."
                                .into(),
                        ));
                    }

                    let handed_in = handed_in_assignments(&mut tx, source).await?;
                    if handed_in.is_empty() {
                        return Err(Error::Refused(
                            "Nobody has handed this source in here, so there is nobody to ask."
                                .into(),
                        ));
                    }

                    insert(
                        &mut tx,
                        study,
                        source,
                        NewDiscussion { output, ..new },
                        now_ms,
                    )
                    .await?;

                    for assignment in &handed_in {
                        if new.scope == QuestionScope::Output {
                            ask_about_output(&mut tx, new.id, *assignment, output).await?;
                            event::record(&mut tx, study, EventKind::Open, assignment, now_ms)
                                .await?;
                            continue;
                        }
                        let Some(place) = load_assignment(&mut tx, *assignment).await? else {
                            continue;
                        };
                        let until = lease_end(&locked_study.settings, now_ms);
                        renew_lease(&mut tx, *assignment, until).await?;
                        set_state(&mut tx, &place, AssignmentState::Open, new.note, now_ms).await?;
                    }

                    Some(handed_in.len())
                }
            }
        })
    }

    /// Withdraws a question about one output, so that its raters' answers to the output count as
    /// they are. Returns false if the study has no such question, or nobody has it open.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn withdraw_question(
        &self,
        study: StudyId,
        discussion: DiscussionId,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;

            let rows = sqlx::query(
                "SELECT q.assignment_id AS id FROM open_question q
                 JOIN discussion d ON d.id = q.discussion_id
                 WHERE d.id = $1 AND d.study_id = $2 ORDER BY q.assignment_id",
            )
            .bind_id(discussion)
            .bind_id(study)
            .fetch_all(&mut *tx)
            .await?;

            sqlx::query(
                "UPDATE reopened_output SET submitted_at = $2
                 WHERE discussion_id = $1 AND submitted_at IS NULL
                   AND discussion_id IN (SELECT id FROM discussion WHERE study_id = $3)",
            )
            .bind_id(discussion)
            .bind(now_ms)
            .bind_id(study)
            .execute(&mut *tx)
            .await?;

            for row in &rows {
                let assignment: AssignmentId = TableRow::new("assignment", row)?.parse("id")?;
                event::record(&mut tx, study, EventKind::HandedIn, assignment, now_ms).await?;
            }

            !rows.is_empty()
        })
    }

    /// The questions asked about outputs of the study, newest first.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn discussions(&self, study: StudyId) -> Result<Vec<Discussion>> {
        let rows = sqlx::query(
            "SELECT d.id, d.output_id, d.source_id, d.note, d.asked_at,
                    (SELECT COUNT(*) FROM reopened_output p WHERE p.discussion_id = d.id) AS asked,
                    (SELECT COUNT(*) FROM open_question q WHERE q.discussion_id = d.id) AS unanswered,
                    (SELECT COUNT(*) FROM assignment a
                     WHERE a.source_id = d.source_id AND a.state = 'open') AS open
             FROM discussion d WHERE d.study_id = $1
             ORDER BY d.asked_at DESC, d.id",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;

        read_rows("discussion", &rows, |row| {
            let (scope, open) = match row.get::<i64>("asked")? {
                0 => (QuestionScope::Source, "open"),
                _ => (QuestionScope::Output, "unanswered"),
            };
            Ok(Discussion {
                id: row.parse("id")?,
                scope,
                output: row.parse("output_id")?,
                source: row.parse("source_id")?,
                note: row.get("note")?,
                asked_at: row.get("asked_at")?,
                open: row.get(open)?,
            })
        })
    }

    /// The outputs of a part of the study that raters should look at again: their answers to these
    /// do not count for now.
    pub(crate) async fn outputs_to_check(
        &self,
        study: StudyId,
        part: StudyPart,
    ) -> Result<HashSet<(RaterId, OutputId)>> {
        let statement = part!(
            part,
            "SELECT x.rater_id, q.output_id FROM open_question q
             JOIN assignment x ON x.id = q.assignment_id",
            whole: "WHERE x.study_id = $1 AND $2 = ''",
            source: "WHERE x.study_id = $1 AND x.source_id = $2",
            "AND x.state = 'handed-in'"
        );
        let rows = self.part_rows(statement, study, part).await?;

        rows.iter()
            .map(|row| {
                let row = TableRow::keyed("reopened_output", row, "output_id")?;
                let rater = row.in_table("assignment").parse("rater_id")?;
                Ok((rater, row.parse("output_id")?))
            })
            .collect()
    }
}

/// Closes the questions about single outputs of an assignment that the annotator submits again: all
/// of its answers count. The study must be held.
pub(crate) async fn close_questions(
    tx: &mut AnyConnection,
    place: &AssignmentRecord,
    now_ms: i64,
) -> Result<()> {
    forget_questions(tx, place.assignment, now_ms).await?;
    event::record(
        tx,
        place.study,
        EventKind::HandedIn,
        place.assignment,
        now_ms,
    )
    .await?;
    Ok(())
}

/// Like [`close_questions`], for an assignment that gets an event of its own.
pub(crate) async fn forget_questions(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
    now_ms: i64,
) -> Result<()> {
    sqlx::query(
        "UPDATE reopened_output SET submitted_at = $2
         WHERE assignment_id = $1 AND submitted_at IS NULL",
    )
    .bind_id(assignment)
    .bind(now_ms)
    .execute(tx)
    .await?;
    Ok(())
}

/// Closes the questions to a person who will no longer answer them. The study must be held.
pub(crate) async fn forget_person_questions(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    now_ms: i64,
) -> Result<()> {
    let rows = sqlx::query(
        "SELECT DISTINCT x.id FROM open_question q
         JOIN assignment x ON x.id = q.assignment_id
         JOIN rater r ON r.id = x.rater_id
         WHERE r.study_id = $1 AND r.person_id = $2 ORDER BY x.id",
    )
    .bind_id(study)
    .bind_id(person)
    .fetch_all(&mut *tx)
    .await?;

    for row in &rows {
        let assignment = TableRow::new("assignment", row)?.parse("id")?;
        forget_questions(tx, assignment, now_ms).await?;
        event::record(tx, study, EventKind::HandedIn, assignment, now_ms).await?;
    }
    Ok(())
}

/// The assignments of raters who handed the source in and are still annotators: others could not
/// hand it in again, and their answers would no longer count.
async fn handed_in_assignments(
    tx: &mut AnyConnection,
    source: SourceId,
) -> Result<Vec<AssignmentId>> {
    let rows = sqlx::query(
        "SELECT a.id FROM assignment a
         JOIN rater r ON r.id = a.rater_id
         JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE a.source_id = $1 AND a.state = 'handed-in' AND m.withdrawn_at IS NULL
           AND m.role = 'annotator'
         ORDER BY a.id",
    )
    .bind_id(source)
    .fetch_all(tx)
    .await?;

    read_rows("assignment", &rows, |row| row.parse("id"))
}

/// Gives an output back to a rater.
async fn ask_about_output(
    tx: &mut AnyConnection,
    discussion: DiscussionId,
    assignment: AssignmentId,
    output: OutputId,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO reopened_output (discussion_id, assignment_id, output_id)
         VALUES ($1, $2, $3)",
    )
    .bind_id(discussion)
    .bind_id(assignment)
    .bind_id(output)
    .execute(tx)
    .await?;
    Ok(())
}

async fn insert(
    tx: &mut AnyConnection,
    study: StudyId,
    source: SourceId,
    new: NewDiscussion<'_>,
    now_ms: i64,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO discussion (id, study_id, source_id, output_id, note, asked_by, asked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind_id(new.id)
    .bind_id(study)
    .bind_id(source)
    .bind_id(new.output)
    .bind(new.note)
    .bind_id(new.asked_by)
    .bind(now_ms)
    .execute(&mut *tx)
    .await?;

    event::record(tx, study, EventKind::Discussion, new.id, now_ms).await?;
    Ok(())
}
