use std::collections::{BTreeMap, BTreeSet};

use domain::{
    category::Category,
    ids::{AuditEntryId, PersonId, StudyId},
    rater_groups::RaterGroup,
    study::{AssignmentState, QualificationRule, Role, SourcePurpose, StudySettings, SystemKind},
    work::task::ExpectedAnswer,
};
use service::{
    Context,
    experiments::{
        ArmNames, ArmPlan, ArmProtocol, ArmUpdate, ExperimentEditor, add_arm, update_arms,
    },
    templates::StudyTemplate,
};
use store::{
    NewAssignment,
    assignments::{NextAssignment, UpcomingAssignment},
    audit::{AuditActor, AuditFilter, AuditKind, AuditSubject, NewAuditEntry},
    experiments::ProtocolExperiment,
    import::NewOutput,
};
use stories::{NOW, TestDatabase, fresh_id, on_both, refusal, slug};

use crate::study_fixture::{
    StoreFixture, add_annotator, automatic_results, begin_import, create_study_with, hand_in,
    new_assignment,
};

const CONTEXT: Context = Context {
    clock: || NOW,
    ids: fresh_id,
    random: || [7; 32],
};

fn member_entry(study: StudyId, person: PersonId) -> NewAuditEntry {
    NewAuditEntry {
        id: AuditEntryId(fresh_id()),
        at: NOW,
        actor: AuditActor::CommandLine,
        address: String::new(),
        kind: AuditKind::MemberAdded,
        study: Some(study),
        subject: AuditSubject::Member(person),
    }
}

const EDITOR: ExperimentEditor<'static> = ExperimentEditor {
    person: None,
    member_entry: &member_entry,
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
    let added = add_arm(&story.store, CONTEXT, EDITOR, &first, id, &plan).await;
    added.map(|()| id)
}

async fn load_experiment(story: &TestDatabase, study: StudyId) -> ProtocolExperiment {
    let experiment = story.store.experiment_of(study).await.unwrap();
    experiment.expect("the study is an arm")
}

async fn update(story: &TestDatabase, study: StudyId) -> ArmUpdate {
    let experiment = load_experiment(story, study).await;
    let update = update_arms(&story.store, CONTEXT, EDITOR, &experiment).await;
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

/// Takes and skips the sources that a person is given in a study until there are none; returns their names.
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

        // Sources with an overlap of their own are in their column like the others.
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

            // They are led there once: when they come back, they get their sources here.
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

        // A third arm can be added until the first source is given out; then the plan is fixed.
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
    })
    .await;
}

#[tokio::test]
async fn an_experiment_with_a_closed_arm_gets_no_more_arms() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 1, 2, 0, &[StudyTemplate::Likert]).await;
        let [first, second] = [fixture.arms[0], fixture.arms[1]];
        story.store.close_study(second, NOW).await.unwrap();
        let added = add_arm_with(story, first, ArmProtocol::Same, "third").await;
        let sentence = refusal(added);
        assert!(sentence.contains("This study is closed"), "{sentence}");
    })
    .await;
}

/// The way in which an annotator leaves an arm.
#[derive(Debug, Clone, Copy)]
enum WayOfLeaving {
    Withdraws,
    IsRemoved,
    GetsAnotherRole,
}

async fn leave(story: &TestDatabase, study: StudyId, person: PersonId, how: WayOfLeaving) {
    let store = &story.store;
    let left = match how {
        WayOfLeaving::Withdraws => store.withdraw(study, person, NOW).await,
        WayOfLeaving::IsRemoved => store.remove_member(study, person, NOW).await,
        WayOfLeaving::GetsAnotherRole => store.set_role(study, person, Role::Researcher, NOW).await,
    };
    assert!(left.unwrap());
}

#[tokio::test]
async fn a_replacement_is_told_of_the_sources_of_the_row_that_is_free() {
    on_both(async |story| {
        for how in [
            WayOfLeaving::Withdraws,
            WayOfLeaving::IsRemoved,
            WayOfLeaving::GetsAnotherRole,
        ] {
            let settings = StudySettings {
                overlap: 1,
                ..StudySettings::default()
            };
            let texts: &[&[&str]] = &[&["A."], &["B."]];
            let first = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
            let first = first.study;

            let mut people = vec![];
            for name in ["one", "two", "three"] {
                people.push(add_annotator(story, first, &format!("{name} {how:?}")).await);
            }
            let likert = ArmProtocol::Template(StudyTemplate::Likert);
            let second = add_arm_with(story, first, likert, &format!("arm-{}", fresh_id())[..40])
                .await
                .unwrap();
            update(story, first).await;

            // The first judges one source here, the second is to judge the other one.
            for person in &people[..2] {
                let next = story
                    .store
                    .next_assignment(first, *person, new_assignment(NOW));
                next.await.unwrap();
            }
            for study in [first, second] {
                leave(story, study, people[1], how).await;
            }

            assert_eq!(load_experiment(story, first).await.raters, 1, "{how:?}");
            let upcoming = story.store.upcoming_work(first, people[2], NOW).await;
            let upcoming = upcoming.unwrap().unwrap();
            assert!(
                matches!(upcoming.next, UpcomingAssignment::Source(_)),
                "{how:?}: {upcoming:?}"
            );
            assert_eq!(take_all(story, first, people[2]).await.len(), 1);
        }
    })
    .await;
}

#[tokio::test]
async fn who_was_removed_from_an_arm_is_not_taken_back() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 2, 2, 2, &[StudyTemplate::Likert]).await;
        let (second, person) = (fixture.arms[1], fixture.people[0]);
        let next = story
            .store
            .next_assignment(second, person, new_assignment(NOW));
        next.await.unwrap();
        leave(story, second, person, WayOfLeaving::IsRemoved).await;
        assert!(load_experiment(story, second).await.is_up_to_date());
        assert_eq!(update(story, second).await, ArmUpdate::default());
        let members = story.store.members(second).await.unwrap();
        assert!(members.iter().all(|member| member.person != person));
        assert_eq!(members.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_closed_arm_gives_nothing_and_gets_nothing() {
    on_both(async |story| {
        let mut fixture = begin_experiment(story, 2, 2, 1, &[StudyTemplate::Likert]).await;
        let [first, second] = [fixture.arms[0], fixture.arms[1]];
        let mut other = StoreFixture {
            study: second,
            sources: vec![],
            outputs: vec![],
        };
        other.sources.resize(9, fixture.first.sources[0]);
        let secret: &[&[&str]] = &[&["Secret."]];
        other.add_sources(story, SourcePurpose::Main, secret).await;
        add_annotator(story, second, "another").await;
        story.store.close_study(second, NOW).await.unwrap();

        let sql = format!(
            "UPDATE stored_source SET square_column = NULL WHERE study_id = '{second}' AND key = 'main 0'"
        );
        story.execute_sql(sql).await;
        let added: &[&[&str]] = &[&["C."]];
        fixture
            .first
            .add_sources(story, SourcePurpose::Main, added)
            .await;

        let update_now = update(story, first).await;
        assert_eq!((update_now.annotators, update_now.placed), (0, 1));
        assert_eq!(update_now.imported, []);
        let keys = |sources: Vec<store::experiments::CopiedSource>| -> Vec<String> {
            sources.into_iter().map(|source| source.key).collect()
        };
        let of_first = keys(story.store.sources_to_copy(first).await.unwrap());
        assert_eq!(of_first, ["main 0", "main 1", "main 2"]);
        let of_second = keys(story.store.sources_to_copy(second).await.unwrap());
        assert_eq!(of_second, ["main 0", "main 1", "main 9"]);
        let experiment = load_experiment(story, first).await;
        assert_eq!(experiment.arms[1].unplaced, 2, "nothing was written there");
        assert!(
            experiment.is_up_to_date(),
            "closed arms do not count: {experiment:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn an_output_that_an_arm_lacks_is_noticed() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 1, 1, 0, &[StudyTemplate::Likert]).await;
        let first = fixture.arms[0];
        assert!(load_experiment(story, first).await.is_up_to_date());
        let mut import = begin_import(story, first).await;
        let text = "The source number 0.";
        let source = import.source(Some("main 0"), text, SourcePurpose::Main);
        let system = import.system("late", Some(SystemKind::Machine)).unwrap();
        let new = NewOutput::new(source.unwrap(), system, "Late.");
        let automatic = || automatic_results(Category::Paraphrase);
        import.output(&new, automatic).unwrap();
        import.commit().await.unwrap();
        assert!(!load_experiment(story, first).await.is_up_to_date());
        update(story, first).await;
        assert!(load_experiment(story, first).await.is_up_to_date());
    })
    .await;
}

#[tokio::test]
async fn an_arm_with_the_same_protocol_trains_and_tests_as_the_first_study() {
    on_both(async |story| {
        let settings = StudySettings {
            qualification: QualificationRule::Answers {
                tolerance: 10.0,
                categories: 0.0,
            },
            ..StudySettings::default()
        };
        let first = create_study_with(story, &settings, SourcePurpose::Main, &[&["A."]]).await;

        let mut import = begin_import(story, first.study).await;
        let purpose = SourcePurpose::Qualification;
        let source = import.source(Some("test"), "A test.", purpose).unwrap();
        let system = import.system("tester", Some(SystemKind::Machine)).unwrap();
        let expected = ExpectedAnswer {
            rating: Some(80),
            ..ExpectedAnswer::default()
        };
        let new = NewOutput {
            expected: Some(&expected),
            ..NewOutput::new(source, system, "A try.")
        };
        let automatic = || automatic_results(Category::Paraphrase);
        import.output(&new, automatic).unwrap();
        import.commit().await.unwrap();

        let arm = add_arm_with(story, first.study, ArmProtocol::Same, "same")
            .await
            .unwrap();
        let copied = story.store.training_sources(arm).await.unwrap();
        assert_eq!(copied.len(), 1);
        assert_eq!((&*copied[0].key, copied[0].purpose), ("test", purpose));
        let outputs = story.store.source_outputs(copied[0].id).await.unwrap();
        assert_eq!(outputs[0].expected.as_ref(), Some(&expected));
    })
    .await;
}

#[tokio::test]
async fn arms_have_as_many_raters_in_all_and_keep_their_groups() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 0,
            groups: vec![RaterGroup {
                id: "experts".into(),
                name: "Experts".into(),
                overlap: Some(2),
                ..RaterGroup::default()
            }],
            ..StudySettings::default()
        };
        let first = create_study_with(story, &settings, SourcePurpose::Main, &[&["A."]]).await;
        let store = &story.store;

        let join = async |name: &str| {
            let person = add_annotator(story, first.study, name).await;
            let group = Some("experts");
            let joined = store.set_member_group(first.study, person, group, NOW);
            assert!(joined.await.unwrap());
        };

        join("an expert").await;
        let likert = ArmProtocol::Template(StudyTemplate::Likert);
        let second = add_arm_with(story, first.study, likert, "likert").await;
        let third = add_arm_with(story, first.study, ArmProtocol::Same, "same").await;
        let (second, third) = (second.unwrap(), third.unwrap());

        join("a late expert").await;
        assert_eq!(update(story, first.study).await.annotators, 4 - 2);
        let experiment = load_experiment(story, first.study).await;
        assert_eq!(experiment.raters_needed(), 3 * 2);
        assert_eq!(experiment.arms[1].settings.overlap, 2);
        for (study, expected) in [(second, None), (third, Some("experts"))] {
            let members = store.members(study).await.unwrap();
            let groups = members.iter().map(|member| member.group.as_deref());
            assert_eq!(groups.collect::<Vec<_>>(), [expected; 2]);
        }
    })
    .await;
}

#[tokio::test]
async fn the_log_of_changes_and_the_list_of_imports_tell_of_copies() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 1, 1, 1, &[StudyTemplate::Likert]).await;
        add_annotator(story, fixture.arms[1], "late").await;
        update(story, fixture.arms[0]).await;
        let filter = AuditFilter::default();
        let entries = story.store.audit_entries(&filter, 100).await.unwrap();
        let added: BTreeSet<_> = entries
            .into_iter()
            .filter(|entry| entry.kind == AuditKind::MemberAdded)
            .map(|entry| (entry.study.unwrap().slug.to_string(), entry.subject))
            .collect();

        let first = story.store.study(fixture.arms[0]).await.unwrap().unwrap();
        assert_eq!(
            added,
            BTreeSet::from([
                ("arm-1".to_owned(), "annotator 0 (annotator)".to_owned()),
                (first.slug.to_string(), "late (annotator)".to_owned()),
            ])
        );

        let second = fixture.arms[1];
        let sql = format!("SELECT names FROM import WHERE study_id = '{second}'");
        let imports = story.query_rows(&sql).await;
        assert_eq!(imports, [[r#"["Sources of the other studies"]"#]]);
    })
    .await;
}

#[tokio::test]
async fn names_of_arms_are_short_and_differ() {
    on_both(async |story| {
        let fixture = begin_experiment(story, 1, 1, 0, &[StudyTemplate::Likert]).await;
        let rename = format!(
            "UPDATE study SET name = '{}' WHERE id = '{}'",
            "é".repeat(119),
            fixture.arms[0]
        );
        story.execute_sql(rename).await;

        let second = story.store.study(fixture.arms[1]).await.unwrap().unwrap();
        let experiment = load_experiment(story, second.id).await;
        let mut names = ArmNames::new(&second, Some(&experiment));
        let mut suggested = vec![];
        for _ in 0..3 {
            let plan = names.suggest(ArmProtocol::Same, 0);
            assert_eq!(plan.name.chars().count(), 120, "{}", plan.name);
            suggested.push(plan.name.trim_start_matches('é').to_owned());
            names.take(plan.name);
        }
        assert_eq!(
            suggested,
            [": Same protocol", ": Same protocol 2", ": Same protocol 3"]
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
