//! The annotator's answers by output, and the automatic ones where there are none.

use super::AnnotationDraft;
use crate::{
    category::Category,
    edit::{Edit, shown_edits},
    ids::OutputId,
    protocol::{RateStep, StudyProtocol},
    score::RatingScore,
    study::Dimension,
    work::{
        change::{AnnotationAnswer, AnnotationSlot, AnnotationStep},
        order,
    },
};

/// The state of an output in step 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CategoryPlacement {
    /// Its category.
    pub category: Category,
    /// Whether the annotator chose it.
    pub moved: bool,
    /// The automatic category.
    pub automatic: Category,
}

impl AnnotationDraft {
    /// The category of an output, and whether the annotator chose it.
    #[must_use]
    pub fn placement(&self, output: OutputId) -> CategoryPlacement {
        let automatic = self
            .item(output)
            .map_or(Category::Paraphrase, |item| item.category);
        match self.answer(&AnnotationSlot::Category { output }) {
            AnnotationAnswer::Category(Some(chosen)) => CategoryPlacement {
                category: chosen,
                moved: true,
                automatic,
            },
            _ => CategoryPlacement {
                category: automatic,
                moved: false,
                automatic,
            },
        }
    }

    /// The answer that puts an output in `category`: an empty one if that is the automatic
    /// category.
    #[must_use]
    pub fn placement_answer(
        &self,
        output: OutputId,
        category: Category,
    ) -> (AnnotationSlot, AnnotationAnswer) {
        let own = (self.placement(output).automatic != category).then_some(category);
        (
            AnnotationSlot::Category { output },
            AnnotationAnswer::Category(own),
        )
    }

    /// The edits of an output: the annotator's if there are any, otherwise the automatic ones.
    #[must_use]
    pub fn edits(&self, output: OutputId) -> Vec<Edit> {
        match self.answer(&AnnotationSlot::Edits { output }) {
            AnnotationAnswer::Edits(Some(edits)) => edits,
            _ => self
                .item(output)
                .map(|item| item.edits.clone())
                .unwrap_or_default(),
        }
    }

    /// The edits of an output for drawing, each at its own index; see [`shown_edits`].
    #[must_use]
    pub fn shown_edits(&self, output: OutputId) -> Vec<Edit> {
        // Where marks begin with the automatic edits, a task holds them, but no step shows them as edits.
        if !self.protocol().shows_edits() {
            return vec![];
        }
        let text = self.item(output).map(|item| item.text.as_str());
        shown_edits(
            self.edits(output),
            &self.task.source,
            text.unwrap_or_default(),
        )
    }

    /// Whether the annotator corrected the edits of an output; confirming one does not count.
    #[must_use]
    pub fn edits_corrected(&self, output: OutputId) -> bool {
        let automatic = self.item(output).map(|item| item.edits.as_slice());
        match self.answer(&AnnotationSlot::Edits { output }) {
            AnnotationAnswer::Edits(Some(edits)) => {
                let automatic = automatic.unwrap_or_default();
                let mut pairs = edits.iter().zip(automatic);
                edits.len() != automatic.len()
                    || !pairs.all(|(one, other)| one.is_same_change(other))
            }
            _ => false,
        }
    }

    /// Whether an edit is in doubt: one of those to check first, which the annotator has neither changed nor
    /// confirmed.
    #[must_use]
    pub fn is_unsure(&self, output: OutputId, edit: &Edit) -> bool {
        edit.confidence.is_some()
            && self.item(output).is_some_and(|item| {
                let mut unsure = item.unsure.iter().filter_map(|at| item.edits.get(*at));
                unsure.any(|automatic| automatic.is_same_change(edit))
            })
    }

    /// The score of an output; `None` until one is given, and for an output that cannot be judged.
    #[must_use]
    pub fn rating(&self, output: OutputId, dimension: &str) -> Option<RatingScore> {
        // A score from another device may be stored along with a reason that the server has yet to refuse.
        if self.unjudged(output).is_some() {
            return None;
        }
        let slot = AnnotationSlot::Rating {
            output,
            dimension: dimension.to_owned(),
        };
        match self.answer(&slot) {
            AnnotationAnswer::Rating(score) => score,
            _ => None,
        }
    }

    /// Whether an output lacks a score on some dimension or, if it cannot be judged, the note that its reason needs.
    #[must_use]
    pub fn is_unrated(&self, output: OutputId) -> bool {
        if self.unjudged(output).is_some() {
            return self.lacks_reason_note(output);
        }
        let mut dimensions = self.task.dimensions.iter();
        dimensions.any(|dimension| self.rating(output, &dimension.name).is_none())
    }

    /// The score on the ranking dimension.
    #[must_use]
    pub fn ranking_score(&self, output: OutputId) -> Option<RatingScore> {
        self.rating(output, &self.ranking().name)
    }

    /// The ranking dimension: the first.
    #[must_use]
    pub fn ranking(&self) -> Dimension {
        self.task.dimensions.first().cloned().unwrap_or_default()
    }

    /// The remark on an output; empty if there is none.
    #[must_use]
    pub fn note(&self, output: OutputId) -> String {
        self.remark(&AnnotationSlot::Note { output })
    }

    /// The text of a note or a reply; empty if there is none.
    #[must_use]
    pub fn remark(&self, slot: &AnnotationSlot) -> String {
        match self.answer(slot) {
            AnnotationAnswer::Note(text) => text,
            _ => String::new(),
        }
    }

    /// The current step; see [`AnnotationDraft::shown_step`].
    #[must_use]
    pub fn step(&self) -> AnnotationStep {
        self.shown_step(self.last_step())
    }

    /// The step that shows what belongs to `step`: where the steps are merged, the last one shows everything. A step
    /// that the protocol does not have is shown where the protocol begins.
    #[must_use]
    pub fn shown_step(&self, step: AnnotationStep) -> AnnotationStep {
        match self.protocol().find(step) {
            _ if self.is_merged() => AnnotationStep::Rate,
            Some(_) => step,
            None => self.protocol().first(),
        }
    }

    /// Whether all three steps are done in one place.
    #[must_use]
    pub fn is_merged(&self) -> bool {
        self.protocol().is_merged(self.task.layout)
    }

    /// The steps in which the annotator judges the outputs.
    #[must_use]
    pub const fn protocol(&self) -> &StudyProtocol {
        &self.task.protocol
    }

    /// The settings of the step that rates without an order, if the protocol has one.
    #[must_use]
    pub fn rate_step(&self) -> Option<&RateStep> {
        self.protocol().rate_step()
    }

    /// The step that judges what a lead can ask about: the one that scores or compares, else the one that asks questions,
    /// else the one that has a text written.
    #[must_use]
    pub fn last_judging_step(&self) -> AnnotationStep {
        let judges = [AnnotationStep::Rate, AnnotationStep::Answer];
        judges
            .into_iter()
            .find(|place| self.protocol().find(*place).is_some())
            .unwrap_or(AnnotationStep::Write)
    }

    fn last_step(&self) -> AnnotationStep {
        match self.answer(&AnnotationSlot::Progress) {
            AnnotationAnswer::Progress(step) => step,
            _ => AnnotationStep::default(),
        }
    }

    /// All outputs, best first if the annotator ordered them, otherwise as first shown.
    #[must_use]
    pub fn order(&self) -> Vec<OutputId> {
        let outputs: Vec<OutputId> = self.task.items.iter().map(|item| item.output).collect();
        match self.answer(&AnnotationSlot::Order) {
            AnnotationAnswer::Order(Some(order)) => order::complete_order(&order, &outputs),
            _ => outputs,
        }
    }

    /// The outputs of one group, in order.
    #[must_use]
    pub fn outputs_in(&self, category: Category) -> Vec<OutputId> {
        let mut order = self.order();
        order.retain(|output| self.placement(*output).category == category);
        order
    }

    /// The answer that puts the outputs of one group in the order `group`.
    #[must_use]
    pub fn order_answer(&self, group: &[OutputId]) -> (AnnotationSlot, AnnotationAnswer) {
        (
            AnnotationSlot::Order,
            AnnotationAnswer::Order(Some(order::merge_order(&self.order(), group))),
        )
    }
}
