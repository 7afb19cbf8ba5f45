use std::sync::Arc;

use domain::comprehension::MaterialWarning;
use leptos::prelude::*;

use super::sections::ComprehensionSection;
use crate::{api::TakeSources, components::Field, islands::EnhancedForm, links};
use service::{figures::comprehension::StudyComprehension, wording::count_noun};

/// Doubts that are shown at most.
const SHOWN: usize = 20;

/// Passages with their texts and questions, what to look at in them, and the way to bring them in.
#[component]
pub(super) fn Material(
    slug: String,
    leads: bool,
    /// Whether the study has texts of its own to read.
    has_sources: bool,
    reading: Arc<StudyComprehension>,
) -> impl IntoView {
    let material = &reading.material;
    let passages = &material.passages;
    let questions: usize = passages.iter().map(|own| own.questions.len()).sum();
    let told = format!(
        "{}, {}, {}.",
        count_noun(passages.len(), "passage"),
        count_noun(material.conditions.len(), "condition"),
        count_noun(questions, "question"),
    );
    let list = ComprehensionSection::Passages.address(&slug);
    view! {
        <section aria-labelledby="material">
            <h2 id="material">"Passages and questions"</h2>
            <p>{told}</p>
            {leads.then(|| view! { <BringIn slug has_sources/> })}
            <Doubts doubts=reading.doubts.clone()/>
            <p>
                <a href=list>"Passages and questions"</a>
                ": read and edit them, and choose practice and attention checks."
            </p>
        </section>
    }
}

#[component]
fn BringIn(slug: String, has_sources: bool) -> impl IntoView {
    let (own, same) = (links::action::<TakeSources>(), slug.clone());
    view! {
        <EnhancedForm
            action=links::to("/api/reading-upload")
            class="card"
            label="Send a file in"
            multipart=true
        >
            <input type="hidden" name="slug" value=same/>
            <Field
                id="reading-file"
                label="File"
                help="OneStopQA’s JSON, ATS-EVAL’s CSV, or CSV or JSONL with a text, a question or an answer a \
                      row. The next page shows what it holds before anything is brought in, and asks what \
                      its columns are."
            >
                <input id="reading-file" name="files" type="file" required aria-describedby="reading-file-help"/>
            </Field>
            <div class="actions"><button class="primary">"Send the file"</button></div>
        </EnhancedForm>
        {has_sources.then(|| view! {
            <EnhancedForm action=own class="card" label="Read the study’s own texts">
                <input type="hidden" name="slug" value=slug/>
                <button>"Read the study’s own sources and outputs"</button>
                <p class="help">
                    "Makes a passage of each source, with a condition for the original, each reference \
                     and each system. Questions are written or brought in afterwards. What is there \
                     already stays."
                </p>
            </EnhancedForm>
        })}
    }
}

/// What to look at in the material, the first of it.
#[component]
pub(super) fn Doubts(doubts: Vec<MaterialWarning>) -> impl IntoView {
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
