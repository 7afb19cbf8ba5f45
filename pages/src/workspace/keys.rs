use domain::{
    protocol::{ProtocolStep, StudyProtocol},
    study::WorkLayout,
};
use leptos::prelude::*;

use app::components::PageDialog;

type KeyList = &'static [(&'static str, &'static str)];

const ANYWHERE: KeyList = &[
    ("Ctrl+Enter", "to the next step, or submit"),
    ("Ctrl+K", "all commands"),
    ("Ctrl+Z", "undo"),
    ("Ctrl+Shift+Z or Ctrl+Y", "redo"),
    ("?", "this list"),
];

const CATEGORY: KeyList = &[
    ("1 2 3", "to Split, Deletion, Paraphrase"),
    ("← →", "to the next category"),
    ("↑ ↓ or K J", "to the output above or below"),
];

const TEXT: KeyList = &[
    ("← →", "to the next word or edit"),
    ("↑ ↓", "to the output above or below"),
    ("Home End", "to the first or last one"),
    ("Enter", "open its menu; accept a doubtful mark"),
    ("D P S", "make it a deletion, paraphrase, split"),
    ("J", "join an edit with the next"),
    ("Delete", "not an edit"),
    ("U", "to the next doubtful mark"),
];

const SPANS: KeyList = &[
    ("← →", "to the next word; with Shift, select words"),
    ("↑ ↓", "to the output above or below"),
    ("Home End", "to the first or last word"),
    ("1–9", "mark the words with the type of this number"),
    ("Enter", "choose the type, or the level of a mark"),
    ("S", "mark words of the source"),
    ("Delete", "remove the mark"),
];

const ROW: KeyList = &[
    ("↑ ↓", "move it up or down"),
    ("Shift+↑ ↓", "move it by ten"),
    ("Home End", "move it to the first or last place"),
    ("J K", "to the next or previous output"),
    ("0–9", "type its score; Enter goes to the next output"),
    ("Enter", "to its slider; Escape goes back"),
    ("S", "sort the category by score"),
    ("Shift+S", "sort every category by score"),
    ("Alt+1 2 3", "to Split, Deletion, Paraphrase"),
    ("N", "write a note"),
    ("Space", "open its menu: position, category, note"),
];

const CARD: KeyList = &[
    ("J K", "to the next or previous output"),
    (
        "0–9",
        "type its score, or choose the level with this number",
    ),
    ("Enter", "to its first score; Escape goes back"),
    ("← →", "another score"),
    ("N", "write a note"),
];

const COMPARISON: KeyList = &[
    ("A B …", "choose the better output, or the best"),
    ("Shift+A B …", "choose the worst"),
    ("0", "neither is better"),
    ("J K", "to the next or previous comparison"),
];

const QUESTIONS: KeyList = &[
    ("1–9", "choose the option of this number"),
    ("↑ ↓", "another option"),
    ("Tab", "to the next question"),
    ("J K", "to the next or previous output"),
];

const WRITING: KeyList = &[
    ("Ctrl+Z", "undo what you typed, in the text"),
    ("Escape", "leave the text, so that other keys work"),
    ("Enter", "from the heading into the text"),
];

const CANNOT_JUDGE: KeyList = &[("X", "say that you cannot judge it")];

/// The list of keys of the workspace.
#[component]
pub(super) fn Keys(
    protocol: StudyProtocol,
    layout: WorkLayout,
    /// Whether annotators may say that they cannot judge an output.
    accepts_unjudged: bool,
) -> impl IntoView {
    let is_merged = protocol.is_merged(layout);
    let of_step = |step: &ProtocolStep| {
        let keys = match step {
            ProtocolStep::Categorise => CATEGORY,
            ProtocolStep::CheckEdits => TEXT,
            ProtocolStep::MarkSpans(_) => SPANS,
            ProtocolStep::RankAndRate => ROW,
            ProtocolStep::Rate(_) => CARD,
            ProtocolStep::Compare(_) => return ("Compare".to_owned(), COMPARISON),
            ProtocolStep::Answer(_) => return ("Answer".to_owned(), QUESTIONS),
            ProtocolStep::Write(_) => return ("Write".to_owned(), WRITING),
        };
        (format!("{}, on an output", step.title()), keys)
    };

    let mut lists = vec![("Anywhere".to_owned(), ANYWHERE)];
    match is_merged {
        true => lists.extend([
            ("On the number of an output".to_owned(), ROW),
            ("In the text of an output".to_owned(), TEXT),
        ]),
        false => lists.extend(protocol.steps().iter().map(of_step)),
    }

    let dragging = match (is_merged, protocol.ranks()) {
        (true, _) => {
            "With the mouse, a row is dragged by its number. In its text, Escape goes to the number and digits type \
             the score. "
        }
        (false, true) => {
            "With the mouse, a row can be dragged anywhere but on its slider; hold Shift or Alt to select its text \
             instead. "
        }
        (false, false) => "",
    };

    let key = |(keys, does): &(&'static str, &'static str)| {
        view! {
            <dt><kbd>{*keys}</kbd></dt>
            <dd>{*does}</dd>
        }
    };
    let more_keys = move |keys: KeyList| match keys == ROW || keys == CARD {
        true if accepts_unjudged => CANNOT_JUDGE,
        _ => &[],
    };

    view! {
        <PageDialog id="keys" title="Keys">
            <div class="keys">
                {lists.into_iter().map(|(place, keys)| view! {
                    <section>
                        <h3>{place}</h3>
                        <dl>
                            {keys.iter().map(key).collect_view()}
                            {more_keys(keys).iter().map(key).collect_view()}
                        </dl>
                    </section>
                }).collect_view()}
            </div>
            <p class="soft">
                {dragging}
                "On a slider the arrow keys change the score by one, Page Up and Page Down by ten."
            </p>
        </PageDialog>
    }
    .into_any()
}
