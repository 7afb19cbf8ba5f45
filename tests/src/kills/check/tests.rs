use domain::{
    ids::OutputId,
    score::RatingScale,
    study::OVERALL,
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationChange, AnnotationStep},
    },
};
use store::EventKind;
use uuid::Uuid;

use super::{
    super::history::{EventRow, SentTimes, StepKey, StudyEvents},
    *,
};

fn change_id(number: u128) -> AnnotationId {
    AnnotationId(Uuid::from_u128(number))
}

fn assignment() -> AssignmentId {
    AssignmentId(Uuid::from_u128(7))
}

/// Change `number` of the same rating, which supersedes the one before it.
fn sent(number: u128, acknowledged: bool) -> SentChange {
    let score = i32::try_from(number).expect("a small number");
    let change = AnnotationChange {
        id: change_id(number),
        supersedes: (number > 1).then(|| change_id(number - 1)),
        slot: AnnotationSlot::Rating {
            output: OutputId(Uuid::from_u128(9)),
            dimension: OVERALL.to_owned(),
        },
        answer: AnnotationAnswer::Rating(Some(RatingScale::PERCENT.clamp(score))),
    };
    SentChange {
        assignment: assignment(),
        change,
        acknowledged,
    }
}

fn decision(state: AssignmentState, acknowledged: bool) -> SentDecision {
    SentDecision {
        assignment: assignment(),
        state,
        acknowledged,
    }
}

fn event(number: i64, kind: EventKind, subject: impl ToString) -> EventRow {
    EventRow {
        number,
        kind,
        subject: subject.to_string(),
    }
}

/// Stores an event as the newest one, and returns its number.
fn add_event(rows: &mut StoredRows, kind: EventKind, subject: impl ToString) -> i64 {
    let study = &mut rows.events[0];
    study.counter += 1;
    study.events.push(event(study.counter, kind, subject));
    study.counter
}

/// Stores a change with its event, as the answer that counts.
fn add_answer(rows: &mut StoredRows, sent: &SentChange) {
    for row in &mut rows.answers {
        row.current = false;
    }
    let event = add_event(rows, EventKind::Rating, sent.change.id);
    rows.answers.push(AnswerRow {
        assignment: sent.assignment,
        change: sent.change.clone(),
        current: true,
        study: "river".to_owned(),
        event,
    });
}

/// Ten milliseconds for each number in the one tab of the source, in step 1.
fn sent_times(number: u64, acknowledged: bool) -> SentTimes {
    let report = ActivityReport {
        tab: Uuid::from_u128(5),
        categorise_ms: number * 10,
        ..ActivityReport::default()
    };
    SentTimes {
        assignment: assignment(),
        report,
        acknowledged,
    }
}

fn step_key(step: AnnotationStep) -> StepKey {
    (assignment(), Uuid::from_u128(5), step)
}

/// Three changes, the last of them not acknowledged, and a hand-in; stored as far as acknowledged.
fn sound_history() -> (SentHistory, StoredRows) {
    let changes = vec![sent(1, true), sent(2, true), sent(3, false)];
    let mut rows = StoredRows {
        assignments: HashMap::from([(assignment(), AssignmentState::HandedIn)]),
        times: HashMap::from([
            (step_key(AnnotationStep::Categorise), 20),
            (step_key(AnnotationStep::Highlight), 0),
            (step_key(AnnotationStep::Rate), 0),
            (step_key(AnnotationStep::Answer), 0),
            (step_key(AnnotationStep::Write), 0),
        ]),
        events: vec![StudyEvents {
            study: "river".to_owned(),
            counter: 0,
            events: vec![],
        }],
        ..StoredRows::default()
    };

    add_event(&mut rows, EventKind::Open, assignment());
    add_event(&mut rows, EventKind::Member, change_id(100));
    for sent in &changes[..2] {
        add_answer(&mut rows, sent);
    }
    add_event(&mut rows, EventKind::HandedIn, assignment());

    let history = SentHistory {
        changes,
        decisions: vec![decision(AssignmentState::HandedIn, true)],
        times: vec![
            sent_times(1, true),
            sent_times(2, true),
            sent_times(3, false),
        ],
        refusals: vec![],
    };
    (history, rows)
}

/// Plants a fault into the sound history, and returns the kinds of the violations and all of their sentences.
fn plant(fault: impl FnOnce(&mut SentHistory, &mut StoredRows)) -> (Vec<ViolationKind>, String) {
    let (mut history, mut rows) = sound_history();
    fault(&mut history, &mut rows);
    let violations = find_violations(&history, &rows);
    let kinds = violations.iter().map(|violation| violation.kind).collect();
    let lines: Vec<_> = violations.iter().map(ToString::to_string).collect();
    (kinds, lines.join("\n"))
}

#[test]
fn a_sound_history_has_no_violation() {
    assert_eq!(plant(|_, _| ()), (vec![], String::new()));
}

#[test]
fn a_change_that_was_not_acknowledged_may_be_stored() {
    let (kinds, lines) = plant(|history, rows| {
        add_answer(rows, &history.changes[2]);
    });
    assert!(kinds.is_empty(), "{lines}");
}

#[test]
fn a_lost_change_is_the_only_violation_and_is_named() {
    let (kinds, lines) = plant(|_, rows| drop(rows.answers.pop()));
    assert_eq!(kinds, [ViolationKind::Lost]);
    assert!(lines.contains(&change_id(2).to_string()), "{lines}");
}

#[test]
fn a_lost_change_in_the_middle_breaks_the_chain() {
    let (kinds, lines) = plant(|_, rows| drop(rows.answers.remove(0)));
    assert_eq!(
        kinds,
        [ViolationKind::Lost, ViolationKind::Wrong],
        "{lines}"
    );
}

#[test]
fn a_wrong_value_parent_or_place_is_found() {
    let (kinds, lines) = plant(|_, rows| {
        let wrong_answer = AnnotationAnswer::Rating(Some(RatingScale::PERCENT.clamp(99)));
        rows.answers[1].change.answer = wrong_answer;
    });
    assert_eq!(kinds, [ViolationKind::Wrong]);
    assert!(lines.contains(&change_id(2).to_string()), "{lines}");

    let (kinds, _) = plant(|_, rows| rows.answers[1].change.supersedes = None);
    // It is also a second answer that supersedes none.
    assert_eq!(kinds, [ViolationKind::Wrong, ViolationKind::Duplicate]);

    let (kinds, _) = plant(|_, rows| {
        for row in &mut rows.answers {
            row.assignment = AssignmentId(Uuid::from_u128(8));
        }
    });
    assert_eq!(kinds[..2], [ViolationKind::Wrong; 2]);
}

#[test]
fn an_older_answer_must_not_count() {
    let (kinds, lines) = plant(|_, rows| {
        rows.answers[0].current = true;
        rows.answers[1].current = false;
    });
    assert_eq!(kinds, [ViolationKind::Wrong], "{lines}");

    let (kinds, lines) = plant(|_, rows| rows.answers[1].current = false);
    assert_eq!(kinds, [ViolationKind::Wrong], "{lines}");
    let (kinds, lines) = plant(|_, rows| rows.answers[0].current = true);
    assert_eq!(kinds, [ViolationKind::Wrong], "{lines}");
}

#[test]
fn duplicates_forks_and_strangers_are_found() {
    let (kinds, lines) = plant(|_, rows| {
        let mut again = rows.answers[0].clone();
        again.change.id = change_id(50);
        rows.answers.push(again);
    });
    // Nobody sent it; like the first one, it supersedes none; and its event is about the first one.
    let duplicate = ViolationKind::Duplicate;
    assert_eq!(
        kinds,
        [duplicate, duplicate, ViolationKind::Damaged],
        "{lines}"
    );

    let (kinds, lines) = plant(|_, rows| rows.answers.push(rows.answers[0].clone()));
    assert_eq!(kinds, [ViolationKind::Duplicate; 2], "{lines}");
}

#[test]
fn a_lost_hand_in_is_found() {
    let open = AssignmentState::Open;
    // Undone only in its row: its event is still there.
    let (kinds, lines) = plant(|_, rows| {
        rows.assignments.insert(assignment(), open);
    });
    assert_eq!(
        kinds,
        [ViolationKind::Lost, ViolationKind::Damaged],
        "{lines}"
    );

    let (kinds, _) = plant(|_, rows| rows.assignments.clear());
    assert_eq!(kinds, [ViolationKind::Lost]);

    // A reopening was requested, and it is unknown whether it happened.
    for state in [open, AssignmentState::HandedIn] {
        let (kinds, lines) = plant(|history, rows| {
            history.decisions.push(decision(open, false));
            if state == open {
                rows.assignments.insert(assignment(), open);
                add_event(rows, EventKind::Open, assignment());
            }
        });
        assert!(kinds.is_empty(), "{lines}");
    }

    // A possible reopening hides neither a hand-in that was undone nor one that never happened.
    let (kinds, lines) = plant(|history, rows| {
        history.decisions.push(decision(open, false));
        rows.assignments.insert(assignment(), open);
    });
    assert_eq!(kinds, [ViolationKind::Damaged], "{lines}");

    let (kinds, lines) = plant(|history, rows| {
        history.decisions.push(decision(open, false));
        rows.assignments.insert(assignment(), open);
        rows.events[0].events.pop();
        rows.events[0].counter -= 1;
    });
    assert_eq!(kinds, [ViolationKind::Lost], "{lines}");
}

#[test]
fn gaps_in_events_damage_and_refusals_are_found() {
    let (kinds, lines) = plant(|_, rows| {
        rows.events[0].events.remove(1);
    });
    assert_eq!(kinds, [ViolationKind::Damaged], "{lines}");

    let (kinds, lines) = plant(|_, rows| rows.events[0].counter = 6);
    assert_eq!(kinds, [ViolationKind::Damaged], "{lines}");

    let (kinds, _) = plant(|_, rows| rows.damage.push("a page is torn".to_owned()));
    assert_eq!(kinds, [ViolationKind::Damaged]);
    let (kinds, _) = plant(|history, _| history.refusals.push("a conflict".to_owned()));
    assert_eq!(kinds, [ViolationKind::Wrong]);
}

#[test]
fn a_change_without_its_event_is_found() {
    // The event of the first change is of another kind, about another row, or not there.
    for fault in [
        event(3, EventKind::Note, change_id(1)),
        event(3, EventKind::Rating, change_id(77)),
        event(3, EventKind::Member, change_id(1)),
    ] {
        let (kinds, lines) = plant(|_, rows| rows.events[0].events[2] = fault);
        assert_eq!(kinds[0], ViolationKind::Damaged, "{lines}");
        assert!(lines.contains(&change_id(1).to_string()), "{lines}");
    }

    let (kinds, lines) = plant(|_, rows| rows.answers[1].event = 40);
    assert_eq!(kinds, [ViolationKind::Damaged; 2], "{lines}");
    let (kinds, lines) = plant(|_, rows| rows.answers[1].study = "lake".to_owned());
    assert_eq!(kinds, [ViolationKind::Damaged; 2], "{lines}");
}

#[test]
fn an_event_without_its_change_is_found() {
    let (kinds, lines) = plant(|_, rows| {
        add_event(rows, EventKind::Rating, change_id(3));
    });
    assert_eq!(kinds, [ViolationKind::Damaged], "{lines}");

    let (kinds, lines) = plant(|_, rows| {
        add_event(rows, EventKind::Rating, change_id(2));
    });
    assert_eq!(kinds, [ViolationKind::Damaged], "{lines}");

    let (kinds, lines) = plant(|_, rows| {
        add_event(rows, EventKind::HandedIn, assignment());
    });
    assert_eq!(kinds, [ViolationKind::Duplicate], "{lines}");
}

#[test]
fn an_old_value_put_back_is_found() {
    let (kinds, lines) = plant(|_, rows| {
        rows.answers[1].change.answer = rows.answers[0].change.answer.clone();
    });
    assert_eq!(kinds, [ViolationKind::Wrong], "{lines}");

    // A score is stored although it was sent as removed.
    let (kinds, lines) = plant(|history, _| {
        history.changes[1].change.answer = AnnotationAnswer::Rating(None);
    });
    assert_eq!(kinds, [ViolationKind::Wrong], "{lines}");
}

#[test]
fn a_time_is_between_the_acknowledged_and_the_sent_ones() {
    let key = step_key(AnnotationStep::Categorise);
    for (stored, expected) in [
        (10, &[ViolationKind::Lost][..]),
        (20, &[]),
        (30, &[]),
        (31, &[ViolationKind::Wrong]),
    ] {
        let (kinds, lines) = plant(|_, rows| {
            rows.times.insert(key, stored);
        });
        assert_eq!(kinds, expected, "{lines}");
    }

    let (kinds, lines) = plant(|_, rows| {
        rows.times.remove(&key);
    });
    assert_eq!(kinds, [ViolationKind::Lost], "{lines}");
    let (kinds, lines) = plant(|history, _| history.times.clear());
    assert_eq!(kinds, [ViolationKind::Duplicate; 5], "{lines}");
}
