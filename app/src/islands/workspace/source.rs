use domain::{
    edit::EditKind,
    span::Span,
    text::tokenise::tokenise,
    work::{change::Step, draft::Draft, missing::place},
};
use leptos::prelude::*;

use super::{
    Work,
    highlight::{PickWords, Picking, sure},
    work::Pointed,
};

/// The source, always in sight, with what the output pointed at left out of it or put otherwise.
#[component]
pub(super) fn Source() -> impl IntoView {
    let work = expect_context::<Work>();
    let text = work
        .draft
        .with_untracked(|draft| draft.task().source.clone());
    let marks = Memo::new(move |_| {
        let pointed = work
            .pointed
            .get()
            .filter(|_| work.step.get() != Step::Categorise);
        pointed
            .map(|it| work.draft.with(|draft| Marks::of(draft, it)))
            .unwrap_or_default()
    });
    let picking = expect_context::<RwSignal<Option<Picking>>>();
    let is_choosing = Memo::new(move |_| picking.with(Option::is_some));
    let choosing = move || is_choosing.get();
    let source = text.clone();
    let piece = move |span: Span| {
        let gone = move || marks.with(|marks| holds(&marks.gone, span));
        let lit = move || marks.with(|marks| holds(&marks.lit, span));
        view! { <span class:gone=gone class:lit=lit>{span.of(&source).unwrap_or_default().to_owned()}</span> }
    };
    let pieces = StoredValue::new(pieces(&text));
    let read = move || {
        view! {
            <p class="text">{pieces.get_value().into_iter().map(piece.clone()).collect_view()}</p>
        }
    };
    view! {
        <section class="source" class:picking=choosing aria-label="Source">
            <div tabindex=move || (!choosing()).then_some("0")>
                <b>"Source"</b>
                <span class="soft by">
                    {move || marks.with(|marks| marks.by.as_ref().map(|it| format!("left out by {it}")))}
                </span>
                <span class="soft sure">
                    {move || marks.with(|marks| marks.sure.as_ref().map(|it| format!("aligner: {it}")))}
                </span>
                {move || if choosing() {
                    view! { <PickWords picking/> }.into_any()
                } else {
                    read().into_any()
                }}
            </div>
        </section>
    }
    .into_any()
}

/// What is marked in the source.
#[derive(Debug, Clone, Default, PartialEq)]
struct Marks {
    /// What the output leaves out.
    gone: Vec<Span>,
    /// Which output that is, where it leaves out anything.
    by: Option<String>,
    /// What the edit pointed at stands for.
    lit: Vec<Span>,
    /// How sure the aligner is of it.
    sure: Option<String>,
}

impl Marks {
    fn of(draft: &Draft, Pointed { output, edit }: Pointed) -> Self {
        let edits = draft.edits(output);
        let deletions = edits.iter().filter(|it| it.kind == EditKind::Deletion);
        let edit = edit.and_then(|at| edits.get(at));
        let gone: Vec<Span> = deletions.flat_map(|it| it.source.clone()).collect();
        Self {
            by: (!gone.is_empty()).then(|| place(draft, output)),
            gone,
            lit: edit.map(|it| it.source.clone()).unwrap_or_default(),
            sure: edit.and_then(sure),
        }
    }
}

fn holds(spans: &[Span], piece: Span) -> bool {
    spans
        .iter()
        .any(|span| span.start <= piece.start && piece.end <= span.end)
}

/// Tokens and what stands between them.
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
