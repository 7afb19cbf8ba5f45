//! Outputs that raters are asked to look at again.

use domain::{
    ids::{AssignmentId, DiscussionId, OutputId, PersonId, SourceId, StudyId},
    study::AssignmentState,
};
use sqlx::{AnyConnection, Row};

use crate::{
    Error, Result, Store,
    assignments::{lease_end, load_assignment, renew_lease, set_state},
    columns::parse_text,
    event, lock,
};

/// A question to the raters of an output.
#[derive(Debug, Clone, Copy)]
pub struct NewDiscussion<'a> {
    /// Its id.
    pub id: DiscussionId,
    /// What it is about.
    pub output: OutputId,
    /// What the lead asks.
    pub note: &'a str,
    /// The lead.
    pub asked_by: PersonId,
}

/// A question that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discussion {
    /// What it is about.
    pub output: OutputId,
    /// Its source.
    pub source: SourceId,
    /// What the lead asked.
    pub note: String,
    /// When, in milliseconds since 1970.
    pub asked_at: i64,
    /// How many raters have the source open at the moment.
    pub open: i64,
}

impl Store {
    /// Gives the source of an output back to everybody who handed it in, with what the lead asks. Until
    /// they hand it in anew, their answers to the source do not count. Tells how many got it back;
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
            let held = lock::lock_open_study(&mut tx, study).await?;
            match find_source(&mut tx, study, new.output).await? {
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
                        renew_lease(&mut tx, *assignment, lease_end(&held.settings, now_ms))
                            .await?;
                        set_state(&mut tx, &place, AssignmentState::Open, new.note, now_ms).await?;
                    }
                    insert(&mut tx, study, source, new, now_ms).await?;
                    Some(handed_in.len())
                }
            }
        })
    }

    /// What the lead asked last about an output of a source that its annotator has open again, with
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
        .bind(assignment.to_string())
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
        .bind(study.to_string())
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| {
                let id: &str = row.try_get("id")?;
                let of = "discussion";
                Ok(Discussion {
                    output: parse_text(of, id, "output_id", row.try_get("output_id")?)?,
                    source: parse_text(of, id, "source_id", row.try_get("source_id")?)?,
                    note: row.try_get("note")?,
                    asked_at: row.try_get("asked_at")?,
                    open: row.try_get("open")?,
                })
            })
            .collect()
    }
}

/// The source of a main output of the study.
async fn find_source(
    tx: &mut AnyConnection,
    study: StudyId,
    output: OutputId,
) -> Result<Option<SourceId>> {
    let row = sqlx::query(
        "SELECT source_id FROM output WHERE id = $1 AND study_id = $2 AND purpose = 'main'",
    )
    .bind(output.to_string())
    .bind(study.to_string())
    .fetch_optional(tx)
    .await?;
    row.map(|row| parse_text("output", output, "source_id", row.try_get("source_id")?))
        .transpose()
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
    .bind(source.to_string())
    .fetch_all(tx)
    .await?;
    rows.iter()
        .map(|row| {
            let id: &str = row.try_get("id")?;
            parse_text("assignment", id, "id", id)
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
    .bind(new.id.to_string())
    .bind(study.to_string())
    .bind(source.to_string())
    .bind(new.output.to_string())
    .bind(new.note)
    .bind(new.asked_by.to_string())
    .bind(now_ms)
    .execute(&mut *tx)
    .await?;
    event::record(tx, study, "discussion", &new.id.to_string(), now_ms).await?;
    Ok(())
}
