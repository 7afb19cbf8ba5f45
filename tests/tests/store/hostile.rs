//! Numbers that no honest browser sends, and rows that no version wrote.

use domain::{
    study::{AssignmentState, StudySettings},
    work::activity::{ActivityReport, LONGEST_MS, MOST_TABS},
};
use store::{assignments::NextAssignment, quality, rating_rows};
use stories::{MINUTE, NOW, fresh_id, on_both};
use uuid::Uuid;

use crate::{
    assignment_fixture::start_assignment,
    study_fixture::{add_annotator, create_study, hand_in},
};

#[tokio::test]
async fn no_time_is_longer_than_the_work_and_sums_stay_sums() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        let reports = [0, 1, 2].map(|tab| ActivityReport {
            tab: Uuid::from_u128(tab),
            categorise_ms: u64::MAX,
            highlight_ms: 0,
            rate_ms: i64::MAX.unsigned_abs(),
            answer_ms: 0,
            write_ms: 0,
        });
        store
            .save_work(person, assignment, &[], &reports, NOW + MINUTE)
            .await
            .unwrap();

        let minute = MINUTE.unsigned_abs();
        let task = store.task(person, assignment).await.unwrap().unwrap();
        assert_eq!(task.active_ms, 6 * minute);

        // A server whose clock has run backwards meanwhile.
        let spent = ActivityReport {
            tab: fresh_id(),
            highlight_ms: 7,
            ..ActivityReport::default()
        };
        store
            .save_work(person, assignment, &[], &[spent], NOW - MINUTE)
            .await
            .unwrap();
        work.rate_all(story).await;
        store.hand_in(person, assignment, NOW).await.unwrap();

        let study = work.ground.study;
        let overview = store.study_overview(study, 1).await.unwrap();
        assert_eq!(overview.raters[0].active_ms, 6 * minute);
        let times = store
            .active_times(study, rating_rows::StudyPart::Whole)
            .await;
        assert_eq!(times.unwrap()[0].active_ms, 6 * minute);
    })
    .await;
}

#[tokio::test]
async fn tabs_are_counted() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        let rows = (0..MOST_TABS).map(|tab| {
            format!(
                "('{assignment}', '{}', 'rate', 1)",
                Uuid::from_u128(tab as u128)
            )
        });
        let rows: Vec<_> = rows.collect();
        let sql = "INSERT INTO activity (assignment_id, tab, step, active_ms) VALUES ";
        story.execute_sql(format!("{sql}{}", rows.join(","))).await;

        for (tab, expect) in [(fresh_id(), 500), (Uuid::from_u128(0), 509)] {
            let spent = ActivityReport {
                tab,
                rate_ms: 10,
                ..ActivityReport::default()
            };
            store
                .save_work(person, assignment, &[], &[spent], NOW + MINUTE)
                .await
                .unwrap();
            let task = store.task(person, assignment).await.unwrap().unwrap();
            assert_eq!(task.active_ms, expect);
        }
    })
    .await;
}

#[tokio::test]
async fn the_database_takes_no_time_that_is_out_of_range() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        for bad in [i64::MAX, i64::MIN, -1, LONGEST_MS as i64 + 1] {
            let mut connection = story.connection().await;
            let sql = format!(
                "INSERT INTO activity (assignment_id, tab, step, active_ms)
                 VALUES ('{}', '{}', 'rate', {bad})",
                work.assignment,
                fresh_id()
            );
            let inserted = sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
                .execute(&mut connection)
                .await;
            assert!(inserted.is_err(), "{bad}");
        }
    })
    .await;
}

#[tokio::test]
async fn one_bad_row_is_named_and_the_others_are_shown() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, study) = (&story.store, work.ground.study);
        hand_in(story, work.person, work.assignment, |_| 50).await;
        let other = add_annotator(story, study, "another").await;
        assert_eq!(store.unreadable_rows(study), Vec::<String>::new());

        story
            .execute_sql(format!(
                "UPDATE member SET role = 'emperor' WHERE person_id = '{other}';
                 UPDATE stored_source SET purpose = 'decoration' WHERE id = '{}';
                 UPDATE stored_system SET kind = 'magic' WHERE study_id = '{study}' AND position = 0;",
                work.ground.sources[0]
            ))
            .await;

        assert_eq!(store.members(study).await.unwrap().len(), 1);
        assert_eq!(store.sources(study).await.unwrap().len(), 0);
        assert_eq!(store.assignments(study).await.unwrap().len(), 0);
        assert_eq!(store.systems(study).await.unwrap().len(), 4);
        let whole = quality_of(store, study).await;
        assert!(whole.is_ok(), "{whole:?}");

        let named = store.unreadable_rows(study).join(" ");
        for words in [
            &format!("The row {other} of table member has an unreadable role"),
            "of table source has an unreadable purpose",
            "of table system has an unreadable kind",
        ] {
            assert!(named.contains(words), "{words}: {named}");
        }

        let elsewhere = story.add_study("elsewhere", None).await;
        assert_eq!(store.unreadable_rows(elsewhere), Vec::<String>::new());
    })
    .await;
}

async fn quality_of(
    store: &store::Store,
    study: domain::ids::StudyId,
) -> store::Result<Vec<quality::ActiveTime>> {
    store.orders(study, rating_rows::StudyPart::Whole).await?;
    store
        .quality_checks(study, rating_rows::StudyPart::Whole)
        .await?;
    store
        .active_times(study, rating_rows::StudyPart::Whole)
        .await
}

/// When each source was counted over all assignments of the study, 20,000 of them took half a minute.
#[tokio::test]
async fn a_large_study_is_counted_by_source() {
    on_both(async |story| {
        const RATERS: usize = 20;
        const SOURCES: usize = 1_000;
        let states = ["open", "handed-in", "skipped", "released"];
        let study = create_study(story, &StudySettings::default()).await;
        let rows = |count: usize, row: &dyn Fn(usize) -> String| {
            (0..count).map(row).collect::<Vec<_>>().join(",")
        };
        let id = |kind: u128, number: usize| Uuid::from_u128((kind << 64) + number as u128);
        let system = fresh_id();

        // A third of the raters are persons, every second of whom withdrew.
        let mut people = vec![];
        for number in (0..RATERS).step_by(3) {
            people.push((number, add_annotator(story, study, &format!("p{number}")).await));
        }
        let person = |rater: usize| {
            let person = people.iter().find(|(number, _)| *number == rater);
            person.map_or("NULL".to_owned(), |(_, id)| format!("'{id}'"))
        };
        let state = |at: usize| states[(at * 7 + at / RATERS) % 4];

        for (into, values) in [
            ("stored_system (id, study_id, position, name, kind)", format!("('{system}', '{study}', 0, 'a', 'machine')")),
            ("stored_rater (id, study_id, position, kind, label, person_id)", rows(RATERS, &|n| {
                format!("('{}', '{study}', {n}, 'person', 'rater {n}', {})", id(1, n), person(n))
            })),
            ("stored_source (id, study_id, position, key, text, purpose)", rows(SOURCES, &|n| {
                format!("('{}', '{study}', {n}, '{n}', 'A text.', 'main')", id(2, n))
            })),
            ("stored_output (id, study_id, source_id, system_id, position, text, purpose, category, category_reason, category_version, edits, edits_version)", rows(SOURCES, &|n| {
                format!("('{}', '{study}', '{}', '{system}', {n}, 'A.', 'main', 'paraphrase', '', '', '[]', '')", id(3, n), id(2, n))
            })),
            ("assignment (id, study_id, source_id, rater_id, state, seed, created_at, leased_until)", rows(SOURCES * RATERS, &|n| {
                format!("('{}', '{study}', '{}', '{}', '{}', 0, 0, 0)", id(4, n), id(2, n / RATERS), id(1, n % RATERS), state(n))
            })),
        ] {
            story.execute_sql(format!("INSERT INTO {into} VALUES {values}")).await;
        }

        let mut withdrawn = vec![];
        for (number, person) in people.iter().step_by(2) {
            assert!(story.store.withdraw(study, *person, NOW).await.unwrap());
            withdrawn.push(*number);
        }

        let assignments = story.store.assignments(study).await.unwrap();
        let counts = |source: usize, state: AssignmentState| {
            let of_source = assignments.iter().filter(|assignment| assignment.source.0 == id(2, source));
            let counted = of_source.filter(|assignment| !withdrawn.iter().any(|n| assignment.rater.0 == id(1, *n)));
            counted.filter(|assignment| assignment.state == state).count()
        };

        let (mut done, mut in_work) = (0, 0);
        for source in 0..SOURCES {
            let handed_in = counts(source, AssignmentState::HandedIn);
            if handed_in >= 5 {
                done += 1;
            } else if handed_in + counts(source, AssignmentState::Open) > 0 {
                in_work += 1;
            }
        }

        let overview = story.store.study_overview(study, 5).await.unwrap();
        assert_eq!((overview.done, overview.in_progress), (done, in_work));

        let new = add_annotator(story, study, "the next").await;
        let next = story.store.next_assignment(study, new, crate::study_fixture::new_assignment(NOW));
        // Nobody holds anything: of leases that ran out, those of one source make room.
        assert!(matches!(next.await.unwrap(), NextAssignment::Assignment(_) | NextAssignment::Nothing));
    })
    .await;
}
