use domain::comprehension::{AnswerChoice, ComprehensionSettings, PassagePurpose};
use leptos::{nonce::Nonce, prelude::*};
use store::comprehension::{ParticipantQuestion, ParticipantSession};

use crate::{
    api::{EraseReader, FinishText, SaveReading, WithdrawReader},
    links, services,
};

/// A text with its questions. Without scripts it is a form; with them each answer is stored right away,
/// by the browser and then by the server.
#[component]
pub(super) fn TextPage(
    settings: ComprehensionSettings,
    session: ParticipantSession,
    /// The number of the text, from 0.
    at: usize,
    /// Whether the questions were requested, where the text is hidden before them.
    asked: bool,
) -> impl IntoView {
    let (texts, reading) = (session.texts.len(), session.texts[at].clone());
    let nonce = expect_context::<Nonce>();
    let hides = settings.hides_text;
    let text = (!hides || !asked).then(|| {
        view! {
            <article class="card passage-text" aria-labelledby="passage">
                <h2 id="passage">{reading.title.clone()}</h2>
                <p>{reading.text.clone()}</p>
            </article>
        }
    });
    let back = (settings.goes_back && at > 0)
        .then(|| view! { <a href=links::to(&links::read_text(at))>"Back"</a> });
    let kind = match reading.purpose {
        PassagePurpose::Practice => "Practice: ",
        PassagePurpose::Main | PassagePurpose::Check => "",
    };
    let questions = if hides && !asked {
        let address = links::to(&(links::read_text(at + 1) + "&questions"));
        view! {
            <p class="actions">
                <a class="button primary" href=address>"I have read it, show the questions"</a>
            </p>
        }
        .into_any()
    } else {
        let questions = reading.questions.into_iter().enumerate();
        let unanswerable = settings.unanswerable;
        let question = |(number, asked)| {
            view! { <QuestionField number asked unanswerable=unanswerable.clone()/> }
        };
        let questions = questions.map(question).collect_view();
        let (action, save) = (
            links::action::<FinishText>(),
            links::action::<SaveReading>(),
        );
        view! {
            <form
                method="post"
                action=action
                id="questions"
                data-save=save
                data-reading=reading.id.to_string()
                data-participant=session.participant.to_string()
            >
                <input type="hidden" name="reading" value=reading.id.to_string()/>
                {questions}
                <div class="actions">
                    {back}
                    <button class="primary">"Next"</button>
                    <span id="saved" role="status" class="soft"></span>
                </div>
            </form>
            <script type="module" nonce=nonce>{include_str!("reading.js")}</script>
        }
        .into_any()
    };
    view! {
        <p class="soft">
            {kind} "Text " {at + 1} " of " {texts}
            <progress max=texts.to_string() value=at.to_string() aria-label="Texts done"></progress>
        </p>
        <h1>"Read, then answer"</h1>
        {text}
        {questions}
        <WithdrawalForm/>
    }
}

/// A question with its answers in the order of the session; none is preselected. The page knows the words
/// and the place of an answer, which do not reveal whether it is right.
#[component]
fn QuestionField(number: usize, asked: ParticipantQuestion, unanswerable: String) -> impl IntoView {
    let field = format!("answers[{number}][choice]");
    let id = services().context.new_id().to_string();
    let question = asked.question.clone();
    let option = |(place, choice): (u8, AnswerChoice)| {
        let text = question
            .answer(choice)
            .map_or_else(|| "Unanswerable".to_owned(), str::to_owned);
        let help = (choice == AnswerChoice::Unanswerable)
            .then(|| view! { <small class="soft">{unanswerable.clone()}</small> });
        view! {
            <label class="answer">
                <input
                    type="radio"
                    name=field.clone()
                    value=place.to_string()
                    required
                    checked=asked.choice == Some(choice)
                />
                <kbd>{place}</kbd>
                <span>{text} " " {help}</span>
            </label>
        }
    };
    view! {
        <fieldset class="card question" data-question=asked.id.to_string()>
            <legend>{asked.question.text().to_owned()}</legend>
            <input type="hidden" name=format!("answers[{number}][id]") value=id/>
            <input
                type="hidden"
                name=format!("answers[{number}][question]")
                value=asked.id.to_string()
            />
            {(1..).zip(asked.order.shown()).map(option).collect_view()}
        </fieldset>
    }
}

#[component]
fn WithdrawalForm() -> impl IntoView {
    let (withdraw, erase) = (
        links::action::<WithdrawReader>(),
        links::action::<EraseReader>(),
    );
    view! {
        <details class="leave">
            <summary>"Withdraw"</summary>
            <p>
                "This session will end, and your answers will not be used. You cannot undo this. They stay \
                 stored, marked as withdrawn, unless you erase them."
            </p>
            <div class="actions">
                <form method="post" action=withdraw>
                    <button class="danger">"Withdraw"</button>
                </form>
                <form method="post" action=erase>
                    <button class="danger">"Withdraw and erase my answers"</button>
                </form>
            </div>
        </details>
    }
}
