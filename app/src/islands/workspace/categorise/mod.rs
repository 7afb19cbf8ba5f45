//! Step 1: each output in a category, placed automatically and corrected by hand.

mod chip;

use domain::{
    category::Category,
    ids::OutputId,
    protocol::ProtocolStep,
    work::{draft::AnnotationDraft, labels::format_output_count},
};
use leptos::prelude::*;

pub(super) use self::chip::CategoryReason;
use self::chip::Chip;
use super::{WorkspaceState, teaching::CategoryNote};
use crate::islands::parts::Popup;

/// State that the components of this step share.
#[derive(Clone, Copy)]
struct CategoriseState {
    work: WorkspaceState,
    /// The category that a dragged output hovers over.
    over: RwSignal<Option<Category>>,
    /// The element whose menu is open.
    menu: RwSignal<Option<String>>,
    /// The output whose menu is open.
    chosen: RwSignal<Option<OutputId>>,
}

/// The three categories, and every output in one of them.
#[component]
pub(super) fn Categorise() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let columns = CategoriseState {
        work,
        over: RwSignal::new(None),
        menu: RwSignal::new(None),
        chosen: RwSignal::new(None),
    };
    provide_context(columns);

    view! {
        <header class="step-head">
            <h1>{ProtocolStep::Categorise.title()}</h1>
            <p class="soft">
                "Each output was put in a category automatically. To correct one, drag it or \
                 choose it" <span class="with-keys">", or press " <kbd>"1"</kbd>" "<kbd>"2"</kbd>" "<kbd>"3"</kbd>" on it"</span>"."
            </p>
        </header>
        <div class="columns">
            {Category::ALL.map(|category| view! { <Column category/> })}
        </div>
        <Popup about=columns.menu label="Move to">
            <h2>"Move to"</h2>
            {move || columns.chosen.get().map(|output| view! { <CategoryChoices output menu=columns.menu/> })}
        </Popup>
    }
    .into_any()
}

/// A short description of a category.
const fn category_description(category: Category) -> &'static str {
    match category {
        Category::Split => "One sentence became several.",
        Category::Deletion => "Much shorter, or words were only removed.",
        Category::Paraphrase => "Everything else: worded differently.",
    }
}

#[component]
fn Column(category: Category) -> impl IntoView {
    let columns = expect_context::<CategoriseState>();
    let chips = Memo::new(move |_| {
        columns
            .work
            .draft
            .with(|draft| outputs_in_category(draft, category))
    });

    let heading = format!("category-{category}");
    let labelled = heading.clone();

    view! {
        <section
            class="column"
            class:over=move || columns.over.get() == Some(category)
            data-category=category.name()
            aria-labelledby=labelled
        >
            <h2 id=heading>
                {category.title()}" "
                <span>
                    <span aria-hidden="true">{move || chips.with(Vec::len)}</span>
                    <span class="visually-hidden">{move || format_output_count(chips.with(Vec::len))}</span>
                </span>
            </h2>
            <p class="meaning">{category_description(category)}</p>
            <ul>
                <For each=move || chips.get() key=|output| *output let:output>
                    <li>{columns.work.in_turn(output, move || view! { <Chip output/><CategoryNote output/> }.into_any())}</li>
                </For>
            </ul>
            <Show when=move || chips.with(Vec::is_empty)>
                <p class="none">"No output"</p>
            </Show>
        </section>
    }
    .into_any()
}

/// The outputs of a category, in the order in which they were first shown.
pub(super) fn outputs_in_category(draft: &AnnotationDraft, category: Category) -> Vec<OutputId> {
    let items = draft.task().items.iter().map(|item| item.output);
    items
        .filter(|output| draft.placement(*output).category == category)
        .collect()
}

/// The categories that an output can be moved to.
#[component]
pub(super) fn CategoryChoices(
    output: OutputId,
    /// The element whose menu is open.
    menu: RwSignal<Option<String>>,
    /// Whether the choices are in the output's row. The Tab key then stops at those of the current row only.
    #[prop(optional)]
    in_row: bool,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let current_category = work
        .draft
        .with_untracked(|draft| draft.placement(output).category);

    let tab_index = move || {
        if in_row && !work.is_current(output) {
            "-1"
        } else {
            "0"
        }
    };

    let choose = move |category| {
        menu.set(None);
        work.put(output, category);
    };

    view! {
        <div class="choices">
            {Category::ALL.map(|category| view! {
                <button
                    tabindex=tab_index
                    disabled=move || !work.takes(output)
                    aria-pressed=(current_category == category).to_string()
                    on:click=move |_| choose(category)
                >
                    {category.title()}
                </button>
            })}
        </div>
    }
    .into_any()
}

/// The category that a digit chooses: 1 is the first.
pub(super) fn category_of_digit(digit: &str) -> Option<Category> {
    match digit {
        "1" => Some(Category::Split),
        "2" => Some(Category::Deletion),
        "3" => Some(Category::Paraphrase),
        _ => None,
    }
}
