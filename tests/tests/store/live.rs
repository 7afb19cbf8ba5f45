//! Figures of a study in memory are those of a fresh look at the rows.

use std::collections::BTreeSet;

use domain::{
    category::Category,
    ids::{AssignmentId, DiscussionId, OutputId, PersonId, StudyId},
    random::SeededRandom,
    statistics::bootstrap::ResamplingOptions,
    study::{SourcePurpose, StudySettings},
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
        unjudged::UnjudgedReason,
    },
};
use service::{
    figures::{RatingScope, StudyAgreement, StudyQuality, systems::StudySystems},
    live::{LiveStudies, StudySnapshot},
};
use store::{
    SystemFacts,
    annotator_answers::HandInOutcome,
    assignments::NextAssignment,
    discussions::{NewDiscussion, QuestionScope},
    erasure::AccountErasure,
    figure_changes::FigureChanges,
};
use stories::{NOW, TestDatabase, fresh_id, on_both};

use crate::study_fixture::{
    StoreFixture, add_annotator, create_study_with, hand_in, new_change, rating_change,
    save_changes,
};

const TEXTS: &[&[&str]] = &[
    &["One.", "Two.", "Same.", "Same."],
    &["Three.", "Four.", "Five.", "Six."],
    &["Seven.", "Eight.", "Nine.", "Ten."],
];

/// Checks that the number of raters stored with each source is that of its assignments.
async fn check_places(story: &TestDatabase) {
    let miscounted = "SELECT s.key, s.taken FROM stored_source s
        WHERE s.taken <> (
            SELECT COUNT(*) FROM assignment x
            WHERE x.source_id = s.id AND x.state IN ('open', 'handed-in') AND x.rater_id NOT IN (
                SELECT r.id FROM stored_rater r
                JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
                WHERE m.withdrawn_at IS NOT NULL))";
    let miscounted = story.query_rows(miscounted).await;
    assert!(miscounted.is_empty(), "{miscounted:?}");
}

async fn figures(
    live: &LiveStudies,
    story: &TestDatabase,
    study: StudyId,
    which: RatingScope,
) -> StudyAgreement {
    let resampling = ResamplingOptions {
        replicates: 50,
        ..ResamplingOptions::default()
    };
    let figures = move |snapshot: &StudySnapshot| {
        StudyAgreement::compute(snapshot, "overall", &[], resampling)
    };
    let result = live.read(&story.store, study, which, figures).await;
    result.unwrap()
}

/// The figures of the pages, without the history of agreement.
async fn pages(
    live: &LiveStudies,
    story: &TestDatabase,
    study: StudyId,
    which: RatingScope,
) -> [String; 3] {
    let agreement = figures(live, story, study, which).await;
    let others = |snapshot: &StudySnapshot| {
        let systems = StudySystems::from_snapshot(snapshot, "overall", None);
        let quality = StudyQuality::compute(snapshot, &StudySettings::default().dimensions[0]);
        (systems, quality)
    };

    let others = live.read(&story.store, study, which, others).await;
    let (systems, quality) = others.unwrap();
    [
        format!("{agreement:?}"),
        format!("{systems:?}"),
        format!("{quality:?}"),
    ]
}

/// Whether two texts are equal except for the rounding of numbers in them.
fn alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split([' ', ',', '(', ')', '{', '}', '[', ']']);
        words.map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let same = |(one, other): (&String, &String)| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(x), Ok(y)) => one == other || (x - y).abs() < 1e-9,
        _ => one == other,
    };
    one.len() == other.len() && one.iter().zip(&other).all(same)
}

/// Checks that the live figures are those of a fresh look, and that the last point of the history is now.
async fn check(
    live: &LiveStudies,
    story: &TestDatabase,
    ground: &StoreFixture,
    ratings: [usize; 2],
) {
    let (store, study) = (&story.store, ground.study);
    let progress = live.progress(store, study, 2).await.expect("it reads");
    let overview = store.study_overview(study, 2).await.expect("it reads");
    assert_eq!(progress.overview, overview);

    let fresh = LiveStudies::new(|| 0);
    let fresh = fresh.progress(store, study, 2).await.expect("it reads");
    assert_eq!(progress.assignments, fresh.assignments);

    let listed = store.assignments(study).await.expect("they read");
    let listed: BTreeSet<_> = listed
        .iter()
        .map(|it| (it.source, it.rater, it.ended_at))
        .collect();
    let kept = progress.assignments.iter();
    let kept: BTreeSet<_> = kept.map(|it| (it.source, it.rater, it.ended_at)).collect();
    assert_eq!(kept, listed);

    check_places(story).await;
    let sources = live.source_list(store, study).await.expect("they read");
    assert_eq!(*sources, store.sources(study).await.expect("they read"));

    for (which, ratings) in [RatingScope::HandedIn, RatingScope::IncludingOpen]
        .into_iter()
        .zip(ratings)
    {
        let agreement = figures(live, story, ground.study, which).await;
        assert_eq!(agreement.raw.agreement.ratings, ratings, "{which:?}");
        assert_eq!(agreement.history.is_empty(), ratings == 0);
        if let Some(last) = agreement.history.last() {
            assert_eq!(last.ratings, ratings);
            let now = [agreement.raw, agreement.z].map(|estimate| estimate.agreement.alpha);
            let [last, now] = [[last.raw, last.z], now].map(|alphas| format!("{alphas:?}"));
            assert!(alike(&last, &now), "{last} {now}");
        }
        let kept = pages(live, story, ground.study, which).await;
        let fresh = pages(&LiveStudies::new(|| 0), story, ground.study, which).await;
        for (kept, fresh) in kept.iter().zip(&fresh) {
            assert!(alike(kept, fresh), "{kept}\n{fresh}");
        }
    }
}

#[tokio::test]
async fn figures_keep_up_with_every_event() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 3,
            ..StudySettings::default()
        };
        let ground = create_study_with(story, &settings, SourcePurpose::Main, TEXTS).await;
        let live = LiveStudies::new(|| 0);
        check(&live, story, &ground, [0, 0]).await;
        let people = [
            add_annotator(story, ground.study, "one").await,
            add_annotator(story, ground.study, "two").await,
            add_annotator(story, ground.study, "three").await,
        ];
        let place = |output: OutputId| {
            let all = ground.outputs.iter().flatten();
            all.clone()
                .position(|candidate| *candidate == output)
                .unwrap() as i32
        };
        let first = ground.expect_assignment(story, people[0], NOW).await;
        let task = story.store.task(people[0], first).await.unwrap().unwrap();
        let order: Vec<_> = task.items.iter().map(|item| item.output).collect();
        let without = AnnotationSlot::Edits { output: order[0] };
        let set = [
            new_change(AnnotationSlot::Order, AnnotationAnswer::Order(Some(order))),
            new_change(without, AnnotationAnswer::Edits(Some(vec![]))),
        ];
        save_changes(story, people[0], first, &set).await;
        hand_in(story, people[0], first, |output| 5 * place(output)).await;
        check(&live, story, &ground, [3, 3]).await;
        let quality = |snapshot: &StudySnapshot| {
            StudyQuality::compute(snapshot, &StudySettings::default().dimensions[0])
        };
        let scope = RatingScope::HandedIn;
        let quality = live.read(&story.store, ground.study, scope, quality).await;
        let quality = quality.unwrap();
        assert_eq!(quality.corrections.outputs, 3);
        assert!(quality.raters[0].conduct.conflicts.total > 0);

        // In progress, and changed there.
        let second = ground.expect_assignment(story, people[1], NOW).await;
        let task = story.store.task(people[1], second).await.unwrap().unwrap();
        let output = task.items[0].output;
        let rating = rating_change(output, 90);
        save_changes(story, people[1], second, std::slice::from_ref(&rating)).await;
        check(&live, story, &ground, [3, 4]).await;
        let again = AnnotationChange {
            supersedes: Some(rating.id),
            ..rating_change(output, 40)
        };
        save_changes(story, people[1], second, std::slice::from_ref(&again)).await;
        check(&live, story, &ground, [3, 4]).await;
        let taken_back = AnnotationChange {
            supersedes: Some(again.id),
            ..new_change(
                AnnotationSlot::Rating {
                    output,
                    dimension: "overall".into(),
                },
                AnnotationAnswer::Rating(None),
            )
        };
        save_changes(story, people[1], second, std::slice::from_ref(&taken_back)).await;
        check(&live, story, &ground, [3, 3]).await;

        // First it cannot be judged, and then it can.
        let slot = AnnotationSlot::Unjudged { output };
        let reason = AnnotationAnswer::Unjudged(Some(UnjudgedReason::Unclear));
        let unjudged = new_change(slot.clone(), reason);
        save_changes(story, people[1], second, std::slice::from_ref(&unjudged)).await;
        check(&live, story, &ground, [3, 3]).await;
        let judged = AnnotationChange {
            supersedes: Some(unjudged.id),
            ..new_change(slot, AnnotationAnswer::Unjudged(None))
        };
        save_changes(story, people[1], second, &[judged]).await;
        check(&live, story, &ground, [3, 3]).await;

        // Another category, which moves the output's ratings.
        let split = AnnotationAnswer::Category(Some(Category::Split));
        let regrouped = new_change(AnnotationSlot::Category { output }, split);
        let rating = AnnotationChange {
            supersedes: Some(taken_back.id),
            ..rating_change(output, 60)
        };
        save_changes(story, people[1], second, &[regrouped, rating]).await;
        for item in &task.items[1..] {
            let score = rating_change(item.output, 7 * place(item.output) % 100);
            save_changes(story, people[1], second, &[score]).await;
        }
        story.store.hand_in(people[1], second, NOW).await.unwrap();
        check(&live, story, &ground, [6, 6]).await;
        for (number, person) in people.into_iter().enumerate() {
            let next = ground.expect_assignment(story, person, NOW).await;
            let score = |output| (13 * place(output) + 31 * number as i32) % 101;
            hand_in(story, person, next, score).await;
        }
        let with_all = figures(&live, story, ground.study, RatingScope::HandedIn).await;
        let ratings = with_all.raw.agreement.ratings;
        check(&live, story, &ground, [ratings, ratings]).await;

        // One output is reopened: it does not count until its raters submit it again.
        let rows = story.store.ratings(ground.study, RatingScope::HandedIn);
        let rows = rows.await.unwrap();
        let rated = rows.iter().filter(|row| row.output == output).count();
        ask(story, ground.study, output, QuestionScope::Output).await;
        check(&live, story, &ground, [ratings - rated, ratings]).await;
        change_anything(story, people[1], second, output, 33).await;
        check(&live, story, &ground, [ratings - rated, ratings]).await;
        story.store.hand_in(people[1], second, NOW).await.unwrap();
        check(&live, story, &ground, [ratings - rated + 1, ratings]).await;
        for person in people {
            let own = story.store.assignments_of(ground.study, person).await;
            for asked in own.unwrap().iter().filter(|entry| entry.questions > 0) {
                let done = story.store.hand_in(person, asked.assignment, NOW).await;
                assert_eq!(done.unwrap(), Some(HandInOutcome::Done));
            }
        }
        check(&live, story, &ground, [ratings, ratings]).await;

        // A lead renames a system and hides another.
        let systems = story.store.systems(ground.study).await.unwrap();
        let mut facts: Vec<_> = systems.iter().take(2).map(SystemFacts::from).collect();
        facts[0].name = "renamed".into();
        facts[1].is_hidden = true;
        let changed = story.store.update_systems(ground.study, &facts, NOW).await;
        assert_eq!(changed.unwrap(), 2);
        check(&live, story, &ground, [ratings, ratings]).await;

        // One person leaves with everything, through another process.
        let other = story.another_store().await;
        other.withdraw(ground.study, people[0], NOW).await.unwrap();
        other.close().await;
        let left = figures(&live, story, ground.study, RatingScope::HandedIn).await;
        assert!(left.raw.agreement.ratings < ratings);
        let left = left.raw.agreement.ratings;
        check(&live, story, &ground, [left, left]).await;
        // An import changes what there is.
        let mut more = ground;
        more.add_sources(story, SourcePurpose::Main, &[&["New."]])
            .await;
        check(&live, story, &more, [left, left]).await;
    })
    .await;
}

/// A lead's question to the raters of an output.
async fn ask(story: &TestDatabase, study: StudyId, output: OutputId, scope: QuestionScope) {
    let question = NewDiscussion {
        id: DiscussionId(fresh_id()),
        output,
        scope,
        note: "Look again.",
        asked_by: story.add_person(&fresh_id().to_string()).await,
    };
    // Refused where nobody has submitted it.
    drop(story.store.discuss(study, question, NOW).await);
}

/// Gives an output another score and category, and puts it last, as far as these are accepted.
async fn change_anything(
    story: &TestDatabase,
    person: PersonId,
    assignment: AssignmentId,
    output: OutputId,
    score: i32,
) {
    let task = story.store.task(person, assignment).await.unwrap().unwrap();
    let mut order: Vec<_> = task.items.iter().map(|item| item.output).collect();
    order.retain(|other| *other != output);
    order.push(output);

    let category = Category::ALL[usize::try_from(score).unwrap() % Category::ALL.len()];
    let changes = [
        rating_change(output, score),
        new_change(
            AnnotationSlot::Category { output },
            AnnotationAnswer::Category(Some(category)),
        ),
        new_change(AnnotationSlot::Order, AnnotationAnswer::Order(Some(order))),
        new_change(
            AnnotationSlot::Edits { output },
            AnnotationAnswer::Edits(Some(vec![])),
        ),
    ];

    let changes = changes.map(|change| {
        let mut answers = task.answers.iter();
        let before = answers.find(|answer| answer.slot == change.slot);
        AnnotationChange {
            supersedes: before.map(|answer| answer.id),
            ..change
        }
    });

    let saved = story
        .store
        .save_work(person, assignment, &changes, &[], NOW)
        .await;
    assert!(saved.unwrap().is_some());
}

/// Takes a random step of an annotator or a lead.
async fn take_step(
    story: &TestDatabase,
    ground: &StoreFixture,
    people: &[PersonId],
    random: &mut SeededRandom,
) {
    let store = &story.store;
    let person = people[random.below(people.len())];
    let outputs: Vec<_> = ground.outputs.iter().flatten().copied().collect();
    let output = outputs[random.below(outputs.len())];
    let assignments = store.assignments_of(ground.study, person).await.unwrap();
    let own = match assignments.len() {
        0 => None,
        count => Some(assignments[random.below(count)].assignment),
    };
    let score = i32::try_from(random.below(101)).unwrap();

    match (random.below(6), own) {
        (0, _) => ask(story, ground.study, output, QuestionScope::Output).await,
        (1, _) if score % 4 == 0 => {
            ask(story, ground.study, output, QuestionScope::Source).await;
        }
        (2, Some(own)) => {
            let task = store.task(person, own).await.unwrap().unwrap();
            let item = &task.items[random.below(task.items.len())];
            change_anything(story, person, own, item.output, score).await;
        }
        (3, Some(own)) if score % 4 == 0 => drop(store.reopen(person, own, NOW).await),
        (3 | 4, Some(own)) => {
            drop(store.hand_in(person, own, NOW).await.unwrap());
        }
        _ => {
            let next = ground.next_assignment(story, person, NOW).await;
            let NextAssignment::Assignment(assignment) = next else {
                return;
            };
            let task = store.task(person, assignment).await.unwrap().unwrap();
            for item in task.items {
                change_anything(story, person, assignment, item.output, score).await;
            }
            drop(store.hand_in(person, assignment, NOW).await.unwrap());
        }
    }
}

#[tokio::test]
async fn in_any_course_of_events_figures_are_those_of_a_fresh_look() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 3,
            ..StudySettings::default()
        };
        let ground = create_study_with(story, &settings, SourcePurpose::Main, TEXTS).await;
        let people = [
            add_annotator(story, ground.study, "one").await,
            add_annotator(story, ground.study, "two").await,
            add_annotator(story, ground.study, "three").await,
        ];

        let live = LiveStudies::new(|| 0);
        let mut random = SeededRandom::new(21);
        for number in 0..60 {
            take_step(story, &ground, &people, &mut random).await;
            check_places(story).await;
            for scope in [RatingScope::HandedIn, RatingScope::IncludingOpen] {
                let kept = pages(&live, story, ground.study, scope).await;
                let fresh = pages(&LiveStudies::new(|| 0), story, ground.study, scope).await;
                for (kept, fresh) in kept.iter().zip(&fresh) {
                    assert!(alike(kept, fresh), "step {number}: {kept}\n{fresh}");
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn who_joins_changes_no_figure_and_who_leaves_with_answers_may_change_all() {
    on_both(async |story| {
        let ground =
            create_study_with(story, &StudySettings::default(), SourcePurpose::Main, TEXTS).await;
        let (store, study) = (&story.store, ground.study);
        let newest = async || store.newest_event(study).await.unwrap().unwrap();
        let before = newest().await;
        let person = add_annotator(story, study, "newcomer").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let joined = store.figure_changes_after(study, before).await.unwrap();
        assert!(
            matches!(&joined, FigureChanges::Sources(sources) if sources.len() == 1),
            "{joined:?}"
        );

        hand_in(story, person, assignment, |_| 50).await;
        let before = newest().await;
        store.withdraw(study, person, NOW).await.unwrap();
        let left = store.figure_changes_after(study, before).await.unwrap();
        assert_eq!(left, FigureChanges::Everything);
    })
    .await;
}

#[tokio::test]
async fn erased_ratings_leave_the_figures_of_a_study_without_them() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 3,
            ..StudySettings::default()
        };
        let ground = create_study_with(story, &settings, SourcePurpose::Main, TEXTS).await;
        let (store, study) = (&story.store, ground.study);
        let live = LiveStudies::new(|| 0);
        let scope = RatingScope::HandedIn;
        let judge = async |name: &str, factor: usize| {
            let person = add_annotator(story, study, name).await;
            for _ in TEXTS {
                let assignment = ground.expect_assignment(story, person, NOW).await;
                let score = |output: OutputId| {
                    let place = ground
                        .outputs
                        .iter()
                        .flatten()
                        .position(|own| *own == output);
                    i32::try_from(factor * place.unwrap() % 101).unwrap()
                };
                hand_in(story, person, assignment, score).await;
            }
            person
        };

        judge("one", 7).await;
        judge("two", 9).await;
        let without = pages(&live, story, study, scope).await;
        let erased = judge("three", 31).await;
        let with = pages(&live, story, study, scope).await;
        assert!(!alike(&with[0], &without[0]), "their ratings count");

        let also = AccountErasure {
            comments: false,
            ratings: true,
        };
        assert!(store.erase_person(erased, also, NOW).await.unwrap());
        check_places(story).await;
        // While the rows are only hidden, and once they are deleted.
        for _ in 0..2 {
            for live in [&live, &LiveStudies::new(|| 0)] {
                let after = pages(live, story, study, scope).await;
                for (after, without) in after.iter().zip(&without) {
                    assert!(alike(after, without), "{after}\n{without}");
                }
            }
            store.finish_erasures().await.unwrap();
        }
    })
    .await;
}
