//! The address to continue at.

use domain::{
    ids::{AssignmentId, PersonId, RaterId, StudyId},
    study::Slug,
    work::task::AnnotationTask,
};
use store::assignments::{NewAssignment, NextAssignment};

use crate::{
    error::Refusal,
    links::{self, StudyPage},
    request::refuse,
    services,
};

/// Assigns the next source of the study to the annotator. Returns its path, if there is one.
pub(in crate::api) async fn assign_next_source(
    person: PersonId,
    study: StudyId,
    slug: &Slug,
) -> Result<Option<String>, Refusal> {
    let services = services();

    let new = NewAssignment {
        id: AssignmentId(services.context.new_id()),
        rater: RaterId(services.context.new_id()),
        seed: services.context.new_seed(),
        now_ms: services.context.now_ms(),
    };

    let next = services.store.next_assignment(study, person, new).await;
    Ok(match next.map_err(refuse)? {
        NextAssignment::Assignment(assignment) => Some(StudyPage::Workspace(assignment).path(slug)),
        NextAssignment::Preparing => {
            services.job_monitor.request_alignment_check();
            None
        }
        NextAssignment::OtherPart(first) => {
            let first = services.store.study(first).await.map_err(refuse)?;
            first.map(|first| StudyPage::Work.path(&first.slug))
        }
        NextAssignment::AwaitsAdmission | NextAssignment::Nothing => None,
    })
}

/// The annotator's task in `assignment`.
pub(super) async fn load_task(
    person: PersonId,
    assignment: AssignmentId,
) -> Result<AnnotationTask, Refusal> {
    let task = services().store.task(person, assignment).await;
    task.map_err(refuse)?.ok_or(Refusal::NotFound)
}

/// The address to continue at after a source: the next one, or the annotator's home in the study.
///
/// The hand-in or skip is already stored, which is what matters. So if no next source is available (the lead
/// removed the annotator or closed the study meanwhile), this leads to the page that says so.
pub(super) async fn next_address(person: PersonId, after: &AnnotationTask) -> String {
    let next = assign_next_source(person, after.study, &after.slug).await;
    let path = next.unwrap_or_else(|refusal| {
        tracing::debug!(%refusal, "no next source after the finished one");
        None
    });
    links::to(&path.unwrap_or_else(|| StudyPage::Work.path(&after.slug)))
}
