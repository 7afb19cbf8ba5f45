//! A simulated person who did not pass the qualification and waits for the lead.

use domain::{
    ids::{AnnotationId, AssignmentId, PersonId, RaterId, StudyId},
    score::RatingScale,
    study::{OVERALL, OutputPurpose, Role, SourcePurpose},
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
    },
};
use store::{NewAssignment, Store, assignments::NextAssignment};

use crate::clock;

/// A name that says that the person is simulated. Without a password, nobody can sign in under it.
const NAME: &str = "newcomer (simulated)";

/// The error of the qualification's ratings, in points.
const RATING_ERROR: i32 = 24;

/// Adds the person, who consents and hands in tutorial, training and qualification.
pub(super) async fn qualify(store: &Store, study: StudyId, now_ms: i64) -> anyhow::Result<()> {
    let person = match store.person_named(NAME).await? {
        Some((person, _)) => person.id,
        None => {
            let id = PersonId(clock::new_id());
            store.create_person(id, NAME, None, false, now_ms).await?.id
        }
    };

    store
        .add_member(study, person, Role::Annotator, now_ms)
        .await?;
    store.consent(study, person, now_ms).await?;

    loop {
        let new = NewAssignment {
            id: AssignmentId(clock::new_id()),
            rater: RaterId(clock::new_id()),
            seed: 1,
            now_ms,
        };
        let next = store.next_assignment(study, person, new).await?;
        let NextAssignment::Assignment(assignment) = next else {
            return Ok(());
        };
        if hand_in_next(store, study, person, assignment, now_ms).await? {
            return Ok(());
        }
    }
}

/// Hands in an assignment, and returns whether it was the qualification.
async fn hand_in_next(
    store: &Store,
    study: StudyId,
    person: PersonId,
    assignment: AssignmentId,
    now_ms: i64,
) -> anyhow::Result<bool> {
    let assignments = store.assignments(study).await?;
    let source = assignments
        .iter()
        .find(|candidate| candidate.assignment == assignment);
    let source = source
        .ok_or_else(|| anyhow::anyhow!("the assignment no longer exists"))?
        .source;
    let entry = store.source(study, source).await?;
    let qualifies = entry.is_some_and(|entry| entry.purpose == SourcePurpose::Qualification);

    let mut changes = vec![];
    let mut add = |slot, answer| {
        changes.push(AnnotationChange {
            id: AnnotationId(clock::new_id()),
            supersedes: None,
            slot,
            answer,
        });
    };

    let mut order = vec![];
    for (place, output) in store.source_outputs(source).await?.into_iter().enumerate() {
        if output.twin_of.is_some() || output.purpose != OutputPurpose::Main {
            continue;
        }

        let expected = output
            .expected
            .and_then(|answer| answer.rating)
            .unwrap_or(50);
        let off = match (qualifies, place % 2) {
            (false, _) => 0,
            (true, 0) => -RATING_ERROR,
            (true, _) => RATING_ERROR,
        };

        let score = RatingScale::PERCENT.clamp(expected + off);
        let slot = AnnotationSlot::Rating {
            output: output.id,
            dimension: OVERALL.into(),
        };
        add(slot, AnnotationAnswer::Rating(Some(score)));
        order.push((score, output.id));
    }

    order.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let order = order.into_iter().map(|(_, id)| id).collect();
    add(AnnotationSlot::Order, AnnotationAnswer::Order(Some(order)));

    let spent = ActivityReport {
        rate_ms: 140_000,
        ..ActivityReport::default()
    };
    store
        .save_work(person, assignment, &changes, &[spent], now_ms)
        .await?;
    store.hand_in(person, assignment, now_ms).await?;

    Ok(qualifies)
}
