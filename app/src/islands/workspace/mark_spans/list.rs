use domain::{
    ids::OutputId,
    span_marks::{MarkGap, SpanMark},
};
use leptos::prelude::*;

use super::{MarkingState, mark_id, type_class};
use crate::islands::workspace::{
    highlight::quoted,
    state::{MarkTarget, PointerTarget},
};

/// The marks of an output, each with its words, its level and the way to change it.
#[component]
pub(super) fn MarkList(output: OutputId, marks: Memo<Vec<SpanMark>>) -> impl IntoView {
    let item = move |(number, mark): (usize, SpanMark)| {
        view! { <MarkItem output number mark/> }.into_any()
    };
    view! {
        <ol class="marks" hidden=move || marks.with(Vec::is_empty) aria-label="Marks">
            {move || {
                marks.get().into_iter().enumerate().map(item).collect_view()
            }}
        </ol>
    }
}

#[component]
fn MarkItem(
    output: OutputId,
    /// The number of the mark in the list, from 0.
    number: usize,
    mark: SpanMark,
) -> impl IntoView {
    let marking = expect_context::<MarkingState>();
    let work = marking.work;

    let (source, text) = work.draft.with_untracked(|draft| {
        let text = draft.item(output).map(|item| item.text.clone());
        (draft.task().source.clone(), text.unwrap_or_default())
    });

    let (at, gap, level) = marking.taxonomy.with_value(|taxonomy| {
        let at = taxonomy
            .types
            .iter()
            .position(|kind| kind.name == mark.kind);
        (
            at.unwrap_or_default(),
            mark.gap(taxonomy),
            mark.level.clone(),
        )
    });

    let words = |spans, text: &str| {
        let quoted = quoted(text, spans);
        (!quoted.is_empty()).then(|| format!("“{quoted}”"))
    };
    let (source, text) = (words(&mark.source, &source), words(&mark.output, &text));
    let arrow = (source.is_some() && text.is_some()).then_some(" → ");

    let needs = gap.map(|gap| match gap {
        MarkGap::Type => "needs another type",
        MarkGap::Source => "needs words of the source",
        MarkGap::Output => "needs words of the output",
        MarkGap::Level => "needs a level",
    });
    let level = level.filter(|_| needs.is_none());

    let point = move || {
        work.pointed.set(Some(PointerTarget {
            output,
            edit: Some(number),
        }));
    };

    let open = move |_| {
        if work.takes(output) {
            work.marking.set(Some(MarkTarget::Mark { output, number }));
        }
    };

    view! {
        <li class=["span-mark ", type_class(at)].concat() class:todo=gap.is_some()>
            <button
                id=mark_id(output, number)
                class="ghost"
                aria-haspopup="dialog"
                tabindex=work.tab_index(output)
                on:click=open
                on:focus=move |_| point()
                on:pointerenter=move |_| point()
            >
                <b>{number + 1}". "{mark.kind}</b>
                <span class="words">{source}{arrow}{text}</span>
                <span class="of-level">{needs.map(|needs| view! { <em>{needs}</em> })}{level}</span>
            </button>
        </li>
    }
}
