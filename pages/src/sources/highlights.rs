use domain::{
    edit::{Edit, EditKind, shown_edits},
    text::display::{TextPiece, output_pieces},
};
use leptos::prelude::*;

/// An output with its edits marked: changed words in bold, a caret where words were deleted, two bars at
/// an added sentence end. Screen readers announce the deleted words at each caret.
#[component]
pub fn Highlights(
    text: String,
    edits: Vec<Edit>,
    /// The source, which has the deleted words.
    source: String,
) -> impl IntoView {
    let edits = shown_edits(edits, &source, &text);
    let deleted = |edit: usize| {
        let words: Vec<_> = edits[edit]
            .source
            .iter()
            .filter_map(|span| span.slice(&source))
            .collect();
        words.join(" … ")
    };

    let piece = |piece: TextPiece| match piece {
        TextPiece::Gap { span, edit } | TextPiece::Word { span, edit } => {
            let words = span.slice(&text).unwrap_or_default().to_owned();
            let changed = edit.is_some_and(|edit| edits[edit].kind == EditKind::Paraphrase);
            if changed {
                view! { <b class="edit-paraphrase">{words}</b> }.into_any()
            } else {
                words.into_any()
            }
        }
        TextPiece::Caret { edit, .. } => {
            let description = format!("deleted: {}", deleted(edit));
            view! {
                <span class="edit-deletion" title=description.clone()>
                    <span aria-hidden="true">"‸"</span>
                    <span class="visually-hidden">{format!(" [{description}] ")}</span>
                </span>
            }
            .into_any()
        }
        TextPiece::Bars { .. } => view! {
            <span class="edit-split" title="added sentence end">
                <span aria-hidden="true">"‖"</span>
                <span class="visually-hidden">" [added sentence end] "</span>
            </span>
        }
        .into_any(),
    };

    let pieces = output_pieces(&text, &edits)
        .into_iter()
        .map(piece)
        .collect_view();
    view! { <p class="text">{pieces}</p> }
}
