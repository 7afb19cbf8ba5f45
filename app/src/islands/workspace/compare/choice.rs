use domain::{comparison::ComparisonChoice, ids::OutputId, work::comparisons::output_letter};
use leptos::{ev::KeyboardEvent, prelude::*};

use super::ComparisonState;
use crate::islands::workspace::teaching::ComparisonFeedback;

/// The choice among the outputs of a comparison on one dimension.
#[component]
pub(super) fn Choice(
    comparison: ComparisonState,
    dimension: String,
    /// Whether it is the task's only dimension.
    is_only: bool,
) -> impl IntoView {
    let shown = comparison.shown.get_value();
    let name = StoredValue::new(dimension.clone());

    let press = move |event: KeyboardEvent| {
        name.with_value(|dimension| comparison.press(dimension, &event));
    };

    let of_dimension = |question: &str| match is_only {
        true => question.to_owned(),
        false => format!("{dimension}: {}", question.to_lowercase()),
    };
    let outputs = || shown.iter().copied().enumerate();

    let rows = match comparison.pair {
        true => {
            let better = outputs().map(|(place, output)| ChoiceOption {
                choice: ChoicePart::Best(output),
                key: None,
                words: format!("{} is better", output_letter(place)),
            });
            let tie = comparison.allows_ties.then(|| ChoiceOption {
                choice: ChoicePart::Tie,
                key: Some("0".to_owned()),
                words: "Neither is better".to_owned(),
            });
            let mut options: Vec<_> = better.collect();
            // Neither is better: drawn between the two, as on a scale from one to the other.
            options.splice(1..1, tie);
            vec![(of_dimension("Which one is better?"), options)]
        }
        false => {
            let options = |end: fn(OutputId) -> ChoicePart, key: Option<&str>| {
                let option = |(place, output)| ChoiceOption {
                    choice: end(output),
                    key: key.map(|key| format!("{key}{}", output_letter(place))),
                    words: format!("Output {}", output_letter(place)),
                };
                outputs().map(option).collect::<Vec<_>>()
            };
            vec![
                (
                    of_dimension("Which one is the best?"),
                    options(ChoicePart::Best, None),
                ),
                (
                    of_dimension("Which one is the worst?"),
                    options(ChoicePart::Worst, Some("⇧")),
                ),
            ]
        }
    };

    let row = |(at, (question, options)): (usize, (String, Vec<ChoiceOption>))| {
        let group = format!("choice-{dimension}-{at}");
        let option = |option: ChoiceOption| {
            let ChoiceOption { choice, key, words } = option;
            let is_chosen = move || {
                let chosen = name.with_value(|dimension| comparison.chosen(dimension));
                chosen.is_some_and(|chosen| choice.is_in(chosen))
            };
            let is_other_end = move || {
                let chosen = name.with_value(|dimension| comparison.chosen(dimension));
                chosen.is_some_and(|chosen| choice.is_other_end_of(chosen))
            };
            let choose = move |_| {
                name.with_value(|dimension| {
                    let chosen = match choice {
                        ChoicePart::Tie => ComparisonChoice::Tie,
                        ChoicePart::Best(output) => comparison.with_end(dimension, output, true),
                        ChoicePart::Worst(output) => comparison.with_end(dimension, output, false),
                    };
                    comparison.choose(dimension, chosen, comparison.by_pointer.get_value());
                });
            };
            view! {
                <label class="level">
                    <input
                        type="radio"
                        name=group.clone()
                        checked=untrack(is_chosen)
                        prop:checked=is_chosen
                        disabled=is_other_end
                        on:change=choose
                    />
                    <span>{key.map(|key| view! { <b aria-hidden="true">{key}" "</b> })}{words}</span>
                </label>
            }
        };
        view! {
            <fieldset class="levels" disabled=move || !comparison.takes() on:keydown=press>
                <legend>{question}</legend>
                {options.into_iter().map(option).collect_view()}
            </fieldset>
        }
    };

    let rows = rows.into_iter().enumerate().map(row).collect_view();
    view! {
        {rows}
        <ComparisonFeedback shown dimension/>
    }
    .into_any()
}

/// One of the answers to choose from.
struct ChoiceOption {
    choice: ChoicePart,
    /// The key that chooses the answer, if its words do not name it.
    key: Option<String>,
    words: String,
}

/// The part of a choice that an answer sets.
#[derive(Clone, Copy)]
enum ChoicePart {
    Tie,
    Best(OutputId),
    Worst(OutputId),
}

impl ChoicePart {
    /// Whether the output is already chosen as the other one of best and worst.
    fn is_other_end_of(self, chosen: ComparisonChoice<OutputId>) -> bool {
        match (self, chosen) {
            (Self::Best(output), ComparisonChoice::BestWorst { worst, .. }) => {
                worst == Some(output)
            }
            (Self::Worst(output), ComparisonChoice::BestWorst { best, .. }) => best == Some(output),
            _ => false,
        }
    }

    /// Whether the answer is part of the current choice.
    fn is_in(self, chosen: ComparisonChoice<OutputId>) -> bool {
        match (self, chosen) {
            (Self::Tie, ComparisonChoice::Tie) => true,
            (Self::Best(output), ComparisonChoice::Better(better)) => output == better,
            (Self::Best(output), ComparisonChoice::BestWorst { best, .. }) => best == Some(output),
            (Self::Worst(output), ComparisonChoice::BestWorst { worst, .. }) => {
                worst == Some(output)
            }
            _ => false,
        }
    }
}
