use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ids::{PersonId, StudyId},
    study::{AssignmentState, Role, SourcePurpose, StudySettings},
};
use service::{
    Context,
    experiments::{ArmPlan, ArmProtocol, ArmUpdate, add_arm, update_arms},
    templates::StudyTemplate,
};
use store::{
    NewAssignment,
    assignments::{NextAssignment, UpcomingAssignment},
    experiments::ProtocolExperiment,
};
use stories::{NOW, TestDatabase, fresh_id, on_both, refusal, slug};

use crate::study_fixture::{
    StoreFixture, add_annotator, create_study_with, hand_in, new_assignment,
};

const CONTEXT: Context = Context {
    clock: || NOW,
    ids: fresh_id,
    random: || [7; 32],
};

/// A study with sources and annotators that begins an experiment, and its arms by their number.
struct ExperimentFixture {
    first: StoreFixture,
    arms: Vec<StudyId>,
    people: Vec<PersonId>,
}

async fn add_arm_with(
    story: &TestDatabase,
    first: StudyId,
    protocol: ArmProtocol,
    name: &str,
) -> store::Result<StudyId> {
    let first = story.store.study(first).await.unwrap().unwrap();
    let id = StudyId(fresh_id());
    let plan = ArmPlan {
        protocol,
        slug: slug(name),
        name: name.to_owned(),
    };
    let added = add_arm(&story.store, CONTEXT, &first, id, &plan).await;
    added.map(|()| id)
}

async fn load_experiment(story: &TestDatabase, study: StudyId) -> ProtocolExperiment {
    let experiment = story.store.experiment_of(study).await.unwrap();
    experiment.expect("the study is an arm")
}

async fn update(story: &TestDatabase, study: StudyId) -> ArmUpdate {
    let experiment = load_experiment(story, study).await;
    let update = update_arms(&story.store, CONTEXT, &experiment).await;
    update.unwrap()
}

async fn begin_experiment(
    story: &TestDatabase,
    overlap: u32,
    sources: usize,
    annotators: usize,
    protocols: &[StudyTemplate],
) -> ExperimentFixture {
    let settings = StudySettings {
        overlap,
        ..StudySettings::default()
    };
    let texts = vec![&["A.", "B."][..]; sources];
    let first = create_study_with(story, &settings, SourcePurpose::Main, &texts).await;
    let mut people = vec![];
    for number in 0..annotators {
        people.push(add_annotator(story, first.study, &format!("annotator {number}")).await);
    }
    let mut arms = vec![first.study];
    for protocol in protocols {
        let protocol = ArmProtocol::Template(*protocol);
        let name = format!("arm-{}", arms.len());
        arms.push(
            add_arm_with(story, first.study, protocol, &name)
                .await
                .unwrap(),
        );
    }
    update(story, first.study).await;
    ExperimentFixture {
        first,
        arms,
        people,
    }
}

/// The sources that a person is given in a study until there are none, by their names, skipping each.
async fn take_all(story: &TestDatabase, study: StudyId, person: PersonId) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    loop {
        let next = story
            .store
            .next_assignment(study, person, new_assignment(NOW))
            .await;
        match next.unwrap() {
            NextAssignment::Assignment(assignment) => {
                let task = story.store.task(person, assignment).await.unwrap().unwrap();
                assert!(
                    keys.insert(task.source.clone()),
                    "{} came twice",
                    task.source
                );
                story
                    .store
                    .skip(person, assignment, "Seen.", NOW)
                    .await
                    .unwrap();
            }
            NextAssignment::OtherPart(_) => {}
            NextAssignment::Nothing => return keys,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_rater_gets_each_source_in_one_arm_only() {
    on_both(async |story| {
        let protocols = [StudyTemplate::Likert, StudyTemplate::DirectAssessment];
        let fixture = begin_experiment(story, 9, 7, 3, &protocols).await;
        let experiment = load_experiment(story, fixture.arms[2]).await;
        assert!(experiment.is_up_to_date());
        assert_eq!((experiment.order, experiment.raters_needed()), (3, 27));
        // Sources with a number of their own are in their column as others are.
        let own = story.store.set_own_overlap(
            fixture.first.study,
            &fixture.first.sources[..4],
            Some(10),
            NOW,
        );
        own.await.unwrap();
        assert_eq!(experiment.arms[1].settings.overlap, 9);

        let mut judged = BTreeMap::<(usize, String), usize>::new();
        for person in &fixture.people {
            let mut mine = BTreeSet::new();
            for (arm, study) in fixture.arms.iter().enumerate() {
                let sources = take_all(story, *study, *person).await;
                assert!((2..=3).contains(&sources.len()), "7 sources in 3 arms");
                for source in sources {
                    assert!(mine.insert(source.clone()), "{source} was in another arm");
                    *judged.entry((arm, source)).or_default() += 1;
                }
            }
            assert_eq!(mine.len(), 7);
        }
        assert_eq!(judged.len(), 21, "each source is judged in each arm");
        assert!(judged.values().all(|raters| *raters == 1));
    })
    .await;
}

#[tokio::test]
async fn people_get_one_number_each_however_they_begin_at_once() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 9, 4, 8, &[StudyTemplate::Likert]).await;
        let mut beginning = tokio::task::JoinSet::new();
        for (number, person) in fixture.people.iter().enumerate() {
            for study in &fixture.arms {
                let store = match number % 3 {
                    0 => story.another_store().await,
                    _ => story.store.clone(),
                };
                let (study, person) = (*study, *person);
                beginning.spawn(async move {
                    let next = store
                        .next_assignment(study, person, new_assignment(NOW))
                        .await;
                    next.unwrap()
                });
            }
        }
        while let Some(next) = beginning.join_next().await {
            let next = next.unwrap();
            assert!(matches!(
                next,
                NextAssignment::Assignment(_) | NextAssignment::OtherPart(_)
            ));
        }
        let rows = story
            .query_rows(
                "SELECT person_id, MIN(square_row), MAX(square_row) FROM stored_rater
                 GROUP BY person_id ORDER BY 2",
            )
            .await;
        let numbers: Vec<_> = rows.iter().map(|row| (&*row[1], &*row[2])).collect();
        let expected: Vec<_> = (0..8).map(|number| number.to_string()).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|number| (&**number, &**number))
            .collect();
        assert_eq!(numbers, expected);
        assert_eq!(load_experiment(story, fixture.arms[0]).await.raters, 8);
    })
    .await;
}

#[tokio::test]
async fn the_first_part_is_another_one_for_every_other_rater() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 9, 4, 3, &[StudyTemplate::Likert]).await;
        let store = &story.store;
        let [first, second] = [fixture.arms[0], fixture.arms[1]];
        for (person, expected) in fixture.people.iter().zip([first, second, first]) {
            let before = store.experiment_parts(*person).await.unwrap();
            assert!(
                before
                    .iter()
                    .all(|part| part.part.is_none() && part.parts == 2)
            );
            let next = store
                .next_assignment(first, *person, new_assignment(NOW))
                .await;
            match next.unwrap() {
                NextAssignment::OtherPart(study) => assert_eq!(study, expected),
                NextAssignment::Assignment(_) => assert_eq!(expected, first),
                other => panic!("{other:?}"),
            }
            let parts = store.experiment_parts(*person).await.unwrap();
            assert_eq!((parts[0].study, parts[0].part), (expected, Some(1)));
            assert_eq!(parts[1].part, Some(2));
            // They are led there once: who comes back gets the sources that are theirs here.
            let next = store
                .next_assignment(first, *person, new_assignment(NOW))
                .await;
            assert!(matches!(next.unwrap(), NextAssignment::Assignment(_)));
        }
    })
    .await;
}

#[tokio::test]
async fn a_rater_who_leaves_is_replaced_in_the_same_row() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 1, 4, 3, &[StudyTemplate::Likert]).await;
        let [one, two, three] = [0, 1, 2].map(|index| fixture.people[index]);
        let study = fixture.arms[0];
        for person in [one, two] {
            story
                .store
                .next_assignment(study, person, new_assignment(NOW))
                .await
                .unwrap();
        }
        let first = take_all(story, study, two).await;
        for arm in &fixture.arms {
            story.store.withdraw(*arm, two, NOW).await.unwrap();
        }
        assert_eq!(take_all(story, study, three).await, first);
    })
    .await;
}

#[tokio::test]
async fn what_is_given_by_hand_follows_the_plan() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 9, 2, 1, &[StudyTemplate::Likert]).await;
        let (store, study, person) = (&story.store, fixture.arms[0], fixture.people[0]);
        let next = store
            .next_assignment(study, person, new_assignment(NOW))
            .await;
        let NextAssignment::Assignment(assignment) = next.unwrap() else {
            panic!("the first rater begins in the first arm");
        };
        let given = store.assignment(assignment).await.unwrap().unwrap();
        let other = fixture
            .first
            .sources
            .iter()
            .find(|source| **source != given.source);
        let new = NewAssignment {
            rater: given.rater,
            ..new_assignment(NOW)
        };
        let sentence = refusal(store.assign(study, *other.unwrap(), given.rater, new).await);
        assert!(
            sentence.contains("gives this source to this annotator in another study"),
            "{sentence}"
        );
        let upcoming = store
            .upcoming_work(study, person, NOW)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((upcoming.main.sources, upcoming.main.available), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn arms_are_brought_up_to_date_and_then_nothing_changes() {
    on_both(async |story| {
        let mut fixture = begin_experiment(story, 2, 3, 2, &[StudyTemplate::Likert]).await;
        let [first, second] = [fixture.arms[0], fixture.arms[1]];
        let store = &story.store;
        assert_eq!(update(story, second).await, ArmUpdate::default());
        let copied = store.sources_to_copy(second).await.unwrap();
        assert_eq!(copied, store.sources_to_copy(first).await.unwrap());

        // A source that one arm got later is given to nobody before the others have it.
        let added: &[&[&str]] = &[&["C.", "D."]];
        fixture
            .first
            .add_sources(story, SourcePurpose::Main, added)
            .await;
        let late = add_annotator(story, first, "late").await;
        let experiment = load_experiment(story, first).await;
        assert!(!experiment.is_up_to_date());
        assert_eq!(experiment.arms[0].unplaced, 1);
        for person in &fixture.people {
            let all = take_all(story, first, *person).await;
            assert!(!all.contains("The source number 3."), "{all:?}");
        }
        let update_now = update(story, second).await;
        assert_eq!((update_now.annotators, update_now.placed), (1, 1));
        assert_eq!(update_now.imported.len(), 1);
        assert_eq!(update_now.imported[0].1.outputs, 2);
        assert!(load_experiment(story, first).await.is_up_to_date());
        assert_eq!(update(story, first).await, ArmUpdate::default());
        let parts = store.experiment_parts(late).await.unwrap();
        assert_eq!(parts.len(), 2);
        let mut given = 0;
        for person in &fixture.people {
            for arm in &fixture.arms {
                let all = take_all(story, *arm, *person).await;
                given += usize::from(all.contains("The source number 3."));
            }
        }
        assert_eq!(given, 2, "each of them once");
    })
    .await;
}

#[tokio::test]
async fn a_source_in_another_form_is_told_and_stays() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 2, 1, 1, &[StudyTemplate::Likert]).await;
        let second = fixture.arms[1];
        let sql = format!(
            "UPDATE stored_source SET text = 'Another text.', square_column = NULL WHERE study_id = '{second}'"
        );
        story.execute_sql(sql).await;
        let update = update(story, second).await;
        assert_eq!(update.imported, []);
        assert_eq!(update.conflicts.len(), 2, "{:?}", update.conflicts);
        assert!(
            update.conflicts[1].starts_with("arm-1: The source “main 0” is there with another text"),
            "{:?}",
            update.conflicts
        );
    })
    .await;
}

#[tokio::test]
async fn an_experiment_begins_before_sources_are_given_out() {
    on_both(async |story| {
        let first = create_study_with(
            story,
            &StudySettings::default(),
            SourcePurpose::Main,
            &[&["A."]],
        )
        .await;
        let person = add_annotator(story, first.study, "the annotator").await;
        let lead = story.add_person("the lead").await;
        let added = story
            .store
            .add_member(first.study, lead, Role::Lead, NOW)
            .await;
        added.unwrap();
        let likert = ArmProtocol::Template(StudyTemplate::Likert);
        let second = add_arm_with(story, first.study, likert, "second")
            .await
            .unwrap();
        let members = story.store.members(second).await.unwrap();
        let roles: BTreeSet<_> = members
            .iter()
            .map(|member| (member.person, member.role))
            .collect();
        assert_eq!(
            roles,
            BTreeSet::from([(person, Role::Annotator), (lead, Role::Lead)])
        );

        // A third one is fine until somebody was given a source; then the plan stays as it is.
        let third = add_arm_with(story, second, ArmProtocol::Same, "third")
            .await
            .unwrap();
        assert_eq!(load_experiment(story, third).await.order, 3);
        update(story, first.study).await;
        let next = story
            .store
            .next_assignment(first.study, person, new_assignment(NOW))
            .await;
        let NextAssignment::Assignment(assignment) = next.unwrap() else {
            panic!("there is a source");
        };
        let sentence = refusal(add_arm_with(story, third, likert, "fourth").await);
        assert!(
            sentence.contains("1 sources have been given out or rated already"),
            "{sentence}"
        );

        hand_in(story, person, assignment, |_| 50).await;
        let mine = story
            .store
            .assignments_of(first.study, person)
            .await
            .unwrap();
        assert_eq!(mine[0].state, AssignmentState::HandedIn);
        story.store.close_study(second, NOW).await.unwrap();
        let sentence = refusal(add_arm_with(story, first.study, likert, "fourth").await);
        assert!(
            sentence.contains("closed") || sentence.contains("given out"),
            "{sentence}"
        );
    })
    .await;
}

#[tokio::test]
async fn the_plan_of_the_others_stays_when_an_arm_is_erased() {
    on_both(async |story| {
        let protocols = [StudyTemplate::Likert, StudyTemplate::Pairwise];
        let fixture = begin_experiment(story, 1, 6, 1, &protocols).await;
        let (store, person) = (&story.store, fixture.people[0]);
        let [first, second, third] = [0, 1, 2].map(|index| fixture.arms[index]);
        let upcoming = store
            .upcoming_work(first, person, NOW)
            .await
            .unwrap()
            .unwrap();
        assert!(matches!(upcoming.next, UpcomingAssignment::Source(_)));
        assert_eq!(upcoming.main.sources, 2);
        store.close_study(second, NOW).await.unwrap();
        store.erase_study(second, NOW).await.unwrap();
        store.finish_erasures().await.unwrap();
        let experiment = load_experiment(story, third).await;
        assert!(experiment.lacks_arm());
        assert_eq!(experiment.order, 3);
        assert_eq!(experiment.arms.len(), 2);
        assert_eq!(take_all(story, first, person).await.len(), 2);
        for study in [first, third] {
            store.close_study(study, NOW).await.unwrap();
            store.erase_study(study, NOW).await.unwrap();
        }
        store.finish_erasures().await.unwrap();
        let left = story.query_rows("SELECT id FROM protocol_experiment").await;
        assert!(left.is_empty(), "{left:?}");
    })
    .await;
}
