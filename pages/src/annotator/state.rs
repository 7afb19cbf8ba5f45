use store::{
    Study,
    assignments::{UpcomingAssignment, UpcomingWork},
};

/// An annotator's progress in a study, as their pages show it.
#[derive(Debug, Clone)]
pub struct AnnotatorState {
    /// The remaining work.
    pub outlook: UpcomingWork,
    /// The reason why work has ended, if the study is closed.
    pub closed: Option<&'static str>,
    pub has_guidelines: bool,
    /// Whether the annotator was ever given a source.
    pub has_begun: bool,
    /// The time until which the open source stays theirs, in milliseconds since 1970.
    pub kept_until: Option<i64>,
    /// Whether the annotator is a crowd rater for whom nothing is left, so that they can get their code.
    pub can_finish: bool,
    /// The estimated active time of one more source in milliseconds. `None` without times to
    /// estimate it from.
    pub source_ms: Option<u64>,
    /// Whether the annotator has skipped a source.
    pub has_skipped: bool,
}

/// The reason why work has ended, if the study is closed or archived.
pub fn closed_sentence(study: &Study) -> Option<&'static str> {
    match (study.archived_at, study.closed_at) {
        (Some(_), _) => Some(
            "This study is finished and in the archive. There is nothing more to judge, and your answers are kept. \
             Thank you!",
        ),
        (None, Some(_)) => Some("This study is closed. There is nothing more to judge. Thank you!"),
        (None, None) => None,
    }
}

impl AnnotatorState {
    /// Whether reading the guidelines is the next thing to do. They count as read once a source was begun:
    /// the page that shows them leads to the first one.
    pub fn must_read_guidelines(&self) -> bool {
        self.has_guidelines && !self.has_begun && self.closed.is_none()
    }

    /// The thanks to annotators who have been through all sources of the study.
    pub fn all_done(&self) -> Option<String> {
        let main = self.outlook.main;
        let is_done = self.outlook.next == UpcomingAssignment::Nothing && main.done == main.sources;
        let judged = match self.has_skipped {
            true => "judged or skipped",
            false => "judged",
        };

        match main.done {
            1 if is_done => Some(format!("You have {judged} the only source. Thank you!")),
            done @ 2.. if is_done => {
                Some(format!("You have {judged} all {done} sources. Thank you!"))
            }
            _ => None,
        }
    }
}
