use store::assignments::UpcomingWork;

/// How far an annotator is in a study, as their pages show it.
#[derive(Debug, Clone)]
pub struct AnnotatorState {
    /// The remaining work.
    pub outlook: UpcomingWork,
    /// Whether the study is closed.
    pub closed: bool,
    pub has_guidelines: bool,
    /// Whether the annotator was ever given a source.
    pub has_begun: bool,
    /// The time until which the open source stays theirs, in milliseconds since 1970.
    pub kept_until: Option<i64>,
    /// The estimated active time of one more source in milliseconds, where there is any to go by.
    pub source_ms: Option<u64>,
}

impl AnnotatorState {
    /// Whether reading the guidelines is the next thing to do. They count as read once a source was begun:
    /// the page that shows them leads to the first one.
    pub fn must_read_guidelines(&self) -> bool {
        self.has_guidelines && !self.has_begun && !self.closed
    }
}
