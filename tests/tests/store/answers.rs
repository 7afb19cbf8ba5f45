use domain::{
    category::Category,
    edit::{Edit, EditKind},
    ids::{AnnotationId, AssignmentId, OutputId, PersonId},
    score::{Scale, Score},
    span::Span,
    study::{AssignmentState, Settings, SourcePurpose},
    work::change::{Answer, Change, Outcome, Slot, Step},
};
use store::answers::{HandIn, Unrated};
use stories::{MINUTE, NOW, Story, both, fresh};
use uuid::Uuid;

use crate::ground::{Ground, annotator, ground};

const HOUR: i64 = 60 * MINUTE;

/// A source with five outputs, two of them alike, given to an annotator.
struct Work {
    ground: Ground,
    person: PersonId,
    assignment: AssignmentId,
    /// One an identical text.
    items: Vec<OutputId>,
}

async fn work(story: &Story) -> Work {
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
    async fn save(&self, story: &Story, changes: &[Change]) -> Vec<Outcome> {
        let saved = story
            .store
            .save_changes(self.person, self.assignment, changes, NOW + MINUTE)
            .await;
        saved.unwrap().unwrap()
    }

    async fn rate_all(&self, story: &Story) {
        let changes: Vec<_> = self.items.iter().map(|o| rate(*o, 50, None)).collect();
        let outcomes = self.save(story, &changes).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
    }
}

fn is_saved(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Saved { .. })
}

fn score(value: i32) -> Score {
    Scale::PERCENT.score(value).unwrap()
}

fn change(slot: Slot, answer: Answer, supersedes: Option<AnnotationId>) -> Change {
    Change {
        id: AnnotationId(fresh()),
        supersedes,
        slot,
        answer,
    }
}

fn rate(output: OutputId, value: i32, supersedes: Option<AnnotationId>) -> Change {
    let slot = Slot::Rating {
        output,
        dimension: "overall".into(),
    };
    change(slot, Answer::Rating(Some(score(value))), supersedes)
}

#[tokio::test]
async fn every_kind_of_answer_comes_back_as_it_was_given() {
    both(async |story| {
        let work = work(story).await;
        let output = work.items[3];
        let edit = Edit {
            kind: EditKind::Paraphrase,
            source: vec![Span::new(0, 3)],
            output: vec![Span::new(5, 7)],
            confidence: None,
        };
        let mut order = work.items.clone();
        order.reverse();
        let given = [
            change(
                Slot::Category { output },
                Answer::Category(Some(Category::Split)),
                None,
            ),
            change(
                Slot::Edits { output },
                Answer::Edits(Some(vec![edit])),
                None,
            ),
            rate(output, 100, None),
            change(
                Slot::Note { output },
                Answer::Note("Odd “word”.".into()),
                None,
            ),
            change(Slot::Order, Answer::Order(Some(order)), None),
            change(Slot::Progress, Answer::Progress(Step::Rate), None),
        ];
        let outcomes = work.save(story, &given).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
        let task = story
            .store
            .task(work.person, work.assignment)
            .await
            .unwrap()
            .unwrap();
        let mut answers = task.answers;
        answers.sort_by_key(|answer| answer.id);
        let expect: Vec<_> = given.iter().map(|c| (c.id, &c.slot, &c.answer)).collect();
        let found: Vec<_> = answers.iter().map(|a| (a.id, &a.slot, &a.answer)).collect();
        assert_eq!(found, expect);

        // Taken back, each says so.
        let back = [
            change(
                Slot::Category { output },
                Answer::Category(None),
                Some(given[0].id),
            ),
            change(
                Slot::Edits { output },
                Answer::Edits(None),
                Some(given[1].id),
            ),
            change(
                given[2].slot.clone(),
                Answer::Rating(None),
                Some(given[2].id),
            ),
            change(Slot::Order, Answer::Order(None), Some(given[4].id)),
        ];
        let outcomes = work.save(story, &back).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
        let task = story
            .store
            .task(work.person, work.assignment)
            .await
            .unwrap()
            .unwrap();
        for change in &back {
            let found = task.answers.iter().find(|a| a.slot == change.slot).unwrap();
            assert_eq!((found.id, &found.answer), (change.id, &change.answer));
        }
        let events = story
            .store
            .events_after(work.ground.study, 0, 100)
            .await
            .unwrap();
        let kinds: Vec<_> = events.iter().map(|e| e.kind.as_str()).collect();
        assert_eq!(
            kinds,
            [
                "study", "import", "member", "open", "category", "edits", "rating", "note",
                "order", "category", "edits", "rating", "order"
            ]
        );
        assert_eq!(events[6].subject, given[2].id.to_string());
    })
    .await;
}

#[tokio::test]
async fn a_task_shows_each_text_once_in_the_order_of_its_seed() {
    both(async |story| {
        let work = work(story).await;
        let task = async || {
            let task = story.store.task(work.person, work.assignment).await;
            task.unwrap().unwrap()
        };
        let first = task().await;
        assert_eq!(first, task().await);
        assert_eq!((first.number, first.of), (1, 1));
        assert_eq!(first.source, "The source number 0.");
        let mut shown: Vec<_> = first.items.iter().map(|i| (i.output, i.copies)).collect();
        assert_ne!(shown.iter().map(|s| s.0).collect::<Vec<_>>(), work.items);
        shown.sort_unstable();
        let copies = [1, 2, 1, 1];
        assert_eq!(
            shown,
            work.items.iter().copied().zip(copies).collect::<Vec<_>>()
        );
        let stranger = annotator(story, work.ground.study, "a stranger").await;
        assert_eq!(
            story.store.task(stranger, work.assignment).await.unwrap(),
            None
        );
    })
    .await;
}

#[tokio::test]
async fn sending_twice_changes_nothing() {
    both(async |story| {
        let work = work(story).await;
        let first = rate(work.items[0], 40, None);
        let second = rate(work.items[0], 60, Some(first.id));
        let both = [first, second];
        assert!(work.save(story, &both).await.iter().all(is_saved));
        let newest = story.store.newest_event(work.ground.study).await.unwrap();
        assert!(work.save(story, &both).await.iter().all(is_saved));
        assert!(work.save(story, &both[..1]).await.iter().all(is_saved));
        assert_eq!(
            story.store.newest_event(work.ground.study).await.unwrap(),
            newest
        );
        let task = story
            .store
            .task(work.person, work.assignment)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(task.answers.len(), 1);
        assert_eq!(task.answers[0].id, both[1].id);
    })
    .await;
}

#[tokio::test]
async fn an_answer_to_what_is_no_longer_current_is_a_conflict() {
    both(async |story| {
        let work = work(story).await;
        let output = work.items[0];
        let first = rate(output, 40, None);
        let here = rate(output, 50, Some(first.id));
        let there = rate(output, 60, Some(first.id));
        let after = rate(output, 70, Some(there.id));
        assert!(
            work.save(story, &[first, here.clone()])
                .await
                .iter()
                .all(is_saved)
        );
        let outcomes = work.save(story, &[there.clone(), after.clone()]).await;
        for (change, outcome) in [there, after].iter().zip(outcomes) {
            let Outcome::Conflict { id, current } = outcome else {
                panic!("a conflict, not {outcome:?}");
            };
            assert_eq!(id, change.id);
            assert_eq!(current.unwrap().id, here.id);
        }
        // The step in work is nothing to lose: the last one counts.
        for step in [Step::Highlight, Step::Rate] {
            let progress = change(Slot::Progress, Answer::Progress(step), None);
            assert!(work.save(story, &[progress]).await.iter().all(is_saved));
        }
    })
    .await;
}

#[tokio::test]
async fn two_tabs_at_once_leave_one_current_answer() {
    both(async |story| {
        let work = work(story).await;
        let (person, assignment) = (work.person, work.assignment);
        let mut tabs = tokio::task::JoinSet::new();
        for tab in 0..8 {
            let change = rate(work.items[0], tab, None);
            let store = match tab % 2 {
                0 => story.another_store().await,
                _ => story.store.clone(),
            };
            tabs.spawn(async move {
                let saved = store.save_changes(person, assignment, &[change], NOW).await;
                saved.unwrap().unwrap()
            });
        }
        let mut saved = 0;
        while let Some(outcomes) = tabs.join_next().await {
            saved += usize::from(is_saved(&outcomes.unwrap()[0]));
        }
        assert_eq!(saved, 1);
    })
    .await;
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_the_rest_is_stored() {
    both(async |story| {
        let work = work(story).await;
        let output = work.items[3];
        let rating = |dimension: &str, output| Slot::Rating {
            output,
            dimension: dimension.into(),
        };
        let edit = |span| {
            let edit = Edit {
                kind: EditKind::Deletion,
                source: vec![],
                output: vec![span],
                confidence: None,
            };
            change(
                Slot::Edits { output },
                Answer::Edits(Some(vec![edit])),
                None,
            )
        };
        let on_likert = Scale::LIKERT.score(-1).unwrap();
        let twin = work.ground.outputs[0][3];
        let stranger = OutputId(fresh());
        let order =
            |outputs: &[OutputId]| change(Slot::Order, Answer::Order(Some(outputs.to_vec())), None);
        let mut doubled = work.items.clone();
        doubled[1] = doubled[0];
        let bad = [
            change(rating("overall", output), Answer::Note("?".into()), None),
            change(
                rating("overall", output),
                Answer::Rating(Some(on_likert)),
                None,
            ),
            change(rating("fluency", output), Answer::Rating(None), None),
            rate(twin, 50, None),
            rate(stranger, 50, None),
            // “Vier é.” has a character of two bytes at 5.
            edit(Span::at(6)),
            edit(Span::new(0, 99)),
            order(&work.items[1..]),
            order(&doubled),
            change(Slot::Note { output }, Answer::Note("\0".into()), None),
        ];
        let mut changes = bad.to_vec();
        changes.push(rate(output, 50, None));
        let outcomes = work.save(story, &changes).await;
        assert!(is_saved(&outcomes[10]));
        for (change, outcome) in bad.iter().zip(&outcomes) {
            let refused = matches!(outcome, Outcome::Refused { id, .. } if *id == change.id);
            assert!(refused, "{change:?}: {outcome:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn another_annotators_source_is_not_there() {
    both(async |story| {
        let work = work(story).await;
        let stranger = annotator(story, work.ground.study, "a stranger").await;
        let changes = [rate(work.items[0], 50, None)];
        let (store, assignment) = (&story.store, work.assignment);
        let saved = store
            .save_changes(stranger, assignment, &changes, NOW)
            .await;
        assert_eq!(saved.unwrap(), None);
        let tab = Uuid::nil();
        let activity = store
            .save_activity(stranger, assignment, tab, &[], NOW)
            .await;
        assert_eq!(activity.unwrap(), None);
        assert_eq!(
            store.hand_in(stranger, assignment, NOW).await.unwrap(),
            None
        );
        assert_eq!(store.reopen(stranger, assignment, NOW).await.unwrap(), None);
        assert_eq!(
            store.skip(stranger, assignment, "no", NOW).await.unwrap(),
            None
        );
        let unknown = AssignmentId(fresh());
        assert_eq!(
            store.hand_in(work.person, unknown, NOW).await.unwrap(),
            None
        );
    })
    .await;
}

#[tokio::test]
async fn a_source_is_handed_in_when_all_is_rated() {
    both(async |story| {
        let work = work(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        let first = rate(work.items[0], 40, None);
        work.save(story, std::slice::from_ref(&first)).await;
        let missing = work.items[1..].iter().map(|output| Unrated {
            output: *output,
            dimension: "overall".into(),
        });
        let expect = HandIn::Missing(missing.collect());
        assert_eq!(
            store.hand_in(person, assignment, NOW).await.unwrap(),
            Some(expect)
        );

        let rest: Vec<_> = work.items[1..].iter().map(|o| rate(*o, 50, None)).collect();
        work.save(story, &rest).await;
        for _ in 0..2 {
            let done = store.hand_in(person, assignment, NOW + 5).await.unwrap();
            assert_eq!(done, Some(HandIn::Done));
        }
        let late = rate(work.items[0], 90, Some(first.id));
        let outcomes = work.save(story, &[first.clone(), late.clone()]).await;
        assert!(is_saved(&outcomes[0]), "what is stored stays saved");
        assert!(matches!(outcomes[1], Outcome::Refused { .. }));

        store
            .reopen(person, assignment, NOW)
            .await
            .unwrap()
            .unwrap();
        assert!(work.save(story, &[late]).await.iter().all(is_saved));
        let list = store
            .assignments_of(work.ground.study, person)
            .await
            .unwrap();
        assert_eq!(
            (list[0].state, list[0].ended_at),
            (AssignmentState::Open, None)
        );
        assert_eq!((list[0].progress.items, list[0].progress.rated), (4, 4));
        assert_eq!(list[0].progress.answers, 4);
    })
    .await;
}

#[tokio::test]
async fn a_skipped_source_says_why_and_takes_no_more() {
    both(async |story| {
        let work = work(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        assert!(store.skip(person, assignment, " ", NOW).await.is_err());
        store
            .skip(person, assignment, "Not English. ", NOW)
            .await
            .unwrap()
            .unwrap();
        store
            .skip(person, assignment, "again", NOW)
            .await
            .unwrap()
            .unwrap();
        let list = store
            .assignments_of(work.ground.study, person)
            .await
            .unwrap();
        assert_eq!(list[0].reason, "Not English.");
        let outcomes = work.save(story, &[rate(work.items[0], 1, None)]).await;
        assert!(matches!(outcomes[0], Outcome::Refused { .. }));
        assert!(store.hand_in(person, assignment, NOW).await.is_err());
        assert!(store.reopen(person, assignment, NOW).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn work_goes_on_after_the_lease_unless_somebody_else_has_it() {
    both(async |story| {
        let work = work(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        let late = NOW + 5 * HOUR;
        let first = rate(work.items[0], 40, None);
        let saved = store
            .save_changes(person, assignment, std::slice::from_ref(&first), late)
            .await;
        assert!(is_saved(&saved.unwrap().unwrap()[0]));
        // That renewed the lease.
        let other = annotator(story, work.ground.study, "another").await;
        let next = work.ground.next(story, other, late + HOUR).await;
        assert_eq!(next, store::assignments::Next::Nothing);
        // Activity does so as well.
        let tab = Uuid::nil();
        let spent = [(Step::Rate, 5)];
        store
            .save_activity(person, assignment, tab, &spent, late + HOUR)
            .await
            .unwrap()
            .unwrap();
        let next = work.ground.next(story, other, late + 2 * HOUR).await;
        assert_eq!(next, store::assignments::Next::Nothing);
        work.ground.given(story, other, late + 9 * HOUR).await;
        let second = rate(work.items[0], 50, Some(first.id));
        let outcomes = work.save(story, &[second]).await;
        assert!(
            matches!(outcomes[0], Outcome::Refused { .. }),
            "{outcomes:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn active_time_is_the_largest_total_of_each_tab_and_step() {
    both(async |story| {
        let work = work(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        let report = async |tab: u128, spent: &[(Step, u64)]| {
            let tab = Uuid::from_u128(tab);
            let saved = store
                .save_activity(person, assignment, tab, spent, NOW)
                .await;
            saved.unwrap().unwrap();
        };
        report(1, &[(Step::Categorise, 100), (Step::Rate, 7)]).await;
        report(1, &[(Step::Categorise, 300), (Step::Rate, 7)]).await;
        report(1, &[(Step::Categorise, 200)]).await;
        report(2, &[(Step::Rate, 1_000)]).await;
        let task = store.task(person, assignment).await.unwrap().unwrap();
        assert_eq!(task.active_ms, 1_307);
        work.rate_all(story).await;
        store.hand_in(person, assignment, NOW).await.unwrap();
        report(2, &[(Step::Rate, 9_000)]).await;
        let task = store.task(person, assignment).await.unwrap().unwrap();
        assert_eq!(task.active_ms, 1_307);
    })
    .await;
}

#[tokio::test]
async fn thirty_changes_are_one_commit() {
    both(async |story| {
        let work = work(story).await;
        let mut parent = None;
        let changes: Vec<_> = (0..30)
            .map(|value| {
                let change = rate(work.items[0], value, parent);
                parent = Some(change.id);
                change
            })
            .collect();
        let before = story.store.newest_event(work.ground.study).await.unwrap();
        assert!(work.save(story, &changes).await.iter().all(is_saved));
        let after = story.store.newest_event(work.ground.study).await.unwrap();
        assert_eq!(after.zip(before).map(|(a, b)| a - b), Some(30));
        let list = story.store.assignments(work.ground.study).await.unwrap();
        assert_eq!(list[0].progress.answers, 1);
    })
    .await;
}
