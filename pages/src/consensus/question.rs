//! A question of a consensus as a row: what each rater said, and the control that decides it.

use std::collections::BTreeMap;

use domain::{
    category::Category,
    comparison::ComparisonChoice,
    consensus::{ConsensusAnswer, ConsensusQuestion, GivenMark, MarkQuestion, OpenQuestion},
    ids::OutputId,
    questions::{AnswerOption, AskedQuestion, QuestionAnswer, QuestionKind},
    study::{Dimension, StudySettings},
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        unjudged::UnjudgedReason,
    },
};
use leptos::prelude::*;

use crate::sources::describe_words;
use app::{
    api::{CHOSEN, LEFT_OUT, WRITTEN, answer_text, level_text, mark_text},
    components::TextArea,
};

/// A row of the table of an output.
#[derive(Debug, Clone)]
pub(super) enum QuestionRow {
    Answer(AnswerRow),
    Mark(MarkRow),
}

/// A question with a single answer.
#[derive(Debug, Clone)]
pub(super) struct AnswerRow {
    slot: AnnotationSlot,
    label: String,
    given: Vec<String>,
    decided: String,
    control: DecisionControl,
    is_shared: bool,
    is_open: bool,
}

/// A mark or an edit of at least one rater.
#[derive(Debug, Clone)]
pub(super) struct MarkRow {
    question: MarkQuestion,
    /// The slot of the marks, or the edits, of the output.
    slot: AnnotationSlot,
    words: String,
    decided: String,
    options: Vec<(String, String)>,
    is_open: bool,
}

/// The control that decides a question.
#[derive(Debug, Clone)]
enum DecisionControl {
    /// Values with their labels.
    Options(Vec<(String, String)>),
    /// A whole number from the first to the second, with raters' answers as suggestions.
    Number(i32, i32, Vec<String>),
    /// Any number of options: keys with their labels.
    Several(Vec<(String, String)>),
    /// A text of at most this number of characters: one that a rater wrote (listed with the rater's
    /// name) or another one.
    Words(Vec<(String, String)>, u32),
}

impl AnswerRow {
    pub(super) fn new(
        question: &ConsensusQuestion,
        decided: &BTreeMap<AnnotationSlot, ConsensusAnswer>,
        open: &[OpenQuestion],
        settings: &StudySettings,
        raters: &[String],
    ) -> Self {
        let slot = question.slot.clone();
        let dimension = match &slot {
            AnnotationSlot::Rating { dimension, .. }
            | AnnotationSlot::Comparison { dimension, .. } => {
                let mut dimensions = settings.dimensions.iter();
                dimensions.find(|own| own.name == *dimension)
            }
            _ => None,
        };

        let asked = find_asked(&slot, settings);
        let describe = |answer: &Option<AnnotationAnswer>| match (answer, asked) {
            (None, _) => "–".to_owned(),
            (Some(AnnotationAnswer::Question(Some(answer))), Some(asked)) => {
                words_of(asked, answer)
            }
            (Some(answer), _) => describe_answer(&slot, answer, dimension),
        };
        let given: Vec<_> = question.given.iter().map(describe).collect();

        let control = match asked {
            Some(asked) => asked_control(asked, question, raters),
            None => decision_control(question, dimension, settings),
        };

        Self {
            label: asked.map_or_else(|| question_label(&slot), |asked| asked.text.clone()),
            given,
            decided: decided
                .get(&slot)
                .map(|answer| answer_text(&answer.stored.answer))
                .unwrap_or_default(),
            control,
            is_shared: question.shared().is_some(),
            is_open: open.contains(&OpenQuestion::Answer(slot.clone())),
            slot,
        }
    }
}

impl MarkRow {
    pub(super) fn new(
        slot: AnnotationSlot,
        question: MarkQuestion,
        decided: Option<&ConsensusAnswer>,
        open: &[OpenQuestion],
        (source, text): (&str, &str),
        settings: &StudySettings,
    ) -> Self {
        let levels = settings.protocol.mark_spans_step();
        let levels = levels.map_or(&[][..], |step| &step.taxonomy.levels);

        let mut options: Vec<_> = levels
            .iter()
            .map(|level| (level_text(Some(&level.name)), level.name.clone()))
            .collect();
        if options.is_empty() {
            options.push((level_text(None), "Keep it".to_owned()));
        }
        options.push((LEFT_OUT.to_owned(), "Leave it out".to_owned()));

        let decided = mark_text(&question.mark, decided);
        // An output that cannot be judged needs no decisions on its marks.
        let needs_marks = |open: &OpenQuestion| matches!(open, OpenQuestion::Marks(of, _) if Some(*of) == slot.output());

        Self {
            words: describe_words(&question.mark, source, text),
            // An added mark has no level yet, and the lead may have removed a level.
            is_open: options.iter().all(|(value, _)| *value != decided)
                && open.iter().any(needs_marks),
            decided,
            slot,
            question,
            options,
        }
    }
}

impl QuestionRow {
    /// Whether all raters gave the same answer.
    pub(super) fn is_shared(&self) -> bool {
        match self {
            Self::Answer(row) => row.is_shared,
            Self::Mark(row) => row.question.shared().is_some(),
        }
    }

    /// Whether it still has to be decided.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Answer(row) => row.is_open,
            Self::Mark(row) => row.is_open,
        }
    }

    /// Whether it needs no attention: all raters gave the same answer, and nothing is left to
    /// decide.
    pub(super) fn is_settled(&self) -> bool {
        self.is_shared() && !self.is_open()
    }

    /// The row, the `at`th of the page. `takes` adds the controls for a decision.
    pub(super) fn into_view(self, at: usize, raters: &[String], takes: bool) -> AnyView {
        let class = match (self.is_open(), self.is_shared()) {
            (true, _) => "open",
            (false, false) => "decided",
            (false, true) => "",
        };
        let field = |part: &str| format!("decisions[{at}][{part}]");

        let (label, words, given, decided, control, slot, mark) = match self {
            Self::Answer(row) => {
                let slot = serde_json::to_string(&row.slot).unwrap_or_default();
                (
                    row.label,
                    None,
                    row.given,
                    row.decided,
                    row.control,
                    slot,
                    String::new(),
                )
            }
            Self::Mark(row) => {
                let given = row.question.given.iter().map(describe_mark).collect();
                (
                    row.question.mark.kind.clone(),
                    Some(row.words),
                    given,
                    row.decided,
                    DecisionControl::Options(row.options),
                    serde_json::to_string(&row.slot).unwrap_or_default(),
                    serde_json::to_string(&row.question.mark).unwrap_or_default(),
                )
            }
        };

        let cells = raters
            .iter()
            .zip(given)
            .map(|(rater, given): (&String, String)| {
                view! { <td data-label=rater.clone()>{given}</td> }
            })
            .collect_view();

        let name = match &words {
            None => label.clone(),
            Some(words) => format!("{label}: {words}"),
        };
        let decision = match takes {
            false => decided_words(&control, &decided).into_any(),
            true => {
                let control = control.into_view(&field, &decided, &name);
                view! {
                    <input type="hidden" name=field("slot") value=slot/>
                    <input type="hidden" name=field("mark") value=mark/>
                    <input type="hidden" name=field("was") value=decided/>
                    {control}
                }
                .into_any()
            }
        };

        view! {
            <tr class=class>
                <th scope="row" data-label="Question">
                    {label} {words.map(|words| view! { <span class="words">{words}</span> })}
                </th>
                {cells}
                <td data-label="Consensus">{decision}</td>
            </tr>
        }
        .into_any()
    }
}

impl DecisionControl {
    /// The control; `field` names a field of the decision.
    fn into_view(self, field: &dyn Fn(&str) -> String, decided: &str, label: &str) -> AnyView {
        let name = field("answer");
        let label = format!("Consensus on {label}");

        match self {
            Self::Options(options) => {
                // Also if the lead has since removed the chosen level: otherwise the browser would
                // choose the first option, and saving would change the decision.
                let is_offered = options.iter().any(|(value, _)| value == decided);
                let blank = (!is_offered).then(|| {
                    view! { <option value=decided.to_owned() selected=true>"Decide…"</option> }
                });
                let option = |(value, words): (String, String)| {
                    let selected = value == decided;
                    view! { <option value=value selected=selected>{words}</option> }
                };

                view! {
                    <select name=name aria-label=label>
                        {blank}
                        {options.into_iter().map(option).collect_view()}
                    </select>
                }
                .into_any()
            }
            Self::Number(low, high, suggestions) => {
                let list = format!("{name}-given");
                let option = |value: String| view! { <option value=value></option> };
                view! {
                    <input
                        type="number"
                        name=name
                        min=low
                        max=high
                        step="1"
                        placeholder=format!("{low} to {high}")
                        list=list.clone()
                        value=decided.to_owned()
                        aria-label=label
                        autocomplete="off"
                    />
                    <datalist id=list>{suggestions.into_iter().map(option).collect_view()}</datalist>
                }
                .into_any()
            }
            Self::Several(options) => {
                let chosen = parse_decided(decided);
                let chosen = chosen.as_ref().map_or(&[][..], QuestionAnswer::options);
                let option = |(at, (key, words)): (usize, (String, String))| {
                    let is_chosen = chosen.contains(&key);
                    view! {
                        <label class="choice">
                            <input type="checkbox" name=field(&format!("options][{at}")) value=key checked=is_chosen/>
                            <span>{words}</span>
                        </label>
                    }
                };

                let options = options.into_iter().enumerate().map(option).collect_view();
                view! {
                    <input type="hidden" name=name value=CHOSEN/>
                    <div role="group" aria-label=label>{options}</div>
                }
                .into_any()
            }
            Self::Words(given, most) => {
                let is_given = given.iter().any(|(value, _)| value == decided);
                let own = match parse_decided(decided) {
                    Some(QuestionAnswer::Text(text)) if !is_given => text,
                    _ => String::new(),
                };
                let is_own = !own.is_empty();
                let option = |(value, rater): (String, String)| {
                    let selected = value == decided;
                    view! { <option value=value selected=selected>{format!("as {rater} wrote")}</option> }
                };
                let text_label = format!("{label}: other words");
                view! {
                    <select name=name aria-label=label>
                        <option value="">"Decide…"</option>
                        {given.into_iter().map(option).collect_view()}
                        <option value=WRITTEN selected=is_own>"in these words:"</option>
                    </select>
                    <TextArea
                        name=field("text")
                        rows=2
                        maxlength=most
                        label=text_label
                        value=own
                    />
                }
                .into_any()
            }
        }
    }
}

/// A decision in words, if it cannot be changed.
fn decided_words(control: &DecisionControl, decided: &str) -> String {
    match control {
        _ if decided.is_empty() => "not decided".to_owned(),
        _ if decided == LEFT_OUT => "left out".to_owned(),
        DecisionControl::Number(..) => decided.to_owned(),
        DecisionControl::Several(options) => {
            let chosen = parse_decided(decided);
            let chosen = chosen.as_ref().map_or(&[][..], QuestionAnswer::options);
            let labels = options.iter().filter(|(key, _)| chosen.contains(key));
            let labels: Vec<_> = labels.map(|(_, label)| label.as_str()).collect();
            labels.join("; ")
        }
        DecisionControl::Words(..) => match parse_decided(decided) {
            Some(QuestionAnswer::Text(text)) => text,
            _ => decided.to_owned(),
        },
        DecisionControl::Options(options) => {
            let words = options.iter().find(|(value, _)| value == decided);
            words.map_or_else(|| decided.to_owned(), |(_, words)| words.clone())
        }
    }
}

/// Parses the field of a decision on a question of the study.
fn parse_decided(decided: &str) -> Option<QuestionAnswer> {
    serde_json::from_str(decided).ok()
}

/// The question of the study that a slot is about.
fn find_asked<'a>(slot: &AnnotationSlot, settings: &'a StudySettings) -> Option<&'a AskedQuestion> {
    match slot {
        AnnotationSlot::Question { key, .. } => settings.protocol.answer_step()?.find(key),
        _ => None,
    }
}

/// The wordings of the chosen options, or the text.
fn words_of(asked: &AskedQuestion, answer: &QuestionAnswer) -> String {
    if let QuestionAnswer::Text(text) = answer {
        return text.clone();
    }
    let labels = asked
        .chosen(Some(answer))
        .map(|option| option.label.as_str());
    labels.collect::<Vec<_>>().join("; ")
}

/// The control of a question of the study; `raters` are the names of those who answered.
fn asked_control(
    asked: &AskedQuestion,
    question: &ConsensusQuestion,
    raters: &[String],
) -> DecisionControl {
    let value = |answer: QuestionAnswer| answer_text(&AnnotationAnswer::Question(Some(answer)));
    let options = asked.options().iter();

    match asked.kind {
        QuestionKind::One(_) => {
            let option = |option: &AnswerOption| {
                let value = value(QuestionAnswer::One(option.key.clone()));
                (value, option.label.clone())
            };
            DecisionControl::Options(options.map(option).collect())
        }
        QuestionKind::Several(_) => {
            let options = options.map(|option| (option.key.clone(), option.label.clone()));
            DecisionControl::Several(options.collect())
        }
        QuestionKind::Text(most) => {
            let mut texts: Vec<(String, String)> = vec![];
            for (answer, rater) in question.given.iter().zip(raters) {
                let Some(answer) = answer else { continue };
                let value = answer_text(answer);
                if texts.iter().all(|(known, _)| *known != value) {
                    texts.push((value, rater.clone()));
                }
            }
            DecisionControl::Words(texts, most)
        }
    }
}

fn decision_control(
    question: &ConsensusQuestion,
    dimension: Option<&Dimension>,
    settings: &StudySettings,
) -> DecisionControl {
    let value = |answer: AnnotationAnswer| answer_text(&answer);

    match &question.slot {
        AnnotationSlot::Category { .. } => {
            let option = |category: &Category| {
                let value = value(AnnotationAnswer::Category(Some(*category)));
                (value, category.title().to_owned())
            };
            DecisionControl::Options(Category::ALL.iter().map(option).collect())
        }
        AnnotationSlot::Unjudged { .. } => {
            let judged = (
                value(AnnotationAnswer::Unjudged(None)),
                "It can be judged".to_owned(),
            );
            let reasons = UnjudgedReason::ALL.iter().map(|reason| {
                let value = value(AnnotationAnswer::Unjudged(Some(*reason)));
                (value, reason.short_label().to_owned())
            });

            DecisionControl::Options(std::iter::once(judged).chain(reasons).collect())
        }
        AnnotationSlot::Comparison { outputs, .. } => {
            let choices = possible_choices(outputs, settings);
            let option = |choice: ComparisonChoice<OutputId>| {
                let answer = AnnotationAnswer::Comparison(Some(choice));
                let words = describe_answer(&question.slot, &answer, dimension);
                (answer_text(&answer), words)
            };
            DecisionControl::Options(choices.into_iter().map(option).collect())
        }
        _ => {
            let dimension = dimension.cloned().unwrap_or_default();
            let scale = dimension.scale;
            match dimension.input.levels() {
                Some(labels) => {
                    let levels = (scale.low..=scale.high).zip(labels);
                    let option = |(level, label): (i32, &String)| {
                        (level.to_string(), format!("{level} · {label}"))
                    };
                    DecisionControl::Options(levels.map(option).collect())
                }
                None => {
                    let given = question.given.iter().flatten().map(answer_text);
                    let mut given: Vec<_> = given.collect();
                    given.dedup();
                    DecisionControl::Number(scale.low, scale.high, given)
                }
            }
        }
    }
}

/// The choices that a comparison of outputs offers.
fn possible_choices(
    outputs: &[OutputId],
    settings: &StudySettings,
) -> Vec<ComparisonChoice<OutputId>> {
    let allows_ties = settings
        .protocol
        .compare_step()
        .is_some_and(|step| step.allows_ties);

    if let [_, _] = outputs {
        let better = outputs.iter().copied().map(ComparisonChoice::Better);
        let tie = allows_ties.then_some(ComparisonChoice::Tie);
        return better.chain(tie).collect();
    }

    let mut choices = vec![];
    for best in outputs {
        for worst in outputs.iter().filter(|worst| *worst != best) {
            choices.push(ComparisonChoice::BestWorst {
                best: Some(*best),
                worst: Some(*worst),
            });
        }
    }
    choices
}

fn question_label(slot: &AnnotationSlot) -> String {
    match slot {
        AnnotationSlot::Category { .. } => "Category".to_owned(),
        AnnotationSlot::Unjudged { .. } => "Can it be judged?".to_owned(),
        AnnotationSlot::Rating { dimension, .. } | AnnotationSlot::Comparison { dimension, .. } => {
            dimension.clone()
        }
        _ => String::new(),
    }
}

fn describe_mark(given: &GivenMark) -> String {
    match given {
        GivenMark::Absent => "not marked".to_owned(),
        GivenMark::Marked(None) => "marked".to_owned(),
        GivenMark::Marked(Some(level)) => level.clone(),
    }
}

/// An answer in words.
fn describe_answer(
    slot: &AnnotationSlot,
    answer: &AnnotationAnswer,
    dimension: Option<&Dimension>,
) -> String {
    match answer {
        AnnotationAnswer::Category(Some(category)) => category.title().to_owned(),
        AnnotationAnswer::Unjudged(None) => "yes".to_owned(),
        AnnotationAnswer::Unjudged(Some(reason)) => reason.short_label().to_owned(),
        AnnotationAnswer::Rating(Some(score)) => {
            let score = score.get();
            let label = dimension.and_then(|dimension| {
                let place = usize::try_from(score - dimension.scale.low).ok()?;
                dimension.input.levels()?.get(place).cloned()
            });

            match label {
                Some(label) => format!("{score} · {label}"),
                None => score.to_string(),
            }
        }
        AnnotationAnswer::Comparison(Some(choice)) => {
            let outputs = match slot {
                AnnotationSlot::Comparison { outputs, .. } => outputs.as_slice(),
                _ => &[],
            };
            let letter = |output: &OutputId| {
                let place = outputs.iter().position(|own| own == output);
                let letters = 'A'..='Z';
                let letter = place.and_then(|place| letters.clone().nth(place));
                letter.map(String::from).unwrap_or_default()
            };

            match choice {
                ComparisonChoice::Tie => "neither".to_owned(),
                ComparisonChoice::Better(better) => format!("{} is better", letter(better)),
                ComparisonChoice::BestWorst { best, worst } => {
                    let letter =
                        |output: &Option<OutputId>| output.as_ref().map(letter).unwrap_or_default();
                    format!("{} best, {} worst", letter(best), letter(worst))
                }
            }
        }
        _ => String::new(),
    }
}
