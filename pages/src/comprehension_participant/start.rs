use domain::comprehension::ComprehensionSettings;
use leptos::prelude::*;

use app::{
    api::BeginReading, components::format_duration, enhanced::EnhancedForm, links,
    markdown::Markdown,
};

/// The information, consent and instructions before the first text.
#[component]
pub(super) fn Start(
    token: String,
    settings: ComprehensionSettings,
    /// The number of texts they will get.
    texts: u32,
    /// The recruitment platform's ids of the participant, its study and its session.
    platform: [String; 3],
) -> impl IntoView {
    let action = links::action::<BeginReading>();
    let [participant, platform_study, platform_session] = platform;
    let informed = !settings.information.is_empty();

    let information = informed.then(|| {
        view! {
            <section class="card sheet" aria-label="Information sheet">
                <Markdown text=settings.information/>
            </section>
        }
    });
    let consent = if informed {
        " I have read the information sheet and want to take part"
    } else {
        " I have read this and want to take part"
    };

    let (texts, on) = match texts {
        1 => ("one short text".to_owned(), "it"),
        texts => (format!("{texts} short texts"), "each"),
    };
    let introduction = format!(
        "You will read {texts} and answer the questions on {on} using only what the text says. Taking \
         part is voluntary, and you may withdraw at any time."
    );
    let instructions = (!settings.instructions.is_empty()).then(|| {
        view! { <h2>"What to do"</h2> <Markdown text=settings.instructions/> }
    });

    let lease = format_duration(u64::from(settings.lease_hours) * 3_600_000);
    let screening = settings.screening.into_iter().enumerate();
    let screening = screening
        .map(|(at, of)| {
            let answers = of.answers.into_iter().map(|answer| answer.text).collect();
            view! { <ScreeningField at question=of.question answers/> }
        })
        .collect_view();

    view! {
        <h1>"Before you begin"</h1>
        <p class="lead">{introduction}</p>
        {information}
        {instructions}
        <h2>"“Unanswerable”"</h2>
        <p>{settings.unanswerable}</p>
        <EnhancedForm action=action class="card" label="Take part">
            <input type="hidden" name="token" value=token/>
            <input type="hidden" name="participant" value=participant/>
            <input type="hidden" name="platform_study" value=platform_study/>
            <input type="hidden" name="platform_session" value=platform_session/>
            {screening}
            <p>
                <label>
                    <input type="checkbox" name="consent" value="yes" required/>
                    {consent}
                </label>
            </p>
            <div class="actions"><button class="primary">"Begin"</button></div>
        </EnhancedForm>
        <p class="soft">
            "You can pause: your answers are kept, and your place is held for " {lease}
            ", or for 30 minutes before your first answer."
        </p>
    }
}

/// A screening question.
#[component]
pub fn ScreeningField(
    /// Its place among the questions.
    at: usize,
    question: String,
    /// The answers to choose from; none for a free text.
    answers: Vec<String>,
) -> impl IntoView {
    let name = format!("screening[{at}]");
    let id = format!("screening-{at}");
    let field = if answers.is_empty() {
        view! { <input id=id.clone() name=name required maxlength="200"/> }.into_any()
    } else {
        let option = |answer: String| view! { <option>{answer}</option> };
        view! {
            <select id=id.clone() name=name required>
                <option value="">"Choose"</option>
                {answers.into_iter().map(option).collect_view()}
            </select>
        }
        .into_any()
    };

    view! {
        <div class="field">
            <label for=id>{question}</label>
            {field}
        </div>
    }
}
