//! The spans that an annotator marks.

use crate::{
    ids::OutputId,
    span_marks::{MarkGap, SpanMark, prefill_marks, sort_marks, taxonomy::SpanTaxonomy},
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        draft::AnnotationDraft,
    },
};

impl AnnotationDraft {
    /// The types and levels of marks, where the protocol has a step that marks spans.
    #[must_use]
    pub fn taxonomy(&self) -> Option<&SpanTaxonomy> {
        let step = self.protocol().mark_spans_step();
        step.map(|step| &step.taxonomy)
    }

    /// The marks of an output: the annotator's if there are any, otherwise the computer's where the study begins with
    /// them.
    #[must_use]
    pub fn marks(&self, output: OutputId) -> Vec<SpanMark> {
        match self.answer(&AnnotationSlot::Marks { output }) {
            AnnotationAnswer::Marks(Some(marks)) => marks,
            _ => self.automatic_marks(output),
        }
    }

    /// The marks that an output begins with.
    #[must_use]
    pub fn automatic_marks(&self, output: OutputId) -> Vec<SpanMark> {
        let step = self.protocol().mark_spans_step();
        match (step.filter(|step| step.prefills), self.item(output)) {
            (Some(step), Some(item)) => {
                prefill_marks(&step.taxonomy, &item.edits, &self.task().source, &item.text)
            }
            _ => vec![],
        }
    }

    /// Whether the annotator changed the marks of an output.
    #[must_use]
    pub fn has_own_marks(&self, output: OutputId) -> bool {
        self.answer(&AnnotationSlot::Marks { output }) != AnnotationAnswer::Marks(None)
    }

    /// The part that each incomplete mark of an output still needs, by the number of the mark, from 0.
    #[must_use]
    pub fn mark_gaps(&self, output: OutputId) -> Vec<(usize, MarkGap)> {
        let Some(taxonomy) = self.taxonomy() else {
            return vec![];
        };
        let marks = self.marks(output);
        let gaps = marks.iter().enumerate();
        gaps.filter_map(|(number, mark)| Some((number, mark.gap(taxonomy)?)))
            .collect()
    }

    /// Whether the annotator has yet to give an output its marks: some are incomplete, or the annotator has yet to
    /// accept those that the output began with.
    #[must_use]
    pub fn is_unmarked(&self, output: OutputId) -> bool {
        let Some(taxonomy) = self.taxonomy() else {
            return false;
        };
        let is_complete = match self.answer(&AnnotationSlot::Marks { output }) {
            AnnotationAnswer::Marks(Some(marks)) => {
                marks.iter().all(|mark| mark.gap(taxonomy).is_none())
            }
            _ => false,
        };
        !is_complete && self.unjudged(output).is_none()
    }

    /// The answer that gives an output these marks.
    #[must_use]
    pub fn marks_answer(
        &self,
        output: OutputId,
        mut marks: Vec<SpanMark>,
    ) -> (AnnotationSlot, AnnotationAnswer) {
        sort_marks(&mut marks);
        (
            AnnotationSlot::Marks { output },
            AnnotationAnswer::Marks(Some(marks)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        edit::{Edit, EditKind},
        protocol::{MarkSpansStep, ProtocolStep, RateStep, StudyProtocol},
        span::Span,
        span_marks::taxonomy::{EditForm, MarkLevel, MarkedSides, SpanType},
        work::{
            change::AnnotationStep,
            history::UndoGrouping,
            missing::{MissingItem, count_left_to_judge, list_missing},
            test_tasks::{counter, output, rating, task},
        },
    };

    fn draft(prefills: bool) -> AnnotationDraft {
        let taxonomy = SpanTaxonomy {
            types: vec![SpanType {
                name: "Addition".to_owned(),
                sides: MarkedSides::Output,
                prefill: vec![EditForm::Insertion],
                ..SpanType::default()
            }],
            levels: vec![MarkLevel {
                name: "correct".to_owned(),
                value: 1.0,
                ..MarkLevel::default()
            }],
            rules: vec![],
        };
        let mut task = task(2);
        task.protocol = StudyProtocol::new(vec![
            ProtocolStep::MarkSpans(MarkSpansStep { taxonomy, prefills }),
            ProtocolStep::Rate(RateStep::default()),
        ])
        .expect("a protocol");
        for item in &mut task.items {
            item.text = "A plain text.".to_owned();
            item.edits = vec![Edit {
                kind: EditKind::Paraphrase,
                source: vec![],
                output: vec![Span::new(2, 7)],
                confidence: None,
            }];
        }
        AnnotationDraft::new(task)
    }

    fn sentences(draft: &AnnotationDraft) -> Vec<String> {
        let missing = list_missing(draft);
        missing.iter().map(MissingItem::sentence).collect()
    }

    #[test]
    fn an_output_without_marks_is_missing_until_the_annotator_says_that_there_are_none() {
        let (mut draft, mut new_id) = (draft(false), counter(0));
        let scores = [rating(1, Some(50)), rating(2, Some(50))];
        draft.apply_action(scores, UndoGrouping::Separate, &mut new_id);
        assert_eq!(
            sentences(&draft),
            [
                "Output 1 has no marks: mark its spans, or say that there are none",
                "Output 2 has no marks: mark its spans, or say that there are none"
            ]
        );
        assert_eq!(list_missing(&draft)[0].step, AnnotationStep::Highlight);
        for number in [1, 2] {
            let none = draft.marks_answer(output(number), vec![]);
            draft.apply_action([none], UndoGrouping::Separate, &mut new_id);
        }
        assert_eq!(
            (sentences(&draft).len(), count_left_to_judge(&draft)),
            (0, 0)
        );
        let undone = draft.undo(&mut new_id).expect("an action");
        assert_eq!(
            (undone.step, undone.output),
            (AnnotationStep::Highlight, Some(output(2)))
        );
        assert_eq!(count_left_to_judge(&draft), 1);
    }

    #[test]
    fn a_task_holds_the_automatic_edits_only_where_marks_begin_with_them() {
        for prefills in [true, false] {
            let mut task = draft(prefills).task().clone();
            task.take_out_hidden();
            task.find_marks();
            let item = &task.items[0];
            assert_eq!((item.edits.is_empty(), item.unsure.len()), (!prefills, 0));
            assert!(AnnotationDraft::new(task).shown_edits(output(1)).is_empty());
        }
    }

    #[test]
    fn automatic_marks_count_once_each_has_its_level() {
        let (mut draft, mut new_id) = (draft(true), counter(0));
        let scores = [rating(1, Some(50)), rating(2, Some(50))];
        draft.apply_action(scores, UndoGrouping::Separate, &mut new_id);
        assert_eq!(draft.marks(output(1))[0].kind, "Addition");
        assert_eq!(
            sentences(&draft)[0],
            "Output 1: mark 1 (“Addition”) needs a level"
        );
        let mut marks = draft.marks(output(1));
        marks[0].level = Some("correct".to_owned());
        let answer = draft.marks_answer(output(1), marks);
        draft.apply_action([answer], UndoGrouping::Separate, &mut new_id);
        assert!(!draft.is_unmarked(output(1)) && draft.is_unmarked(output(2)));
        let rest = draft.marks_answer(output(2), vec![]);
        draft.apply_action([rest], UndoGrouping::Separate, &mut new_id);
        assert_eq!(sentences(&draft).len(), 0);
    }
}
