use leptos::prelude::*;

use crate::islands::parts::Modal;

const KEYS: [(&str, &[(&str, &str)]); 4] = [
    (
        "Anywhere",
        &[
            ("Ctrl+Z", "undo"),
            ("Ctrl+Shift+Z or Ctrl+Y", "redo"),
            ("?", "this list"),
        ],
    ),
    (
        "Categorise, on an output",
        &[
            ("1 2 3", "to Split, Deletion, Paraphrase"),
            ("← →", "to the next category"),
            ("↑ ↓", "to the output above or below"),
        ],
    ),
    (
        "Check edits, on an output",
        &[
            ("← →", "to the next word or edit"),
            ("Home End", "to the first or last one"),
            ("Enter", "open its menu"),
            ("D P S", "make it a deletion, paraphrase, split"),
            ("J", "join an edit with the next"),
            ("Delete", "not an edit"),
            ("U", "to the next edit that the aligner is unsure of"),
        ],
    ),
    (
        "Rank & rate, on an output",
        &[
            ("↑ ↓", "move it up or down"),
            ("Shift+↑ ↓", "move it by ten"),
            ("Home End", "move it to the first or last place"),
            ("J K", "to the next or previous output"),
            ("0–9", "type its score"),
            ("Enter", "to its slider; Escape goes back"),
            ("S", "sort the category by score"),
            ("N", "write a note"),
            ("Space", "open its menu: position, note"),
        ],
    ),
];

/// The list of keys of the workspace.
#[component]
pub(super) fn Help(open: RwSignal<bool>) -> impl IntoView {
    let key = |(keys, does): &(&'static str, &'static str)| {
        view! {
            <dt><kbd>{*keys}</kbd></dt>
            <dd>{*does}</dd>
        }
    };
    view! {
        <Modal open title="Keys">
            <div class="keys">
                {KEYS.map(|(place, keys)| view! {
                    <section>
                        <h3>{place}</h3>
                        <dl>{keys.iter().map(key).collect_view()}</dl>
                    </section>
                })}
            </div>
            <p class="soft">
                "On a slider the arrow keys change the score by one, Page Up and Page Down by ten."
            </p>
        </Modal>
    }
    .into_any()
}
