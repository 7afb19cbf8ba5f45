//! A small study to tell stories about: sources with a few outputs, annotators.

use domain::{
    category::Category,
    ids::{AnnotationId, AssignmentId, OutputId, PersonId, RaterId, SourceId, StudyId},
    score::Scale,
    study::{Role, Settings, SourcePurpose, SystemKind},
    work::change::{Answer, Change, Outcome, Slot},
};
use store::{
    NewStudy,
    answers::HandIn,
    assignments::{NewAssignment, Next},
    import::{Automatic, Import, NewOutput},
};
use stories::{NOW, Story, fresh};

/// A study with sources.
pub(crate) struct Ground {
    pub(crate) study: StudyId,
    pub(crate) sources: Vec<SourceId>,
    /// Of each source, in the order of the systems.
    pub(crate) outputs: Vec<Vec<OutputId>>,
}

/// What the algorithms are said to have found.
pub(crate) fn automatic(category: Category) -> Automatic {
    Automatic {
        category,
        reason: "for the story".into(),
        category_version: "story 1".into(),
        edits: vec![],
        edits_version: "story 1".into(),
    }
}

/// An empty study.
pub(crate) async fn study(story: &Story, settings: &Settings) -> StudyId {
    let id = StudyId(fresh());
    let new = NewStudy {
        id,
        slug: &format!("study-{id}")[..40].parse().unwrap(),
        name: "A story",
        settings,
        lead: None,
    };
    story.store.create_study(&new, NOW).await.unwrap();
    id
}

/// An import into the study.
pub(crate) async fn import(story: &Story, study: StudyId) -> Import {
    story.store.begin_import(study, NOW, fresh).await.unwrap()
}

/// A study with as many sources as `texts` has rows, and an output of “system 1”, “system 2” … for
/// each of the row's texts.
pub(crate) async fn ground(
    story: &Story,
    settings: &Settings,
    purpose: SourcePurpose,
    texts: &[&[&str]],
) -> Ground {
    let study = study(story, settings).await;
    let mut ground = Ground {
        study,
        sources: vec![],
        outputs: vec![],
    };
    ground.add(story, purpose, texts).await;
    ground
}

impl Ground {
    /// Adds sources.
    pub(crate) async fn add(&mut self, story: &Story, purpose: SourcePurpose, texts: &[&[&str]]) {
        let mut import = import(story, self.study).await;
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
                let new = NewOutput {
                    source,
                    system,
                    text,
                    verbatim: None,
                    expected: None,
                };
                let (id, _) = import
                    .output(&new, || automatic(Category::Paraphrase))
                    .unwrap();
                ids.push(id);
            }
            self.outputs.push(ids);
        }
        import.commit().await.unwrap();
    }

    /// What the person is given next.
    pub(crate) async fn next(&self, story: &Story, person: PersonId, now_ms: i64) -> Next {
        let next = story
            .store
            .next_assignment(self.study, person, new(now_ms))
            .await;
        next.unwrap()
    }

    /// What the person is given next, which there must be.
    pub(crate) async fn given(&self, story: &Story, person: PersonId, now_ms: i64) -> AssignmentId {
        match self.next(story, person, now_ms).await {
            Next::Assignment(assignment) => assignment,
            other => panic!("there is something to judge, not {other:?}"),
        }
    }
}

/// An answer that nobody gave before.
pub(crate) fn change(slot: Slot, answer: Answer) -> Change {
    Change {
        id: AnnotationId(fresh()),
        supersedes: None,
        slot,
        answer,
    }
}

/// A score on the first dimension.
pub(crate) fn rate(output: OutputId, score: i32) -> Change {
    let slot = Slot::Rating {
        output,
        dimension: "overall".into(),
    };
    let score = Scale::PERCENT.score(score).unwrap();
    change(slot, Answer::Rating(Some(score)))
}

/// Stores changes, which must all be stored.
pub(crate) async fn save(
    story: &Story,
    person: PersonId,
    assignment: AssignmentId,
    changes: &[Change],
) {
    let saved = story
        .store
        .save_changes(person, assignment, changes, NOW)
        .await;
    let saved = saved.unwrap().unwrap();
    let all = saved.iter().all(|o| matches!(o, Outcome::Saved { .. }));
    assert!(all, "{saved:?}");
}

/// Gives each item the score and hands the source in.
pub(crate) async fn hand_in(
    story: &Story,
    person: PersonId,
    assignment: AssignmentId,
    score: impl Fn(OutputId) -> i32,
) {
    let task = story.store.task(person, assignment).await.unwrap().unwrap();
    let changes: Vec<_> = task
        .items
        .iter()
        .map(|item| rate(item.output, score(item.output)))
        .collect();
    save(story, person, assignment, &changes).await;
    let store = story.store.clone();
    // Spawned, as a server does it.
    let done = tokio::spawn(async move { store.hand_in(person, assignment, NOW).await });
    assert_eq!(done.await.unwrap().unwrap(), Some(HandIn::Done));
}

/// A new assignment.
pub(crate) fn new(now_ms: i64) -> NewAssignment {
    NewAssignment {
        id: AssignmentId(fresh()),
        rater: RaterId(fresh()),
        seed: 7,
        now_ms,
    }
}

/// An annotator of the study.
pub(crate) async fn annotator(story: &Story, study: StudyId, name: &str) -> PersonId {
    let id = PersonId(fresh());
    let made = story.store.create_person(id, name, None, false, NOW).await;
    made.unwrap();
    story
        .store
        .add_member(study, id, Role::Annotator, NOW)
        .await
        .unwrap();
    id
}
