use domain::{
    ids::OutputId,
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{MarkLevel, MarkedSides, SpanTaxonomy, SpanType},
    },
};
use leptos::{ev::KeyboardEvent, prelude::*};

use super::{MarkingState, split_words, text::read_place, type_class};
use crate::islands::workspace::{highlight::quoted, state::MarkTarget};

/// The id of the first type or level that the dialog offers.
pub(super) const FIRST_CHOICE: &str = "first-choice";

/// The dialog's title.
pub(super) fn name(marking: MarkingState, target: Option<&MarkTarget>) -> String {
    let text = |output: OutputId| {
        marking.work.draft.with_untracked(|draft| {
            let item = draft.item(output);
            item.map(|item| item.text.clone()).unwrap_or_default()
        })
    };

    match target {
        Some(MarkTarget::Words { output, words }) => {
            format!("“{}”", quoted(&text(*output), &[*words]))
        }
        Some(MarkTarget::Source { .. }) => "Words of the source".to_owned(),
        Some(MarkTarget::Mark { output, number }) => {
            let mark = marking.marks(*output).into_iter().nth(*number);
            let mark = mark.unwrap_or_default();
            let source = (marking.work.draft)
                .with_untracked(|draft| quoted(&draft.task().source, &mark.source));
            let words = quoted(&text(*output), &mark.output);
            match (source.is_empty(), words.is_empty()) {
                (false, false) => format!("“{source}” → “{words}”"),
                (false, true) => format!("“{source}”"),
                _ => format!("“{words}”"),
            }
        }
        None => String::new(),
    }
}

/// Whether some type has words of the source alone. A mark with words of both texts begins with those of the output.
pub(super) fn has_source_types(taxonomy: &SpanTaxonomy) -> bool {
    let mut types = taxonomy.types.iter();
    types.any(|kind| kind.sides == MarkedSides::Source)
}

/// The numbers of the types to offer.
fn offer(marking: MarkingState, takes: impl Fn(&SpanType) -> bool) -> Vec<usize> {
    marking.taxonomy.with_value(|taxonomy| {
        let types = taxonomy.types.iter().enumerate();
        let offered = types.filter(|(_, kind)| takes(kind));
        offered.map(|(number, _)| number).collect()
    })
}

/// The dialog for words or for a mark.
#[component]
pub(super) fn MarkDialog() -> impl IntoView {
    let marking = expect_context::<MarkingState>();
    // Drawn again each time the dialog opens for another target.
    let target = marking.work.marking.get_untracked()?;

    let content = match target {
        MarkTarget::Words { output, words } => view! { <WordsDialog output words/> }.into_any(),
        MarkTarget::Source { output } => {
            let pick = Callback::new(move |kind| marking.add_in_source(output, kind));
            view! {
                <p class="pair">"What are they? Then choose the words."</p>
                <Types offered=offer(marking, |kind| kind.sides == MarkedSides::Source) pick/>
            }
            .into_any()
        }
        MarkTarget::Mark { output, number } => {
            let mark = marking.marks(output).into_iter().nth(number)?;
            view! { <MarkChoices output number mark/> }.into_any()
        }
    };

    Some(view! {
        <h2>{name(marking, Some(&target))}</h2>
        {content}
    })
}

/// The choice of a type for the selected words, which can grow or shrink by a word.
#[component]
fn WordsDialog(output: OutputId, words: Span) -> impl IntoView {
    let marking = expect_context::<MarkingState>();

    let all = marking.work.draft.with_untracked(|draft| {
        let text = draft.item(output).map(|item| item.text.as_str());
        split_words(text.unwrap_or_default())
    });

    let first = all.iter().position(|word| words.start <= word.start);
    let last = all.iter().rposition(|word| word.end <= words.end);
    let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());

    let stretch = |first: Option<usize>, last: Option<usize>| {
        let (first, last) = (all.get(first?)?, all.get(last?)?);
        (first.start < last.end).then(|| Span::new(first.start, last.end))
    };

    let change = move |label: &'static str, to: Option<Span>| {
        view! {
            <button
                class="small"
                disabled=to.is_none()
                on:click=move |_| {
                    if let Some(words) = to {
                        marking.work.marking.set(Some(MarkTarget::Words { output, words }));
                    }
                }
            >
                {label}
            </button>
        }
    };

    let pick = Callback::new(move |kind| marking.add(output, kind, words));
    view! {
        <Types offered=offer(marking, |kind| kind.sides != MarkedSides::Source) pick/>
        <div class="choices" role="group" aria-label="Words">
            {change("← One word more", stretch(first.checked_sub(1), Some(last)))}
            {change("One word less", stretch(Some(first), last.checked_sub(1).filter(|last| first <= *last)))}
            {change("One word more →", stretch(Some(first), Some(last + 1)))}
        </div>
    }
    .into_any()
}

/// The types to choose from, with digits as keys.
#[component]
fn Types(
    /// The numbers of the types.
    offered: Vec<usize>,
    /// Receives the number of the chosen type.
    pick: Callback<usize>,
    /// The number of the current type, if any.
    #[prop(optional_no_strip)]
    chosen: Option<usize>,
    /// Whether levels to choose from are above the types.
    #[prop(optional)]
    below_levels: bool,
) -> impl IntoView {
    let marking = expect_context::<MarkingState>();
    let types = marking.taxonomy.with_value(|taxonomy| {
        let kinds = offered.iter().map(|number| taxonomy.types[*number].clone());
        offered.iter().copied().zip(kinds).collect::<Vec<_>>()
    });

    let first = offered.first().copied();
    let press = move |event: KeyboardEvent| {
        let number = read_place(&event.key()).filter(|number| offered.contains(number));
        if let Some(number) = number {
            event.prevent_default();
            pick.run(number);
        }
    };

    let button = move |(
        number,
        SpanType {
            name, description, ..
        },
    ): (usize, SpanType)| {
        view! {
            <button
                id=(!below_levels && first == Some(number)).then_some(FIRST_CHOICE)
                class=["type ", type_class(number)].concat()
                aria-pressed=chosen.map(|chosen| (chosen == number).to_string())
                on:click=move |_| pick.run(number)
            >
                <span><KeyHint number/>{name}</span>
                {(!description.is_empty()).then(|| view! { <small>{description}</small> })}
            </button>
        }
    };

    view! {
        <div class="types" role="group" aria-label="Type" on:keydown=press>
            {types.into_iter().map(button).collect_view()}
        </div>
    }
    .into_any()
}

/// The key of a choice, by its number from 0; nothing past the tenth.
#[component]
fn KeyHint(number: usize) -> impl IntoView {
    (number < 10).then(|| view! { <kbd aria-hidden="true">{(number + 1) % 10}</kbd> })
}

/// The level of a mark, and everything else about it that can be changed.
#[component]
fn MarkChoices(output: OutputId, number: usize, mark: SpanMark) -> impl IntoView {
    let marking = expect_context::<MarkingState>();
    let (levels, at, sides) = marking.taxonomy.with_value(|taxonomy| {
        let at = taxonomy
            .types
            .iter()
            .position(|kind| kind.name == mark.kind);
        let sides = taxonomy.find_type(&mark.kind).map(|kind| kind.sides);
        (taxonomy.levels.clone(), at, sides)
    });

    let names: Vec<_> = levels.iter().map(|level| level.name.clone()).collect();
    let choose = move |level: String| {
        marking.change(output, number, |mark| mark.level = Some(level));
    };

    let press = move |event: KeyboardEvent| {
        let level = read_place(&event.key()).and_then(|at| names.get(at));
        if let Some(level) = level {
            event.prevent_default();
            choose(level.clone());
        }
    };

    let level = {
        let chosen = mark.level.clone();
        move |(at, level): (usize, MarkLevel)| {
            let is_chosen = chosen.as_ref() == Some(&level.name);
            let name = level.name.clone();
            view! {
                <button
                    id=(at == 0).then_some(FIRST_CHOICE)
                    class="type"
                    aria-pressed=is_chosen.to_string()
                    on:click=move |_| choose(name.clone())
                >
                    <span><KeyHint number=at/>{level.name}</span>
                    {(!level.description.is_empty()).then(|| view! { <small>{level.description}</small> })}
                </button>
            }
        }
    };

    let fitting = offer(marking, |kind| mark.can_become(kind));
    let retype = Callback::new(move |kind| {
        let kind = marking
            .taxonomy
            .with_value(|taxonomy| taxonomy.types.get(kind).cloned());
        if let Some(kind) = kind {
            marking.change(output, number, |mark| mark.retype(&kind));
        }
    });

    let others = fitting.iter().any(|number| Some(*number) != at);
    // A type that the lead removed has no level to choose.
    let levels = if at.is_some() { levels } else { vec![] };
    let kind = mark.kind.clone();
    let picked = mark;
    let has_levels = !levels.is_empty();

    view! {
        {has_levels.then(|| view! {
            <div class="types" role="group" aria-label="Level" on:keydown=press>
                {levels.into_iter().enumerate().map(level).collect_view()}
            </div>
        })}
        {others.then(|| view! {
            <details open=!has_levels>
                <summary>"Type: "{kind}{at.is_none().then_some(" (no longer used)")}</summary>
                <Types offered=fitting.clone() pick=retype chosen=at below_levels=has_levels/>
            </details>
        })}
        <div class="choices">
            {sides.is_some_and(|sides| sides != MarkedSides::Output).then(|| view! {
                <button on:click=move |_| marking.pick_source(output, picked.clone())>"Choose source words…"</button>
            })}
            <button on:click=move |_| marking.remove(output, number)>"Remove the mark"</button>
        </div>
    }
    .into_any()
}
