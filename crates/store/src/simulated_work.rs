//! Work that simulated annotators handed in, for demonstrations.

use domain::{
    ids::{AnnotationId, AssignmentId, OutputId, RaterId, SourceId, StudyId},
    score::RatingScale,
    study::RaterKind,
    work::change::{AnnotationAnswer, AnnotationSlot},
};

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::{
    Error, EventKind, Result, Store,
    answer_columns::{self, SlotColumns},
    bulk,
    columns::{BindId, TableRow},
    event, lock, places,
};

/// A source that a simulated annotator was given and handed in.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedWork {
    /// The assignment's id.
    pub assignment: AssignmentId,
    /// The annotator, of the kind *simulated*.
    pub rater: RaterId,
    /// The source.
    pub source: SourceId,
    /// When it was given, in milliseconds since 1970.
    pub begun_at: i64,
    /// When it was handed in.
    pub handed_in_at: i64,
    /// Active time, in milliseconds.
    pub active_ms: u64,
    /// Corrections, the order and notes. Ratings and categories that were imported for the rater
    /// belong to the work anyway.
    pub answers: Vec<(AnnotationId, AnnotationSlot, AnnotationAnswer)>,
    /// Ratings of quality-control items on a dimension.
    pub ratings: Vec<(AnnotationId, OutputId, f64)>,
}

impl Store {
    /// Stores work of simulated annotators as if they had done it here: each source is handed in,
    /// with everything that was imported for the rater and the source. `works` are in chronological
    /// order.
    ///
    /// # Errors
    /// Refused for a rater who is not simulated, or a closed study.
    pub async fn hand_in_simulated(
        &self,
        study: StudyId,
        works: &[SimulatedWork],
        (dimension, scale): (&str, RatingScale),
        mut ids: impl FnMut() -> Uuid + Send,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;

            for work in works {
                let row = sqlx::query("SELECT kind FROM rater WHERE id = $1 AND study_id = $2")
                    .bind_id(work.rater)
                    .bind_id(study)
                    .fetch_one(&mut *tx)
                    .await?;
                let kind: RaterKind = TableRow::named("rater", &row, work.rater).parse("kind")?;
                if kind != RaterKind::Simulated {
                    return Err(Error::Refused(
                        "Only work of simulated annotators can be stored as a whole.".into(),
                    ));
                }

                let assignment = work.assignment.to_string();
                sqlx::query(
                    "INSERT INTO assignment (id, study_id, source_id, rater_id, state, seed,
                         created_at, leased_until, ended_at)
                     VALUES ($1, $2, $3, $4, 'handed-in', 1, $5, $6, $6)",
                )
                .bind(&assignment)
                .bind_id(study)
                .bind_id(work.source)
                .bind_id(work.rater)
                .bind(work.begun_at)
                .bind(work.handed_in_at)
                .execute(&mut *tx)
                .await?;
                places::count_source_places(&mut tx, work.source).await?;

                let at = work.handed_in_at;
                event::record(&mut tx, study, EventKind::Open, &assignment, work.begun_at).await?;
                let number =
                    event::record(&mut tx, study, EventKind::HandedIn, &assignment, at).await?;
                supersede_imported(&mut tx, work, (number, at), &mut ids).await?;

                let columns = "stored_annotation (id, study_id, source_id, output_id, rater_id,
                    assignment_id, kind, body, current, event, recorded_at)";
                bulk::insert(
                    &mut tx,
                    columns,
                    &work.answers,
                    |row, (id, slot, answer)| {
                        let SlotColumns { kind, output, .. } = SlotColumns::new(slot);
                        row.bind_id(id)
                            .bind_id(study)
                            .bind_id(work.source)
                            .bind_id(output)
                            .bind_id(work.rater)
                            .bind(assignment.clone())
                            .bind(kind)
                            .bind(answer_columns::body(answer))
                            .bind(1_i64)
                            .bind(number)
                            .bind(at)
                    },
                )
                .await?;

                let columns = "stored_annotation (id, study_id, source_id, output_id, rater_id,
                    assignment_id, kind, dimension, value, scale, current, event, recorded_at)";
                bulk::insert(
                    &mut tx,
                    columns,
                    &work.ratings,
                    |row, (id, output, value)| {
                        row.bind_id(id)
                            .bind_id(study)
                            .bind_id(work.source)
                            .bind_id(output)
                            .bind_id(work.rater)
                            .bind(assignment.clone())
                            .bind("rating")
                            .bind(dimension.to_owned())
                            .bind(*value)
                            .bind(answer_columns::scale_text(scale))
                            .bind(1_i64)
                            .bind(number)
                            .bind(at)
                    },
                )
                .await?;

                sqlx::query(
                    "INSERT INTO activity (assignment_id, tab, step, active_ms)
                     VALUES ($1, $2, 'rate', $3)",
                )
                .bind(&assignment)
                .bind(&assignment)
                .bind(i64::try_from(work.active_ms).unwrap_or(i64::MAX))
                .execute(&mut *tx)
                .await?;
            }
        })
    }
}

/// Supersedes the answers imported for the rater and the source by the same answers as part of the
/// work.
async fn supersede_imported(
    tx: &mut AnyConnection,
    work: &SimulatedWork,
    (event, at): (i64, i64),
    ids: &mut impl FnMut() -> Uuid,
) -> Result<()> {
    let imported: Vec<String> = sqlx::query_scalar(
        "SELECT id FROM annotation
         WHERE rater_id = $1 AND source_id = $2 AND assignment_id IS NULL AND current = 1",
    )
    .bind_id(work.rater)
    .bind_id(work.source)
    .fetch_all(&mut *tx)
    .await?;

    for id in &imported {
        sqlx::query("UPDATE stored_annotation SET current = 0 WHERE id = $1")
            .bind(id)
            .execute(&mut *tx)
            .await?;

        sqlx::query(
            "INSERT INTO stored_annotation (id, study_id, source_id, output_id, rater_id, assignment_id,
                 kind, dimension, value, scale, body, supersedes, current, event, recorded_at)
             SELECT $2, study_id, source_id, output_id, rater_id, $3, kind, dimension, value, scale,
                 body, id, 1, $4, $5
             FROM stored_annotation WHERE id = $1",
        )
        .bind(id)
        .bind(ids().to_string())
        .bind_id(work.assignment)
        .bind(event)
        .bind(at)
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}
