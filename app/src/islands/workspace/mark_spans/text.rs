use domain::{ids::OutputId, span::Span, span_marks::SpanMark, work::missing::describe_place};
use leptos::{
    ev::{self, KeyboardEvent},
    prelude::*,
};

use super::{MarkingState, split_words, type_class, word_id};
use crate::{
    browser,
    islands::workspace::state::{MarkTarget, PointerTarget, place_id},
};

/// The words of an output, and the selection among them.
#[derive(Clone, Copy)]
struct WordWalk {
    marking: MarkingState,
    output: OutputId,
    words: StoredValue<Vec<Span>>,
    marks: Memo<Vec<SpanMark>>,
    /// The word that receives the focus.
    at: RwSignal<usize>,
    /// The first and the last selected word, in the order in which they were selected.
    selected: RwSignal<Option<(usize, usize)>>,
    /// Whether a pointer was pressed on a word and not released since.
    is_pressed: StoredValue<bool>,
}

/// An output's words, to be selected and marked; arrow keys move between them.
#[component]
pub(super) fn MarkableText(output: OutputId, marks: Memo<Vec<SpanMark>>) -> impl IntoView {
    let marking = expect_context::<MarkingState>();
    let work = marking.work;

    let text = work
        .draft
        .with_untracked(|draft| draft.item(output).map(|item| item.text.clone()));
    let text = StoredValue::new(text.unwrap_or_default());

    let walk = WordWalk {
        marking,
        output,
        words: StoredValue::new(text.with_value(|text| split_words(text))),
        marks,
        at: RwSignal::new(0),
        selected: RwSignal::new(None),
        is_pressed: StoredValue::new(false),
    };

    // A new mark ends the selection.
    Effect::new(move |_| {
        marks.track();
        walk.selected.set(None);
    });

    // A drag that ends outside the text causes no click on it.
    Effect::new(move |_| {
        let listener = window_event_listener(ev::pointerup, move |event| {
            let was_pressed = walk.is_pressed.try_update_value(std::mem::take);
            if was_pressed == Some(true)
                && !browser::is_within(&event, &["#", &place_id(output)].concat())
            {
                walk.open();
            }
        });
        on_cleanup(move || listener.remove());
    });

    let (has_focus, set_has_focus) = signal(false);
    let tab_index = move || match work.is_current(output) && !has_focus.get() {
        true => "0",
        false => "-1",
    };

    let name = Memo::new(move |_| {
        let place = work.draft.with(|draft| describe_place(draft, output));
        text.with_value(|text| format!("{place}: {text}"))
    });

    let views = move || {
        let drawn = marks.with(|marks| {
            walk.words
                .with_value(|words| draw_words(words, marks, walk))
        });
        text.with_value(|text| draw(walk, text, &drawn))
    };

    view! {
        <div
            id=place_id(output)
            class="text words"
            role="toolbar"
            aria-label=name
            tabindex=tab_index
            on:pointerdown=move |event| {
                let word = browser::number_at_target(&event, "data-at");
                walk.selected.set(word.map(|at| (at, at)));
                if event.button() == 0 && let Some(at) = word {
                    // Selects words and not characters.
                    event.prevent_default();
                    walk.go_to(at);
                    walk.is_pressed.set_value(true);
                }
            }
            on:pointercancel=move |_| walk.is_pressed.set_value(false)
            on:pointerover=move |event| {
                let at = browser::number_at_target(&event, "data-at");
                match (at, event.buttons()) {
                    (Some(at), 1) => walk.extend_to(at),
                    (at, _) => walk.point(at),
                }
            }
            on:click=move |event| {
                let word = browser::number_at_target(&event, "data-at");
                if let Some(at) = word.filter(|_| walk.selected.with_untracked(Option::is_none)) {
                    // Activated without a pointer, as screen readers do.
                    walk.at.set(at);
                }
                if word.is_some() || walk.selected.with_untracked(Option::is_some) {
                    walk.open();
                }
            }
            on:keydown=move |event| walk.press(&event)
            on:focusout=move |_| set_has_focus.set(false)
            on:focusin=move |event| {
                work.make_current(output);
                set_has_focus.set(true);
                match browser::number_at_target(&event, "data-at") {
                    Some(at) => walk.at.set(at),
                    // Deferred, because focusing at once would call this handler while it is running.
                    None => browser::focus_soon(word_id(output, walk.at.get_untracked())),
                }
            }
        >
            {views}
        </div>
    }
    .into_any()
}

/// A word as it is drawn.
struct DrawnWord {
    span: Span,
    /// The marks that contain the word.
    marks: Vec<usize>,
    /// The marks that end with the word.
    ends: Vec<usize>,
    /// The colour class of its shortest mark.
    class: &'static str,
}

fn draw_words(words: &[Span], marks: &[SpanMark], walk: WordWalk) -> Vec<DrawnWord> {
    let of = |word: &Span| {
        let holds = |span: &&Span| span.start <= word.start && word.end <= span.end;
        let held = |(number, mark): (usize, &SpanMark)| {
            let span = mark.output.iter().find(holds)?;
            let is_last = mark.output.last() == Some(span) && span.end == word.end;
            Some((number, span.end - span.start, is_last))
        };
        let held: Vec<_> = marks.iter().enumerate().filter_map(held).collect();

        let shortest = held.iter().min_by_key(|(_, length, _)| *length);
        let class = shortest.map_or("", |(number, ..)| walk.class_of(&marks[*number]));

        DrawnWord {
            span: *word,
            marks: held.iter().map(|(number, ..)| *number).collect(),
            ends: held
                .iter()
                .filter(|(.., is_last)| *is_last)
                .map(|(number, ..)| *number)
                .collect(),
            class,
        }
    };
    words.iter().map(of).collect()
}

fn draw(walk: WordWalk, text: &str, drawn: &[DrawnWord]) -> AnyView {
    let mut end = 0;
    let mut before: &[usize] = &[];
    let views = drawn.iter().enumerate().map(|(at, word)| {
        let gap = text
            .get(end..word.span.start)
            .unwrap_or_default()
            .to_owned();
        let joins = word.marks.iter().any(|mark| before.contains(mark));

        end = word.span.end;
        before = &word.marks;

        let words = word.span.slice(text).unwrap_or_default().to_owned();
        let names: Vec<_> = walk.marks.with_untracked(|marks| {
            let named = word.marks.iter().filter_map(|number| marks.get(*number));
            named.map(|mark| mark.kind.clone()).collect()
        });
        let spoken = (!names.is_empty()).then(|| {
            view! { <span class="visually-hidden">", marked: "{names.join(", ")}</span> }
        });

        let numbers: Vec<_> = word
            .ends
            .iter()
            .map(|number| (number + 1).to_string())
            .collect();
        let numbers = (!numbers.is_empty())
            .then(|| view! { <sup aria-hidden="true">{numbers.join(",")}</sup> });

        let is_selected = move || {
            walk.selected
                .get()
                .is_some_and(|(from, to)| (from.min(to)..=from.max(to)).contains(&at))
        };

        let is_pointed = {
            let marks = word.marks.clone();
            move || {
                let pointed = walk.marking.work.pointed.get();
                let pointed = pointed.filter(|pointed| pointed.output == walk.output);
                pointed
                    .and_then(|pointed| pointed.edit)
                    .is_some_and(|number| marks.contains(&number))
            }
        };
        view! {
            // Guards against an empty text, which would be drawn as a space.
            {(!gap.is_empty()).then(|| view! { <span class=joins.then_some(word.class)>{gap}</span> })}
            <span
                id=word_id(walk.output, at)
                class=["unit ", word.class].concat()
                class:selected=is_selected
                class:on=is_pointed
                role="button"
                aria-haspopup="dialog"
                data-at=at
                tabindex="-1"
            >
                {words}{spoken}{numbers}
            </span>
        }
    });

    let views: Vec<_> = views.collect();
    let tail = text.get(end..).filter(|tail| !tail.is_empty());
    (views, tail.map(str::to_owned)).into_any()
}

impl WordWalk {
    fn class_of(self, mark: &SpanMark) -> &'static str {
        let at = self.marking.taxonomy.with_value(|taxonomy| {
            let mut types = taxonomy.types.iter();
            types.position(|kind| kind.name == mark.kind)
        });
        type_class(at.unwrap_or_default())
    }

    /// Moves the focus to a word.
    fn go_to(self, at: usize) {
        self.at.set(at);
        browser::focus(&word_id(self.output, at));
    }

    fn extend_to(self, at: usize) {
        let from = self.selected.get_untracked().map(|(from, _)| from);
        if let Some(from) = from {
            self.selected.set(Some((from, at)));
        }
    }

    /// Highlights the mark of a word, with its words in the source.
    fn point(self, at: Option<usize>) {
        let edit = at.and_then(|at| self.mark_at(at));
        self.marking.work.pointed.set(Some(PointerTarget {
            output: self.output,
            edit,
        }));
    }

    /// The number of the shortest mark that contains a word.
    fn mark_at(self, at: usize) -> Option<usize> {
        let word = self.words.with_value(|words| words.get(at).copied())?;
        self.marks.with_untracked(|marks| {
            let held = marks.iter().enumerate().filter_map(|(number, mark)| {
                let mut spans = mark.output.iter();
                let span = spans.find(|span| span.start <= word.start && word.end <= span.end)?;
                Some((span.end - span.start, number))
            });
            held.min().map(|(_, number)| number)
        })
    }

    /// The stretch of the selected words, or else of the focused word.
    fn stretch(self) -> Option<Span> {
        let at = self.at.get_untracked();
        let (from, to) = self.selected.get_untracked().unwrap_or((at, at));
        self.words.with_value(|words| {
            let (first, last) = (words.get(from.min(to))?, words.get(from.max(to))?);
            Some(Span::new(first.start, last.end))
        })
    }

    fn announce_selected(self) {
        let (work, output) = (self.marking.work, self.output);
        let words = self.stretch().and_then(|stretch| {
            work.draft
                .with_untracked(|draft| Some(stretch.slice(&draft.item(output)?.text)?.to_owned()))
        });
        work.announce(["Selected: ", &words.unwrap_or_default()].concat());
    }

    /// Opens the dialog of a single word's mark, or else of the selection.
    fn open(self) {
        let (work, output) = (self.marking.work, self.output);
        if !work.takes(output) {
            return;
        }

        let at = self.at.get_untracked();
        let is_single = (self.selected.get_untracked()).is_none_or(|(from, to)| from == to);
        let mark = self.mark_at(at).filter(|_| is_single);

        let target = match mark {
            Some(number) => Some(MarkTarget::Mark { output, number }),
            None => self
                .stretch()
                .map(|words| MarkTarget::Words { output, words }),
        };
        work.marking.set(target);
    }

    fn press(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }

        let (work, output) = (self.marking.work, self.output);
        let at = self.at.get_untracked();
        let last = self.words.with_value(Vec::len).saturating_sub(1);
        let key = event.key();

        let next = match key.as_str() {
            "ArrowRight" => (at + 1).min(last),
            "ArrowLeft" => at.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            "ArrowUp" | "ArrowDown" => {
                event.prevent_default();
                let by = if key == "ArrowUp" { -1 } else { 1 };
                return work.travel(output, by, place_id);
            }
            "Enter" | " " => {
                event.prevent_default();
                return self.open();
            }
            "Escape" => return self.selected.set(None),
            "Delete" | "Backspace" => {
                if let Some(number) = self.mark_at(at).filter(|_| work.takes(output)) {
                    event.prevent_default();
                    self.marking.remove(output, number);
                }
                return;
            }
            "s" | "S" => {
                event.prevent_default();
                return self.marking.open_source(output);
            }
            digit => {
                if let Some(kind) = read_place(digit).filter(|_| work.takes(output))
                    && let Some(words) = self.stretch()
                {
                    event.prevent_default();
                    self.marking.begin(output, kind, words);
                }
                return;
            }
        };

        event.prevent_default();
        match event.shift_key() {
            true => {
                let from = self.selected.get_untracked().map_or(at, |(from, _)| from);
                self.selected.set(Some((from, next)));
                self.announce_selected();
            }
            false => self.selected.set(None),
        }

        self.go_to(next);
        self.point(Some(next));
    }
}

/// The index, from 0, that a digit key names: 1 to 9, then 0.
pub(super) fn read_place(key: &str) -> Option<usize> {
    match key.as_bytes() {
        [b'0'] => Some(9),
        [digit @ b'1'..=b'9'] => Some(usize::from(digit - b'1')),
        _ => None,
    }
}
