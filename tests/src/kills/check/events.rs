//! Events: numbered without gaps, one for each stored change, and none without its change.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::{ids::AssignmentId, study::AssignmentState, work::change::AnnotationSlot};
use store::EventKind;

use super::{
    super::history::{AnswerRow, EventRow, SentDecision, SentHistory, StoredRows, StudyEvents},
    ViolationKind, ViolationList,
};

/// Each study's events are whole, and fit its answers and the states of its assignments.
pub(super) fn check_events(history: &SentHistory, rows: &StoredRows, found: &mut ViolationList) {
    for study in &rows.events {
        check_numbers(study, found);
    }
    check_answers(&rows.answers, &rows.events, found);
    check_answer_events(history, rows, found);
    check_states(&history.decisions, rows, found);
}

/// The events of a study are numbered from 1 to its counter.
fn check_numbers(events: &StudyEvents, found: &mut ViolationList) {
    let StudyEvents {
        study,
        counter,
        events,
    } = events;

    let gap = (1..)
        .zip(events)
        .find(|(expected, event)| *expected != event.number);
    if let Some((expected, event)) = gap {
        let number = event.number;
        let sentence = format!("the events of {study} have {number} in the place of {expected}");
        found.add(ViolationKind::Damaged, sentence);
    }

    let newest = events.last().map_or(0, |event| event.number);
    if newest != *counter {
        let sentence =
            format!("the events of {study} end at {newest}, and its counter at {counter}");
        found.add(ViolationKind::Damaged, sentence);
    }
}

/// Each stored answer has an event of its study, of the right kind and about it.
fn check_answers(answers: &[AnswerRow], studies: &[StudyEvents], found: &mut ViolationList) {
    let mut events: HashMap<(&str, i64), &EventRow> = HashMap::new();
    for study in studies {
        let of_study = study.events.iter();
        events.extend(of_study.map(|event| ((&study.study[..], event.number), event)));
    }

    for row in answers {
        let Some(kind) = event_of_slot(&row.change.slot) else {
            continue;
        };

        let (id, number, study) = (row.change.id, row.event, &row.study);
        let event = events.get(&(&study[..], number));
        let fits = |event: &&EventRow| event.kind == kind && event.subject == id.to_string();
        if !event.is_some_and(fits) {
            let stored = event.map_or("is missing".to_owned(), |event| {
                format!("is “{}” of {}", event.kind, event.subject)
            });
            let sentence = format!(
                "the change {id} is stored with the event {number} of {study}, which should be “{kind}” of \
                 it and {stored}"
            );
            found.add(ViolationKind::Damaged, sentence);
        }
    }
}

/// Each event of an answer is the one that the stored answer names. A lost answer has been reported already.
fn check_answer_events(history: &SentHistory, rows: &StoredRows, found: &mut ViolationList) {
    let named: HashSet<(&str, i64, String)> = rows
        .answers
        .iter()
        .map(|row| (&row.study[..], row.event, row.change.id.to_string()))
        .collect();
    let stored: HashSet<_> = rows.answers.iter().map(|row| row.change.id).collect();
    let lost: HashSet<String> = history
        .acknowledged_changes()
        .filter(|id| !stored.contains(id))
        .map(|id| id.to_string())
        .collect();

    for StudyEvents { study, events, .. } in &rows.events {
        for event in events.iter().filter(|event| is_of_answer(event.kind)) {
            let EventRow {
                number,
                kind,
                subject,
            } = event;
            let is_named = named.contains(&(&study[..], *number, subject.clone()));
            if !is_named && !lost.contains(subject) {
                let sentence = format!(
                    "the event {number} of {study} is “{kind}” of {subject}, and no such change is stored \
                     with it"
                );
                found.add(ViolationKind::Damaged, sentence);
            }
        }
    }
}

/// An assignment's decisions, and the states that events name, in their order.
#[derive(Default)]
struct StateHistory<'a> {
    decisions: Vec<&'a SentDecision>,
    recorded: Vec<AssignmentState>,
}

/// Each acknowledged decision has an event of its own, and the newest event names the stored state.
fn check_states(decisions: &[SentDecision], rows: &StoredRows, found: &mut ViolationList) {
    let mut sources: BTreeMap<AssignmentId, StateHistory<'_>> = BTreeMap::new();
    for assignment in rows.assignments.keys() {
        sources.entry(*assignment).or_default();
    }
    for decision in decisions {
        let source = sources.entry(decision.assignment).or_default();
        source.decisions.push(decision);
    }
    for event in rows.events.iter().flat_map(|study| &study.events) {
        if let (Some(state), Ok(assignment)) = (state_of_event(event.kind), event.subject.parse()) {
            let source = sources.entry(assignment).or_default();
            source.recorded.push(state);
        }
    }

    for (assignment, source) in &sources {
        for state in AssignmentState::ALL {
            count_events(*assignment, *state, source, found);
        }

        let (stored, newest) = (rows.assignments.get(assignment), source.recorded.last());
        if let Some(stored) = stored.filter(|stored| Some(*stored) != newest) {
            let newest = newest.map_or("missing", |state| state.name());
            let sentence =
                format!("the source {assignment} is {stored}, and its newest event is {newest}");
            found.add(ViolationKind::Damaged, sentence);
        }
    }
}

/// A decision is recorded once, however often it was sent. Giving the source out is one more opening.
fn count_events(
    assignment: AssignmentId,
    state: AssignmentState,
    source: &StateHistory<'_>,
    found: &mut ViolationList,
) {
    let given = usize::from(state == AssignmentState::Open);
    let of_state = || source.decisions.iter().filter(|sent| sent.state == state);
    let least = given + of_state().filter(|sent| sent.acknowledged).count();
    let most = given + of_state().count();
    let recorded = source.recorded.iter().filter(|other| **other == state);
    let recorded = recorded.count();

    if recorded < least {
        let sentence = format!(
            "the source {assignment} was acknowledged to be {state} {least} times, and has {recorded} events of it"
        );
        found.add(ViolationKind::Lost, sentence);
    } else if recorded > most {
        let sentence = format!(
            "the source {assignment} has {recorded} events of being {state}, and {most} can have happened"
        );
        found.add(ViolationKind::Duplicate, sentence);
    }
}

/// The kind of event that announces an answer; `None` for the place in the work.
const fn event_of_slot(slot: &AnnotationSlot) -> Option<EventKind> {
    Some(match slot {
        AnnotationSlot::Category { .. } => EventKind::Category,
        AnnotationSlot::Edits { .. } => EventKind::Edits,
        AnnotationSlot::Marks { .. } => EventKind::Marks,
        AnnotationSlot::Rating { .. } => EventKind::Rating,
        AnnotationSlot::Unjudged { .. } => EventKind::Unjudged,
        AnnotationSlot::Note { .. } | AnnotationSlot::Reply { .. } => EventKind::Note,
        AnnotationSlot::Order => EventKind::Order,
        AnnotationSlot::Comparison { .. } => EventKind::Comparison,
        AnnotationSlot::Question { .. } => EventKind::Answer,
        AnnotationSlot::Text => EventKind::Written,
        AnnotationSlot::Progress => return None,
    })
}

const fn is_of_answer(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Category
            | EventKind::Edits
            | EventKind::Marks
            | EventKind::Rating
            | EventKind::Unjudged
            | EventKind::Note
            | EventKind::Order
            | EventKind::Comparison
            | EventKind::Answer
            | EventKind::Written
    )
}

const fn state_of_event(kind: EventKind) -> Option<AssignmentState> {
    match kind {
        EventKind::Open => Some(AssignmentState::Open),
        EventKind::HandedIn => Some(AssignmentState::HandedIn),
        EventKind::Skipped => Some(AssignmentState::Skipped),
        EventKind::Released => Some(AssignmentState::Released),
        _ => None,
    }
}
