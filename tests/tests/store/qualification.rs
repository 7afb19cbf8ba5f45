use domain::{
    category::Category,
    ids::{AnnotationId, OutputId, PersonId, StudyId},
    score::RatingScale,
    study::{QualificationRule, SourcePurpose, StudySettings, SystemKind},
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
        task::ExpectedAnswer,
    },
};
use store::{annotator_answers::HandInOutcome, assignments::NextAssignment, import::NewOutput};
use stories::{NOW, TestDatabase, fresh_id, on_both};

use crate::study_fixture::{
    add_annotator, automatic_results, begin_import, create_study, new_assignment,
};

/// A study with two qualification sources, on each of which a score of 50 and the group *split* is
/// expected, and a source to judge.
pub(crate) async fn ground(story: &TestDatabase, qualification: QualificationRule) -> StudyId {
    let settings = StudySettings {
        overlap: 9,
        qualification,
        ..StudySettings::default()
    };
    let study = create_study(story, &settings).await;

    let mut import = begin_import(story, study).await;
    let expected = ExpectedAnswer {
        category: Some(Category::Split),
        rating: Some(50),
        ..ExpectedAnswer::default()
    };

    let system = import
        .system("system 1", Some(SystemKind::Machine))
        .unwrap();

    for (key, purpose) in [
        ("q1", SourcePurpose::Qualification),
        ("q2", SourcePurpose::Qualification),
        ("m", SourcePurpose::Main),
    ] {
        let source = import.source(Some(key), "The source.", purpose).unwrap();
        let expected = (purpose == SourcePurpose::Qualification).then_some(&expected);
        let new = NewOutput {
            source,
            system,
            text: key,
            verbatim: None,
            expected,
        };
        import
            .output(&new, || automatic_results(Category::Paraphrase))
            .unwrap();
    }

    import.commit().await.unwrap();
    study
}

/// Judges the next source with this score and, if `split`, with the group *split*.
async fn judge(story: &TestDatabase, study: StudyId, person: PersonId, score: i32, split: bool) {
    let answers = |output| {
        let slot = AnnotationSlot::Rating {
            output,
            dimension: "overall".into(),
        };
        let score = AnnotationAnswer::Rating(Some(RatingScale::PERCENT.clamp(score)));
        let category = AnnotationAnswer::Category(Some(Category::Split));
        let category = change(AnnotationSlot::Category { output }, category);
        let category = split.then_some(category);
        [change(slot, score)].into_iter().chain(category).collect()
    };
    judge_with(story, study, person, answers).await;
}

/// Judges the next source with these answers.
pub(crate) async fn judge_with(
    story: &TestDatabase,
    study: StudyId,
    person: PersonId,
    answers: impl FnOnce(OutputId) -> Vec<AnnotationChange>,
) {
    let store = &story.store;
    let next = store
        .next_assignment(study, person, new_assignment(NOW))
        .await
        .unwrap();
    let NextAssignment::Assignment(assignment) = next else {
        panic!("{next:?}")
    };

    let task = store.task(person, assignment).await.unwrap().unwrap();
    let changes = answers(task.items[0].output);
    store
        .save_work(person, assignment, &changes, &[], NOW)
        .await
        .unwrap();

    let handed_in = store.hand_in(person, assignment, NOW).await.unwrap();
    assert_eq!(handed_in, Some(HandInOutcome::Done));
}

fn change(slot: AnnotationSlot, answer: AnnotationAnswer) -> AnnotationChange {
    AnnotationChange {
        id: AnnotationId(fresh_id()),
        supersedes: None,
        slot,
        answer,
    }
}

pub(crate) async fn is_admitted(story: &TestDatabase, study: StudyId, person: PersonId) -> bool {
    let members = story.store.members(study).await.unwrap();
    members
        .iter()
        .any(|member| member.person == person && member.admitted_at.is_some())
}

const BY_ANSWERS: QualificationRule = QualificationRule::Answers {
    tolerance: 10.0,
    categories: 0.5,
};

#[tokio::test]
async fn answers_near_enough_admit_with_the_last_of_them() {
    on_both(async |story| {
        let study = ground(story, BY_ANSWERS).await;
        let person = add_annotator(story, study, "a").await;

        let standing = async || {
            story
                .store
                .qualification_status(study, person)
                .await
                .unwrap()
        };

        assert_eq!(
            (standing().await.sources, standing().await.handed_in),
            (2, 0)
        );
        judge(story, study, person, 65, true).await;
        assert!(!is_admitted(story, study, person).await);

        // 15 and 5 points away: 10 on average; one of two groups as expected.
        judge(story, study, person, 45, false).await;
        let standing = standing().await;
        assert_eq!((standing.sources, standing.handed_in), (2, 2));
        assert_eq!(standing.nearness.distance, Some(10.0));
        assert_eq!(standing.nearness.categories, Some(0.5));
        assert!(is_admitted(story, study, person).await);

        let next = story
            .store
            .next_assignment(study, person, new_assignment(NOW))
            .await
            .unwrap();
        assert!(matches!(next, NextAssignment::Assignment(_)));
    })
    .await;
}

#[tokio::test]
async fn answers_too_far_away_wait_for_the_lead() {
    on_both(async |story| {
        let study = ground(story, BY_ANSWERS).await;
        for (name, scores, split) in [("far", [65, 44], true), ("other groups", [50, 50], false)] {
            let person = add_annotator(story, study, name).await;
            for score in scores {
                judge(story, study, person, score, split).await;
            }

            assert!(!is_admitted(story, study, person).await, "{name}");
            let next = story
                .store
                .next_assignment(study, person, new_assignment(NOW))
                .await
                .unwrap();
            assert_eq!(next, NextAssignment::AwaitsAdmission);
            assert!(story.store.admit(study, person, NOW).await.unwrap());
        }
    })
    .await;
}

#[tokio::test]
async fn where_the_lead_admits_answers_do_not() {
    on_both(async |story| {
        let study = ground(story, QualificationRule::Lead).await;
        let person = add_annotator(story, study, "a").await;
        for _ in 0..2 {
            judge(story, study, person, 50, true).await;
        }
        assert!(!is_admitted(story, study, person).await);
    })
    .await;
}
