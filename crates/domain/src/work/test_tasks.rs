//! Small tasks for tests.

use uuid::Uuid;

use crate::{
    category::Category,
    ids::{AnnotationId, AssignmentId, OutputId, StudyId},
    protocol::StudyProtocol,
    score::RatingScale,
    source_context::SourceContext,
    study::{AssignmentState, Dimension, OVERALL, SourcePurpose, WorkLayout},
    work::{
        anchors::ScoreAnchors,
        change::{AnnotationAnswer, AnnotationSlot},
        task::{AnnotationTask, TaskItem},
        unjudged::UnjudgedReason,
    },
};

/// An answer's id.
pub(crate) fn id(n: u128) -> AnnotationId {
    AnnotationId(Uuid::from_u128(n))
}

/// Ids that count up from `from`.
pub(crate) fn counter(mut from: u128) -> impl FnMut() -> AnnotationId {
    move || {
        from += 1;
        id(from)
    }
}

/// Output `n`, from 1.
pub(crate) fn output(n: u32) -> OutputId {
    OutputId(Uuid::from_u128(u128::from(n)))
}

/// The answer that scores output `n`.
pub(crate) fn rating(n: u32, score: Option<i32>) -> (AnnotationSlot, AnnotationAnswer) {
    let slot = AnnotationSlot::Rating {
        output: output(n),
        dimension: OVERALL.to_owned(),
    };
    (
        slot,
        AnnotationAnswer::Rating(score.map(|s| RatingScale::PERCENT.clamp(s))),
    )
}

/// The answer that output `n` cannot be judged.
pub(crate) fn unjudged(
    n: u32,
    reason: Option<UnjudgedReason>,
) -> (AnnotationSlot, AnnotationAnswer) {
    let slot = AnnotationSlot::Unjudged { output: output(n) };
    (slot, AnnotationAnswer::Unjudged(reason))
}

/// A source with `n` outputs, the odd ones automatically *split*, the even ones *paraphrase*.
pub(crate) fn task(n: u32) -> AnnotationTask {
    let item = |n: u32| TaskItem {
        output: output(n),
        copies: 1,
        text: format!("Output {n}."),
        category: if n % 2 == 1 {
            Category::Split
        } else {
            Category::Paraphrase
        },
        reason: String::new(),
        edits: vec![],
        unsure: vec![],
        moved: vec![],
        expected: None,
    };
    AnnotationTask {
        assignment: AssignmentId(Uuid::nil()),
        state: AssignmentState::Open,
        study: StudyId(Uuid::nil()),
        slug: "river".parse().expect("a short name"),
        study_name: "River".to_owned(),
        purpose: SourcePurpose::Main,
        number: 1,
        source: "The source.".to_owned(),
        context: SourceContext::default(),
        reference: None,
        start: String::new(),
        protocol: StudyProtocol::default(),
        layout: WorkLayout::Steps,
        dimensions: vec![Dimension::default()],
        accepts_unjudged: true,
        anchors: ScoreAnchors::default(),
        items: (1..=n).map(item).collect(),
        comparisons: vec![],
        answers: vec![],
        active_ms: 0,
        questions: vec![],
        only_questions: false,
        is_study_closed: false,
        is_being_agreed: false,
    }
}
