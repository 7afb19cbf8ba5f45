//! An annotator at work on one source.

use domain::{
    ids::{AnnotationId, AssignmentId, OutputId, PersonId},
    score::{Scale, Score},
    study::{Settings, SourcePurpose},
    work::change::{Answer, Change, Outcome, Slot},
};
use stories::{MINUTE, NOW, Story, fresh};

use crate::ground::{Ground, annotator, ground};

/// A source with five outputs, two of them alike, given to an annotator.
pub(crate) struct Work {
    pub(crate) ground: Ground,
    pub(crate) person: PersonId,
    pub(crate) assignment: AssignmentId,
    /// One an identical text.
    pub(crate) items: Vec<OutputId>,
}

pub(crate) async fn work(story: &Story) -> Work {
    let texts: &[&[&str]] = &[&["Zero.", "Same.", "Two.", "Same.", "Vier é."]];
    let settings = Settings {
        overlap: 1,
        lease_hours: 1,
        ..Settings::default()
    };
    let ground = ground(story, &settings, SourcePurpose::Main, texts).await;
    let person = annotator(story, ground.study, "the annotator").await;
    let assignment = ground.given(story, person, NOW).await;
    let all = &ground.outputs[0];
    let items = vec![all[0], all[1], all[2], all[4]];
    Work {
        ground,
        person,
        assignment,
        items,
    }
}

impl Work {
    pub(crate) async fn save(&self, story: &Story, changes: &[Change]) -> Vec<Outcome> {
        let saved = story
            .store
            .save_changes(self.person, self.assignment, changes, NOW + MINUTE)
            .await;
        saved.unwrap().unwrap()
    }

    pub(crate) async fn rate_all(&self, story: &Story) {
        let changes: Vec<_> = self.items.iter().map(|o| rate(*o, 50, None)).collect();
        let outcomes = self.save(story, &changes).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
    }
}

pub(crate) fn is_saved(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Saved { .. })
}

pub(crate) fn score(value: i32) -> Score {
    Scale::PERCENT.score(value).unwrap()
}

pub(crate) fn change(slot: Slot, answer: Answer, supersedes: Option<AnnotationId>) -> Change {
    Change {
        id: AnnotationId(fresh()),
        supersedes,
        slot,
        answer,
    }
}

pub(crate) fn rate(output: OutputId, value: i32, supersedes: Option<AnnotationId>) -> Change {
    let slot = Slot::Rating {
        output,
        dimension: "overall".into(),
    };
    change(slot, Answer::Rating(Some(score(value))), supersedes)
}
