use domain::comprehension::{AnswerChoice, ComprehensionSettings, PassagePurpose};
use leptos::prelude::*;
use store::comprehension::{ParticipantQuestion, ParticipantSession, ParticipantText};

use app::{
    api::{EraseReader, FinishText, SaveReading, WithdrawReader},
    links,
    page_script::PageScript,
    services,
};

/// A text with its questions, which stays in sight while they are answered. Without scripts it is a form; with
/// them each answer is stored right away, by the browser and then by the server.
#[component]
pub(super) fn TextPage(
    settings: ComprehensionSettings,
    session: ParticipantSession,
    /// The number of the text, from 0.
    at: usize,
    /// Whether the questions were requested. Matters only if the text is hidden while they are
    /// answered.
    asked: bool,
) -> impl IntoView {
    let (texts, reading) = (session.texts.len(), session.texts[at].clone());
    let (hides, goes_back) = (settings.hides_text, settings.goes_back);
    let title = match reading.title.as_str() {
        "" => format!("Text {}", at + 1),
        title => title.to_owned(),
    };
    let kind = match reading.purpose {
        PassagePurpose::Practice => "Practice: ",
        PassagePurpose::Main | PassagePurpose::Check => "",
    };

    let content = if hides && !asked {
        let address = links::to(&(links::read_text(at + 1) + "&questions"));
        view! {
            <article class="card passage-text" aria-labelledby="passage">
                <p>{reading.text}</p>
            </article>
            <p class="actions">
                <a class="button primary" href=address>"I have read it, show the questions"</a>
            </p>
        }
        .into_any()
    } else {
        let text = (!hides).then(|| reading.text.clone());
        let back = (goes_back && at > 0).then(|| links::to(&links::read_text(at)));
        let participant = session.participant.to_string();
        let unanswerable = settings.unanswerable;
        view! {
            {text.map(|text| view! { <TextInSight text/> })}
            <Questions reading participant unanswerable back/>
        }
        .into_any()
    };

    view! {
        <p class="soft">
            {kind} "Text " {at + 1} " of " {texts}
            <progress max=texts.to_string() value=at.to_string() aria-label="Texts done"></progress>
        </p>
        <div class="reading">
            <h1 id="passage">{title}</h1>
            {content}
        </div>
        <WithdrawalForm/>
    }
}

/// The text next to or above its questions; the participant may fold it.
#[component]
fn TextInSight(text: String) -> impl IntoView {
    view! {
        <details class="card passage-text" open=true>
            <summary>"Text"</summary>
            <div role="region" aria-labelledby="passage" tabindex="0">
                <p>{text}</p>
            </div>
        </details>
    }
}

/// The questions on a text. The script lists those without an answer when the participant wants to go on;
/// without it the browser names them.
#[component]
fn Questions(
    reading: ParticipantText,
    participant: String,
    unanswerable: String,
    /// The address of the previous text, if the participant may go back to it.
    back: Option<String>,
) -> impl IntoView {
    let (action, save) = (
        links::action::<FinishText>(),
        links::action::<SaveReading>(),
    );
    let id = reading.id.to_string();
    let questions = reading.questions.into_iter().enumerate();
    let questions = questions
        .map(|(number, asked)| view! { <QuestionField number asked/> })
        .collect_view();

    view! {
        <form
            method="post"
            action=action
            id="questions"
            aria-label="Questions"
            data-save=save
            data-reading=id.clone()
            data-participant=participant
        >
            <input type="hidden" name="reading" value=id.clone()/>
            <p id="not-in-text" class="soft"><b>"Unanswerable: "</b> {unanswerable}</p>
            <p class="soft with-keys">"Keys "<kbd>"1"</kbd>" to "<kbd>"5"</kbd>" answer a question, "<kbd>"Enter"</kbd>" continues."</p>
            {questions}
            <div id="missing" class="alert" role="group" aria-labelledby="missing-count" tabindex="-1" hidden>
                <p id="missing-count"></p>
                <ul></ul>
            </div>
            <div class="actions">
                {back.map(|back| view! { <a href=back>"Back"</a> })}
                <button class="primary">"Next"</button>
                <span id="saved" role="status" class="soft"></span>
            </div>
        </form>
        <PageScript name="reading"/>
    }
}

/// A question with its answers in the order of the session; none is preselected. The page knows the words
/// and the place of an answer, which do not reveal whether it is right.
#[component]
fn QuestionField(number: usize, asked: ParticipantQuestion) -> impl IntoView {
    let field = format!("answers[{number}][choice]");
    let id = services().context.new_id().to_string();
    let question = asked.question.clone();

    let option = |(place, choice): (u8, AnswerChoice)| {
        let text = question
            .answer(choice)
            .map_or_else(|| "Unanswerable".to_owned(), str::to_owned);
        let explained = (choice == AnswerChoice::Unanswerable).then_some("not-in-text");
        view! {
            <label class="answer">
                <input
                    type="radio"
                    name=field.clone()
                    value=place.to_string()
                    required
                    checked=asked.choice == Some(choice)
                    aria-describedby=explained
                />
                <kbd>{place}</kbd>
                <span>{text}</span>
            </label>
        }
    };

    view! {
        <fieldset
            class="card question"
            id=format!("question-{number}")
            role="radiogroup"
            aria-labelledby=format!("asked-{number}")
            data-question=asked.id.to_string()
        >
            <legend id=format!("asked-{number}")>{asked.question.text().to_owned()}</legend>
            <p class="missing-note" id=format!("missing-{number}") hidden>"Choose an answer."</p>
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
