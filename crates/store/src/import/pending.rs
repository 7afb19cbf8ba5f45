//! Rows that an import has checked and not yet sent.

use std::sync::Arc;

use domain::{
    ids::{AnnotationId, OutputId, RaterId, SourceId, StudyId, SystemId},
    study::{OutputPurpose, RaterKind, SourcePurpose, SystemKind},
};
use sqlx::AnyConnection;

use super::Automatic;
use crate::{Result, bulk, read};

#[derive(Default)]
pub(super) struct Pending {
    pub(super) systems: Vec<System>,
    pub(super) sources: Vec<Source>,
    pub(super) references: Vec<Reference>,
    pub(super) outputs: Vec<Output>,
    pub(super) raters: Vec<Rater>,
    pub(super) ratings: Vec<Rating>,
    pub(super) answers: Vec<Answer>,
}

pub(super) struct System {
    pub(super) id: SystemId,
    pub(super) position: i64,
    pub(super) name: String,
    pub(super) kind: SystemKind,
}

pub(super) struct Source {
    pub(super) id: SourceId,
    pub(super) position: i64,
    pub(super) key: String,
    pub(super) text: String,
    pub(super) purpose: SourcePurpose,
}

pub(super) struct Reference {
    pub(super) source: SourceId,
    pub(super) position: i64,
    pub(super) text: Arc<str>,
}

pub(crate) struct Output {
    pub(crate) id: OutputId,
    pub(crate) source: SourceId,
    pub(crate) system: SystemId,
    pub(crate) position: i64,
    pub(crate) text: Arc<str>,
    pub(crate) purpose: OutputPurpose,
    pub(crate) made_from: Option<OutputId>,
    pub(crate) twin_of: Option<OutputId>,
    pub(crate) automatic: Automatic,
    pub(crate) verbatim: Option<String>,
    pub(crate) expected: Option<String>,
}

pub(super) struct Rater {
    pub(super) id: RaterId,
    pub(super) position: i64,
    pub(super) kind: RaterKind,
    pub(super) label: String,
}

pub(super) struct Rating {
    pub(super) id: AnnotationId,
    pub(super) source: SourceId,
    pub(super) output: OutputId,
    pub(super) rater: RaterId,
    pub(super) dimension: String,
    pub(super) value: f64,
    pub(super) scale: String,
    pub(super) body: String,
}

pub(super) struct Answer {
    pub(super) id: AnnotationId,
    pub(super) source: SourceId,
    pub(super) output: OutputId,
    pub(super) rater: RaterId,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

impl Pending {
    /// Sends all rows, those that others name first.
    pub(super) async fn send(
        self,
        tx: &mut AnyConnection,
        study: StudyId,
        event: i64,
        now_ms: i64,
    ) -> Result<()> {
        let study = study.to_string();
        bulk::insert(
            tx,
            "system (id, study_id, position, name, kind)",
            &self.systems,
            |row, system| {
                row.bind(system.id.to_string())
                    .bind(study.clone())
                    .bind(system.position)
                    .bind(system.name.clone())
                    .bind(system.kind.name())
            },
        )
        .await?;
        bulk::insert(
            tx,
            "source (id, study_id, position, key, text, purpose)",
            &self.sources,
            |row, source| {
                row.bind(source.id.to_string())
                    .bind(study.clone())
                    .bind(source.position)
                    .bind(source.key.clone())
                    .bind(source.text.clone())
                    .bind(source.purpose.name())
            },
        )
        .await?;
        bulk::insert(
            tx,
            "reference (source_id, position, text)",
            &self.references,
            |row, reference| {
                row.bind(reference.source.to_string())
                    .bind(reference.position)
                    .bind(reference.text.to_string())
            },
        )
        .await?;
        bulk::insert(
            tx,
            "rater (id, study_id, position, kind, label)",
            &self.raters,
            |row, rater| {
                row.bind(rater.id.to_string())
                    .bind(study.clone())
                    .bind(rater.position)
                    .bind(rater.kind.name())
                    .bind(rater.label.clone())
            },
        )
        .await?;
        outputs(tx, &study, now_ms, &self.outputs).await?;
        ratings(tx, &study, event, now_ms, &self.ratings).await?;
        answers(tx, &study, event, now_ms, &self.answers).await
    }
}

pub(crate) async fn outputs(
    tx: &mut AnyConnection,
    study: &str,
    now_ms: i64,
    outputs: &[Output],
) -> Result<()> {
    bulk::insert(
        tx,
        "output (id, study_id, source_id, system_id, position, text, purpose, made_from, twin_of,
         category, category_reason, category_version, edits, edits_version, verbatim, expected,
         added_at)",
        outputs,
        |row, output| {
            row.bind(output.id.to_string())
                .bind(study.to_owned())
                .bind(output.source.to_string())
                .bind(output.system.to_string())
                .bind(output.position)
                .bind(output.text.to_string())
                .bind(output.purpose.name())
                .bind(output.made_from.map(|id| id.to_string()))
                .bind(output.twin_of.map(|id| id.to_string()))
                .bind(output.automatic.category.name())
                .bind(output.automatic.reason.clone())
                .bind(output.automatic.category_version.clone())
                .bind(read::to_json(&output.automatic.edits))
                .bind(output.automatic.edits_version.clone())
                .bind(output.verbatim.clone())
                .bind(output.expected.clone())
                .bind(now_ms)
        },
    )
    .await
}

async fn ratings(
    tx: &mut AnyConnection,
    study: &str,
    event: i64,
    now_ms: i64,
    ratings: &[Rating],
) -> Result<()> {
    bulk::insert(
        tx,
        "annotation (id, study_id, source_id, output_id, rater_id, kind, dimension, value, scale,
         body, current, event, recorded_at)",
        ratings,
        |row, rating| {
            row.bind(rating.id.to_string())
                .bind(study.to_owned())
                .bind(rating.source.to_string())
                .bind(rating.output.to_string())
                .bind(rating.rater.to_string())
                .bind("rating")
                .bind(rating.dimension.clone())
                .bind(rating.value)
                .bind(rating.scale.clone())
                .bind(rating.body.clone())
                .bind(1_i64)
                .bind(event)
                .bind(now_ms)
        },
    )
    .await
}

async fn answers(
    tx: &mut AnyConnection,
    study: &str,
    event: i64,
    now_ms: i64,
    answers: &[Answer],
) -> Result<()> {
    bulk::insert(
        tx,
        "annotation (id, study_id, source_id, output_id, rater_id, kind, body, current, event,
         recorded_at)",
        answers,
        |row, answer| {
            row.bind(answer.id.to_string())
                .bind(study.to_owned())
                .bind(answer.source.to_string())
                .bind(answer.output.to_string())
                .bind(answer.rater.to_string())
                .bind(answer.kind)
                .bind(answer.body.clone())
                .bind(1_i64)
                .bind(event)
                .bind(now_ms)
        },
    )
    .await
}
