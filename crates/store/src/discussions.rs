//! Outputs that raters are asked to look at again.

use domain::{
    ids::{AssignmentId, DiscussionId, OutputId, PersonId, SourceId, StudyId},
    study::AssignmentState,
};
use sqlx::{AnyConnection, Row};

use crate::{
    Error, EventKind, Result, Store,
    assignments::{lease_end, load_assignment, renew_lease, set_state},
    columns::{BindId, TableRow},
    event, lock, source_items,
};

/// A question to the raters of an output.
#[derive(Debug, Clone, Copy)]
pub struct NewDiscussion<'a> {
    /// Its id.
    pub id: DiscussionId,
    /// The output that it is about.
    pub output: OutputId,
    /// The lead's question.
    pub note: &'a str,
    /// The lead.
    pub asked_by: PersonId,
}

/// A question that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discussion {
    /// The output that it is about.
    pub output: OutputId,
    /// Its source.
    pub source: SourceId,
    /// The lead's question.
    pub note: String,
    /// When, in milliseconds since 1970.
    pub asked_at: i64,
    /// How many raters have the source open at the moment.
    pub open: i64,
}

impl Store {
    /// Gives the source of an output back to all who handed it in, with the lead's question. Until
    /// they hand it in again, their answers to the source do not count. Tells how many got it back;
    /// `None` where the study has no such output.
    ///
    /// # Errors
    /// Refused where nobody handed the source in here.
    pub async fn discuss(
        &self,
        study: StudyId,
        new: NewDiscussion<'_>,
        now_ms: i64,
    ) -> Result<Option<usize>> {
        in_transaction!(self, |tx| {
            let locked_study = lock::lock_open_study(&mut tx, study).await?;
            match source_items::find_source(&mut tx, study, new.output).await? {
                None => None,
                Some(source) => {
                    let handed_in = handed_in_assignments(&mut tx, source).await?;
                    if handed_in.is_empty() {
                        return Err(Error::Refused(
                            "Nobody has handed this source in here, so there is nobody to ask."
                                .into(),
                        ));
                    }
                    for assignment in &handed_in {
                        let Some(place) = load_assignment(&mut tx, *assignment).await? else {
                            continue;
                        };
                        renew_lease(
                            &mut tx,
                            *assignment,
                            lease_end(&locked_study.settings, now_ms),
                        )
                        .await?;
                        set_state(&mut tx, &place, AssignmentState::Open, new.note, now_ms).await?;
                    }
                    insert(&mut tx, study, source, new, now_ms).await?;
                    Some(handed_in.len())
                }
            }
        })
    }

    /// The lead's last question about an output of a source that its annotator has open again, with
    /// the output's text; nothing where it was opened for another reason.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn discussion_question(
        &self,
        assignment: AssignmentId,
    ) -> Result<Option<(String, String)>> {
        let row = sqlx::query(
            "SELECT d.note, o.text FROM assignment a
             JOIN discussion d ON d.source_id = a.source_id
             JOIN output o ON o.id = d.output_id
             WHERE a.id = $1 AND a.state = 'open' AND a.reason = d.note
             ORDER BY d.asked_at DESC LIMIT 1",
        )
        .bind_id(assignment)
        .fetch_optional(self.reader())
        .await?;
        row.map(|row| Ok((row.try_get("note")?, row.try_get("text")?)))
            .transpose()
    }

    /// The questions that were asked about outputs of the study, the newest first.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn discussions(&self, study: StudyId) -> Result<Vec<Discussion>> {
        let rows = sqlx::query(
            "SELECT d.id, d.output_id, d.source_id, d.note, d.asked_at,
                    (SELECT COUNT(*) FROM assignment a
                     WHERE a.source_id = d.source_id AND a.state = 'open') AS open
             FROM discussion d WHERE d.study_id = $1
             ORDER BY d.asked_at DESC, d.id",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| {
                let row = TableRow::new("discussion", row)?;
                Ok(Discussion {
                    output: row.parse("output_id")?,
                    source: row.parse("source_id")?,
                    note: row.get("note")?,
                    asked_at: row.get("asked_at")?,
                    open: row.get("open")?,
                })
            })
            .collect()
    }
}

/// The assignments of those who handed the source in and are still annotators: anyone else could not
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
    rows.iter()
        .map(|row| {
            let row = TableRow::new("assignment", row)?;
            row.parse("id")
        })
        .collect()
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
