//! An annotator at work on one source.

use domain::{
    ids::{AnnotationId, AssignmentId, OutputId, PersonId},
    score::{RatingScale, RatingScore},
    study::{SourcePurpose, StudySettings},
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome},
        task::AnnotationTask,
    },
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id};

use crate::study_fixture::{StoreFixture, add_annotator, create_study_with};

/// A source with five outputs, two of them alike, given to an annotator.
pub(crate) struct AssignmentFixture {
    pub(crate) ground: StoreFixture,
    pub(crate) person: PersonId,
    pub(crate) assignment: AssignmentId,
    /// One output for each different text.
    pub(crate) items: Vec<OutputId>,
}

pub(crate) async fn start_assignment(story: &TestDatabase) -> AssignmentFixture {
    let texts: &[&[&str]] = &[&["Zero.", "Same.", "Two.", "Same.", "Vier é."]];
    let settings = StudySettings {
        overlap: 1,
        lease_hours: 1,
        ..StudySettings::default()
    };

    let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
    let person = add_annotator(story, ground.study, "the annotator").await;
    let assignment = ground.expect_assignment(story, person, NOW).await;

    let all = &ground.outputs[0];
    let items = vec![all[0], all[1], all[2], all[4]];
    AssignmentFixture {
        ground,
        person,
        assignment,
        items,
    }
}

impl AssignmentFixture {
    pub(crate) async fn save(
        &self,
        story: &TestDatabase,
        changes: &[AnnotationChange],
    ) -> Vec<SaveOutcome> {
        let saved = story
            .store
            .save_work(self.person, self.assignment, changes, &[], NOW + MINUTE)
            .await;
        saved.unwrap().unwrap()
    }

    /// The view of the assignment that the annotator gets.
    pub(crate) async fn task(&self, story: &TestDatabase) -> AnnotationTask {
        let task = story.store.task(self.person, self.assignment).await;
        task.unwrap().unwrap()
    }

    pub(crate) async fn rate_all(&self, story: &TestDatabase) {
        let changes: Vec<_> = self
            .items
            .iter()
            .map(|o| superseding_rating(*o, 50, None))
            .collect();
        let outcomes = self.save(story, &changes).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
    }
}

pub(crate) fn is_saved(outcome: &SaveOutcome) -> bool {
    matches!(outcome, SaveOutcome::Saved { .. })
}

pub(crate) fn percent_score(value: i32) -> RatingScore {
    RatingScale::PERCENT.score(value).unwrap()
}

pub(crate) fn superseding_change(
    slot: AnnotationSlot,
    answer: AnnotationAnswer,
    supersedes: Option<AnnotationId>,
) -> AnnotationChange {
    AnnotationChange {
        id: AnnotationId(fresh_id()),
        supersedes,
        slot,
        answer,
    }
}

pub(crate) fn superseding_rating(
    output: OutputId,
    value: i32,
    supersedes: Option<AnnotationId>,
) -> AnnotationChange {
    let slot = AnnotationSlot::Rating {
        output,
        dimension: "overall".into(),
    };
    superseding_change(
        slot,
        AnnotationAnswer::Rating(Some(percent_score(value))),
        supersedes,
    )
}
