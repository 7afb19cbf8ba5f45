//! A small study to tell stories about: sources with a few outputs, annotators.

use domain::{
    category::Category,
    ids::{AnnotationId, AssignmentId, OutputId, PersonId, RaterId, SourceId, StudyId},
    score::RatingScale,
    study::{Role, SourcePurpose, StudySettings, SystemKind},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome},
};
use store::{
    NewStudy, Store,
    annotator_answers::HandInOutcome,
    assignments::{NewAssignment, NextAssignment},
    import::{AutomaticAnswers, NewOutput, StudyImport},
};
use stories::{NOW, TestDatabase, fresh_id};

/// A study with sources.
pub(crate) struct StoreFixture {
    pub(crate) study: StudyId,
    pub(crate) sources: Vec<SourceId>,
    /// The outputs of each source, in the order of the systems.
    pub(crate) outputs: Vec<Vec<OutputId>>,
}

/// Automatic results as an import has them.
pub(crate) fn automatic_results(category: Category) -> AutomaticAnswers {
    AutomaticAnswers {
        category,
        reason: "for the story".into(),
        category_version: "story 1".into(),
        edits: vec![],
        edits_version: "story 1".into(),
    }
}

/// An empty study.
pub(crate) async fn create_study(story: &TestDatabase, settings: &StudySettings) -> StudyId {
    let id = StudyId(fresh_id());
    let new = NewStudy {
        id,
        slug: &format!("study-{id}")[..40].parse().unwrap(),
        name: "A story",
        settings,
        guidelines: "",
        lead: None,
    };
    story.store.create_study(&new, NOW).await.unwrap();
    id
}

/// An import into the study.
pub(crate) async fn begin_import(story: &TestDatabase, study: StudyId) -> StudyImport {
    story
        .store
        .begin_import(study, NOW, fresh_id)
        .await
        .unwrap()
}

/// A study with as many sources as `texts` has rows, and an output of “system 1”, “system 2” … for
/// each of the row's texts.
pub(crate) async fn create_study_with(
    story: &TestDatabase,
    settings: &StudySettings,
    purpose: SourcePurpose,
    texts: &[&[&str]],
) -> StoreFixture {
    let study = create_study(story, settings).await;
    let mut ground = StoreFixture {
        study,
        sources: vec![],
        outputs: vec![],
    };
    ground.add_sources(story, purpose, texts).await;
    ground
}

impl StoreFixture {
    /// Adds sources.
    pub(crate) async fn add_sources(
        &mut self,
        story: &TestDatabase,
        purpose: SourcePurpose,
        texts: &[&[&str]],
    ) {
        let mut import = begin_import(story, self.study).await;
        for outputs in texts {
            let number = self.sources.len();
            let key = format!("{purpose} {number}");
            let text = format!("The source number {number}.");
            let source = import.source(Some(&key), &text, purpose).unwrap();
            self.sources.push(source);

            let mut ids = vec![];
            for (at, text) in outputs.iter().enumerate() {
                let name = format!("system {}", at + 1);
                let system = import.system(&name, Some(SystemKind::Machine)).unwrap();
                let new = NewOutput::new(source, system, text);
                let (id, _) = import
                    .output(&new, || automatic_results(Category::Paraphrase))
                    .unwrap();
                ids.push(id);
            }
            self.outputs.push(ids);
        }
        import.commit().await.unwrap();
    }

    /// Asks for the person's next assignment.
    pub(crate) async fn next_assignment(
        &self,
        story: &TestDatabase,
        person: PersonId,
        now_ms: i64,
    ) -> NextAssignment {
        let next = story
            .store
            .next_assignment(self.study, person, new_assignment(now_ms))
            .await;
        next.unwrap()
    }

    /// The person's next assignment, which must exist.
    pub(crate) async fn expect_assignment(
        &self,
        story: &TestDatabase,
        person: PersonId,
        now_ms: i64,
    ) -> AssignmentId {
        match self.next_assignment(story, person, now_ms).await {
            NextAssignment::Assignment(assignment) => assignment,
            other => panic!("there is something to judge, not {other:?}"),
        }
    }
}

/// An answer that nobody gave before.
pub(crate) fn new_change(slot: AnnotationSlot, answer: AnnotationAnswer) -> AnnotationChange {
    AnnotationChange {
        id: AnnotationId(fresh_id()),
        supersedes: None,
        slot,
        answer,
    }
}

/// A score on the first dimension.
pub(crate) fn rating_change(output: OutputId, score: i32) -> AnnotationChange {
    let slot = AnnotationSlot::Rating {
        output,
        dimension: "overall".into(),
    };
    let score = RatingScale::PERCENT.score(score).unwrap();
    new_change(slot, AnnotationAnswer::Rating(Some(score)))
}

/// Stores changes, which must all be stored.
pub(crate) async fn save_changes(
    story: &TestDatabase,
    person: PersonId,
    assignment: AssignmentId,
    changes: &[AnnotationChange],
) {
    let saved = story
        .store
        .save_work(person, assignment, changes, &[], NOW)
        .await;
    let saved = saved.unwrap().unwrap();
    let all = saved.iter().all(|o| matches!(o, SaveOutcome::Saved { .. }));
    assert!(all, "{saved:?}");
}

/// Gives each item the score and hands the source in.
pub(crate) async fn hand_in(
    story: &TestDatabase,
    person: PersonId,
    assignment: AssignmentId,
    score: impl Fn(OutputId) -> i32,
) {
    let task = story.store.task(person, assignment).await.unwrap().unwrap();
    let changes: Vec<_> = task
        .items
        .iter()
        .map(|item| rating_change(item.output, score(item.output)))
        .collect();
    save_changes(story, person, assignment, &changes).await;
    let store = story.store.clone();
    // Spawned, as a server does it.
    let handle = tokio::spawn(async move { store.hand_in(person, assignment, NOW).await });
    assert_eq!(handle.await.unwrap().unwrap(), Some(HandInOutcome::Done));
}

/// A new assignment.
pub(crate) fn new_assignment(now_ms: i64) -> NewAssignment {
    NewAssignment {
        id: AssignmentId(fresh_id()),
        rater: RaterId(fresh_id()),
        seed: 7,
        now_ms,
    }
}

/// An annotator of the study.
pub(crate) async fn add_annotator(story: &TestDatabase, study: StudyId, name: &str) -> PersonId {
    let id = PersonId(fresh_id());
    let result = story.store.create_person(id, name, None, false, NOW).await;
    result.unwrap();
    story
        .store
        .add_member(study, id, Role::Annotator, NOW)
        .await
        .unwrap();
    id
}

/// Asks for a source for all of the people at once, some through another server; returns how many got one.
pub(crate) async fn give_at_once(
    story: &TestDatabase,
    study: StudyId,
    people: impl IntoIterator<Item = PersonId>,
) -> u32 {
    let mut working = tokio::task::JoinSet::new();
    for (n, person) in people.into_iter().enumerate() {
        let store: Store = match n % 4 {
            0 => story.another_store().await,
            _ => story.store.clone(),
        };
        working.spawn(async move {
            store
                .next_assignment(study, person, new_assignment(NOW))
                .await
                .unwrap()
        });
    }

    let given = working.join_all().await.into_iter();
    let given = given.filter(|next| matches!(next, NextAssignment::Assignment(_)));
    u32::try_from(given.count()).unwrap()
}
