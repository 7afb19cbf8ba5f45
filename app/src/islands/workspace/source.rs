use domain::{
    edit::EditKind,
    span::Span,
    text::tokenise::tokenise,
    work::{change::AnnotationStep, draft::AnnotationDraft, missing::describe_place},
};
use leptos::prelude::*;

use super::{
    WorkspaceState,
    highlight::{PickWords, WordSelection},
    later_steps::{LaterPart, draw},
    state::PointerTarget,
};

/// The source, always in sight. In the steps after *Categorise*, its words carry marks and can be chosen.
#[component]
pub(super) fn Source() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let (text, context, reference) = work.draft.with_untracked(|draft| {
        let task = draft.task();
        (
            task.source.clone(),
            task.context.clone(),
            task.reference.clone(),
        )
    });

    if text.is_empty() && reference.is_none() {
        return ().into_any();
    }

    let picking = expect_context::<RwSignal<Option<WordSelection>>>();
    let is_choosing = Memo::new(move |_| picking.with(Option::is_some));
    let choosing = move || is_choosing.get();
    let is_hidden = text.is_empty();
    let label = if is_hidden { "Reference" } else { "Source" };
    let is_first = Memo::new(move |_| work.step.get() == AnnotationStep::Categorise);

    let words = move || {
        let marked = (!is_first.get())
            .then(|| draw(work, LaterPart::Source))
            .flatten();
        marked.unwrap_or_else(|| view! { <p class="text">{text.clone()}</p> }.into_any())
    };

    view! {
        <section class="source" class:picking=choosing aria-label=label>
            <div hidden=is_hidden tabindex=move || (!choosing()).then_some("0")>
                <b>"Source"</b>
                {around("Before: ", context.before)}
                {words}
                {around("After: ", context.after)}
            </div>
            {reference.map(|text| view! {
                <div tabindex="0"><b>"Reference"</b><p class="text">{text}</p></div>
            })}
        </section>
    }
    .into_any()
}

/// The words of the source, with marks for the output under the pointer, or for choosing.
#[component]
pub(super) fn MarkedSource() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let picking = expect_context::<RwSignal<Option<WordSelection>>>();
    let is_choosing = Memo::new(move |_| picking.with(Option::is_some));
    let text = (work.draft).with_untracked(|draft| draft.task().source.clone());

    let marks = Memo::new(move |_| {
        let marks_spans = work.marks_spans() && work.step.get() == AnnotationStep::Highlight;
        let of = |target| {
            work.draft.with(|draft| match marks_spans {
                true => SourceMarks::of_span(draft, target),
                false => SourceMarks::of_edit(draft, target),
            })
        };
        work.pointed.get().map(of).unwrap_or_default()
    });

    let pieces = StoredValue::new(pieces(&text));
    let piece = move |span: Span| {
        let gone = move || marks.with(|marks| holds(&marks.deleted, span));
        let lit = move || marks.with(|marks| holds(&marks.highlighted, span));
        view! { <span class:gone=gone class:lit=lit>{span.slice(&text).unwrap_or_default().to_owned()}</span> }
    };

    let read = move || {
        view! {
            <p class="text">{pieces.get_value().into_iter().map(piece.clone()).collect_view()}</p>
        }
    };

    view! {
        <span class="soft by">
            {move || marks.with(|marks| marks.deleted_by.as_ref().map(|place| format!("left out by {place}")))}
        </span>
        <span class="soft sure">
            {move || marks.with(|marks| marks.unsure).then_some("the computer is not sure")}
        </span>
        {move || if is_choosing.get() {
            view! { <PickWords picking/> }.into_any()
        } else {
            read().into_any()
        }}
    }
    .into_any()
}

/// The context on one side of the source. The page's script folds a long one.
fn around(side: &'static str, text: String) -> AnyView {
    if text.is_empty() {
        return ().into_any();
    }
    view! {
        <div class="context">
            <b>{side}</b>
            <p><span>{text}</span></p>
            <button hidden aria-expanded="false">"Show more"</button>
        </div>
    }
    .into_any()
}

/// The marks in the source.
#[derive(Debug, Clone, Default, PartialEq)]
struct SourceMarks {
    /// The words that the output leaves out.
    deleted: Vec<Span>,
    /// The output that leaves these words out, if any.
    deleted_by: Option<String>,
    /// The source words of the edit under the pointer.
    highlighted: Vec<Span>,
    /// Whether that edit is doubtful.
    unsure: bool,
}

impl SourceMarks {
    /// The marks of a step that marks spans: the words that belong to the mark under the pointer.
    fn of_span(draft: &AnnotationDraft, PointerTarget { output, edit }: PointerTarget) -> Self {
        let mark = edit.and_then(|number| draft.marks(output).into_iter().nth(number));
        Self {
            highlighted: mark.map(|mark| mark.source).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The marks of other steps: the words that the output leaves out, and those of the edit under the pointer.
    fn of_edit(draft: &AnnotationDraft, PointerTarget { output, edit }: PointerTarget) -> Self {
        let edits = draft.shown_edits(output);
        let deletions = edits
            .iter()
            .filter(|candidate| candidate.kind == EditKind::Deletion);
        let edit = edit.and_then(|at| edits.get(at));
        let gone: Vec<Span> = deletions
            .flat_map(|deletion| deletion.source.clone())
            .collect();

        Self {
            // Compared outputs have other names in each comparison.
            deleted_by: (!gone.is_empty() && !draft.protocol().compares())
                .then(|| describe_place(draft, output)),
            deleted: gone,
            highlighted: edit.map(|edit| edit.source.clone()).unwrap_or_default(),
            unsure: edit.is_some_and(|edit| draft.is_unsure(output, edit)),
        }
    }
}

fn holds(spans: &[Span], piece: Span) -> bool {
    spans
        .iter()
        .any(|span| span.start <= piece.start && piece.end <= span.end)
}

/// The tokens of a text and the gaps between them.
fn pieces(text: &str) -> Vec<Span> {
    let mut pieces = vec![];
    let mut end = 0;

    for token in tokenise(text) {
        if end < token.span.start {
            pieces.push(Span::new(end, token.span.start));
        }
        pieces.push(token.span);
        end = token.span.end;
    }

    if end < text.len() {
        pieces.push(Span::new(end, text.len()));
    }
    pieces
}
