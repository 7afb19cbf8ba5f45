//! The kinds of events, and the figures that each of them changes.

use domain::{names, study::AssignmentState, work::change::AnnotationSlot};

/// The kind of an event of a study; the event's subject is an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The study was created or its settings, closing or categories changed; subject: the study.
    Study,
    /// A file was imported or an import was undone; subject: the study.
    Import,
    /// A person joined, left or changed their role; subject: the person.
    Member,
    /// A source's purpose, place or visibility changed, or that of its outputs; subject: the source.
    Source,
    /// The name, kind or visibility of a system changed; subject: the system.
    System,
    /// An expected answer to a training output changed; subject: the output.
    Expected,
    /// Quality-control items were added; subject: the study.
    QualityControl,
    /// Automatic edits were replaced; subject: the study.
    Alignment,
    /// An assignment was given out or opened again; subject: the assignment.
    Open,
    /// An assignment was handed in; subject: the assignment.
    HandedIn,
    /// An assignment was skipped; subject: the assignment.
    Skipped,
    /// An assignment was taken back; subject: the assignment.
    Released,
    /// A category was corrected; subject: the annotation.
    Category,
    /// An output's edits were corrected; subject: the annotation.
    Edits,
    /// The spans of an output were marked; subject: the annotation.
    Marks,
    /// A question about an output or a source was answered; subject: the annotation.
    Answer,
    /// A simplification was written; subject: the annotation.
    Written,
    /// A rating was saved; subject: the annotation.
    Rating,
    /// An annotator said that an output cannot be judged, or that it can; subject: the annotation.
    Unjudged,
    /// A note, or a reply to a lead's question, was written; subject: the annotation.
    Note,
    /// Outputs were put in order; subject: the annotation.
    Order,
    /// Outputs were compared; subject: the annotation.
    Comparison,
    /// Raters were asked to look at an output again; subject: the discussion.
    Discussion,
    /// A lead recorded or removed a final value of an output; subject: the final value.
    FinalValue,
    /// Raters began, changed, finished or reopened their consensus on a source; subject: the source.
    Consensus,
    /// A job was queued or ended; subject: the job.
    Job,
    /// A metric was added, changed or removed; subject: the metric.
    Metric,
    /// Scores of a metric were stored; subject: the metric.
    Scores,
    /// A trained model was stored or adopted; subject: the model.
    Model,
    /// The set-up of reading comprehension changed; subject: the study.
    Comprehension,
    /// A passage changed; subject: the passage.
    Passage,
    /// A question changed; subject: the question.
    Question,
    /// A participant began, finished or left; subject: the participant.
    Participant,
    /// A participant answered a question; subject: the reading.
    ReadingAnswer,
    /// Answers or personal data were erased; subject: the study.
    Erased,
}

names!(EventKind, "kind of event", UnknownEventKind,
    Study => "study", Import => "import", Member => "member", Source => "source",
    System => "system", Expected => "expected", QualityControl => "quality-control",
    Alignment => "alignment", Open => "open", HandedIn => "handed-in", Skipped => "skipped",
    Released => "released", Category => "category", Edits => "edits", Marks => "marks", Rating => "rating",
    Answer => "answer", Written => "written", Unjudged => "unjudged", Note => "note", Order => "order", Comparison => "comparison",
    Discussion => "discussion", FinalValue => "final-value", Consensus => "consensus", Job => "job",
    Metric => "metric", Scores => "scores", Model => "model", Comprehension => "comprehension",
    Passage => "passage", Question => "question", Participant => "participant",
    ReadingAnswer => "reading-answer", Erased => "erased");

/// A change that an event makes to figures computed from a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventEffect {
    /// Figures from the ratings and categories of every source.
    AllSources,
    /// Like [`Self::AllSources`] if the subject is a member who has answered before; otherwise
    /// nothing.
    SourcesOfMember,
    /// Figures of one source; the subject is an annotation of it.
    SourceOfAnnotation,
    /// Figures of one source; the subject is an assignment of it.
    SourceOfAssignment,
    /// Figures of one source; the subject is the source.
    SourceItself,
    /// Outputs may lack scores of a metric.
    MissingScores,
}

impl EventKind {
    /// The cached figures that an event of this kind makes out of date.
    ///
    /// Pages that compute their figures for each request depend on the event's number only.
    #[must_use]
    pub const fn affects(self) -> &'static [EventEffect] {
        use EventEffect::{
            AllSources, MissingScores, SourceItself, SourceOfAnnotation, SourceOfAssignment,
            SourcesOfMember,
        };

        match self {
            Self::Import | Self::Source => &[AllSources, MissingScores],
            // The expected answers decide which attention items were passed.
            Self::Study | Self::QualityControl | Self::System | Self::Expected | Self::Erased => {
                &[AllSources]
            }
            Self::Member => &[SourcesOfMember],
            // In a source that was given back for single outputs, a new order counts at once.
            Self::Rating | Self::Comparison | Self::Category | Self::Order => &[SourceOfAnnotation],
            Self::Open | Self::HandedIn | Self::Skipped | Self::Released => &[SourceOfAssignment],
            Self::Consensus => &[SourceItself],
            Self::Metric => &[MissingScores],
            // Shown with the annotation or the item itself; no figure of ratings uses them.
            Self::Edits | Self::Unjudged | Self::Note | Self::Alignment => &[],
            // Figures of marked spans, answers and written texts are computed again after every event.
            Self::Marks | Self::Answer | Self::Written => &[],
            // No figure of ratings uses final values.
            Self::FinalValue => &[],
            // A discussion changes assignments, which have events of their own.
            Self::Discussion | Self::Job | Self::Scores | Self::Model => &[],
            // Figures of reading comprehension are computed again after every event.
            Self::Comprehension
            | Self::Passage
            | Self::Question
            | Self::Participant
            | Self::ReadingAnswer => &[],
        }
    }

    /// The event of an assignment that enters a state.
    pub(crate) const fn from_state(state: AssignmentState) -> Self {
        match state {
            AssignmentState::Open => Self::Open,
            AssignmentState::HandedIn => Self::HandedIn,
            AssignmentState::Skipped => Self::Skipped,
            AssignmentState::Released => Self::Released,
        }
    }

    /// The event of a new answer; `None` for an annotator's position in the work, which only they
    /// see.
    pub(crate) const fn from_slot(slot: &AnnotationSlot) -> Option<Self> {
        Some(match slot {
            AnnotationSlot::Category { .. } => Self::Category,
            AnnotationSlot::Edits { .. } => Self::Edits,
            AnnotationSlot::Marks { .. } => Self::Marks,
            AnnotationSlot::Rating { .. } => Self::Rating,
            AnnotationSlot::Unjudged { .. } => Self::Unjudged,
            AnnotationSlot::Note { .. } | AnnotationSlot::Reply { .. } => Self::Note,
            AnnotationSlot::Order => Self::Order,
            AnnotationSlot::Comparison { .. } => Self::Comparison,
            AnnotationSlot::Question { .. } => Self::Answer,
            AnnotationSlot::Text => Self::Written,
            AnnotationSlot::Progress => return None,
        })
    }
}

/// The kinds of events with an effect, as a list for SQL's `IN`: `'import', 'source'`.
pub(crate) fn kinds_with_effect(effect: EventEffect) -> String {
    let kinds = EventKind::ALL.iter();
    let kinds = kinds.filter(|kind| kind.affects().contains(&effect));
    kinds
        .map(|kind| format!("'{kind}'"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name under which an event was ever stored: databases hold them.
    const STORED_NAMES: &str = "alignment answer category comparison comprehension consensus discussion edits erased expected final-value \
        handed-in import job marks member metric model note open order participant passage quality-control question \
        rating reading-answer released scores skipped source study system unjudged written";

    #[test]
    fn every_stored_name_is_a_kind_and_every_kind_is_listed() {
        let mut names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        assert_eq!(names, STORED_NAMES.split_whitespace().collect::<Vec<_>>());
        for kind in EventKind::ALL {
            assert_eq!(kind.name().parse(), Ok(*kind));
        }
    }

    #[test]
    fn lists_for_sql_follow_from_the_effects() {
        for (effect, kinds) in [
            (
                EventEffect::AllSources,
                "'study', 'import', 'source', 'system', 'expected', 'quality-control', 'erased'",
            ),
            (EventEffect::SourcesOfMember, "'member'"),
            (
                EventEffect::SourceOfAnnotation,
                "'category', 'rating', 'order', 'comparison'",
            ),
            (
                EventEffect::SourceOfAssignment,
                "'open', 'handed-in', 'skipped', 'released'",
            ),
            (EventEffect::SourceItself, "'consensus'"),
            (EventEffect::MissingScores, "'import', 'source', 'metric'"),
        ] {
            assert_eq!(kinds_with_effect(effect), kinds, "{effect:?}");
        }
    }
}
