use domain::protocol::StudyProtocol;
use service::wording::count_noun;
use store::assignments::AssignmentProgress;

/// The heading of a column with [`describe_progress`].
pub fn progress_title(protocol: &StudyProtocol) -> &'static str {
    if protocol.scores() {
        "Rated"
    } else if protocol.compares() {
        "Compared"
    } else {
        "Answers"
    }
}

/// How much of an assignment is judged: “3 of 5” outputs, “12 comparisons”, or “1 answer” if the study asks
/// for neither scores nor comparisons, or the source has no outputs.
pub fn describe_progress(progress: &AssignmentProgress, protocol: &StudyProtocol) -> String {
    if progress.items > 0 && protocol.scores() {
        format!("{} of {}", progress.rated, progress.items)
    } else if progress.items > 0 && protocol.compares() {
        count_noun(progress.compared as usize, "comparison")
    } else {
        count_noun(progress.answers as usize, "answer")
    }
}

#[cfg(test)]
mod tests {
    use domain::protocol::{CompareStep, ProtocolStep, WriteStep};

    use super::*;

    #[test]
    fn progress_is_told_in_what_the_study_asks_for() {
        let progress = AssignmentProgress {
            items: 5,
            rated: 3,
            compared: 12,
            answers: 1,
            active_ms: 0,
        };
        let told = |step: ProtocolStep, progress: &AssignmentProgress| {
            let protocol = StudyProtocol::new(vec![step]).expect("a protocol");
            describe_progress(progress, &protocol)
        };
        assert_eq!(told(ProtocolStep::RankAndRate, &progress), "3 of 5");
        let compare = ProtocolStep::Compare(CompareStep::default());
        assert_eq!(told(compare, &progress), "12 comparisons");
        let write = ProtocolStep::Write(WriteStep::default());
        assert_eq!(told(write, &progress), "1 answer");
        let without_outputs = AssignmentProgress {
            items: 0,
            ..progress
        };
        assert_eq!(
            told(ProtocolStep::RankAndRate, &without_outputs),
            "1 answer"
        );
    }
}
