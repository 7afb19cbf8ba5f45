//! The way through the outputs of a step, as the keys go: from top to bottom.

use crate::{
    category::Category,
    ids::OutputId,
    work::{change::AnnotationStep, draft::AnnotationDraft},
};

/// The outputs of a step in the order in which they are drawn: by category, from step 3 on best first, before it as
/// first shown.
#[must_use]
pub fn list_outputs(draft: &AnnotationDraft, step: AnnotationStep) -> Vec<OutputId> {
    let as_first_shown = draft.task().items.iter().map(|item| item.output);
    if !is_by_category(draft, step) {
        return as_first_shown.collect();
    }

    let all = match step {
        AnnotationStep::Rate | AnnotationStep::Answer | AnnotationStep::Write => draft.order(),
        _ => as_first_shown.collect(),
    };
    let mut outputs = Vec::with_capacity(all.len());
    for category in Category::ALL {
        for output in &all {
            if draft.placement(*output).category == category {
                outputs.push(*output);
            }
        }
    }
    outputs
}

/// The output `by` places after `from` in a step; at either end of the list the last one there.
#[must_use]
pub fn walk(draft: &AnnotationDraft, step: AnnotationStep, from: OutputId, by: isize) -> OutputId {
    let outputs = list_outputs(draft, step);
    let at = outputs.iter().position(|output| *output == from);
    let next = at.map(|at| at.saturating_add_signed(by).min(outputs.len() - 1));
    next.map_or(from, |next| outputs[next])
}

/// Whether a step shows the outputs category by category.
fn is_by_category(draft: &AnnotationDraft, step: AnnotationStep) -> bool {
    match step {
        AnnotationStep::Categorise => true,
        AnnotationStep::Highlight => draft.protocol().categorises(),
        AnnotationStep::Rate | AnnotationStep::Answer | AnnotationStep::Write => {
            draft.protocol().ranks()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{
        history::UndoGrouping,
        order::{OrderMove, move_output},
        test_tasks::{counter, output, task},
    };

    #[test]
    fn outputs_are_walked_through_by_category() {
        let mut draft = AnnotationDraft::new(task(5));
        let up = move_output(
            &draft.outputs_in(Category::Split),
            output(5),
            OrderMove::First,
        );
        let ordered = draft.order_answer(&up.expect("a move"));
        draft.apply_action([ordered], UndoGrouping::Separate, counter(0));
        let check = |step, expect: [u32; 5]| {
            assert_eq!(list_outputs(&draft, step), expect.map(output), "{step:?}");
        };
        check(AnnotationStep::Categorise, [1, 3, 5, 2, 4]);
        check(AnnotationStep::Highlight, [1, 3, 5, 2, 4]);
        check(AnnotationStep::Rate, [5, 1, 3, 2, 4]);
    }

    #[test]
    fn the_way_crosses_categories_and_ends_at_the_ends() {
        let draft = AnnotationDraft::new(task(4));
        let check = |from, by, expect| {
            let to = walk(&draft, AnnotationStep::Rate, output(from), by);
            assert_eq!(to, output(expect), "{from} {by}");
        };
        check(1, 1, 3);
        check(3, 1, 2);
        check(2, -1, 3);
        check(4, 1, 4);
        check(1, -1, 1);
        // An output of another source stays where it is.
        check(9, 1, 9);
    }
}
