use domain::{
    ids::OutputId,
    score::RatingScale,
    study::OVERALL,
    work::change::{AnnotationAnswer, AnnotationChange},
};
use uuid::Uuid;

use super::*;

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

/// Three changes of which the last was not acknowledged, and a hand-in; stored as far as acknowledged.
fn sound_history() -> (SentHistory, StoredRows) {
    let changes = vec![sent(1, true), sent(2, true), sent(3, false)];
    let answers = changes[..2]
        .iter()
        .map(|sent| AnswerRow {
            assignment: sent.assignment,
            change: sent.change.clone(),
            current: sent.change.id == change_id(2),
        })
        .collect();
    let history = SentHistory {
        changes,
        decisions: vec![decision(AssignmentState::HandedIn, true)],
        refusals: vec![],
    };
    let rows = StoredRows {
        answers,
        assignments: HashMap::from([(assignment(), AssignmentState::HandedIn)]),
        events: vec![StudyEvents {
            study: "river".to_owned(),
            counter: 3,
            numbers: vec![1, 2, 3],
        }],
        damage: vec![],
    };
    (history, rows)
}

/// The kinds of violations after a fault was planted into the sound history, and all of their sentences.
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
        rows.answers[1].current = false;
        rows.answers.push(AnswerRow {
            assignment: assignment(),
            change: history.changes[2].change.clone(),
            current: true,
        });
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
    // Nobody sent it, and it supersedes none, as the first one does.
    assert_eq!(kinds, [ViolationKind::Duplicate; 2], "{lines}");
    let (kinds, lines) = plant(|_, rows| rows.answers.push(rows.answers[0].clone()));
    assert_eq!(kinds, [ViolationKind::Duplicate; 2], "{lines}");
}

#[test]
fn a_lost_hand_in_is_found() {
    let open = AssignmentState::Open;
    let (kinds, _) = plant(|_, rows| {
        rows.assignments.insert(assignment(), open);
    });
    assert_eq!(kinds, [ViolationKind::Lost]);
    let (kinds, _) = plant(|_, rows| rows.assignments.clear());
    assert_eq!(kinds, [ViolationKind::Lost]);
    // It was asked to be reopened, and nobody knows whether it was.
    for state in [open, AssignmentState::HandedIn] {
        let (kinds, lines) = plant(|history, rows| {
            history.decisions.push(decision(open, false));
            rows.assignments.insert(assignment(), state);
        });
        assert!(kinds.is_empty(), "{lines}");
    }
}

#[test]
fn gaps_in_events_damage_and_refusals_are_found() {
    let (kinds, lines) = plant(|_, rows| {
        rows.events[0].numbers.remove(1);
    });
    assert_eq!(kinds, [ViolationKind::Damaged], "{lines}");
    let (kinds, lines) = plant(|_, rows| rows.events[0].counter = 4);
    assert_eq!(kinds, [ViolationKind::Damaged], "{lines}");
    let (kinds, _) = plant(|_, rows| rows.damage.push("a page is torn".to_owned()));
    assert_eq!(kinds, [ViolationKind::Damaged]);
    let (kinds, _) = plant(|history, _| history.refusals.push("a conflict".to_owned()));
    assert_eq!(kinds, [ViolationKind::Wrong]);
}
