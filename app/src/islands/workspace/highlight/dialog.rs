use domain::{
    edit::{Edit, EditKind, find_replacement, ops},
    ids::OutputId,
    span::Span,
    work::{
        labels::shorten,
        navigation::{NavigationUnit, find_words, split_units},
    },
};
use leptos::prelude::*;

use super::{
    HighlightState, UnitDialogTarget,
    output::{edits_of, mark},
};

/// The dialog's title.
pub(super) fn name(editing: HighlightState) -> String {
    match editing.opened.get() {
        Some(UnitDialogTarget { output, unit }) => heading(editing, output, unit),
        None => String::new(),
    }
}

fn heading(editing: HighlightState, output: OutputId, unit: NavigationUnit) -> String {
    let edit = unit
        .edit()
        .and_then(|at| edits_of(editing, output).into_iter().nth(at));
    let (source, text) = texts(editing, output);
    let words = match &edit {
        Some(edit) if edit.kind == EditKind::Deletion => quoted(&source, &edit.source),
        Some(edit) => quoted(&text, &edit.output),
        None => quoted(&text, &[unit.span()]),
    };
    format!("“{words}”")
}

pub(super) fn texts(editing: HighlightState, output: OutputId) -> (String, String) {
    editing.work.draft.with_untracked(|draft| {
        let text = draft.item(output).map(|item| item.text.clone());
        (draft.task().source.clone(), text.unwrap_or_default())
    })
}

/// The words of a list of spans, with an ellipsis between separate ones.
pub(in super::super) fn quoted(text: &str, spans: &[Span]) -> String {
    let mut quoted = String::new();
    for (at, span) in spans.iter().enumerate() {
        if at > 0 {
            let gap = text.get(spans[at - 1].end..span.start).unwrap_or_default();
            quoted.push_str(if gap.trim().is_empty() { gap } else { " … " });
        }
        quoted.push_str(span.slice(text).unwrap_or_default());
    }
    quoted
}

/// The dialog for a word or an edit.
#[component]
pub(super) fn UnitDialog() -> impl IntoView {
    let editing = expect_context::<HighlightState>();
    let UnitDialogTarget { output, unit } = editing.opened.get_untracked()?;
    let heading = heading(editing, output, unit);

    let edit = unit
        .edit()
        .and_then(|index| Some((index, edits_of(editing, output).get(index)?.clone())));

    Some(view! {
        <h2>{heading}</h2>
        {match edit {
            Some((index, edit)) => view! { <EditChoices output offset=unit.span().start index edit/> }.into_any(),
            None => view! { <WordChoices output word=unit.span()/> }.into_any(),
        }}
    })
}

/// The actions on an edit.
#[component]
fn EditChoices(output: OutputId, offset: usize, index: usize, edit: Edit) -> impl IntoView {
    let editing = expect_context::<HighlightState>();
    let (source, text) = texts(editing, output);
    let stands_for = stands_for(&edit, &source);

    let edits = edits_of(editing, output);
    let is_last = next_shown(&edits, index).is_none();
    let suggestions = suggestions(editing, output, (offset, index), &edits);
    let words = find_words(&text, &edit.output);

    let kind = |kind: EditKind| {
        let possible = edit.kind == kind || ops::can_retype(&edit, kind);
        view! {
            <button
                aria-pressed=(edit.kind == kind).to_string()
                disabled=!possible
                on:click=move |_| editing.set(output, offset, |edits| ops::retype(edits, index, kind))
            >
                {kind.title()}
            </button>
        }
    };

    let drop_word = {
        let text = text.clone();
        move |word: Span| {
            let (label, text) = (
                word.slice(&text).unwrap_or_default().to_owned(),
                text.clone(),
            );
            let name = format!("Remove “{label}”");
            view! {
                <button
                    class="small"
                    aria-label=name
                    on:click=move |_| {
                        editing.set(output, offset, |edits| ops::unmark_word(edits, word, &text));
                    }
                >
                    {label}" ×"
                </button>
            }
        }
    };

    view! {
        <p class="pair">{stands_for}</p>
        {suggestions}
        <div class="choices" role="group" aria-label="Kind of edit">
            {EditKind::ALL.map(kind)}
            <button on:click=move |_| editing.set(output, offset, |edits| ops::remove(edits, index))>
                "Not an edit"
            </button>
        </div>
        <div class="choices">
            <button on:click=move |_| editing.pick_source(output, index)>"Choose source words…"</button>
            <button
                disabled=is_last
                on:click=move |_| editing.join_next(output, offset, index)
            >
                "Join with next"
            </button>
        </div>
        {(words.len() > 1).then(|| view! {
            <p class="soft drop-words">"Remove a word: "{words.into_iter().map(drop_word).collect_view()}</p>
        })}
    }
}

/// The buttons that combine an edit with one near it into a replacement, and that accept a doubtful edit.
fn suggestions(
    editing: HighlightState,
    output: OutputId,
    (offset, index): (usize, usize),
    edits: &[Edit],
) -> Option<AnyView> {
    let edit = edits.get(index)?;
    let (source, text) = texts(editing, output);
    let draft = editing.work.draft;
    let is_unsure = draft.with_untracked(|draft| draft.is_unsure(output, edit));

    let replacement = find_replacement(edits, index, &text).map(|other| {
        let (intro, words) = match edit.kind {
            EditKind::Deletion => ("Replaced by “", quoted(&text, &edits[other].output)),
            _ => ("Replaces “", quoted(&source, &edits[other].source)),
        };
        let join = move |_| editing.set(output, offset, |edits| ops::join(edits, index, other));
        view! { <button on:click=join>{intro}{shorten(&words, 60)}"”"</button> }
    });

    let accept = move || {
        view! {
            <button
                title="Enter, on the mark"
                on:click=move |_| {
                    editing.confirm(output, offset, index);
                }
            >
                "It is right"
            </button>
        }
    };

    (is_unsure || replacement.is_some()).then(|| {
        view! {
            {is_unsure.then_some(view! { <p class="pair">"The computer is not sure."</p> })}
            <div class="choices">{replacement}{is_unsure.then(accept)}</div>
        }
        .into_any()
    })
}

/// The next edit after `index` that has a mark.
pub(super) fn next_shown(edits: &[Edit], index: usize) -> Option<usize> {
    (index + 1..edits.len()).find(|at| edits[*at].is_shown())
}

/// The source words of an edit.
fn stands_for(edit: &Edit, source: &str) -> String {
    match edit.kind {
        EditKind::Deletion => "left out here".to_owned(),
        _ if edit.source.is_empty() && edit.kind == EditKind::Split => {
            "added sentence end".to_owned()
        }
        _ if edit.source.is_empty() => "new words".to_owned(),
        _ => format!("for “{}”", quoted(source, &edit.source)),
    }
}

/// The actions on a word outside any edit.
#[component]
fn WordChoices(output: OutputId, word: Span) -> impl IntoView {
    let editing = expect_context::<HighlightState>();
    let (_, text) = texts(editing, output);
    let edits = edits_of(editing, output);

    let units = split_units(&text, &edits);
    let position = units
        .iter()
        .position(|unit| *unit == NavigationUnit::Word(word))
        .unwrap_or_default();
    let before = units[..position].iter().rev().find(|unit| unit.is_stop());
    let after = units[position..].iter().skip(1).find(|unit| unit.is_stop());

    let add_to = move |unit: Option<&NavigationUnit>| {
        let Some(NavigationUnit::Stretch { span, edit }) = unit.copied() else {
            return None;
        };
        let label = format!("Add to “{}”", span.slice(&text).unwrap_or_default());
        Some(view! {
            <button on:click=move |_| {
                editing.set_word(output, word, |edits, text| ops::extend(edits, edit, word, text));
            }>{label}</button>
        })
    };

    view! {
        <p class="pair">"same as in the source"</p>
        <div class="choices">
            <button on:click=move |_| {
                editing.set_word(output, word, |edits, text| mark(edits, word, EditKind::Paraphrase, text));
            }>"New or changed"</button>
            <button on:click=move |_| {
                editing.set_word(output, word, |edits, text| mark(edits, word, EditKind::Split, text));
            }>"Sentence split here"</button>
            {add_to(before)}
            {add_to(after)}
        </div>
        <div class="choices">
            <button on:click=move |_| editing.pick_deleted(output, word.start)>
                "Words left out before it…"
            </button>
            <button on:click=move |_| editing.pick_deleted(output, word.end)>
                "Words left out after it…"
            </button>
        </div>
    }
}
