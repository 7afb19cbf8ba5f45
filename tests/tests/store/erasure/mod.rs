//! Erasures remove what they name, and nothing else.

mod accounts;
mod retention;
mod studies;

use domain::{
    ids::{PersonId, StudyId},
    study::{SourcePurpose, StudySettings},
    work::change::{AnnotationAnswer, AnnotationSlot},
};
use stories::{NOW, TestDatabase};

use crate::study_fixture::{
    StoreFixture, add_annotator, create_study_with, hand_in, new_change, save_changes,
};

const TEXTS: &[&[&str]] = &[&["One.", "Two."], &["Three.", "Four."]];

/// A study whose two annotators have submitted everything, each with a note.
struct JudgedStudy {
    ground: StoreFixture,
    annotators: [PersonId; 2],
}

impl JudgedStudy {
    async fn new(story: &TestDatabase) -> Self {
        let settings = StudySettings {
            overlap: 2,
            ..StudySettings::default()
        };
        let ground = create_study_with(story, &settings, SourcePurpose::Main, TEXTS).await;
        let annotators = [
            add_annotator(story, ground.study, "Ann").await,
            add_annotator(story, ground.study, "Ben").await,
        ];
        for person in annotators {
            for _ in TEXTS {
                judge_next(story, &ground, person).await;
            }
        }
        Self { ground, annotators }
    }

    fn study(&self) -> StudyId {
        self.ground.study
    }

    /// The number of ratings that count.
    async fn ratings(&self, story: &TestDatabase) -> usize {
        let scope = store::rating_rows::RatingScope::HandedIn;
        let ratings = story.store.ratings(self.study(), scope).await;
        ratings.unwrap().len()
    }
}

/// Submits the person's next source, with a note on its first output.
async fn judge_next(story: &TestDatabase, ground: &StoreFixture, person: PersonId) {
    let assignment = ground.expect_assignment(story, person, NOW).await;
    let task = story.store.task(person, assignment).await.unwrap().unwrap();
    let output = task.items[0].output;
    let note = new_change(
        AnnotationSlot::Note { output },
        AnnotationAnswer::Note("I know its author.".into()),
    );
    save_changes(story, person, assignment, &[note]).await;
    hand_in(story, person, assignment, |_| 70).await;
}

/// The one number that a query returns.
async fn count(story: &TestDatabase, sql: &str) -> i64 {
    story.query_rows(sql).await[0][0].parse().unwrap()
}

const NOTES: &str = "SELECT COUNT(*) FROM stored_annotation WHERE kind = 'note'";
const ANSWERS: &str = "SELECT COUNT(*) FROM stored_annotation";
