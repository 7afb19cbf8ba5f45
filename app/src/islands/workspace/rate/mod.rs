//! The step that scores each output without an order: all outputs below each other, or one at a time.

mod card;

use domain::{
    ids::OutputId,
    protocol::{AnnotationStep, OutputsShown},
    work::walk::list_outputs,
};
use leptos::prelude::*;

use self::card::Card;
use super::{
    WorkspaceState,
    unjudged::{ReasonMenu, Reasons},
};

/// The outputs with their scores.
#[component]
pub(super) fn Rate() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let outputs = work
        .draft
        .with_untracked(|draft| list_outputs(draft, AnnotationStep::Rate));
    let count = outputs.len();
    let writing = RwSignal::new(None::<OutputId>);
    let menu = ReasonMenu::provide(work, writing);

    let (title, task) = work.draft.with_untracked(|draft| {
        let step = draft.protocol().find(AnnotationStep::Rate);
        let title = step.map(|step| step.title());
        let task = match draft.task().dimensions.len() {
            1 => "Give every output a score.",
            _ => "Give every output a score in each line.",
        };
        (title, task)
    });

    let unjudged_hint = match work.accepts_unjudged() {
        true => " If you cannot judge one, say why instead.",
        false => "",
    };

    let card = |(at, output): (usize, OutputId)| {
        work.in_turn(output, move || {
            view! { <Card output at count writing/> }.into_any()
        })
    };

    view! {
        <header class="step-head">
            <h1>{title}</h1>
            <p class="soft">
                {task} {unjudged_hint}
            </p>
        </header>
        <ol class="output-cards">{outputs.into_iter().enumerate().map(card).collect_view()}</ol>
        <Reasons menu/>
    }
    .into_any()
}

impl WorkspaceState {
    /// Whether the step shows one output at a time.
    pub(super) fn shows_one(&self) -> bool {
        let is_one = |work: &Self| {
            work.draft.with_untracked(|draft| {
                let step = draft.rate_step();
                step.is_some_and(|step| step.outputs == OutputsShown::One)
            })
        };
        self.step.get() == AnnotationStep::Rate && is_one(self)
    }

    /// The output or comparison `by` places after the current one; `None` if there is none, or if the step
    /// does not show one at a time.
    pub(super) fn neighbour(&self, by: isize) -> Option<NeighbourPlace> {
        if self.step.get() == AnnotationStep::Rate && self.compares() {
            let count = (self.draft).with_untracked(|draft| draft.task().comparisons.len());
            let number = self.comparison.get().checked_add_signed(by)?;
            return (number < count).then_some(NeighbourPlace::Comparison(number));
        }

        if !self.shows_one() {
            return None;
        }

        let outputs = self
            .draft
            .with_untracked(|draft| list_outputs(draft, AnnotationStep::Rate));
        let at = outputs.iter().position(|output| self.is_current(*output))?;
        let next = outputs.get(at.checked_add_signed(by)?);
        next.copied().map(NeighbourPlace::Output)
    }

    /// Shows a neighbour of the current output or comparison.
    pub(super) fn show(&self, neighbour: NeighbourPlace) {
        let step = self.step.get_untracked();
        match neighbour {
            NeighbourPlace::Output(output) => self.go(step, Some(output)),
            NeighbourPlace::Comparison(number) => self.go_to(step, None, Some(number)),
        }
    }
}

/// The place of a neighbour, in a step that shows one output or comparison at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NeighbourPlace {
    Output(OutputId),
    /// The number of a comparison, from 0.
    Comparison(usize),
}

impl NeighbourPlace {
    /// The displayed noun.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Output(_) => "output",
            Self::Comparison(_) => "comparison",
        }
    }
}
