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
    /// Creates the menu of a step, as context for its outputs.
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

    /// Opens the menu of an output, if the study asks for reasons.
    pub(super) fn open(self, output: OutputId) {
        if self.work.accepts_unjudged() && untrack(|| self.work.takes(output)) {
            self.output.set(Some(output));
            self.about.set(Some(place_id(output)));
        }
    }

    fn choose(self, output: OutputId, reason: Option<UnjudgedReason>) {
        let work = self.work;
        self.about.set(None);

        let slot = AnnotationSlot::Unjudged { output };
        let answer = AnnotationAnswer::Unjudged(reason);
        work.act([(slot, answer)], UndoGrouping::Separate);

        let place = work
            .draft
            .with_untracked(|draft| describe_place(draft, output));
        let words = reason.map_or("to be rated", UnjudgedReason::label);
        work.announce(format!("{place}: {words}"));

        if reason == Some(UnjudgedReason::Other) {
            write_note(self.writing, output);
        } else {
            browser::focus_soon(place_id(output));
        }
    }
}

impl WorkspaceState {
    /// Whether annotators of the study may say that they cannot judge an output.
    pub(super) fn accepts_unjudged(&self) -> bool {
        (self.draft).with_untracked(|draft| draft.task().accepts_unjudged)
    }
}

/// The reasons to choose from; choosing the current one again takes it back.
#[component]
pub(super) fn Reasons(menu: ReasonMenu) -> impl IntoView {
    let choices = move |output: OutputId| {
        let chosen = (menu.work.draft).with_untracked(|draft| draft.unjudged(output));
        let choice = |reason: &UnjudgedReason| {
            let (reason, is_chosen) = (*reason, chosen == Some(*reason));
            view! {
                <button
                    aria-pressed=is_chosen.to_string()
                    on:click=move |_| menu.choose(output, (!is_chosen).then_some(reason))
                >
                    {reason.label()}
                </button>
            }
        };
        view! { <div class="choices reasons">{UnjudgedReason::ALL.iter().map(choice).collect_view()}</div> }
    };

    view! {
        <Popup about=menu.about label="Why can you not judge it?">
            <h2>"Why can you not judge it?"</h2>
            {menu.output.get_untracked().map(choices)}
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
                aria-label=move || format!("I cannot judge it: {}", place.get())
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

    move || {
        reason.get().map(|reason| {
            view! {
                <p class="unjudged">
                    "Not judged: "<b>{reason.label()}</b>" "
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
            }
        })
    }
}

/// The id of the button that takes the reason back.
pub(super) fn judge_again_id(output: OutputId) -> String {
    format!("judge-{output}")
}
