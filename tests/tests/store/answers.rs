use domain::{
    category::Category,
    edit::{Edit, EditKind},
    ids::{AssignmentId, OutputId},
    score::RatingScale,
    span::Span,
    work::change::{
        AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep, SaveOutcome,
    },
};
use stories::{NOW, fresh_id, on_both};

use crate::{
    assignment_fixture::{
        is_saved, percent_score, start_assignment, superseding_change, superseding_rating,
    },
    study_fixture::add_annotator,
};

#[tokio::test]
async fn every_kind_of_answer_comes_back_as_it_was_given() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let output = work.items[3];
        let edit = Edit {
            kind: EditKind::Paraphrase,
            source: vec![Span::new(0, 3)],
            output: vec![Span::new(5, 7)],
            confidence: None,
        };
        let mut order = work.items.clone();
        order.reverse();

        let changes = [
            superseding_change(
                AnnotationSlot::Category { output },
                AnnotationAnswer::Category(Some(Category::Split)),
                None,
            ),
            superseding_change(
                AnnotationSlot::Edits { output },
                AnnotationAnswer::Edits(Some(vec![edit])),
                None,
            ),
            superseding_rating(output, 100, None),
            superseding_change(
                AnnotationSlot::Note { output },
                AnnotationAnswer::Note("Odd “word”.".into()),
                None,
            ),
            superseding_change(
                AnnotationSlot::Order,
                AnnotationAnswer::Order(Some(order)),
                None,
            ),
            superseding_change(
                AnnotationSlot::Progress,
                AnnotationAnswer::Progress(AnnotationStep::Rate),
                None,
            ),
        ];

        let outcomes = work.save(story, &changes).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");

        let task = work.task(story).await;
        let mut answers = task.answers;
        answers.sort_by_key(|answer| answer.id);
        let expect: Vec<_> = changes.iter().map(|c| (c.id, &c.slot, &c.answer)).collect();
        let actual: Vec<_> = answers.iter().map(|a| (a.id, &a.slot, &a.answer)).collect();
        assert_eq!(actual, expect);

        // Taken back, each says so.
        let back = [
            superseding_change(
                AnnotationSlot::Category { output },
                AnnotationAnswer::Category(None),
                Some(changes[0].id),
            ),
            superseding_change(
                AnnotationSlot::Edits { output },
                AnnotationAnswer::Edits(None),
                Some(changes[1].id),
            ),
            superseding_change(
                changes[2].slot.clone(),
                AnnotationAnswer::Rating(None),
                Some(changes[2].id),
            ),
            superseding_change(
                AnnotationSlot::Order,
                AnnotationAnswer::Order(None),
                Some(changes[4].id),
            ),
        ];
        let outcomes = work.save(story, &back).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
        let task = work.task(story).await;
        for change in &back {
            let answer = task.answers.iter().find(|a| a.slot == change.slot).unwrap();
            assert_eq!((answer.id, &answer.answer), (change.id, &change.answer));
        }

        let events = story.events_after(work.ground.study, 0).await;
        let kinds: Vec<_> = events.iter().map(|e| e.kind.name()).collect();
        assert_eq!(
            kinds,
            [
                "study", "import", "member", "open", "category", "edits", "rating", "note",
                "order", "category", "edits", "rating", "order"
            ]
        );
        assert_eq!(events[6].subject, changes[2].id.to_string());
    })
    .await;
}

#[tokio::test]
async fn a_task_shows_each_text_once_in_the_order_of_its_seed() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let first = work.task(story).await;
        assert_eq!(first, work.task(story).await);
        assert_eq!(first.number, 1);
        assert_eq!(first.source, "The source number 0.");

        let mut shown: Vec<_> = first.items.iter().map(|i| (i.output, i.copies)).collect();
        assert_ne!(shown.iter().map(|s| s.0).collect::<Vec<_>>(), work.items);
        shown.sort_unstable();
        let copies = [1, 2, 1, 1];
        assert_eq!(
            shown,
            work.items.iter().copied().zip(copies).collect::<Vec<_>>()
        );

        let stranger = add_annotator(story, work.ground.study, "a stranger").await;
        assert_eq!(
            story.store.task(stranger, work.assignment).await.unwrap(),
            None
        );
    })
    .await;
}

#[tokio::test]
async fn sending_twice_changes_nothing() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let first = superseding_rating(work.items[0], 40, None);
        let second = superseding_rating(work.items[0], 60, Some(first.id));
        let both = [first, second];
        assert!(work.save(story, &both).await.iter().all(is_saved));

        let newest = story.store.newest_event(work.ground.study).await.unwrap();
        assert!(work.save(story, &both).await.iter().all(is_saved));
        assert!(work.save(story, &both[..1]).await.iter().all(is_saved));
        assert_eq!(
            story.store.newest_event(work.ground.study).await.unwrap(),
            newest
        );

        let task = work.task(story).await;
        assert_eq!(task.answers.len(), 1);
        assert_eq!(task.answers[0].id, both[1].id);
    })
    .await;
}

#[tokio::test]
async fn another_answer_under_a_stored_id_is_refused() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (output, other) = (work.items[0], work.items[1]);
        let first = superseding_rating(output, 40, None);
        let stored = superseding_rating(output, 60, Some(first.id));
        let edit = Edit {
            kind: EditKind::Paraphrase,
            source: vec![],
            output: vec![Span::new(0, 4)],
            confidence: Some(0.1 + 0.2),
        };
        let edits = superseding_change(
            AnnotationSlot::Edits { output },
            AnnotationAnswer::Edits(Some(vec![edit])),
            None,
        );
        let progress = superseding_change(
            AnnotationSlot::Progress,
            AnnotationAnswer::Progress(AnnotationStep::Rate),
            None,
        );
        let note = superseding_change(
            AnnotationSlot::Note { output },
            AnnotationAnswer::Note("Odd.".into()),
            None,
        );
        let all = [first, stored.clone(), edits, progress, note.clone()];
        let outcomes = work.save(story, &all).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");

        // The same again is saved, whatever is current by now.
        let outcomes = work.save(story, &all).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
        let (study, store) = (work.ground.study, &story.store);
        let newest = store.newest_event(study).await.unwrap();
        let answers = work.task(story).await.answers;

        let differs = |answer| AnnotationChange {
            answer,
            ..stored.clone()
        };
        let elsewhere = superseding_rating(other, 60, stored.supersedes);
        let others = [
            differs(AnnotationAnswer::Rating(Some(percent_score(61)))),
            differs(AnnotationAnswer::Rating(None)),
            differs(AnnotationAnswer::Note("60".into())),
            AnnotationChange {
                slot: elsewhere.slot,
                ..stored.clone()
            },
            AnnotationChange {
                supersedes: None,
                ..stored.clone()
            },
            AnnotationChange {
                answer: AnnotationAnswer::Note("Fine.".into()),
                ..note
            },
        ];
        let outcomes = work.save(story, &others).await;
        for (change, outcome) in others.iter().zip(&outcomes) {
            let SaveOutcome::Refused { id, reason } = outcome else {
                panic!("{change:?} is not stored, but {outcome:?}");
            };
            assert_eq!(*id, change.id);
            assert!(reason.contains("another answer"), "{reason}");
        }

        // Twice in one batch, the first of them counts.
        let new = superseding_rating(other, 10, None);
        let mut changed = new.clone();
        changed.answer = AnnotationAnswer::Rating(Some(percent_score(20)));
        let outcomes = work.save(story, &[new.clone(), changed]).await;
        assert!(is_saved(&outcomes[0]) && !is_saved(&outcomes[1]));
        let task = work.task(story).await;
        assert!(answers.iter().all(|answer| task.answers.contains(answer)));
        let last = task.answers.iter().find(|answer| answer.id == new.id);
        assert_eq!(last.unwrap().answer, new.answer);
        let events = store.newest_event(study).await.unwrap();
        assert_eq!(events.zip(newest).map(|(now, was)| now - was), Some(1));
    })
    .await;
}

#[tokio::test]
async fn an_answer_to_what_is_no_longer_current_is_a_conflict() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let output = work.items[0];
        let first = superseding_rating(output, 40, None);
        let accepted = superseding_rating(output, 50, Some(first.id));
        let conflicting = superseding_rating(output, 60, Some(first.id));
        let after = superseding_rating(output, 70, Some(conflicting.id));

        assert!(
            work.save(story, &[first, accepted.clone()])
                .await
                .iter()
                .all(is_saved)
        );
        let outcomes = work
            .save(story, &[conflicting.clone(), after.clone()])
            .await;
        for (change, outcome) in [conflicting, after].iter().zip(outcomes) {
            let SaveOutcome::Conflict { id, current } = outcome else {
                panic!("a conflict, not {outcome:?}");
            };
            assert_eq!(id, change.id);
            assert_eq!(current.unwrap().id, accepted.id);
        }

        // Progress does not conflict: the last step counts.
        for step in [AnnotationStep::Highlight, AnnotationStep::Rate] {
            let progress = superseding_change(
                AnnotationSlot::Progress,
                AnnotationAnswer::Progress(step),
                None,
            );
            assert!(work.save(story, &[progress]).await.iter().all(is_saved));
        }
    })
    .await;
}

#[tokio::test]
async fn two_tabs_at_once_leave_one_current_answer() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (person, assignment) = (work.person, work.assignment);
        let mut tabs = tokio::task::JoinSet::new();
        for tab in 0..8 {
            let change = superseding_rating(work.items[0], tab, None);
            let store = match tab % 2 {
                0 => story.another_store().await,
                _ => story.store.clone(),
            };
            tabs.spawn(async move {
                let saved = store
                    .save_work(person, assignment, &[change], &[], NOW)
                    .await;
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
    on_both(async |story| {
        let work = start_assignment(story).await;
        let output = work.items[3];
        let rating = |dimension: &str, output| AnnotationSlot::Rating {
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
            superseding_change(
                AnnotationSlot::Edits { output },
                AnnotationAnswer::Edits(Some(vec![edit])),
                None,
            )
        };

        let on_likert = RatingScale::LIKERT.score(-1).unwrap();
        let twin = work.ground.outputs[0][3];
        let stranger = OutputId(fresh_id());
        let order = |outputs: &[OutputId]| {
            superseding_change(
                AnnotationSlot::Order,
                AnnotationAnswer::Order(Some(outputs.to_vec())),
                None,
            )
        };

        let mut doubled = work.items.clone();
        doubled[1] = doubled[0];
        let bad = [
            superseding_change(
                rating("overall", output),
                AnnotationAnswer::Note("?".into()),
                None,
            ),
            superseding_change(
                rating("overall", output),
                AnnotationAnswer::Rating(Some(on_likert)),
                None,
            ),
            superseding_change(
                rating("fluency", output),
                AnnotationAnswer::Rating(None),
                None,
            ),
            superseding_rating(twin, 50, None),
            superseding_rating(stranger, 50, None),
            // “Vier é.” has a character of two bytes at 5.
            edit(Span::at(6)),
            edit(Span::new(0, 99)),
            order(&work.items[1..]),
            order(&doubled),
            superseding_change(
                AnnotationSlot::Note { output },
                AnnotationAnswer::Note("\0".into()),
                None,
            ),
        ];

        let mut changes = bad.to_vec();
        changes.push(superseding_rating(output, 50, None));
        let outcomes = work.save(story, &changes).await;
        assert!(is_saved(&outcomes[10]));
        for (change, outcome) in bad.iter().zip(&outcomes) {
            let refused = matches!(outcome, SaveOutcome::Refused { id, .. } if *id == change.id);
            assert!(refused, "{change:?}: {outcome:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn another_annotators_source_is_not_there() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let stranger = add_annotator(story, work.ground.study, "a stranger").await;
        let changes = [superseding_rating(work.items[0], 50, None)];
        let (store, assignment) = (&story.store, work.assignment);
        let saved = store
            .save_work(stranger, assignment, &changes, &[], NOW)
            .await;
        assert_eq!(saved.unwrap(), None);
        let activity = store.save_work(stranger, assignment, &[], &[], NOW).await;
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

        let unknown = AssignmentId(fresh_id());
        assert_eq!(
            store.hand_in(work.person, unknown, NOW).await.unwrap(),
            None
        );
    })
    .await;
}

#[tokio::test]
async fn thirty_changes_are_one_commit() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let mut parent = None;
        let changes: Vec<_> = (0..30)
            .map(|value| {
                let change = superseding_rating(work.items[0], value, parent);
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
