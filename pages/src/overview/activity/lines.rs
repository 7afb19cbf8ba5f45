//! Events as lines of the latest activity.

use service::wording::count_noun;
use store::{EventKind, EventWork, RecentEvent};

/// A line of the list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ActivityLine {
    /// The time of its newest event.
    pub(super) at: i64,
    pub(super) matter: ActivityMatter,
}

/// The work or the events that a line is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ActivityMatter {
    Work(SourceWork),
    Other(SimilarEvents),
}

/// The work of an annotator on a source, from getting it to submitting it, as far as the events
/// show.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SourceWork {
    pub(super) work: EventWork,
    pub(super) stage: WorkStage,
    /// The number of saved changes.
    changes: usize,
    /// Whether its first event is among them. Older events belong to earlier work.
    has_begun: bool,
}

/// The stage of the work on a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkStage {
    Assigned,
    InProgress,
    Submitted,
    Skipped,
    Released,
}

impl WorkStage {
    /// The stage that an event brings work to.
    const fn after(kind: EventKind) -> Self {
        match kind {
            EventKind::Open => Self::Assigned,
            EventKind::HandedIn => Self::Submitted,
            EventKind::Skipped => Self::Skipped,
            EventKind::Released => Self::Released,
            _ => Self::InProgress,
        }
    }

    /// Whether work ends with it, so that later events belong to new work.
    const fn is_end(self) -> bool {
        matches!(self, Self::Submitted | Self::Skipped | Self::Released)
    }

    /// The verb for what the annotator did, to be followed by the source.
    pub(super) const fn verb(self) -> &'static str {
        match self {
            Self::Assigned => "got",
            Self::InProgress => "is working on",
            Self::Submitted => "submitted",
            Self::Skipped => "skipped",
            Self::Released => "no longer has",
        }
    }
}

impl SourceWork {
    fn new(work: EventWork, stage: WorkStage) -> Self {
        Self {
            work,
            stage,
            changes: usize::from(stage == WorkStage::InProgress),
            has_begun: stage == WorkStage::Assigned,
        }
    }

    /// Adds an earlier event of the same annotator and source. Returns `false` if it belongs to
    /// earlier work.
    fn take(&mut self, stage: WorkStage) -> bool {
        if self.has_begun || stage.is_end() {
            return false;
        }
        self.changes += usize::from(stage == WorkStage::InProgress);
        self.has_begun = stage == WorkStage::Assigned;
        true
    }

    /// The number of changes, in words that follow the source.
    pub(super) fn describe_changes(&self) -> String {
        match self.changes {
            0 => String::new(),
            changes => format!(": {}", count_noun(changes, "change")),
        }
    }
}

/// Consecutive events of one kind, whatever their subjects.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SimilarEvents {
    pub(super) kind: EventKind,
    pub(super) count: usize,
    /// Their distinct subjects.
    pub(super) subjects: Vec<String>,
}

pub(super) fn group_events(events: &[RecentEvent]) -> Vec<ActivityLine> {
    let mut lines: Vec<ActivityLine> = vec![];
    for recent in events
        .iter()
        .filter(|recent| recent.event.kind != EventKind::Job)
    {
        match &recent.work {
            Some(work) => add_work(&mut lines, work, recent),
            None => add_event(&mut lines, recent),
        }
    }
    lines
}

/// Adds an event to the line of its work, even if there are other lines in between, or begins a
/// line.
fn add_work(lines: &mut Vec<ActivityLine>, work: &EventWork, recent: &RecentEvent) {
    let stage = WorkStage::after(recent.event.kind);
    let earliest = lines
        .iter_mut()
        .rev()
        .find_map(|line| match &mut line.matter {
            ActivityMatter::Work(of) if of.work == *work => Some(of),
            _ => None,
        });

    let is_taken = earliest.is_some_and(|of| of.take(stage));
    if !is_taken {
        lines.push(ActivityLine {
            at: recent.at,
            matter: ActivityMatter::Work(SourceWork::new(work.clone(), stage)),
        });
    }
}

/// Adds an event to the last line if that is of the same kind, or begins a line.
fn add_event(lines: &mut Vec<ActivityLine>, recent: &RecentEvent) {
    let subject = &recent.event.subject;
    let kind = match recent.event.kind {
        // A metric is added, and then computed: one matter.
        EventKind::Metric => EventKind::Scores,
        kind => kind,
    };
    let last = lines.last_mut().map(|line| &mut line.matter);

    match last {
        Some(ActivityMatter::Other(of)) if of.kind == kind => {
            of.count += 1;
            if !of.subjects.contains(subject) {
                of.subjects.push(subject.clone());
            }
        }
        _ => lines.push(ActivityLine {
            at: recent.at,
            matter: ActivityMatter::Other(SimilarEvents {
                kind,
                count: 1,
                subjects: vec![subject.clone()],
            }),
        }),
    }
}
