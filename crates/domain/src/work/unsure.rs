//! Automatic edits of which the aligner is unsure, to be reviewed first.

use crate::{ids::OutputId, work::draft::AnnotationDraft};

/// An edit by its output and its index there; without an index, the position before all edits of the
/// output.
pub type EditPosition = (OutputId, Option<usize>);

/// The edits of `outputs` of which the aligner is unsure, in that order.
#[must_use]
pub fn list_unsure_edits(draft: &AnnotationDraft, outputs: &[OutputId]) -> Vec<(OutputId, usize)> {
    let mut unsure = vec![];
    for output in outputs {
        for (at, edit) in draft.edits(*output).iter().enumerate() {
            if edit.is_unsure() {
                unsure.push((*output, at));
            }
        }
    }
    unsure
}

/// The next edit after `from` in the order of `outputs`, wrapping around at the end.
#[must_use]
pub fn next_unsure_edit(
    draft: &AnnotationDraft,
    outputs: &[OutputId],
    from: Option<EditPosition>,
) -> Option<(OutputId, usize)> {
    let unsure = list_unsure_edits(draft, outputs);
    let place = |output| outputs.iter().position(|candidate| *candidate == output);
    let from = from.map(|(output, edit)| (place(output), edit));
    let later = |(output, edit): &&(OutputId, usize)| Some((place(*output), Some(*edit))) > from;
    unsure.iter().find(later).or(unsure.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        edit::{Edit, EditKind},
        span::Span,
        work::test_tasks::{output, task},
    };

    #[test]
    fn the_next_one_is_after_where_one_is_and_after_the_last_comes_the_first() {
        let mut task = task(3);
        let edit = |confidence| Edit {
            kind: EditKind::Paraphrase,
            source: vec![],
            output: vec![Span::new(0, 6)],
            confidence,
        };
        task.items[0].edits = vec![edit(Some(0.9)), edit(Some(0.2)), edit(None)];
        task.items[2].edits = vec![edit(Some(0.69)), edit(Some(0.7)), edit(Some(0.0))];
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
}
