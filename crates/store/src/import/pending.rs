//! Rows that an import has checked but not sent yet.

use std::sync::Arc;

use domain::{
    ids::{AnnotationId, OutputId, RaterId, SourceId, SystemId},
    score::RatingScale,
    source_context::ContextSide,
    study::{OutputPurpose, RaterKind, SourcePurpose, SystemKind},
};
use sqlx::AnyConnection;

use super::{AutomaticAnswers, record::ImportStamp};
use crate::{
    Result, answer_columns,
    bulk::{self, BulkQuery},
    columns::{self, BindId},
};

/// The largest number of rows that one transaction writes. Other writers wait for it: with 1,000
/// rows, up to 77 ms in a development build.
const ROWS_PER_TRANSACTION: usize = 600;

#[derive(Default)]
pub(super) struct PendingRows {
    pub(super) systems: Vec<PendingSystem>,
    pub(super) sources: Vec<PendingSource>,
    pub(super) references: Vec<PendingReference>,
    pub(super) contexts: Vec<PendingContext>,
    pub(super) outputs: Vec<PendingOutput>,
    pub(super) raters: Vec<PendingRater>,
    pub(super) ratings: Vec<PendingRating>,
    pub(super) answers: Vec<PendingAnswer>,
}

pub(super) struct PendingSystem {
    pub(super) id: SystemId,
    pub(super) position: i64,
    pub(super) name: String,
    pub(super) kind: SystemKind,
    pub(super) is_hidden: bool,
}

pub(super) struct PendingSource {
    pub(super) id: SourceId,
    pub(super) position: i64,
    pub(super) key: String,
    pub(super) text: String,
    pub(super) purpose: SourcePurpose,
}

pub(super) struct PendingReference {
    pub(super) source: SourceId,
    pub(super) position: i64,
    pub(super) text: Arc<str>,
}

pub(super) struct PendingContext {
    pub(super) source: SourceId,
    pub(super) side: ContextSide,
    pub(super) text: Arc<str>,
}

pub(super) struct PendingOutput {
    pub(super) id: OutputId,
    pub(super) source: SourceId,
    pub(super) system: SystemId,
    pub(super) position: i64,
    pub(super) text: Arc<str>,
    pub(super) purpose: OutputPurpose,
    pub(super) made_from: Option<OutputId>,
    pub(super) twin_of: Option<OutputId>,
    pub(super) automatic: AutomaticAnswers,
    pub(super) verbatim: Option<String>,
    pub(super) expected: Option<String>,
}

pub(super) struct PendingRater {
    pub(super) id: RaterId,
    pub(super) position: i64,
    pub(super) kind: RaterKind,
    pub(super) label: String,
}

pub(super) struct PendingRating {
    pub(super) id: AnnotationId,
    pub(super) source: SourceId,
    pub(super) output: OutputId,
    pub(super) rater: RaterId,
    pub(super) dimension: Arc<str>,
    pub(super) value: f64,
    pub(super) scale: RatingScale,
    pub(super) body: String,
    pub(super) kind: &'static str,
    /// When it was given; `None` for the time of the import.
    pub(super) recorded_at: Option<i64>,
}

pub(super) struct PendingAnswer {
    pub(super) id: AnnotationId,
    pub(super) source: SourceId,
    pub(super) output: OutputId,
    pub(super) rater: RaterId,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

impl PendingRows {
    /// Whether they fill a transaction.
    pub(super) fn fill_transaction(&self) -> bool {
        let Self {
            systems,
            sources,
            references,
            contexts,
            outputs,
            raters,
            ratings,
            answers,
        } = self;

        let rows = systems.len()
            + sources.len()
            + references.len()
            + contexts.len()
            + outputs.len()
            + raters.len()
            + ratings.len()
            + answers.len();

        rows >= ROWS_PER_TRANSACTION
    }

    /// Takes the next rows for one transaction, rows that others reference first; `None` at the
    /// end.
    pub(super) fn next_batch(&mut self) -> Option<Self> {
        let mut room = ROWS_PER_TRANSACTION;
        let batch = Self {
            systems: take_rows(&mut self.systems, &mut room),
            sources: take_rows(&mut self.sources, &mut room),
            references: take_rows(&mut self.references, &mut room),
            contexts: take_rows(&mut self.contexts, &mut room),
            raters: take_rows(&mut self.raters, &mut room),
            outputs: take_rows(&mut self.outputs, &mut room),
            ratings: take_rows(&mut self.ratings, &mut room),
            answers: take_rows(&mut self.answers, &mut room),
        };

        (room < ROWS_PER_TRANSACTION).then_some(batch)
    }

    /// Sends the rows of a batch, rows that others reference first.
    pub(super) async fn send(&self, tx: &mut AnyConnection, stamp: &ImportStamp) -> Result<()> {
        let ImportStamp {
            study,
            import,
            now_ms,
            ..
        } = stamp;

        bulk::insert(
            tx,
            "stored_system (id, study_id, position, name, kind, hidden, import_id)",
            &self.systems,
            |row, system| {
                row.bind_id(system.id)
                    .bind(study.clone())
                    .bind(system.position)
                    .bind(system.name.clone())
                    .bind(system.kind.name())
                    .bind(i64::from(system.is_hidden))
                    .bind(import.clone())
            },
        )
        .await?;

        bulk::insert(
            tx,
            "stored_source (id, study_id, position, key, text, purpose, import_id)",
            &self.sources,
            |row, source| {
                row.bind_id(source.id)
                    .bind(study.clone())
                    .bind(source.position)
                    .bind(source.key.clone())
                    .bind(source.text.clone())
                    .bind(source.purpose.name())
                    .bind(import.clone())
            },
        )
        .await?;

        bulk::insert(
            tx,
            "stored_reference (source_id, position, text, import_id)",
            &self.references,
            |row, reference| {
                row.bind_id(reference.source)
                    .bind(reference.position)
                    .bind(reference.text.to_string())
                    .bind(import.clone())
            },
        )
        .await?;

        bulk::insert(
            tx,
            "stored_context (source_id, side, text, import_id)",
            &self.contexts,
            |row, context| {
                row.bind_id(context.source)
                    .bind(context.side.name())
                    .bind(context.text.to_string())
                    .bind(import.clone())
            },
        )
        .await?;

        bulk::insert(
            tx,
            "stored_rater (id, study_id, position, kind, label, import_id)",
            &self.raters,
            |row, rater| {
                row.bind_id(rater.id)
                    .bind(study.clone())
                    .bind(rater.position)
                    .bind(rater.kind.name())
                    .bind(rater.label.clone())
                    .bind(import.clone())
            },
        )
        .await?;

        insert_outputs(tx, study, Some(import), *now_ms, &self.outputs).await?;
        insert_ratings(tx, stamp, &self.ratings).await?;
        insert_answers(tx, stamp, &self.answers).await
    }
}

/// Takes the first rows of a list, as many as there is room for.
fn take_rows<T>(rows: &mut Vec<T>, room: &mut usize) -> Vec<T> {
    let count = rows.len().min(*room);
    *room -= count;
    rows.drain(..count).collect()
}

/// Inserts outputs, with or without an import.
pub(super) async fn insert_outputs(
    tx: &mut AnyConnection,
    study: &str,
    import: Option<&str>,
    now_ms: i64,
    outputs: &[PendingOutput],
) -> Result<()> {
    bulk::insert_sharing(
        tx,
        "stored_output (study_id, added_at, import_id,
         id, source_id, system_id, position, text, purpose, made_from, twin_of, category, category_reason,
         category_version, edits, edits_version, verbatim, expected)",
        3,
        |row| {
            row.bind(study.to_owned())
                .bind(now_ms)
                .bind(import.map(str::to_owned))
        },
        outputs,
        |row, output| {
            row.bind_id(output.id)
                .bind_id(output.source)
                .bind_id(output.system)
                .bind(output.position)
                .bind(output.text.to_string())
                .bind(output.purpose.name())
                .bind_id(output.made_from)
                .bind_id(output.twin_of)
                .bind(output.automatic.category.name())
                .bind(output.automatic.reason.clone())
                .bind(output.automatic.category_version.clone())
                .bind(columns::to_json(&output.automatic.edits))
                .bind(output.automatic.edits_version.clone())
                .bind(output.verbatim.clone())
                .bind(output.expected.clone())
        },
    )
    .await
}

async fn insert_ratings(
    tx: &mut AnyConnection,
    stamp: &ImportStamp,
    ratings: &[PendingRating],
) -> Result<()> {
    bulk::insert_sharing(
        tx,
        "stored_annotation (study_id, current, event, import_id,
         kind, recorded_at, id, source_id, output_id, rater_id, dimension, value, scale, body)",
        4,
        |row| bind_stamp(row, stamp),
        ratings,
        |row, rating| {
            let given_at = rating.recorded_at.unwrap_or(stamp.now_ms);
            row.bind(rating.kind)
                .bind(given_at.min(stamp.now_ms))
                .bind_id(rating.id)
                .bind_id(rating.source)
                .bind_id(rating.output)
                .bind_id(rating.rater)
                .bind(rating.dimension.to_string())
                .bind(rating.value)
                .bind(answer_columns::scale_text(rating.scale))
                .bind(rating.body.clone())
        },
    )
    .await
}

async fn insert_answers(
    tx: &mut AnyConnection,
    stamp: &ImportStamp,
    answers: &[PendingAnswer],
) -> Result<()> {
    bulk::insert_sharing(
        tx,
        "stored_annotation (study_id, current, event, import_id, recorded_at,
         id, source_id, output_id, rater_id, kind, body)",
        5,
        |row| bind_stamp(row, stamp).bind(stamp.now_ms),
        answers,
        |row, answer| {
            row.bind_id(answer.id)
                .bind_id(answer.source)
                .bind_id(answer.output)
                .bind_id(answer.rater)
                .bind(answer.kind)
                .bind(answer.body.clone())
        },
    )
    .await
}

/// Binds the columns that all answers of an import share: study, `current`, event and import.
fn bind_stamp(row: BulkQuery, stamp: &ImportStamp) -> BulkQuery {
    row.bind(stamp.study.clone())
        .bind(1_i64)
        .bind(stamp.event)
        .bind(stamp.import.clone())
}
