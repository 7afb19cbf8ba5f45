//! The step in which annotators write a simplification of the source.

mod marks;

use domain::{
    protocol::WriteStep,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        draft::AnnotationDraft,
        history::UndoGrouping,
    },
    writing::{count_words, length_percent},
};
use leptos::{ev::KeyboardEvent, prelude::*, task::spawn_local};

use self::marks::{ChangedWords, MarkedText};
use super::{WorkspaceState, state::WRITTEN_TEXT_ID};
use crate::{
    api::work::{TextCheck, check_text},
    browser,
};

/// The pause in typing after which the text is saved and checked, in milliseconds.
const REST_MS: u32 = 800;
/// The longest time of typing without a pause before the text is saved, in milliseconds.
const UNSAVED_MS: u64 = 3_000;
/// Two saves within this time are one undoable action, in milliseconds.
const ONE_ACTION_MS: u64 = 5_000;

/// The most that the field takes, in UTF-16 units. Each takes at most three bytes, so that what is typed can
/// be saved.
const LONGEST_INPUT: usize = WriteStep::LONGEST_TEXT / 3;

/// The text that is being written.
#[derive(Clone, Copy)]
struct WrittenField {
    work: WorkspaceState,
    /// The contents of the field, saved or not.
    text: RwSignal<String>,
    /// The number of changes of the field; once it stays the same for a while, the text is saved.
    typed: StoredValue<u32>,
    /// The time at which the text was last saved on this page.
    saved_at: StoredValue<Option<u64>>,
    /// The time of the first unsaved change.
    unsaved_since: StoredValue<Option<u64>>,
    /// The text that was checked last, with its figures; `None` if the server could not be reached.
    check: RwSignal<Option<(String, TextCheck)>>,
    /// The reason why the text cannot be saved.
    fault: RwSignal<Option<String>>,
}

impl WrittenField {
    fn new(work: WorkspaceState) -> Self {
        let text = work.draft.with_untracked(AnnotationDraft::written_text);
        Self {
            work,
            text: RwSignal::new(text),
            typed: StoredValue::new(0),
            saved_at: StoredValue::new(None),
            unsaved_since: StoredValue::new(None),
            check: RwSignal::new(None),
            fault: RwSignal::new(None),
        }
    }

    /// Whether the text can be changed.
    fn takes(self) -> bool {
        let only_questions = |draft: &AnnotationDraft| draft.task().only_questions;
        self.work.takes_answers() && !self.work.draft.with(only_questions)
    }

    /// Records what was typed. It is saved after a pause, or after some seconds of typing without one.
    fn type_text(self, text: String) {
        self.text.set(text);
        self.work.saving.typing.set(true);

        let now = browser::now_ms();
        let since = self.unsaved_since.get_value().unwrap_or(now);
        self.unsaved_since.set_value(Some(since));
        if now.saturating_sub(since) >= UNSAVED_MS {
            self.save();
        }

        self.typed
            .update_value(|typed| *typed = typed.wrapping_add(1));
        let typed = self.typed.get_value();
        spawn_local(async move {
            browser::sleep(REST_MS).await;
            // The step may have been left meanwhile.
            if self.typed.try_get_value() == Some(typed) {
                self.save();
                self.ask_server(true).await;
            }
        });
    }

    /// Saves the text, unless it is saved already.
    fn save(self) {
        self.unsaved_since.set_value(None);

        let text = self.text.get_untracked();
        let fault = WriteStep::check_text(&text).err();
        self.fault.set(fault.map(|fault| fault.to_string()));

        let saved = (self.work.draft).with_untracked(AnnotationDraft::written_text);
        if fault.is_some() {
            return;
        }

        self.work.saving.typing.set(false);
        if text == saved {
            return;
        }

        let now = browser::now_ms();
        let joining = match self.saved_at.get_value() {
            Some(before) if now.saturating_sub(before) < ONE_ACTION_MS => {
                UndoGrouping::MergeWithPrevious
            }
            _ => UndoGrouping::Separate,
        };

        self.saved_at.set_value(Some(now));
        self.give(text, joining);
    }

    fn give(self, text: String, joining: UndoGrouping) {
        let answer = AnnotationAnswer::Text(Some(text));
        self.work.act([(AnnotationSlot::Text, answer)], joining);
    }

    /// Has the server compute the figures of the text, and announces them to screen readers if `is_told`.
    async fn ask_server(self, is_told: bool) {
        // The step may have been redrawn before this began.
        let Some(text) = self.text.try_get_untracked() else {
            return;
        };

        if text.trim().is_empty() || WriteStep::check_text(&text).is_err() {
            return self.check.set(None);
        }

        let assignment = (self.work.draft).with_untracked(|draft| draft.task().assignment);
        let checked = check_text(assignment, text.clone()).await.ok();

        // A text that changed meanwhile gets a request of its own.
        if self.text.try_get_untracked().as_ref() != Some(&text) {
            return;
        }

        if is_told && let Some(check) = &checked {
            let source = (self.work.draft).with_untracked(|draft| draft.task().source.clone());
            self.work.announce(describe(&source, &text, check));
        }
        self.check.set(checked.map(|check| (text, check)));
    }
}

/// The figures as a sentence.
fn describe(source: &str, text: &str, check: &TextCheck) -> String {
    let mut sentence = format!("{} words", count_words(text));
    if let Some(percent) = length_percent(source, text) {
        sentence += &format!(", {percent} % of the source's length");
    }

    for (name, figure) in [
        ("grade level", &check.grade),
        ("word rank", &check.word_rank),
    ] {
        if !figure.is_empty() {
            sentence += &format!(", {name} {figure}");
        }
    }

    sentence
}

/// The field for the text, with its figures and its changes.
#[component]
pub(super) fn Write(step: WriteStep) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let field = WrittenField::new(work);
    on_cleanup(move || work.saving.typing.set(false));

    // Undo, another tab and answers of an earlier visit change the saved text.
    let saved = Memo::new(move |_| work.draft.with(AnnotationDraft::written_text));
    Effect::new(move |before: Option<()>| {
        let saved = saved.get();
        if before.is_none() || saved != field.text.get_untracked() {
            field.text.set(saved);
            spawn_local(field.ask_server(false));
        }
    });

    let task = (work.draft).with_untracked(|draft| match draft.task() {
        task if task.start.is_empty() => "Write the source in simpler words.",
        task if task.start == task.source => "Turn the source into a text in simpler words.",
        _ => "Improve the simplification, so that it says what the source says in simpler words.",
    });

    let limits = step.describe_limits();
    let described_by = match limits {
        Some(_) => "written-limits written-fault",
        None => "written-fault",
    };

    let is_unchanged = Memo::new(move |_| work.draft.with(AnnotationDraft::has_only_start));
    let accept = move |_| {
        field.give(field.text.get_untracked(), UndoGrouping::Separate);
        browser::focus(WRITTEN_TEXT_ID);
    };

    view! {
        <header class="step-head">
            <h1 id=HEADING_ID tabindex="-1" on:keydown=move |event| enter_field(&event)>"Write"</h1>
            <p class="soft">{task}</p>
        </header>
        <div class="writing">
            <div class="written">
                <label for=WRITTEN_TEXT_ID>"Your text"</label>
                {limits.map(|limits| view! { <p class="help" id="written-limits">"Aim for " {limits} "."</p> })}
                <textarea
                    id=WRITTEN_TEXT_ID
                    rows="8"
                    spellcheck="true"
                    maxlength=LONGEST_INPUT
                    aria-describedby=described_by
                    prop:value=field.text
                    disabled=move || !field.takes()
                    on:input=move |event| field.type_text(event_target_value(&event))
                    on:change=move |_| field.save()
                    on:keydown=move |event: KeyboardEvent| {
                        if event.key() == "Escape" {
                            browser::focus(HEADING_ID);
                        }
                    }
                ></textarea>
                <p id="written-fault" class="fault" role="alert">
                    {move || field.fault.get().map(|fault| format!("This cannot be saved: {fault}."))}
                </p>
                <Show when=move || is_unchanged.get() && field.takes()>
                    <p><button on:click=accept>"It needs no change"</button></p>
                </Show>
            </div>
            <Figures field step/>
            <Changes field/>
        </div>
    }
    .into_any()
}

const HEADING_ID: &str = "write-heading";

/// Moves the focus from the heading into the field.
fn enter_field(event: &KeyboardEvent) {
    if event.key() == "Enter" && !event.ctrl_key() && !event.meta_key() {
        browser::focus(WRITTEN_TEXT_ID);
        event.prevent_default();
    }
}

/// The figures of the text, relative to its source.
#[component]
fn Figures(field: WrittenField, step: WriteStep) -> impl IntoView {
    let source = (field.work.draft).with_untracked(|draft| draft.task().source.clone());
    let words = Memo::new(move |_| field.text.with(|text| count_words(text)));
    let percent = Memo::new(move |_| field.text.with(|text| length_percent(&source, text)));

    let target = step.target_percent;
    let is_outside = Memo::new(move |_| words.get() > 0 && step.is_outside(words.get()));
    let target = target.map(|target| view! { <span class="soft">" of about "{target}" %"</span> });

    // The server's figures belong to the text that was sent.
    let checked = move |figure: fn(&TextCheck) -> &String| {
        let shown = field.check.with(|check| {
            let (_, check) = check.as_ref()?;
            Some(figure(check).clone()).filter(|figure| !figure.is_empty())
        });
        shown.unwrap_or_else(|| "–".to_owned())
    };

    view! {
        <dl class="written-figures" aria-label="Figures of your text">
            <div class:outside=move || is_outside.get()>
                <dt>"Words"</dt>
                <dd>{move || words.get()}</dd>
            </div>
            <div>
                <dt title="Characters in percent of the source's">"Length"</dt>
                <dd>
                    {move || percent.get().map_or_else(|| "–".to_owned(), |percent| format!("{percent} %"))}
                    {target}
                </dd>
            </div>
            <div>
                <dt title="FKGL: years of school that a reader needs, by length of sentences and words">
                    "Grade level"
                </dt>
                <dd>{move || checked(|check| &check.grade)}</dd>
            </div>
            <div>
                <dt title="How rare the words are compared with the source's: below 1 they are more common">"Word rank"</dt>
                <dd>{move || checked(|check| &check.word_rank)}</dd>
            </div>
        </dl>
    }
    .into_any()
}

/// The text with marks where it differs from the source.
#[component]
fn Changes(field: WrittenField) -> impl IntoView {
    let source = (field.work.draft).with_untracked(|draft| draft.task().source.clone());
    let changed = move || {
        let (text, check) = field.check.get()?;
        let words = ChangedWords {
            source: source.clone(),
            text,
            edits: check.edits,
        };
        Some(view! {
            <section class="written-changes" aria-labelledby="written-changes">
                <h2 id="written-changes">"What differs from the source"</h2>
                <MarkedText words/>
                <p class="help">"‸ shows where words of the source were left out, ‖ where a sentence was split; coloured words are new."</p>
            </section>
        })
    };
    view! { {changed} }.into_any()
}
