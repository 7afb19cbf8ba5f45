//! The step that marks spans: words of each output, and of the source, with a type and a level.

mod dialog;
mod list;
mod text;

use domain::{
    ids::OutputId,
    protocol::{AnnotationStep, MarkSpansStep, ProtocolStep},
    span::Span,
    span_marks::{
        MarkGap, SpanMark,
        taxonomy::{MarkedSides, SpanTaxonomy},
    },
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        draft::AnnotationDraft,
        history::UndoGrouping,
        labels::format_output_count,
        missing::describe_place,
        navigation::find_words,
        walk::list_outputs,
    },
};
use leptos::prelude::*;

use self::{dialog::MarkDialog, list::MarkList, text::MarkableText};
use super::{
    WorkspaceState,
    highlight::{PickedMark, WordSelection},
    state::{MarkTarget, place_id},
    teaching::feedback_on_marks,
};
use crate::{browser, islands::parts::Popup};

/// State that the components of this step share.
#[derive(Clone, Copy)]
struct MarkingState {
    work: WorkspaceState,
    taxonomy: StoredValue<SpanTaxonomy>,
    /// The element whose dialog is open.
    about: RwSignal<Option<String>>,
    picking: RwSignal<Option<WordSelection>>,
}

impl MarkingState {
    /// Creates the state and provides it to the caller's components.
    fn provide(work: WorkspaceState, taxonomy: SpanTaxonomy) -> Self {
        let marking = Self {
            work,
            taxonomy: StoredValue::new(taxonomy),
            about: RwSignal::new(None),
            picking: expect_context(),
        };
        provide_context(marking);

        on_cleanup(move || {
            marking.picking.set(None);
            work.marking.set(None);
        });

        // The dialog opens next to its target, which may be on the page only after the change that opens it.
        Effect::new(move |_| {
            if let Some(target) = work.marking.get() {
                browser::soon(move || {
                    marking.about.set(Some(marking.anchor(&target)));
                    // Digits choose once the first choice has the focus.
                    browser::focus_soon(dialog::FIRST_CHOICE.to_owned());
                });
            } else {
                marking.about.set(None);
            }
        });

        // The browser may also close the dialog by itself.
        Effect::new(move |before: Option<bool>| {
            let is_open = marking.about.with(Option::is_some);
            if before == Some(true) && !is_open {
                work.marking.set(None);
            }
            is_open
        });

        marking
    }

    /// The id of the element next to which a target's dialog opens.
    fn anchor(self, target: &MarkTarget) -> String {
        match target {
            MarkTarget::Words { output, words } => self.word_at(*output, words.start),
            MarkTarget::Source { output } => source_button_id(*output),
            MarkTarget::Mark { output, number } => mark_id(*output, *number),
        }
    }

    /// The id of the word at an offset of an output.
    fn word_at(self, output: OutputId, offset: usize) -> String {
        let at = self.work.draft.with_untracked(|draft| {
            let text = draft.item(output).map(|item| item.text.as_str());
            let words = split_words(text.unwrap_or_default());
            words.iter().position(|word| offset < word.end)
        });
        word_id(output, at.unwrap_or_default())
    }

    /// The current marks of an output.
    fn marks(self, output: OutputId) -> Vec<SpanMark> {
        self.work.draft.with_untracked(|draft| draft.marks(output))
    }

    /// Marks words with a type, and asks for what the mark still lacks: words of the source, then a level.
    fn add(self, output: OutputId, kind: usize, words: Span) {
        let Some(kind) = self.kind_name(kind) else {
            return;
        };
        let mark = SpanMark {
            kind,
            output: vec![words],
            ..SpanMark::default()
        };
        self.work.add_mark(self.picking, output, mark);
    }

    /// Begins to choose words of the source for a new mark of a type.
    fn add_in_source(self, output: OutputId, kind: usize) {
        self.work.marking.set(None);
        let selection = WordSelection::for_new_mark(output, kind);
        selection.begin(self.picking);
    }

    /// Begins a mark of a type, by its number: on these words, or on words of the source if the type has only those.
    fn begin(self, output: OutputId, kind: usize, words: Span) {
        let sides = self
            .taxonomy
            .with_value(|taxonomy| Some(taxonomy.types.get(kind)?.sides));
        match sides {
            Some(MarkedSides::Source) => self.add_in_source(output, kind),
            Some(_) => self.add(output, kind, words),
            None => {}
        }
    }

    /// Opens the dialog for words of the source, if some type has only those.
    fn open_source(self, output: OutputId) {
        if self.work.takes(output) && self.taxonomy.with_value(dialog::has_source_types) {
            self.work.marking.set(Some(MarkTarget::Source { output }));
        }
    }

    fn kind_name(self, kind: usize) -> Option<String> {
        let name = |taxonomy: &SpanTaxonomy| Some(taxonomy.types.get(kind)?.name.clone());
        self.taxonomy.with_value(name)
    }

    /// Changes a mark, and asks for what it still lacks.
    fn change(self, output: OutputId, number: usize, how: impl FnOnce(&mut SpanMark)) {
        let mut marks = self.marks(output);
        if let Some(mark) = marks.get_mut(number) {
            how(mark);
            let mark = mark.clone();
            self.work.set_marks(output, marks);
            self.work.complete_mark(self.picking, output, &mark);
        }
    }

    /// Begins to choose the words of the source that belong to a mark.
    fn pick_source(self, output: OutputId, mark: SpanMark) {
        self.work.marking.set(None);
        self.work.pick_for_mark(self.picking, output, mark);
    }

    /// Removes a mark, and returns the focus to its words.
    fn remove(self, output: OutputId, number: usize) {
        let mut marks = self.marks(output);
        if number < marks.len() {
            let mark = marks.remove(number);
            let began_empty =
                (self.work.draft).with_untracked(|draft| draft.automatic_marks(output).is_empty());

            if marks.is_empty() && began_empty {
                // Saying that there is nothing to mark would be another answer.
                self.work.say_marks(output, None);
            } else {
                self.work.set_marks(output, marks);
            }

            self.work.marking.set(None);
            self.work.announce("Mark removed");
            self.focus(output, &mark);
        }
    }

    /// Focuses the first words of a mark in the output, or else the output.
    fn focus(self, output: OutputId, mark: &SpanMark) {
        browser::focus_soon(match mark.output.first() {
            Some(span) => self.word_at(output, span.start),
            None => place_id(output),
        });
    }
}

/// The selection of source words in progress.
type Picking = RwSignal<Option<WordSelection>>;

impl WorkspaceState {
    /// Answers which marks an output has; `None` withdraws the answer.
    fn say_marks(self, output: OutputId, marks: Option<Vec<SpanMark>>) {
        let slot = AnnotationSlot::Marks { output };
        self.act(
            [(slot, AnnotationAnswer::Marks(marks))],
            UndoGrouping::Separate,
        );
    }

    /// Replaces the marks of an output.
    fn set_marks(self, output: OutputId, marks: Vec<SpanMark>) {
        let answer = (self.draft).with_untracked(|draft| draft.marks_answer(output, marks));
        self.act([answer], UndoGrouping::Separate);
    }

    /// Adds a mark to an output, and asks for what it still lacks.
    fn add_mark(self, picking: Picking, output: OutputId, mark: SpanMark) {
        let mut marks = self.draft.with_untracked(|draft| draft.marks(output));
        marks.push(mark.clone());
        self.set_marks(output, marks);
        self.announce(["Marked as ", &mark.kind].concat());
        self.complete_mark(picking, output, &mark);
    }

    /// Asks for what a mark still lacks: words of the source, or a level. If it lacks nothing, the focus
    /// returns to the output.
    fn complete_mark(self, picking: Picking, output: OutputId, mark: &SpanMark) {
        let (number, gap) = self.draft.with_untracked(|draft| {
            let marks = draft.marks(output);
            let gap = draft.taxonomy().and_then(|taxonomy| mark.gap(taxonomy));
            (marks.iter().position(|other| other == mark), gap)
        });

        match (number, gap) {
            (Some(_), Some(MarkGap::Source)) => {
                self.marking.set(None);
                self.pick_for_mark(picking, output, mark.clone());
            }
            (Some(number), Some(MarkGap::Level | MarkGap::Type)) => {
                self.marking.set(Some(MarkTarget::Mark { output, number }));
            }
            _ => {
                self.marking.set(None);
                browser::focus_soon(place_id(output));
            }
        }
    }

    fn pick_for_mark(self, picking: Picking, output: OutputId, mark: SpanMark) {
        let select =
            |draft: &AnnotationDraft| WordSelection::for_mark(output, mark, &draft.task().source);
        self.draft.with_untracked(select).begin(picking);
    }

    /// Takes the words of the source that were chosen for a mark.
    pub(super) fn finish_mark(
        self,
        picking: Picking,
        output: OutputId,
        marked: PickedMark,
        source: Vec<Span>,
    ) {
        if source.is_empty() {
            return browser::focus_soon(place_id(output));
        }

        match marked {
            PickedMark::New { kind } => {
                let kind = self.draft.with_untracked(|draft| {
                    let taxonomy = draft.taxonomy()?;
                    Some(taxonomy.types.get(kind)?.name.clone())
                });
                let mark = SpanMark {
                    kind: kind.unwrap_or_default(),
                    source,
                    ..SpanMark::default()
                };
                self.add_mark(picking, output, mark);
            }
            PickedMark::Existing(picked) => {
                let mut marks = self.draft.with_untracked(|draft| draft.marks(output));
                let Some(mark) = marks.iter_mut().find(|mark| **mark == picked) else {
                    self.announce("The mark is no longer there");
                    return browser::focus_soon(place_id(output));
                };
                mark.source = source;
                let mark = mark.clone();
                self.set_marks(output, marks);
                self.complete_mark(picking, output, &mark);
            }
        }
    }
}

/// The words of a text.
fn split_words(text: &str) -> Vec<Span> {
    find_words(text, &[Span::new(0, text.len())])
}

/// The id of a word, by its number in the output.
fn word_id(output: OutputId, at: usize) -> String {
    format!("word-{output}-{at}")
}

/// The id of a mark in the list of an output, by its number.
fn mark_id(output: OutputId, number: usize) -> String {
    format!("mark-{output}-{number}")
}

/// The id of the button that marks words of the source.
fn source_button_id(output: OutputId) -> String {
    format!("mark-source-{output}")
}

/// The class of a type, by its number: it sets the colour.
fn type_class(number: usize) -> &'static str {
    const CLASSES: [&str; 8] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"];
    CLASSES[number % CLASSES.len()]
}

/// Every output with its marks.
#[component]
pub(super) fn MarkSpans(step: MarkSpansStep) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let MarkSpansStep { taxonomy, prefills } = step;
    let rules = taxonomy.rules.clone();
    let has_levels = !taxonomy.levels.is_empty();
    let marking = MarkingState::provide(work, taxonomy);

    let outputs =
        (work.draft).with_untracked(|draft| list_outputs(draft, AnnotationStep::Highlight));
    let left = Memo::new(move |_| {
        work.draft.with(|draft| {
            let mut outputs = draft.task().items.iter();
            let left = outputs
                .by_ref()
                .filter(|item| draft.is_unmarked(item.output));
            left.count()
        })
    });

    let task = match (prefills, has_levels) {
        (true, true) => {
            "The computer has marked what changed. Check each mark, add what is missing, and give every mark its level."
        }
        (true, false) => {
            "The computer has marked what changed. Check each mark, and add what is missing."
        }
        (false, _) => {
            "Choose words with the mouse, or with the arrow keys and Shift, then say what they are. The guidelines \
             tell what to mark."
        }
    };

    let label = move || {
        work.marking
            .with(|target| dialog::name(marking, target.as_ref()))
    };

    view! {
        <header class="step-head">
            <h1>{ProtocolStep::MarkSpans(MarkSpansStep::default()).title()}</h1>
            <p class="soft">{task}</p>
            <p class="soft" role="status">
                {move || match left.get() {
                    0 => "All outputs are marked.".to_owned(),
                    left => format!("{} left to mark.", format_output_count(left)),
                }}
            </p>
            {(!rules.is_empty()).then(|| view! {
                <details class="rules">
                    <summary>"Rules to judge by"</summary>
                    <ol>{rules.into_iter().map(|rule| view! { <li>{rule}</li> }).collect_view()}</ol>
                </details>
            })}
        </header>
        <ol class="texts">
            {outputs
                .into_iter()
                .map(|output| work.in_turn(output, move || view! { <MarkedText output prefills/> }.into_any()))
                .collect_view()}
        </ol>
        <Popup about=marking.about label=Signal::derive(label)>
            <MarkDialog/>
        </Popup>
    }
    .into_any()
}

/// One output with its words and its marks.
#[component]
fn MarkedText(
    output: OutputId,
    /// Whether the output begins with the computer's marks.
    prefills: bool,
) -> impl IntoView {
    let marking = expect_context::<MarkingState>();
    let work = marking.work;
    let marks = Memo::new(move |_| work.draft.with(|draft| draft.marks(output)));
    let todo = Memo::new(move |_| work.draft.with(|draft| draft.is_unmarked(output)));
    let has_own = Memo::new(move |_| work.draft.with(|draft| draft.has_own_marks(output)));

    // Marks that lack nothing only need to be confirmed.
    let accepts = Memo::new(move |_| {
        let is_complete = work.draft.with(|draft| draft.mark_gaps(output).is_empty());
        todo.get() && is_complete && !marks.with(Vec::is_empty)
    });

    let has_source_types = marking.taxonomy.with_value(dialog::has_source_types);
    // The button may disappear with the answer, so the focus moves.
    let say = move |answer| {
        work.say_marks(output, answer);
        browser::focus_soon(place_id(output));
    };

    view! {
        <li class="edits-of marks-of" class:todo=todo on:focusin=move |_| work.make_current(output)>
            <div class="place" aria-hidden="true">{move || work.draft.with(|draft| describe_place(draft, output))}</div>
            <MarkableText output marks/>
            <MarkList output marks/>
            {feedback_on_marks(work, output)}
            <div class="after">
                {has_source_types.then(|| view! {
                    <button
                        class="small"
                        id=source_button_id(output)
                        tabindex=work.tab_index(output)
                        disabled=move || !work.takes(output)
                        on:click=move |_| marking.open_source(output)
                    >
                        "Mark words of the source…"
                    </button>
                })}
                <button
                    class="small"
                    hidden=move || !marks.with(Vec::is_empty)
                    aria-pressed=move || has_own.get().to_string()
                    tabindex=work.tab_index(output)
                    disabled=move || !work.takes(output)
                    on:click=move |_| say((!has_own.get_untracked()).then(Vec::new))
                >
                    "Nothing to mark"
                </button>
                <button
                    class="small"
                    hidden=move || !accepts.get()
                    tabindex=work.tab_index(output)
                    disabled=move || !work.takes(output)
                    on:click=move |_| say(Some(marks.get_untracked()))
                >
                    "These marks are right"
                </button>
                <button
                    class="ghost small"
                    hidden=move || !prefills || !has_own.get()
                    tabindex=work.tab_index(output)
                    disabled=move || !work.takes(output)
                    on:click=move |_| say(None)
                >
                    "Back to the computer's marks"
                </button>
            </div>
        </li>
    }
    .into_any()
}
