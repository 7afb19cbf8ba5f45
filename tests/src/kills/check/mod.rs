//! Compares what annotators sent with what the database holds.

mod events;
mod times;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
};

use domain::{
    ids::{AnnotationId, AssignmentId},
    study::AssignmentState,
    work::change::AnnotationSlot,
};

use super::history::{AnswerRow, SentChange, SentDecision, SentHistory, StoredRows};

/// The kind of a [`HistoryViolation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViolationKind {
    /// An acknowledged change, decision or time is not there.
    Lost,
    /// A row differs from what was sent, the wrong answer counts, or a server refused good work.
    Wrong,
    /// An answer is there twice, has two successors, or nobody sent it.
    Duplicate,
    /// The database is damaged, the events of a study have a gap, or a change and its event do not fit.
    Damaged,
}

/// A difference between what was acknowledged and what is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryViolation {
    /// Its kind.
    pub kind: ViolationKind,
    /// One line that names the row.
    pub sentence: String,
}

impl fmt::Display for HistoryViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ViolationKind::Lost => "lost",
            ViolationKind::Wrong => "wrong",
            ViolationKind::Duplicate => "duplicate",
            ViolationKind::Damaged => "damaged",
        };
        write!(f, "{kind}: {}", self.sentence)
    }
}

/// The violations of a history; none where every acknowledged change, decision and time is stored as it was
/// sent, once and with its event, and nothing else is.
#[must_use]
pub fn find_violations(history: &SentHistory, rows: &StoredRows) -> Vec<HistoryViolation> {
    let mut found = ViolationList::default();
    for refusal in &history.refusals {
        found.add(ViolationKind::Wrong, refusal.clone());
    }
    for damage in &rows.damage {
        found.add(ViolationKind::Damaged, damage.clone());
    }

    compare_changes(history, &rows.answers, &mut found);
    check_slots(history, &rows.answers, &mut found);
    compare_decisions(&history.decisions, &rows.assignments, &mut found);
    times::check_times(&history.times, &rows.times, &mut found);
    events::check_events(history, rows, &mut found);
    found.0
}

#[derive(Default)]
struct ViolationList(Vec<HistoryViolation>);

impl ViolationList {
    fn add(&mut self, kind: ViolationKind, sentence: String) {
        self.0.push(HistoryViolation { kind, sentence });
    }
}

/// Each acknowledged change is stored once and as it was sent, and each stored one was sent.
fn compare_changes(history: &SentHistory, answers: &[AnswerRow], found: &mut ViolationList) {
    let mut unseen: HashMap<AnnotationId, &AnswerRow> = HashMap::new();
    for row in answers {
        if unseen.insert(row.change.id, row).is_some() {
            let sentence = format!("the change {} is stored twice", row.change.id);
            found.add(ViolationKind::Duplicate, sentence);
        }
    }

    for sent in &history.changes {
        let (id, assignment) = (sent.change.id, sent.assignment);
        match unseen.remove(&id) {
            None if sent.acknowledged => {
                let slot = &sent.change.slot;
                let sentence = format!(
                    "the change {id} was acknowledged and is not stored ({slot:?} of {assignment})"
                );
                found.add(ViolationKind::Lost, sentence);
            }
            Some(row) if row.assignment != assignment || row.change != sent.change => {
                let (change, stored) = (&sent.change, &row.change);
                let place = row.assignment;
                let sentence = format!(
                    "the change {id} was sent as {change:?} of {assignment}, and is stored as {stored:?} \
                     of {place}"
                );
                found.add(ViolationKind::Wrong, sentence);
            }
            None | Some(_) => {}
        }
    }

    for row in answers {
        if unseen.contains_key(&row.change.id) {
            let sentence = format!("nobody sent the change {}", row.change.id);
            found.add(ViolationKind::Duplicate, sentence);
        }
    }
}

/// The changes to one slot: as they were sent, and as they are stored.
#[derive(Default)]
struct SlotHistory<'a> {
    sent: Vec<&'a SentChange>,
    stored: Vec<&'a AnswerRow>,
}

/// In each slot the answers form a chain, and its newest one counts: the last that was acknowledged, or one
/// that was sent after it.
fn check_slots(history: &SentHistory, answers: &[AnswerRow], found: &mut ViolationList) {
    let mut slots: BTreeMap<(AssignmentId, &AnnotationSlot), SlotHistory<'_>> = BTreeMap::new();
    for sent in &history.changes {
        let slot = slots.entry((sent.assignment, &sent.change.slot));
        slot.or_default().sent.push(sent);
    }
    for row in answers {
        let slot = slots.entry((row.assignment, &row.change.slot));
        slot.or_default().stored.push(row);
    }

    for ((assignment, slot), answers) in &slots {
        let place = format!("{slot:?} of {assignment}");
        check_chain(&answers.stored, &place, found);
        check_current(answers, &place, found);
    }
}

fn check_chain(stored: &[&AnswerRow], place: &str, found: &mut ViolationList) {
    let ids: HashSet<_> = stored.iter().map(|row| row.change.id).collect();
    let mut parents = HashSet::new();
    for row in stored {
        let (id, parent) = (row.change.id, row.change.supersedes);
        if !parents.insert(parent) {
            let before = parent.map_or("none".to_owned(), |parent| parent.to_string());
            let sentence = format!("two answers supersede {before} ({place}), one of them is {id}");
            found.add(ViolationKind::Duplicate, sentence);
        }
        if let Some(parent) = parent.filter(|parent| !ids.contains(parent)) {
            let sentence =
                format!("the change {id} supersedes {parent}, which is not stored ({place})");
            found.add(ViolationKind::Wrong, sentence);
        }
    }
}

fn check_current(answers: &SlotHistory<'_>, place: &str, found: &mut ViolationList) {
    let SlotHistory { sent, stored } = answers;
    let acknowledged = sent.iter().rposition(|sent| sent.acknowledged);
    let is_stored = |id| stored.iter().any(|row| row.change.id == id);
    // A lost change is reported already; which answer counts follows from it.
    if acknowledged.is_some_and(|at| !is_stored(sent[at].change.id)) || stored.is_empty() {
        return;
    }

    let current: Vec<_> = stored.iter().filter(|row| row.current).collect();
    let [row] = current[..] else {
        let count = current.len();
        let sentence = format!("{count} answers count, and one should ({place})");
        return found.add(ViolationKind::Wrong, sentence);
    };

    let id = row.change.id;
    if stored.iter().any(|next| next.change.supersedes == Some(id)) {
        let sentence = format!("the change {id} counts and is superseded ({place})");
        return found.add(ViolationKind::Wrong, sentence);
    }

    let newest = &sent[acknowledged.unwrap_or(0)..];
    if !newest.iter().any(|sent| sent.change.id == id) {
        let sentence =
            format!("the change {id} counts, and a later one was acknowledged ({place})");
        found.add(ViolationKind::Wrong, sentence);
    }
}

/// Each source is in the state that was acknowledged last, or in one that was requested after it.
fn compare_decisions(
    decisions: &[SentDecision],
    stored: &HashMap<AssignmentId, AssignmentState>,
    found: &mut ViolationList,
) {
    let mut sources: BTreeMap<AssignmentId, Vec<&SentDecision>> = BTreeMap::new();
    for decision in decisions {
        let source = sources.entry(decision.assignment).or_default();
        source.push(decision);
    }

    for (assignment, decisions) in &sources {
        let Some(last) = decisions.iter().rposition(|sent| sent.acknowledged) else {
            continue;
        };
        let (state, stored) = (decisions[last].state, stored.get(assignment).copied());
        if !decisions[last..]
            .iter()
            .any(|sent| Some(sent.state) == stored)
        {
            let stored = stored.map_or("missing", AssignmentState::name);
            let sentence =
                format!("the source {assignment} was acknowledged to be {state}, and is {stored}");
            found.add(ViolationKind::Lost, sentence);
        }
    }
}

#[cfg(test)]
mod tests;
