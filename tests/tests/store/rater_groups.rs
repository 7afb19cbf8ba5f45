//! Groups of raters with dimensions and numbers of raters of their own.

use std::collections::BTreeMap;

use domain::{
    ids::{OutputId, PersonId, RaterId, StudyId},
    rater_groups::RaterGroup,
    score::RatingScale,
    statistics::{
        DeviationKind, RatingTable,
        agreement::{MeasurementLevel, agreement},
        standardise::standardise,
    },
    study::{AssignmentState, Dimension, Role, SourcePurpose, StudySettings},
    work::change::{AnnotationAnswer, AnnotationSlot, SaveOutcome},
};
use service::{
    figures::{AgreementKey, systems::SystemScores},
    live::{LiveStudies, StudySnapshot},
};
use store::{
    InvitationTarget, NewInvitation,
    annotator_answers::HandInOutcome,
    assignments::{NextAssignment, UpcomingAssignment},
    rating_rows::RatingScope,
    sources::SourceProgress,
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both, refusal};

use crate::study_fixture::{
    StoreFixture, add_annotator, create_study_with, give_at_once, hand_in, new_assignment,
    new_change, save_changes,
};

const HOUR: i64 = 60 * MINUTE;

fn group(id: &str, dimensions: &[&str], overlap: Option<u32>) -> RaterGroup {
    RaterGroup {
        id: id.to_owned(),
        name: format!("The {id}"),
        attributes: vec![],
        dimensions: dimensions.iter().map(|name| (*name).to_owned()).collect(),
        overlap,
    }
}

/// Experts rate one dimension and have a number of raters of their own; readers rate both, among all others.
fn settings(overlap: u32, experts: u32) -> StudySettings {
    StudySettings {
        overlap,
        lease_hours: 1,
        dimensions: ["overall", "adequacy"]
            .map(|name| Dimension::new(name, RatingScale::PERCENT))
            .to_vec(),
        groups: vec![
            group("experts", &["adequacy"], Some(experts)),
            group("readers", &["overall"], None),
        ],
        ..StudySettings::default()
    }
}

async fn add_to_group(
    story: &TestDatabase,
    study: StudyId,
    name: &str,
    group: Option<&str>,
) -> PersonId {
    let person = add_annotator(story, study, name).await;
    let put = story.store.set_member_group(study, person, group, NOW);
    assert!(put.await.unwrap());
    person
}

/// Checks the stored counts against the assignments: each group with a number of its own has a row for each source;
/// all others are counted with the source.
async fn check_places(story: &TestDatabase, groups: usize) {
    let counted = "SELECT COUNT(*) FROM assignment x
        WHERE x.source_id = s.id AND x.state IN ('open', 'handed-in') AND x.rater_id NOT IN (
            SELECT r.id FROM stored_rater r
            JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
            WHERE m.withdrawn_at IS NOT NULL)";
    let miscounted = format!(
        "SELECT s.key, s.taken FROM stored_source s WHERE s.taken <> ({counted} AND NOT EXISTS (
            SELECT 1 FROM group_place g WHERE g.source_id = s.id AND g.group_id = x.group_id))
         UNION ALL
         SELECT g.group_id, g.taken FROM group_place g JOIN stored_source s ON s.id = g.source_id
         WHERE g.position <> s.position OR g.taken <> ({counted} AND x.group_id = g.group_id)"
    );
    let miscounted = story.query_rows(&miscounted).await;
    assert!(miscounted.is_empty(), "{miscounted:?}");

    let rows = format!(
        "SELECT s.key FROM stored_source s
         WHERE (SELECT COUNT(*) FROM group_place g WHERE g.source_id = s.id) <> {groups}"
    );
    let rows = story.query_rows(&rows).await;
    assert!(rows.is_empty(), "{rows:?}");
}

/// How many raters of each group have each source.
async fn raters_by_group(story: &TestDatabase) -> Vec<Vec<String>> {
    story
        .query_rows(
            "SELECT s.position, COALESCE(a.group_id, '-') AS of_group, COUNT(*) FROM assignment a
             JOIN stored_source s ON s.id = a.source_id
             WHERE a.state IN ('open', 'handed-in')
             GROUP BY s.position, COALESCE(a.group_id, '-') ORDER BY 1, 2",
        )
        .await
}

#[tokio::test]
async fn no_source_has_more_raters_of_a_group_than_asked_for() {
    on_both(async |story| {
        let texts = &[&["A.", "B."][..]; 4];
        let ground = create_study_with(story, &settings(2, 1), SourcePurpose::Main, texts).await;
        let study = ground.study;
        check_places(story, 1).await;
        let mut people = vec![];
        for n in 0..24 {
            let group = [Some("experts"), Some("readers"), None][n % 3];
            people.push(add_to_group(story, study, &format!("annotator {n}"), group).await);
        }

        let given = give_at_once(story, study, people).await;
        // One expert and two others have each of the four sources.
        assert_eq!(given, 12);

        let mut counts = BTreeMap::<(String, bool), u32>::new();
        for row in raters_by_group(story).await {
            let number: u32 = row[2].parse().unwrap();
            *counts
                .entry((row[0].clone(), row[1] == "experts"))
                .or_default() += number;
        }
        let counts: Vec<_> = counts
            .into_iter()
            .map(|((_, experts), n)| (experts, n))
            .collect();
        assert_eq!(counts, [(false, 2), (true, 1)].repeat(4));

        check_places(story, 1).await;
    })
    .await;
}

#[tokio::test]
async fn a_source_is_done_once_each_group_handed_it_in() {
    on_both(async |story| {
        let texts = &[&["A.", "B."][..]];
        let own = StudySettings {
            overlap: 1,
            groups: vec![group("experts", &[], Some(1)), group("readers", &[], None)],
            ..StudySettings::default()
        };
        let wanted = own.wanted_raters();
        let ground = create_study_with(story, &own, SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);

        let check = async |done: u32, filled: u32| {
            let overview = store.study_overview(study, wanted.clone()).await.unwrap();
            assert_eq!((overview.done, overview.in_progress), (done, 1 - done));
            let sources = store.sources(study).await.unwrap();
            assert_eq!(sources[0].filled(&wanted), filled);
            let is_done = sources[0].progress(&wanted) == SourceProgress::Done;
            assert_eq!(is_done, done == 1);
        };

        let submit = async |name: &str, group| {
            let person = add_to_group(story, study, name, group).await;
            let assignment = ground.expect_assignment(story, person, NOW).await;
            hand_in(story, person, assignment, |_| 40).await;
            person
        };

        submit("reader", Some("readers")).await;
        check(0, 1).await;
        let expert = submit("expert", Some("experts")).await;
        check(1, 2).await;

        // With a second place for others the expert fills none of them.
        let more = StudySettings {
            overlap: 2,
            ..own.clone()
        };
        let sources = store.sources(study).await.unwrap();
        assert_eq!(sources[0].filled(&more.wanted_raters()), 2);
        assert_eq!(sources[0].handed_in_groups.len(), 2);

        // A rater keeps the place that they took, whichever group they are in now.
        assert!(
            store
                .set_member_group(study, expert, None, NOW)
                .await
                .unwrap()
        );
        check(1, 2).await;
    })
    .await;
}

#[tokio::test]
async fn a_group_gets_the_sources_nearest_to_its_own_number() {
    on_both(async |story| {
        let texts = &[&["A."][..]; 3];
        let ground = create_study_with(story, &settings(1, 2), SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);

        let position = async |person: PersonId| {
            let assignment = ground.expect_assignment(story, person, NOW).await;
            let place = store.assignment(assignment).await.unwrap().unwrap();
            ground.sources.iter().position(|id| *id == place.source)
        };

        let one = add_to_group(story, study, "one", Some("experts")).await;
        let two = add_to_group(story, study, "two", Some("experts")).await;
        let three = add_to_group(story, study, "three", Some("experts")).await;
        let other = add_to_group(story, study, "other", None).await;

        // Without raters of the group: the first source. Once one has it: the same source.
        assert_eq!(position(one).await, Some(0));
        assert_eq!(position(other).await, Some(0));
        assert_eq!(position(two).await, Some(0));
        assert_eq!(position(three).await, Some(1));

        let work = store
            .upcoming_work(study, other, NOW)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((work.main.sources, work.main.available), (3, 3));
        let full = add_to_group(story, study, "four", Some("experts")).await;
        let work = store
            .upcoming_work(study, full, NOW)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((work.main.sources, work.main.available), (3, 2));

        // By hand, a full group is refused by name, and the others aren't.
        let rater = async |person| store.ensure_rater(study, person, RaterId(fresh_id())).await;
        let full = rater(full).await.unwrap();
        let refused = refusal(
            store
                .assign(study, ground.sources[0], full, new_assignment(NOW))
                .await,
        );
        assert!(
            refused.starts_with("2 annotators of the group “The experts” have this source already"),
            "{refused}"
        );
        let plain = add_to_group(story, study, "five", Some("readers")).await;
        let plain = rater(plain).await.unwrap();
        for (source, fits) in [(0, false), (1, true)] {
            let new = new_assignment(NOW);
            let given = store
                .assign(study, ground.sources[source], plain, new)
                .await;
            assert_eq!(given.is_ok(), fits, "{given:?}");
        }
        check_places(story, 1).await;

        // An expired lease ends only for a rater of the same group.
        let late = NOW + 2 * HOUR;
        let six = add_to_group(story, study, "six", Some("experts")).await;
        let given = ground.expect_assignment(story, six, late).await;
        let all = store.assignments(study).await.unwrap();
        let released = all
            .iter()
            .filter(|entry| entry.state == AssignmentState::Released);
        assert_eq!(
            released.count(),
            0,
            "sources without raters of the group are free"
        );
        assert!(store.assignment(given).await.unwrap().is_some());
        for name in ["seven", "eight", "nine"] {
            let person = add_to_group(story, study, name, Some("experts")).await;
            ground.expect_assignment(story, person, late).await;
        }
        check_places(story, 1).await;

        let experts = raters_by_group(story).await;
        for row in experts.iter().filter(|row| row[1] == "experts") {
            assert!(row[2].parse::<u32>().unwrap() <= 2, "{experts:?}");
        }
    })
    .await;
}

/// Saves a score of an output on a dimension. Returns the reason if it is refused.
async fn rate_on(
    story: &TestDatabase,
    person: PersonId,
    assignment: domain::ids::AssignmentId,
    output: OutputId,
    dimension: &str,
) -> Option<String> {
    let slot = AnnotationSlot::Rating {
        output,
        dimension: dimension.into(),
    };
    let score = RatingScale::PERCENT.score(40).unwrap();
    let change = new_change(slot, AnnotationAnswer::Rating(Some(score)));

    let saved = story
        .store
        .save_work(person, assignment, &[change], &[], NOW)
        .await;
    match saved.unwrap().unwrap().remove(0) {
        SaveOutcome::Saved { .. } => None,
        SaveOutcome::Refused { reason, .. } => Some(reason),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn raters_of_a_group_rate_its_dimensions_and_no_others() {
    on_both(async |story| {
        let texts = &[&["A.", "B."][..]; 2];
        let ground = create_study_with(story, &settings(2, 1), SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);
        for (name, group, rated) in [
            ("an expert", Some("experts"), &["adequacy"][..]),
            ("a reader", Some("readers"), &["overall"]),
            ("another", None, &["overall", "adequacy"]),
        ] {
            let person = add_to_group(story, study, name, group).await;
            let assignment = ground.expect_assignment(story, person, NOW).await;
            let task = store.task(person, assignment).await.unwrap().unwrap();
            let names: Vec<_> = task.dimensions.iter().map(|d| &d.name[..]).collect();
            assert_eq!(names, rated, "{name}");

            let missing = store.hand_in(person, assignment, NOW).await.unwrap();
            let Some(HandInOutcome::Missing(missing)) = missing else {
                panic!("{missing:?}");
            };
            assert_eq!(missing.len(), 2 * rated.len(), "{missing:?}");

            for output in task.items.iter().map(|item| item.output) {
                for dimension in ["overall", "adequacy"] {
                    let refused = rate_on(story, person, assignment, output, dimension).await;
                    assert_eq!(
                        refused.is_none(),
                        rated.contains(&dimension),
                        "{name}, {dimension}: {refused:?}"
                    );
                }
            }

            let done = store.hand_in(person, assignment, NOW).await.unwrap();
            assert_eq!(done, Some(HandInOutcome::Done), "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_was_given_for_a_group_stays_as_it_is() {
    on_both(async |story| {
        let texts = &[&["A."][..]; 3];
        let ground = create_study_with(story, &settings(1, 1), SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);
        let person = add_to_group(story, study, "one", Some("experts")).await;
        let open = ground.expect_assignment(story, person, NOW).await;

        let dimensions = async |assignment| {
            let task = store.task(person, assignment).await.unwrap().unwrap();
            let names = task.dimensions.into_iter().map(|dimension| dimension.name);
            names.collect::<Vec<_>>()
        };

        assert!(
            store
                .set_member_group(study, person, Some("readers"), NOW)
                .await
                .unwrap()
        );
        assert_eq!(dimensions(open).await, ["adequacy"]);

        let output = ground.outputs[0][0];
        assert_eq!(rate_on(story, person, open, output, "adequacy").await, None);
        let done = store.hand_in(person, open, NOW).await.unwrap();
        assert_eq!(done, Some(HandInOutcome::Done));

        let next = ground.expect_assignment(story, person, NOW).await;
        assert_eq!(dimensions(next).await, ["overall"]);
        assert_eq!(
            raters_by_group(story).await,
            [["0", "experts", "1"], ["1", "readers", "1"]]
        );
        check_places(story, 1).await;

        let raters = store.raters(study).await.unwrap();
        assert_eq!(raters[0].group.as_deref(), Some("readers"));

        // A removed member keeps the group of their last source.
        assert!(store.remove_member(study, person, NOW).await.unwrap());
        let raters = store.raters(study).await.unwrap();
        assert_eq!(raters[0].group.as_deref(), Some("readers"));

        let unknown = refusal(
            store
                .set_member_group(study, person, Some("nobody"), NOW)
                .await,
        );
        assert!(unknown.contains("no longer has this group"), "{unknown}");
        assert!(
            !store
                .set_member_group(study, person, None, NOW)
                .await
                .unwrap()
        );
    })
    .await;
}

#[tokio::test]
async fn places_follow_the_groups_of_the_study() {
    on_both(async |story| {
        let texts = &[&["A."][..]; 3];
        let mut ground =
            create_study_with(story, &settings(1, 1), SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);
        let expert = add_to_group(story, study, "one", Some("experts")).await;
        let other = add_to_group(story, study, "two", None).await;
        ground.expect_assignment(story, expert, NOW).await;
        ground.expect_assignment(story, other, NOW).await;

        let save = async |settings: &StudySettings| {
            assert!(store.set_settings(study, settings, NOW).await.unwrap());
        };
        let next = async |person| store.upcoming_assignment(study, person, NOW).await.unwrap();

        // Without a number of its own, the group counts among all others.
        let mut together = settings(1, 1);
        together.groups[0].overlap = None;
        save(&together).await;
        check_places(story, 0).await;
        assert_eq!(
            story
                .query_rows("SELECT taken FROM stored_source ORDER BY position")
                .await,
            [["2"], ["0"], ["0"]]
        );

        let twice = StudySettings {
            overlap: 0,
            ..settings(0, 1)
        };
        save(&twice).await;
        check_places(story, 1).await;

        let third = add_to_group(story, study, "three", None).await;
        assert_eq!(next(third).await, Some(UpcomingAssignment::Nothing));
        let second = add_to_group(story, study, "four", Some("experts")).await;
        assert_eq!(
            next(second).await,
            Some(UpcomingAssignment::Source(SourcePurpose::Main))
        );

        // Sources that come later have places, too.
        ground
            .add_sources(story, SourcePurpose::Main, &[&["D."]])
            .await;
        check_places(story, 1).await;

        assert!(store.withdraw(study, expert, NOW).await.unwrap());
        check_places(story, 1).await;

        // Once a group is removed, its members are in none, and invitation links put nobody into it.
        let new = NewInvitation {
            token_hash: "t",
            target: InvitationTarget::Membership(Role::Annotator),
            label: "",
            uses: 2,
            expires_at: NOW + MINUTE,
            created_by: None,
            group: Some("experts"),
        };
        store.create_invitation(study, &new, NOW).await.unwrap();
        let joined = story.add_person("joined").await;
        store.redeem_invitation("t", joined, NOW).await.unwrap();

        let group_of = async |person: PersonId| {
            let members = store.members(study).await.unwrap();
            let member = members.into_iter().find(|member| member.person == person);
            member.unwrap().group
        };
        assert_eq!(group_of(joined).await.as_deref(), Some("experts"));

        let none = StudySettings {
            groups: vec![],
            ..settings(1, 1)
        };
        save(&none).await;
        check_places(story, 0).await;
        assert_eq!(group_of(joined).await, None);
        let later = story.add_person("later").await;
        store.redeem_invitation("t", later, NOW).await.unwrap();
        assert_eq!(group_of(later).await, None);
    })
    .await;
}

/// An item with an expected score on the first dimension, which experts do not rate.
async fn expect_score(ground: &StoreFixture, story: &TestDatabase, output: OutputId) {
    let expected = domain::work::task::ExpectedAnswer {
        rating: Some(90),
        tolerance: 5,
        explanation: "Why.".into(),
        ..Default::default()
    };
    let answers = [(output, Some(expected))];
    let set = story.store.set_expected(ground.study, &answers, NOW);
    assert_eq!(set.await.unwrap(), 1);
}

#[tokio::test]
async fn expected_scores_are_for_those_who_rate_the_first_dimension() {
    on_both(async |story| {
        let ground =
            create_study_with(story, &settings(1, 1), SourcePurpose::Training, &[&["A."]]).await;
        let (store, study, output) = (&story.store, ground.study, ground.outputs[0][0]);
        expect_score(&ground, story, output).await;

        for (name, group, dimension, rating) in [
            ("an expert", Some("experts"), "adequacy", None),
            ("a reader", Some("readers"), "overall", Some(90)),
        ] {
            let person = add_to_group(story, study, name, group).await;
            let assignment = ground.expect_assignment(story, person, NOW).await;
            assert_eq!(
                rate_on(story, person, assignment, output, dimension).await,
                None
            );
            store.hand_in(person, assignment, NOW).await.unwrap();

            let task = store.task(person, assignment).await.unwrap().unwrap();
            let expected = task.items[0].expected.as_ref().unwrap();
            assert_eq!(
                (expected.rating, &expected.explanation[..]),
                (rating, "Why.")
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_source_is_given_again_for_the_group_of_now() {
    on_both(async |story| {
        let texts = &[&["A."][..]; 1];
        let ground = create_study_with(story, &settings(1, 1), SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);
        let person = add_to_group(story, study, "one", Some("experts")).await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        store
            .release(assignment, "by the lead", NOW)
            .await
            .unwrap()
            .unwrap();
        check_places(story, 1).await;

        store
            .set_member_group(study, person, None, NOW)
            .await
            .unwrap();

        let rater = store.assignment(assignment).await.unwrap().unwrap().rater;
        let again = store
            .assign(study, ground.sources[0], rater, new_assignment(NOW))
            .await
            .unwrap();
        assert_eq!(again, assignment);

        assert_eq!(raters_by_group(story).await, [["0", "-", "1"]]);
        check_places(story, 1).await;
        let task = store.task(person, again).await.unwrap().unwrap();
        assert_eq!(task.dimensions.len(), 2);

        let output = ground.outputs[0][0];
        let slot = AnnotationSlot::Rating {
            output,
            dimension: "adequacy".into(),
        };
        let score = RatingScale::PERCENT.score(40).unwrap();
        let change = new_change(slot, AnnotationAnswer::Rating(Some(score)));
        save_changes(story, person, again, &[change]).await;
        hand_in(story, person, again, |_| 50).await;
    })
    .await;
}

/// The scores that raters of a group gave to the four outputs of each source.
async fn rate_as(
    story: &TestDatabase,
    ground: &StoreFixture,
    name: &str,
    group: Option<&str>,
    score: impl Fn(usize) -> i32,
) {
    let person = add_to_group(story, ground.study, name, group).await;
    while let NextAssignment::Assignment(assignment) =
        ground.next_assignment(story, person, NOW).await
    {
        let all: Vec<_> = ground.outputs.iter().flatten().copied().collect();
        hand_in(story, person, assignment, |output| {
            score(all.iter().position(|own| *own == output).unwrap())
        })
        .await;
    }
}

#[tokio::test]
async fn figures_are_read_by_group() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 2,
            groups: vec![group("experts", &[], Some(2)), group("empty", &[], None)],
            ..StudySettings::default()
        };
        let texts = [&["A.", "B."][..], &["C.", "D."], &["E.", "F."]];
        let ground = create_study_with(story, &settings, SourcePurpose::Main, &texts).await;

        let scores: [(&str, Option<&str>, [i32; 6]); 4] = [
            ("one", Some("experts"), [10, 20, 30, 40, 50, 60]),
            ("two", Some("experts"), [12, 19, 33, 38, 55, 61]),
            ("three", None, [90, 10, 20, 80, 15, 70]),
            ("four", None, [5, 95, 60, 20, 85, 10]),
        ];
        for (name, group, given) in scores {
            rate_as(story, &ground, name, group, |at| given[at]).await;
        }

        let live = LiveStudies::new(|| 0);
        let key = AgreementKey {
            dimension: "overall".to_owned(),
            groups: settings.groups.clone(),
        };
        let read = move |snapshot: &StudySnapshot| snapshot.get_or_compute(key).by_group.clone();
        let scope = RatingScope::HandedIn;
        let by_group = live
            .read(&story.store, ground.study, scope, read)
            .await
            .unwrap();

        // The figures of the two experts equal those of a table of their ratings alone.
        let rows = scores[..2]
            .iter()
            .zip(0..)
            .flat_map(|((.., given), rater)| {
                given
                    .iter()
                    .enumerate()
                    .map(move |(unit, value)| (rater, unit, f64::from(*value)))
            });
        let table = RatingTable::new(rows).unwrap();
        let z = standardise(&table, DeviationKind::Population).z;
        let alpha = |table| agreement(table, MeasurementLevel::Interval).alpha.unwrap();

        let [(name, experts)] = &by_group[..] else {
            panic!("{by_group:?}")
        };
        assert_eq!(name, "The experts");
        assert_eq!(experts.raw.agreement.raters, 2);
        for (actual, expect) in [(experts.raw, alpha(&table)), (experts.z, alpha(&z))] {
            assert!(
                (actual.agreement.alpha.unwrap() - expect).abs() < 1e-12,
                "{actual:?}"
            );
            assert!(actual.interval.is_ok(), "{actual:?}");
        }

        // The means of systems by the experts, and by all.
        let means = async |group: Option<&'static str>| {
            let read = move |snapshot: &StudySnapshot| {
                let scores = SystemScores::from_snapshot(snapshot, "overall", group);
                let ranking = scores.ranking(None).into_iter();
                let means: Vec<_> = ranking
                    .map(|entry| (entry.system.name, entry.raw.mean))
                    .collect();
                (scores.raters, means)
            };
            live.read(&story.store, ground.study, scope, read)
                .await
                .unwrap()
        };

        let (raters, systems) = means(Some("experts")).await;
        assert_eq!(raters, 2);
        let expect = [
            ("system 2", (19.5 + 39.0 + 60.5) / 3.0),
            ("system 1", (11.0 + 31.5 + 52.5) / 3.0),
        ];
        for ((name, mean), (system, expect)) in systems.iter().zip(expect) {
            assert_eq!(name, system);
            assert!((mean - expect).abs() < 1e-9, "{systems:?}");
        }
        assert_eq!(means(None).await.0, 4);
        assert_eq!(means(Some("empty")).await, (0, vec![]));

        // A rater who moves to another group counts there at once.
        let members = story.store.members(ground.study).await.unwrap();
        let one = members.iter().find(|member| member.name == "one").unwrap();
        story
            .store
            .set_member_group(ground.study, one.person, Some("empty"), NOW)
            .await
            .unwrap();
        assert_eq!(means(Some("experts")).await.0, 1);
        assert_eq!(means(Some("empty")).await.0, 1);
    })
    .await;
}

#[tokio::test]
async fn who_becomes_a_lead_leaves_their_group_and_ids_of_given_work_stay_known() {
    on_both(async |story| {
        let texts = [&["A."][..]];
        let ground = create_study_with(story, &settings(1, 1), SourcePurpose::Main, &texts).await;
        let (store, study) = (&story.store, ground.study);
        let expert = add_to_group(story, study, "one", Some("experts")).await;
        assert_eq!(store.used_group_ids(study).await.unwrap(), [""; 0]);
        ground.expect_assignment(story, expert, NOW).await;
        assert_eq!(store.used_group_ids(study).await.unwrap(), ["experts"]);

        let group = async || {
            let members = store.members(study).await.unwrap();
            let mut members = members.into_iter();
            members
                .find(|member| member.person == expert)
                .unwrap()
                .group
        };

        assert_eq!(group().await.as_deref(), Some("experts"));
        for (role, expect) in [(Role::Annotator, Some("experts")), (Role::Researcher, None)] {
            assert!(store.set_role(study, expert, role, NOW).await.unwrap());
            assert_eq!(group().await.as_deref(), expect);
        }
    })
    .await;
}
