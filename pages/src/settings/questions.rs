use domain::{
    protocol::AnswerStep,
    questions::{
        AnswerOption, AskedQuestion, QuestionAbout, QuestionCondition, QuestionKind,
        QuestionOptions,
    },
};
use leptos::prelude::*;

use app::{
    api::SetQuestions,
    components::TextArea,
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The number of empty fields for new questions.
const SPARE: usize = 2;

/// The form for the questions that annotators answer: the current ones and a few empty ones for more.
#[component]
pub fn Questions(
    slug: String,
    /// The current settings.
    step: AnswerStep,
    /// Whether annotators put outputs in categories, on which questions can depend.
    categorises: bool,
) -> impl IntoView {
    let action = links::action::<SetQuestions>();
    let preview = StudyPage::Preview.address(&slug);

    // Keys and wordings of the questions on whose answers others can depend.
    let governors: Vec<(String, String)> = step
        .questions
        .iter()
        .filter(|question| !question.options().is_empty())
        .map(|question| (question.key.clone(), question.text.clone()))
        .collect();

    let lines = step
        .questions
        .into_iter()
        .map(Some)
        .chain([const { None }; SPARE])
        .take(*AnswerStep::COUNT.end());

    view! {
        <section>
            <h2>"Questions"</h2>
            <p class="soft">
                "What annotators answer about each output, or about the source. Clear a wording to remove a question. \
                 Answers that were given are kept under the keys of their question and options, so change a key only \
                 before the first answer. Answers to a question that is hidden count nowhere."
            </p>
            <EnhancedForm action=action label="Questions">
                <input type="hidden" name="slug" value=slug/>
                <div class="dimensions">
                    {lines.enumerate().map(|(at, question)| {
                        let governors = governors.clone();
                        view! { <QuestionFields at question governors categorises/> }
                    }).collect_view()}
                </div>
                <div class="actions">
                    <button class="primary">"Save the questions"</button>
                    <a href=preview>"Preview as annotator"</a>
                </div>
            </EnhancedForm>
        </section>
    }
}

/// The fields of one question.
#[component]
fn QuestionFields(
    at: usize,
    /// The question; `None` for a new one.
    question: Option<AskedQuestion>,
    governors: Vec<(String, String)>,
    categorises: bool,
) -> impl IntoView {
    let number = at + 1;
    let named = move |part: &str| format!("questions[{at}][{part}]");
    let id = move |part: &str| format!("question-{at}-{part}");
    let is_new = question.is_none();
    let question = question.unwrap_or_else(|| AskedQuestion {
        key: String::new(),
        text: String::new(),
        hint: String::new(),
        about: QuestionAbout::Output,
        kind: QuestionKind::One(vec![]),
        required: true,
        condition: None,
    });

    let (condition, answers) = match &question.condition {
        None => (String::new(), String::new()),
        Some(QuestionCondition::Category(categories)) => {
            let names: Vec<_> = categories.iter().map(ToString::to_string).collect();
            ("category".to_owned(), names.join(" "))
        }
        Some(QuestionCondition::Answered(QuestionOptions { question, options })) => {
            (question.clone(), options.join(" "))
        }
    };

    let kind = match question.kind {
        QuestionKind::One(_) => "one",
        QuestionKind::Several(_) => "several",
        QuestionKind::Text(_) => "text",
    };
    let length = match question.kind {
        QuestionKind::Text(most) => most.to_string(),
        _ => String::new(),
    };
    let options: Vec<_> = question.options().iter().map(option_line).collect();

    let choice = move |value: &str, label: &str, current: &str| {
        let selected = value == current;
        view! { <option value=value.to_owned() selected=selected>{label.to_owned()}</option> }
    };
    let kinds = [
        ("one", "one of some options"),
        ("several", "one or more of some options"),
        ("text", "a text of their own"),
    ];

    let abouts = QuestionAbout::ALL.iter().map(|about| {
        let label = match about {
            QuestionAbout::Output => "about each output",
            QuestionAbout::Source => "about the source",
        };
        choice(about.name(), label, question.about.name())
    });
    let category = (categorises || condition == "category")
        .then(|| choice("category", "in the categories", &condition));
    let earlier: Vec<_> = governors
        .iter()
        .filter(|(key, _)| *key != question.key)
        .map(|(key, text)| choice(key, &format!("after “{text}” ({key})"), &condition))
        .collect();

    let summary = match is_new {
        true => "Another question".to_owned(),
        false => format!("{number}. {}", question.text),
    };

    view! {
        <details class="more question" open=!is_new>
            <summary>{summary}</summary>
            <div class="field">
                <label for=id("text")>"Wording"</label>
                <input id=id("text") name=named("text") value=question.text maxlength="500" autocomplete="off"/>
            </div>
            <div class="field">
                <label for=id("hint")>"Hint"</label>
                <input id=id("hint") name=named("hint") value=question.hint maxlength="500" autocomplete="off"/>
            </div>
            <div class="question-line">
                <div class="field">
                    <label for=id("about")>"It is"</label>
                    <select id=id("about") name=named("about")>{abouts.collect_view()}</select>
                </div>
                <div class="field">
                    <label for=id("kind")>"Annotators answer by"</label>
                    <select id=id("kind") name=named("kind")>
                        {kinds.map(|(value, label)| choice(value, label, kind)).collect_view()}
                    </select>
                </div>
            </div>
            <div class="field unless-text">
                <label for=id("options")>"Options"</label>
                <TextArea
                    id=id("options")
                    name=named("options")
                    value=options.join("\n")
                    rows=4
                    described_by=id("options-help")
                />
                <p class="help" id=id("options-help")>
                    "One in each line, 2 to 12 of them. Write the key that exports use before an equals sign: "
                    <code>"yes = Yes, it is"</code> ". Without one, the key is made of the wording."
                </p>
            </div>
            <div class="field if-text">
                <label for=id("length")>"At most this many characters"</label>
                <input id=id("length") name=named("length") type="number" class="short" value=length placeholder="500"/>
            </div>
            <div class="question-line">
                <div class="field">
                    <label for=id("condition")>"It is shown"</label>
                    <select id=id("condition") name=named("condition")>
                        {choice("", "always", &condition)}
                        {category}
                        {earlier}
                    </select>
                </div>
                <div class="field if-condition">
                    <label for=id("answers")>"with these keys"</label>
                    <input
                        id=id("answers")
                        name=named("answers")
                        value=answers
                        autocomplete="off"
                        aria-describedby=id("answers-help")
                    />
                    <p class="help" id=id("answers-help")>
                        "The keys of the answers, or the categories (deletion, paraphrase, split), with a space between them."
                    </p>
                </div>
            </div>
            <div class="question-line">
                <div class="field">
                    <label for=id("key")>"Key"</label>
                    <input id=id("key") name=named("key") value=question.key maxlength="40" autocomplete="off" placeholder="made of the wording"/>
                </div>
                <div class="field">
                    <label for=id("place")>"Place"</label>
                    <input id=id("place") name=named("place") type="number" class="short" value=number/>
                </div>
            </div>
            <div class="choice">
                <input type="checkbox" id=id("required") name=named("required") value="yes" checked=question.required/>
                <label for=id("required")>"Must be answered before a source can be submitted"</label>
            </div>
        </details>
    }
}

/// An option as a line of its field.
fn option_line(option: &AnswerOption) -> String {
    format!("{} = {}", option.key, option.label)
}
