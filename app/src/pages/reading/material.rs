use domain::comprehension::{Doubt, PassagePurpose, doubts};
use leptos::prelude::*;
use store::comprehension::StoredPassage;

use crate::{
    components::{Field, counted},
    islands::EnhancedForm,
    links,
};

/// Doubts that are shown at most.
const SHOWN: usize = 20;

/// Passages with their texts and questions, what to look at in them, and the way to bring them in.
#[component]
pub(super) fn Material(
    slug: String,
    leads: bool,
    material: store::comprehension::Material,
) -> impl IntoView {
    let passages: Vec<_> = material
        .passages
        .iter()
        .map(|own| own.passage.clone())
        .collect();
    let questions: usize = passages.iter().map(|passage| passage.questions.len()).sum();
    let told = format!(
        "{}, {}, {}.",
        counted(passages.len(), "passage"),
        counted(material.conditions.len(), "condition"),
        counted(questions, "question"),
    );
    let doubts = doubts(&passages);
    let list = material
        .passages
        .into_iter()
        .map(|of| view! { <OnePassage of/> })
        .collect_view();
    view! {
        <section aria-labelledby="material">
            <h2 id="material">"Passages and questions"</h2>
            <p>{told}</p>
            {leads.then(|| view! { <BringIn slug/> })}
            <Doubts doubts/>
            <details>
                <summary>"All passages"</summary>
                {list}
            </details>
        </section>
    }
}

#[component]
fn BringIn(slug: String) -> impl IntoView {
    view! {
        <EnhancedForm
            action=links::to("/api/reading-upload")
            class="card"
            label="Bring a file in"
            multipart=true
        >
            <input type="hidden" name="slug" value=slug/>
            <Field
                id="reading-file"
                label="File"
                help="OneStopQA’s JSON, ATS-EVAL’s CSV, or CSV or JSONL with the columns passage, title, \
                      condition, text, question, question_text, a, b, c, d, participant, answer, order, \
                      active_ms. A is the right answer. All of a file comes in, or nothing; what is there \
                      already stays."
            >
                <input id="reading-file" name="files" type="file" required aria-describedby="reading-file-help"/>
            </Field>
            <div class="actions"><button class="primary">"Bring it in"</button></div>
        </EnhancedForm>
    }
}

#[component]
fn Doubts(doubts: Vec<Doubt>) -> impl IntoView {
    let more = doubts.len().saturating_sub(SHOWN);
    (!doubts.is_empty()).then(|| {
        let items = doubts
            .iter()
            .take(SHOWN)
            .map(|doubt| view! { <li>{doubt.to_string()}</li> });
        view! {
            <div class="caution">
                <p>"To be looked at before participants read:"</p>
                <ul>{items.collect_view()}</ul>
                {(more > 0).then(|| view! { <p>{format!("And {more} more.")}</p> })}
            </div>
        }
    })
}

#[component]
fn OnePassage(of: StoredPassage) -> impl IntoView {
    let passage = of.passage;
    let purpose = match of.purpose {
        PassagePurpose::Main => "",
        PassagePurpose::Practice => " (practice)",
        PassagePurpose::Check => " (attention check)",
    };
    let texts = passage.texts.into_iter().map(|(condition, text)| {
        view! {
            <h3>{condition.to_string()}</h3>
            <p>{text.as_str().to_owned()}</p>
        }
    });
    let questions = passage.questions.into_iter().map(|(name, question)| {
        let answers = question
            .answers()
            .clone()
            .map(|answer| view! { <li>{answer}</li> });
        view! {
            <h3>{name.to_string()} ": " {question.text().to_owned()}</h3>
            <ol type="A">{answers}</ol>
        }
    });
    view! {
        <details class="passage">
            <summary>{passage.name.to_string()} " " {passage.title} {purpose}</summary>
            {texts.collect_view()}
            {questions.collect_view()}
        </details>
    }
}
