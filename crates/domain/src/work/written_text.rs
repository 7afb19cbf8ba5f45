//! The simplification that an annotator writes.

use crate::{
    protocol::WriteStep,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        draft::AnnotationDraft,
    },
};

impl AnnotationDraft {
    /// The settings of the step that has a simplification written, if the protocol has one.
    #[must_use]
    pub fn write_step(&self) -> Option<&WriteStep> {
        self.protocol().write_step()
    }

    /// The text as it is: what the annotator wrote, or else the one that they begin with.
    #[must_use]
    pub fn written_text(&self) -> String {
        match self.answer(&AnnotationSlot::Text) {
            AnnotationAnswer::Text(Some(text)) => text,
            _ => self.task().start.clone(),
        }
    }

    /// Whether there is a text to begin with, which the annotator has neither changed nor accepted.
    #[must_use]
    pub fn has_only_start(&self) -> bool {
        !self.task().start.is_empty()
            && self.answer(&AnnotationSlot::Text) == AnnotationAnswer::Text(None)
    }

    /// Whether the annotator still has to write the text, or to accept the one that they begin with.
    #[must_use]
    pub fn is_unwritten(&self) -> bool {
        self.write_step().is_some()
            && !self.task().only_questions
            && (self.has_only_start() || self.written_text().trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        protocol::{ProtocolStep, StudyProtocol},
        work::{
            change::AnnotationStep,
            history::UndoGrouping,
            missing::{MissingItem, count_left_to_judge, list_missing},
            test_tasks::{counter, task},
        },
        writing::WritingStart,
    };

    fn draft(start: &str) -> AnnotationDraft {
        let step = WriteStep {
            start: WritingStart::Output,
            start_system: "A system".to_owned(),
            ..WriteStep::default()
        };
        let mut task = task(2);
        task.protocol = StudyProtocol::new(vec![ProtocolStep::Write(step)]).expect("a protocol");
        task.start = start.to_owned();
        task.take_out_hidden();
        AnnotationDraft::new(task)
    }

    fn write(
        draft: &mut AnnotationDraft,
        text: &str,
        new_id: impl FnMut() -> crate::ids::AnnotationId,
    ) {
        let answer = AnnotationAnswer::Text(Some(text.to_owned()));
        draft.apply_action(
            [(AnnotationSlot::Text, answer)],
            UndoGrouping::MergeWithPrevious,
            new_id,
        );
    }

    fn sentences(draft: &AnnotationDraft) -> Vec<String> {
        let missing = list_missing(draft);
        missing.iter().map(MissingItem::sentence).collect()
    }

    #[test]
    fn a_text_is_missing_until_it_is_written() {
        let (mut draft, mut new_id) = (draft(""), counter(0));
        assert_eq!(draft.step(), AnnotationStep::Write);
        assert_eq!(sentences(&draft), ["Your text is not written"]);
        assert_eq!(count_left_to_judge(&draft), 1);
        write(&mut draft, " \n", &mut new_id);
        assert_eq!(sentences(&draft), ["Your text is not written"]);
        write(&mut draft, " \nThey", &mut new_id);
        write(&mut draft, " \nThey decided.", &mut new_id);
        assert_eq!(
            (sentences(&draft).len(), count_left_to_judge(&draft)),
            (0, 0)
        );
        let undone = draft.undo(&mut new_id).expect("an action");
        assert_eq!((undone.step, undone.output), (AnnotationStep::Write, None));
        assert_eq!(draft.written_text(), "", "typing is one action");
    }

    #[test]
    fn a_text_to_begin_with_is_changed_or_accepted() {
        let (mut draft, mut new_id) = (draft("It was decided."), counter(0));
        assert_eq!(draft.written_text(), "It was decided.");
        assert_eq!(
            sentences(&draft),
            ["Your text is as it was at the beginning: change it, or say that it needs no change"]
        );
        write(&mut draft, "", &mut new_id);
        assert_eq!(draft.written_text(), "", "an emptied text stays empty");
        assert_eq!(sentences(&draft), ["Your text is not written"]);
        write(&mut draft, "It was decided.", &mut new_id);
        assert_eq!(sentences(&draft).len(), 0, "accepted as it is");
    }

    #[test]
    fn annotators_see_no_output_and_no_name_of_a_system() {
        let draft = draft("It was decided.");
        assert!(draft.task().items.is_empty());
        let step = draft.write_step().expect("a step");
        assert_eq!((step.start_system.as_str(), step.system.as_str()), ("", ""));
    }
}
