//! Saying that an output cannot be judged, and why, in every step that rates.

use domain::{
    ids::OutputId,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        history::UndoGrouping,
        missing::describe_place,
        unjudged::UnjudgedReason,
    },
};
use leptos::prelude::*;

use super::{WorkspaceState, scores::write_note, state::place_id};
use crate::{browser, islands::parts::Popup};

/// The menu of reasons, which the outputs of a step share.
#[derive(Clone, Copy)]
pub(super) struct ReasonMenu {
    work: WorkspaceState,
    /// The element whose menu is open.
    about: RwSignal<Option<String>>,
    /// The output whose menu is open.
    output: RwSignal<Option<OutputId>>,
    /// The output whose note is being written.
    writing: RwSignal<Option<OutputId>>,
}

impl ReasonMenu {
    /// The menu of a step, as context for its outputs.
    pub(super) fn provide(work: WorkspaceState, writing: RwSignal<Option<OutputId>>) -> Self {
        let menu = Self {
            work,
            about: RwSignal::new(None),
            output: RwSignal::new(None),
            writing,
        };
        provide_context(menu);
        menu
    }

    /// Opens the menu of an output, where the study asks for reasons.
    pub(super) fn open(self, output: OutputId) {
        if self.work.accepts_unjudged() && untrack(|| self.work.takes(output)) {
            self.output.set(Some(output));
            self.about.set(Some(place_id(output)));
        }
    }

    fn choose(self, output: OutputId, reason: Option<UnjudgedReason>) {
        let (work, slot) = (self.work, AnnotationSlot::Unjudged { output });
        self.about.set(None);
        work.act(
            [(slot, AnnotationAnswer::Unjudged(reason))],
            UndoGrouping::Separate,
        );
        let place = work
            .draft
            .with_untracked(|draft| describe_place(draft, output));
        work.announce(match reason {
            Some(reason) => format!("{place} is not judged: {}", reason.label()),
            None => format!("{place} is to be rated"),
        });
        match reason {
            Some(reason) if reason.needs_note() => write_note(self.writing, output),
            _ => browser::focus_soon(place_id(output)),
        }
    }
}

impl WorkspaceState {
    /// Whether annotators of the study may say that they cannot judge an output.
    pub(super) fn accepts_unjudged(&self) -> bool {
        (self.draft).with_untracked(|draft| draft.task().accepts_unjudged)
    }
}

/// The reasons to choose from.
#[component]
pub(super) fn Reasons(menu: ReasonMenu) -> impl IntoView {
    let work = menu.work;
    let reasons = move |output: OutputId| {
        let chosen = work.draft.with_untracked(|draft| draft.unjudged(output));
        let reason = |reason: &UnjudgedReason| {
            let reason = *reason;
            view! {
                <button
                    aria-pressed=(chosen == Some(reason)).to_string()
                    on:click=move |_| menu.choose(output, Some(reason))
                >
                    {reason.label()}
                </button>
            }
        };
        view! {
            <div class="choices reasons">{UnjudgedReason::ALL.iter().map(reason).collect_view()}</div>
            {chosen.map(|_| view! {
                <div class="choices">
                    <button on:click=move |_| menu.choose(output, None)>"I can judge it"</button>
                </div>
            })}
        }
    };
    view! {
        <Popup about=menu.about label="Why can you not judge it?">
            <h2>"Why can you not judge it?"</h2>
            {move || menu.output.get().map(reasons)}
        </Popup>
    }
    .into_any()
}

/// The button that opens the menu of reasons.
#[component]
pub(super) fn CannotJudge(
    output: OutputId,
    /// The output's place, as the annotator sees it.
    #[prop(into)]
    place: Signal<String>,
    /// Whether there is only room for a sign.
    #[prop(optional)]
    short: bool,
) -> impl IntoView {
    let menu = expect_context::<ReasonMenu>();
    let work = menu.work;
    work.accepts_unjudged().then(|| {
        view! {
            <button
                class="small cannot-judge"
                aria-haspopup="dialog"
                aria-label=move || format!("I cannot judge {}", place.get())
                title=short.then_some("I cannot judge it")
                tabindex=work.tab_index(output)
                disabled=move || !work.takes(output)
                on:click=move |_| menu.open(output)
            >
                {if short { "⊘" } else { "I cannot judge it" }}
            </button>
        }
    })
}

/// The reason in place of the scores of an output that cannot be judged.
#[component]
pub(super) fn ChosenReason(output: OutputId) -> impl IntoView {
    let menu = expect_context::<ReasonMenu>();
    let work = menu.work;
    let reason = Memo::new(move |_| work.draft.with(|draft| draft.unjudged(output)));
    let lacks_note = move || work.draft.with(|draft| draft.lacks_reason_note(output));
    view! {
        {move || reason.get().map(|reason| view! {
            <p class="unjudged">
                <span>"Not judged: "<b>{reason.label()}</b></span>
                <Show when=lacks_note>
                    <button class="link" tabindex=work.tab_index(output) on:click=move |_| write_note(menu.writing, output)>
                        "Say why in a note"
                    </button>
                </Show>
                <button
                    id=judge_again_id(output)
                    class="link"
                    tabindex=work.tab_index(output)
                    disabled=move || !work.takes(output)
                    on:click=move |_| menu.choose(output, None)
                >
                    "I can judge it"
                </button>
            </p>
        })}
    }
}

/// The id of the button that takes the reason back.
pub(super) fn judge_again_id(output: OutputId) -> String {
    format!("judge-{output}")
}
