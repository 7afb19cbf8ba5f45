//! The step that compares outputs with each other, one comparison at a time.

mod choice;

use domain::{
    comparison::ComparisonChoice,
    ids::OutputId,
    protocol::CompareStep,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        comparisons::output_letter,
        draft::AnnotationDraft,
        history::UndoGrouping,
    },
};
use leptos::{ev::KeyboardEvent, prelude::*};

use self::choice::Choice;
use super::{
    WorkspaceState, marked_output::MarkedOutput, rate::NeighbourPlace, scores::draw_questions,
    state::COMPARISON_ID, teaching::is_taught,
};
use crate::browser;

/// The step's heading, and the comparison that is shown.
#[component]
pub(super) fn Compare(step: CompareStep) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let task = match (step.is_of_pairs(), step.allows_ties) {
        (true, true) => "Read both outputs. Which one is better? If neither is, say so.",
        (true, false) => {
            "Read both outputs. Which one is better? Choose one, even if it is a close call."
        }
        (false, _) => "Read all outputs. Which one is the best, and which one is the worst?",
    };

    let count = work
        .draft
        .with_untracked(|draft| draft.task().comparisons.len());

    let comparison = move || {
        let number = work.comparison.get();
        let shown = work
            .draft
            .with_untracked(|draft| draft.task().comparisons.get(number).cloned());
        let comparison = shown.map(|shown| ComparisonState {
            work,
            shown: StoredValue::new(shown),
            allows_ties: step.allows_ties,
            pair: step.is_of_pairs(),
            by_pointer: StoredValue::new(false),
        });
        comparison.map(|comparison| view! { <ComparisonView comparison number count/> })
    };

    view! {
        <header class="step-head">
            <h1>"Compare"</h1>
            <p class="soft">{task}</p>
        </header>
        {comparison}
        {(count == 0).then(|| view! { <p>"This source has no two different outputs to compare. You can submit it."</p> })}
    }
    .into_any()
}

/// State that the parts of a comparison share.
#[derive(Clone, Copy)]
struct ComparisonState {
    work: WorkspaceState,
    /// The outputs, in the order in which they are shown.
    shown: StoredValue<Vec<OutputId>>,
    allows_ties: bool,
    /// Whether annotators choose the better of two, and not the best and worst of several.
    pair: bool,
    /// Whether the last input came from the pointer, and not from the keyboard.
    by_pointer: StoredValue<bool>,
}

impl ComparisonState {
    fn chosen(self, dimension: &str) -> Option<ComparisonChoice<OutputId>> {
        let work = self.work;
        self.shown
            .with_value(|shown| work.draft.with(|draft| draft.choice(shown, dimension)))
    }

    /// Whether the annotator may choose.
    fn takes(self) -> bool {
        let outputs = self.shown.get_value();
        outputs.into_iter().any(|output| self.work.takes(output))
    }

    /// Makes a choice. If it completes the comparison, `leads_on` moves on to the next open one, unless there
    /// is feedback to read. Keys for an answer and the pointer lead on; the arrow keys only try the answers.
    fn choose(self, dimension: &str, choice: ComparisonChoice<OutputId>, leads_on: bool) {
        let work = self.work;
        let lacks_choice = || {
            self.shown.with_value(|shown| {
                work.draft
                    .with_untracked(|draft| draft.is_uncompared(shown))
            })
        };
        let lacked_choice = lacks_choice();

        let slot = (self.shown).with_value(|shown| AnnotationSlot::comparison(shown, dimension));
        let answer = AnnotationAnswer::Comparison(Some(choice));
        work.act([(slot, answer)], UndoGrouping::Separate);

        let teaches =
            (self.shown).with_value(|shown| shown.iter().all(|output| is_taught(work, *output)));
        if leads_on && lacked_choice && !lacks_choice() && !teaches {
            self.lead_on();
        }
    }

    /// Shows the next comparison without a choice.
    fn lead_on(self) {
        let work = self.work;
        let number = work.comparison.get_untracked();

        match work
            .draft
            .with_untracked(|draft| draft.next_uncompared(number))
        {
            Some(next) => {
                work.show(NeighbourPlace::Comparison(next));
                work.announce(format!("Comparison {}", next + 1));
            }
            None => work.announce("All comparisons are made. You can submit."),
        }
    }

    /// Chooses the output as the best or the worst, and keeps the other end of the current choice.
    fn with_end(
        self,
        dimension: &str,
        output: OutputId,
        is_best: bool,
    ) -> ComparisonChoice<OutputId> {
        if self.pair {
            return ComparisonChoice::Better(output);
        }

        let (best, worst) = match untrack(|| self.chosen(dimension)) {
            Some(ComparisonChoice::BestWorst { best, worst }) => (best, worst),
            _ => (None, None),
        };

        let other = |chosen: Option<OutputId>| chosen.filter(|chosen| *chosen != output);
        match is_best {
            true => ComparisonChoice::BestWorst {
                best: Some(output),
                worst: other(worst),
            },
            false => ComparisonChoice::BestWorst {
                best: other(best),
                worst: Some(output),
            },
        }
    }

    /// The choice that a key makes.
    fn choice_of_key(
        self,
        dimension: &str,
        event: &KeyboardEvent,
    ) -> Option<ComparisonChoice<OutputId>> {
        let key = event.key();

        if key == "0" {
            return (self.pair && self.allows_ties).then_some(ComparisonChoice::Tie);
        }

        let mut letters = key.chars().map(|letter| letter.to_ascii_uppercase());
        let (Some(pressed), None) = (letters.next(), letters.next()) else {
            return None;
        };

        let place = (self.shown).with_value(|shown| {
            let place = (0..shown.len()).find(|place| output_letter(*place) == pressed);
            place.map(|place| shown[place])
        });

        let is_best = !event.shift_key();
        place
            .filter(|_| is_best || !self.pair)
            .map(|output| self.with_end(dimension, output, is_best))
    }

    /// Handles a key within the choice on a dimension.
    fn press(self, dimension: &str, event: &KeyboardEvent) {
        let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
        if modified || event.default_prevented() || browser::is_typing(event) {
            return;
        }
        if !untrack(|| self.takes()) {
            return;
        }
        if event.key() == "Enter" {
            event.prevent_default();
            return self.lead_on();
        }
        if let Some(choice) = self.choice_of_key(dimension, event) {
            event.prevent_default();
            self.choose(dimension, choice, true);
        }
    }
}

/// The outputs of a comparison, and the choices.
#[component]
fn ComparisonView(
    comparison: ComparisonState,
    /// The number of the comparison, from 0.
    number: usize,
    /// The number of comparisons.
    count: usize,
) -> impl IntoView {
    let work = comparison.work;
    let shown = comparison.shown.get_value();
    let dimensions = work.draft.with_untracked(|draft| {
        let dimensions = draft.task().dimensions.iter();
        dimensions
            .map(|dimension| dimension.name.clone())
            .collect::<Vec<_>>()
    });

    let names = StoredValue::new(dimensions.clone());
    let is_only = dimensions.len() == 1;

    let press = move |event: KeyboardEvent| {
        comparison.by_pointer.set_value(false);
        let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
        if modified || event.default_prevented() || browser::is_typing(&event) {
            return;
        }

        let by = match event.key().as_str() {
            "j" | "J" => 1,
            "k" | "K" => -1,
            _ => {
                // Outside the choices, a key applies to the first dimension without a choice.
                let open = |draft: &AnnotationDraft| {
                    comparison
                        .shown
                        .with_value(|shown| draft.open_dimensions(shown).next().map(str::to_owned))
                };
                let open = work.draft.with_untracked(open);
                let first = || names.with_value(|names| names.first().cloned());
                if let Some(dimension) = open.or_else(first) {
                    comparison.press(&dimension, &event);
                }
                return;
            }
        };

        if let Some(neighbour) = untrack(|| work.neighbour(by)) {
            event.prevent_default();
            work.show(neighbour);
        }
    };

    let card = |(place, output): (usize, &OutputId)| {
        let item = work
            .draft
            .with_untracked(|draft| draft.item(*output).cloned());
        item.map(|item| {
            view! {
                <li class="compared">
                    <h3>{format!("Output {}", output_letter(place))}</h3>
                    {draw_questions(work, item.output)}
                    <MarkedOutput output=item.output text=item.text/>
                    {(item.copies > 1).then(|| view! { <p class="aside">{item.copies}" systems wrote this"</p> })}
                </li>
            }
        })
    };

    let cards = shown.iter().enumerate().map(card).collect_view();
    let choice = |dimension: String| {
        view! { <Choice comparison dimension is_only/> }
    };

    view! {
        // Makes the comparison focusable, so that keys reach it after a click on a text.
        <section
            class="comparison"
            aria-labelledby=COMPARISON_ID
            tabindex="-1"
            on:keydown=press
            on:pointerdown=move |_| comparison.by_pointer.set_value(true)
        >
            <h2 id=COMPARISON_ID tabindex="-1">
                {format!("Comparison {}", number + 1)} <span class="soft">" of "{count}</span>
            </h2>
            <ol class="compared-outputs">{cards}</ol>
            {dimensions.into_iter().map(choice).collect_view()}
        </section>
    }
    .into_any()
}
