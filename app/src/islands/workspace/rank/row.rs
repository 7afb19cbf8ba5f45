use domain::{
    ids::OutputId,
    work::order::{OrderDisagreement, OrderMove},
};
use leptos::{
    ev::{MouseEvent, PointerEvent},
    html::Li,
    prelude::*,
};

use super::{
    OpenPanels, keys,
    ranking::{CategoryRanking, row_id},
};
use crate::{
    browser,
    islands::{
        parts::drag,
        workspace::{
            categorise::{CategoryChoices, CategoryReason},
            highlight::EditableText,
            marked_output::MarkedOutput,
            scores::{Note, Scores, draw_questions},
            state::{PointerTarget, place_id},
            teaching::OutputFeedback,
            unjudged::ReasonMenu,
        },
    },
};

/// One output at its place, with its scores.
#[component]
pub(super) fn Row(ranking: CategoryRanking, output: OutputId) -> impl IntoView {
    let work = ranking.work;
    let open = expect_context::<OpenPanels>();
    let menu = expect_context::<ReasonMenu>();
    let place = Signal::derive(move || {
        format!("{} {}", ranking.category.title(), ranking.place(output) + 1)
    });

    let row = NodeRef::<Li>::new();
    // Only rows that make room are changed: each change costs the browser a new layout.
    Effect::new(move |before: Option<f64>| {
        let offset = ranking.offset(output);
        if before.unwrap_or_default() != offset
            && let Some(row) = row.get_untracked()
        {
            browser::set_length(&row, "--offset", offset);
        }
        offset
    });

    let todo = Memo::new(move |_| work.draft.with(|draft| draft.is_unrated(output)));
    // While a dialog is open, its edit stays marked.
    let unpoint = move |_| {
        if !(work.is_merged() && browser::has_dialog()) {
            work.pointed.set(None);
        }
    };

    let point = move || work.pointed.set(Some(PointerTarget { output, edit: None }));
    // A pointer that enters the row and an edit at once has marked the edit already.
    let enter = move |_| {
        let pointed = work.pointed.get_untracked();
        if pointed.is_none_or(|target| target.output != output) {
            point();
        }
    };

    let focus = move |event| {
        work.make_current(output);
        let is_unit = browser::number_at_target(&event, "data-at").is_some();
        if browser::shows_focus(&event) && !is_unit {
            point();
        }
    };

    let dragged = StoredValue::new(false);
    let press = move |event: PointerEvent| {
        dragged.set_value(false);
        if work.takes(output) && browser::takes_row(&event) {
            drag::follow(&event, move |drag| {
                dragged.set_value(true);
                ranking.follow(output, drag);
            });
        }
    };

    view! {
        <li
            node_ref=row
            id=row_id(output)
            class="row"
            class:todo=todo
            class:lift=move || ranking.is_lifted(output)
            on:pointerenter=enter
            on:pointerleave=unpoint
            on:focusin=move |event| focus(event.into())
            on:pointerdown=press
            on:keydown=move |event| keys::press_within(work, menu, output, &event)
        >
            {draw_questions(work, output)}
            <Handle ranking output dragged/>
            <Output ranking output/>
            <Scores output place in_row=true/>
            <Disagrees ranking output/>
            <Note output writing=open.note/>
        </li>
    }
    .into_any()
}

/// The handle of the row: its number and grip, with the keys of the row.
#[component]
fn Handle(
    ranking: CategoryRanking,
    output: OutputId,
    /// Whether the last press dragged the row.
    dragged: StoredValue<bool>,
) -> impl IntoView {
    let open = expect_context::<OpenPanels>();
    let work = ranking.work;

    let place = Memo::new(move |_| ranking.shown_place(output) + 1);
    let text = work
        .draft
        .with_untracked(|d| d.item(output).map(|item| item.text.clone()));

    let name = move || {
        let output_count = ranking.order.with(Vec::len);
        let title = ranking.category.title();
        format!(
            "{title}, number {place} of {output_count}: {text}",
            place = place.get(),
            text = text.as_deref().unwrap_or_default()
        )
    };

    let click = move |_| {
        if !dragged.get_value() && work.takes(output) {
            open.output.set(Some(output));
            open.menu.set(Some(place_id(output)));
        }
    };

    view! {
        <button
            id=place_id(output)
            class="handle"
            aria-label=name
            aria-haspopup="dialog"
            tabindex=work.tab_index(output)
            on:click=click
            on:keydown=move |event| keys::press(ranking, open, output, &event)
        >
            <span class="n">{place}</span>
            <span class="grip" aria-hidden="true">"⠿"</span>
        </button>
    }
}

/// The output's text.
#[component]
fn Output(ranking: CategoryRanking, output: OutputId) -> impl IntoView {
    let work = ranking.work;
    let item = work
        .draft
        .with_untracked(|draft| draft.item(output).cloned());
    let (text, copies) = item
        .map(|item| (item.text, item.copies))
        .unwrap_or_default();

    if work.is_merged() {
        return view! { <div class="out"><Checks output/><OutputFeedback output/></div> }
            .into_any();
    }

    view! {
        <div class="out" on:mousedown=keep_selection on:click=move |_| browser::focus(&place_id(output))>
            <MarkedOutput output text/>
            {(copies > 1).then(|| view! { <p class="aside">{copies}" systems wrote this · rated once"</p> })}
            <OutputFeedback output/>
        </div>
    }
    .into_any()
}

/// Corrections of steps 1 and 2: the edits and the category.
#[component]
fn Checks(output: OutputId) -> impl IntoView {
    let open = expect_context::<OpenPanels>();
    view! {
        <EditableText output/>
        <div class="category-of" role="group" aria-label="Category">
            <CategoryChoices output menu=open.menu in_row=true/>
            <CategoryReason output/>
        </div>
    }
}

/// Keeps a press that drags the row from selecting text.
fn keep_selection(event: MouseEvent) {
    if !browser::selects_text(&event) {
        event.prevent_default();
    }
}

/// A warning that order and score disagree, with the possible fixes.
#[component]
fn Disagrees(ranking: CategoryRanking, output: OutputId) -> impl IntoView {
    let disagreement = Memo::new(move |_| {
        ranking.disagreements.with(|all| {
            all.iter()
                .find(|disagreement| disagreement.output == output)
                .copied()
        })
    });

    let fix = move |disagreement: OrderDisagreement| {
        ranking.shift(output, OrderMove::To(disagreement.place))
    };

    view! {
        {move || disagreement.get().map(|disagreement| view! {
            <p class="warn">
                {disagreement.sentence()}" "
                <button class="link" on:click=move |_| fix(disagreement)>
                    {if disagreement.adjacent { "Swap" } else { "Move it there" }}
                </button>
                " · "
                <button class="link" on:click=move |_| ranking.keep(disagreement)>"Keep"</button>
            </p>
        })}
    }
}
