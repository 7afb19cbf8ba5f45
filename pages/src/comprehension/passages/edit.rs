use domain::{
    comprehension::{AnswerChoice, PassagePurpose, Question},
    ids::{PassageId, QuestionId},
};
use leptos::prelude::*;
use store::comprehension::StoredPassage;

use super::purpose_title;
use app::{
    api::{AddQuestion, SetPassagePurpose, SetQuestion},
    components::Field,
    enhanced::EnhancedForm,
    links,
};

/// The form for a passage's purpose, as long as no participant has been given it.
#[component]
pub(super) fn EditPurpose(slug: String, of: StoredPassage) -> impl IntoView {
    if of.given {
        return view! {
            <p class="soft">
                "Participants have already been given this passage, so its purpose and its questions can no \
                 longer change."
            </p>
        }
        .into_any();
    }

    let action = links::action::<SetPassagePurpose>();
    let option = |purpose: &PassagePurpose| {
        let selected = *purpose == of.passage.purpose;
        view! { <option value=purpose.name() selected=selected>{purpose_title(*purpose)}</option> }
    };
    let options = PassagePurpose::ALL.iter().map(option).collect_view();

    view! {
        <EnhancedForm action=action class="card" label="Purpose of the passage">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="passage" value=of.id.to_string()/>
            <Field
                id="purpose"
                label="Purpose"
                help="Practice comes first. The right answer to an attention check is A: write questions \
                      that anyone who reads the text gets right. Neither counts in figures."
            >
                <select id="purpose" name="purpose" aria-describedby="purpose-help">{options}</select>
            </Field>
            <div class="actions"><button>"Save the purpose"</button></div>
        </EnhancedForm>
    }
    .into_any()
}

/// The form for the wording of a question and its answers.
#[component]
pub(super) fn EditQuestion(slug: String, id: QuestionId, question: Question) -> impl IntoView {
    let action = links::action::<SetQuestion>();
    let label = format!("Edit: {}", question.text());
    let was = serde_json::to_string(&question).expect("a question is plain data");

    view! {
        <details class="edit-question">
            <summary>"Edit this question"</summary>
            <EnhancedForm action=action class="card" label=label>
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="id" value=id.to_string()/>
                <input type="hidden" name="was" value=was/>
                <Words question=Some(question)/>
                <div class="actions"><button>"Save the question"</button></div>
            </EnhancedForm>
        </details>
    }
}

/// The form that adds a question.
#[component]
pub(super) fn AddQuestionForm(slug: String, passage: PassageId) -> impl IntoView {
    let action = links::action::<AddQuestion>();
    view! {
        <details class="edit-question">
            <summary>"Add a question"</summary>
            <EnhancedForm action=action class="card" label="Add a question">
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="passage" value=passage.to_string()/>
                <Words question=None/>
                <div class="actions"><button>"Add the question"</button></div>
            </EnhancedForm>
        </details>
    }
}

/// The fields for a question and its four answers.
#[component]
fn Words(question: Option<Question>) -> impl IntoView {
    let name = |choice: AnswerChoice| match choice {
        AnswerChoice::A => "A, right",
        AnswerChoice::B => "B, misreads the critical span",
        AnswerChoice::C => "C, from elsewhere in the text",
        AnswerChoice::D => "D, unsupported",
        AnswerChoice::Unanswerable => "Unanswerable",
    };
    let field = |label: &'static str, key: String, value: Option<String>| {
        // A browser drops line breaks from a single-line field, and with them the space between words.
        let value = value.map(|words| words.replace(char::is_control, " "));
        view! {
            <label class="field">
                <span>{label}</span>
                <input name=format!("question[{key}]") required maxlength="1000" value=value
                    autocomplete="off"/>
            </label>
        }
    };

    let answers = [
        AnswerChoice::A,
        AnswerChoice::B,
        AnswerChoice::C,
        AnswerChoice::D,
    ]
    .map(|choice| {
        let words = question
            .as_ref()
            .and_then(|question| question.answer(choice));
        let key = choice.name().to_lowercase();
        field(name(choice), key, words.map(str::to_owned))
    });
    let wording = question.as_ref().map(|question| question.text().to_owned());

    view! {
        {field("Question", "text".to_owned(), wording)}
        {answers}
    }
}
