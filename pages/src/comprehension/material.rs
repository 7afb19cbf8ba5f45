use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use domain::comprehension::{MaterialName, MaterialWarning};
use leptos::prelude::*;

use super::sections::ComprehensionSection;
use app::{
    api::TakeSources,
    components::Field,
    enhanced::{EnhancedForm, UploadArea},
    links,
};
use service::{figures::comprehension::StudyComprehension, wording::count_noun};

/// The most concerns listed.
const SHOWN: usize = 200;

/// Passages with their texts and questions, what to check in them, and the ways to import them.
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
    let summary = format!(
        "{}, {}, {}.",
        count_noun(passages.len(), "passage"),
        count_noun(material.conditions.len(), "condition"),
        count_noun(questions, "question"),
    );
    let list = ComprehensionSection::Passages.address(&slug);

    view! {
        <section aria-labelledby="material">
            <h2 id="material">"Passages and questions"</h2>
            <p>{summary}</p>
            {leads.then(|| view! { <BringIn slug has_sources/> })}
            <Concerns doubts=reading.doubts.clone()/>
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
            action=links::to(links::READING_UPLOAD)
            class="card"
            label="Upload a file"
            multipart=true
        >
            <input type="hidden" name="slug" value=same/>
            <UploadArea>
                <Field
                    id="reading-file"
                    label="File"
                    help="OneStopQA’s JSON, ATS-EVAL’s CSV, or CSV or JSONL with a text, a question or an answer in \
                          each row. The next page shows what the file holds before anything is imported, and asks \
                          what its columns mean."
                >
                    <input id="reading-file" name="files" type="file" required aria-describedby="reading-file-help"/>
                </Field>
            </UploadArea>
            <div class="actions"><button class="primary">"Upload"</button></div>
        </EnhancedForm>
        {has_sources.then(|| view! {
            <EnhancedForm action=own class="card" label="Read the study’s own texts">
                <input type="hidden" name="slug" value=slug/>
                <button>"Read the study’s own sources and outputs"</button>
                <p class="help">
                    "Makes a passage from each source, with a condition for the original, each reference \
                     and each system. You write or import the questions afterwards. Existing material stays \
                     as it is."
                </p>
            </EnhancedForm>
        })}
    }
}

/// The concerns about the material: one line, with the concerns of each passage folded below it.
#[component]
pub(super) fn Concerns(doubts: Vec<MaterialWarning>) -> impl IntoView {
    let more = doubts.len().saturating_sub(SHOWN);
    let mut by_passage = BTreeMap::<&MaterialName, Vec<String>>::new();
    for doubt in doubts.iter().take(SHOWN) {
        let own = by_passage.entry(doubt.passage()).or_default();
        own.push(doubt.to_string());
    }

    let passages: BTreeSet<_> = doubts.iter().map(MaterialWarning::passage).collect();
    let summary = format!(
        "Check before participants read: {} in {}",
        count_noun(doubts.len(), "warning"),
        count_noun(passages.len(), "passage")
    );

    let passage = |(name, doubts): (&MaterialName, Vec<String>)| {
        let items = doubts.into_iter().map(|doubt| view! { <li>{doubt}</li> });
        view! {
            <p>{format!("Passage {name}")}</p>
            <ul>{items.collect_view()}</ul>
        }
    };

    (!doubts.is_empty()).then(|| {
        view! {
            <details class="caution">
                <summary>{summary}</summary>
                {by_passage.into_iter().map(passage).collect_view()}
                {(more > 0).then(|| view! { <p>{format!("And {more} more.")}</p> })}
            </details>
        }
    })
}
