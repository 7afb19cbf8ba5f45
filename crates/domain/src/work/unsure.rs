//! The way through the edits in doubt, which are checked first.

use crate::{ids::OutputId, work::draft::AnnotationDraft};

/// An edit by its output and its index there; without an index, the position before all edits of the
/// output.
pub type EditPosition = (OutputId, Option<usize>);

/// The edits in doubt ([`AnnotationDraft::is_unsure`]) of `outputs`, in that order.
#[must_use]
pub fn list_unsure_edits(draft: &AnnotationDraft, outputs: &[OutputId]) -> Vec<(OutputId, usize)> {
    let mut unsure = vec![];
    for output in outputs {
        for (at, edit) in draft.edits(*output).iter().enumerate() {
            if draft.is_unsure(*output, edit) {
                unsure.push((*output, at));
            }
        }
    }
    unsure
}

/// The next edit in doubt after `from` in the order of `outputs`, wrapping around at the end.
#[must_use]
pub fn next_unsure_edit(
    draft: &AnnotationDraft,
    outputs: &[OutputId],
    from: Option<EditPosition>,
) -> Option<(OutputId, usize)> {
    let unsure = list_unsure_edits(draft, outputs);
    let place = |output| outputs.iter().position(|candidate| *candidate == output);
    let from = from.map(|(output, edit)| (place(output), edit));

    let later = unsure
        .iter()
        .find(|(output, edit)| Some((place(*output), Some(*edit))) > from);
    later.or(unsure.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        edit::{Edit, EditKind, ops},
        span::Span,
        work::{
            change::{AnnotationAnswer, AnnotationSlot},
            history::UndoGrouping,
            test_tasks::{counter, output, task},
        },
    };

    #[test]
    fn the_next_one_is_after_where_one_is_and_after_the_last_comes_the_first() {
        let mut task = task(3);
        let edit = |confidence, end| Edit {
            kind: EditKind::Paraphrase,
            source: vec![],
            output: vec![Span::new(0, end)],
            confidence,
        };
        task.items[0].edits = vec![edit(Some(0.9), 1), edit(Some(0.2), 2), edit(None, 3)];
        task.items[0].unsure = vec![1];
        task.items[2].edits = vec![
            edit(Some(0.69), 1),
            edit(Some(0.7), 2),
            edit(Some(0.0), 3),
            edit(Some(0.1), 4),
        ];
        task.items[2].unsure = vec![0, 2];
        let draft = AnnotationDraft::new(task);
        let outputs = [output(3), output(2), output(1)];
        let all = [(output(3), 0), (output(3), 2), (output(1), 1)];
        assert_eq!(list_unsure_edits(&draft, &outputs), all);
        for (from, expect) in [
            (None, 0),
            (Some((output(3), None)), 0),
            (Some((output(3), Some(0))), 1),
            (Some((output(2), None)), 2),
            (Some((output(1), Some(0))), 2),
            (Some((output(1), Some(1))), 0),
        ] {
            assert_eq!(
                next_unsure_edit(&draft, &outputs, from),
                Some(all[expect]),
                "{from:?}"
            );
        }
        assert_eq!(next_unsure_edit(&draft, &outputs[1..2], None), None);
    }

    #[test]
    fn an_edit_that_is_confirmed_or_changed_is_no_longer_in_doubt() {
        let mut task = task(1);
        task.items[0].edits = [2, 3, 4]
            .map(|end| Edit {
                kind: EditKind::Paraphrase,
                source: vec![],
                output: vec![Span::new(end - 1, end)],
                confidence: Some(0.3),
            })
            .into();
        task.items[0].unsure = vec![0, 2];
        let (mut draft, mut new_id) = (AnnotationDraft::new(task), counter(0));
        let left = |draft: &AnnotationDraft| -> Vec<usize> {
            let unsure = list_unsure_edits(draft, &[output(1)]);
            unsure.into_iter().map(|(_, at)| at).collect()
        };
        let mut save = |draft: &mut AnnotationDraft, edits| {
            let slot = AnnotationSlot::Edits { output: output(1) };
            let answer = AnnotationAnswer::Edits(Some(edits));
            draft.apply_action([(slot, answer)], UndoGrouping::Separate, &mut new_id);
        };
        assert_eq!(left(&draft), [0, 2]);
        let confirmed = ops::confirm(draft.edits(output(1)), 2);
        save(&mut draft, confirmed);
        assert_eq!(left(&draft), [0]);
        assert!(!draft.edits_corrected(output(1)));
        let removed = ops::remove(draft.edits(output(1)), 0);
        save(&mut draft, removed);
        assert_eq!(left(&draft), [0; 0]);
        assert!(draft.edits_corrected(output(1)));
        draft.undo(counter(9));
        draft.undo(counter(99));
        assert_eq!(left(&draft), [0, 2]);
    }
}
