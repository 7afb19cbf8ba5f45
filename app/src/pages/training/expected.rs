use domain::{category::Category, ids::SourceId, score::Scale, study::OutputPurpose};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use store::SourceOutput;

use crate::{
    api::{Access, SetExpected, parse, refuse, services},
    error::Refusal,
    islands::EnhancedForm,
    layout::{Tab, study_page},
    links,
    pages::sources::{Highlights, purpose_title},
};

/// The answers that a lead expects to the outputs of one training item.
#[component]
pub fn ExpectedPage() -> impl IntoView {
    let id = use_params_map()
        .with_untracked(|params| params.get("source"))
        .unwrap_or_default();
    study_page(
        "Expected answers",
        Tab::Settings,
        Access::leads,
        move |access| expected(access, id),
    )
}

async fn expected(access: Access, id: String) -> Result<impl IntoView, Refusal> {
    let (store, study) = (services().store, &access.study);
    let id: SourceId = parse::id(&id)?;
    let source = store
        .source(study.id, id)
        .await
        .map_err(refuse)?
        .ok_or(Refusal::NotFound)?;
    let outputs = store.source_outputs(id).await.map_err(refuse)?;
    let scale = study
        .settings
        .dimensions
        .first()
        .map(|it| it.scale)
        .unwrap_or_default();
    let slug = study.slug.to_string();
    let back = links::to(&format!("/s/{slug}/training"));
    let text = source.text.clone();
    let card = |(at, output): (usize, SourceOutput)| {
        view! {
            <Expectation
                slug=slug.clone()
                source=id
                text=text.clone()
                output
                scale
                number=at + 1
            />
        }
    };
    // An identical output is judged with its twin.
    let judged = outputs
        .into_iter()
        .filter(|it| it.purpose == OutputPurpose::Main && it.twin_of.is_none());
    let cards = judged.enumerate().map(card).collect_view();
    Ok(view! {
        <p class="crumb"><a href=back>"Training items"</a></p>
        <div class="title-row">
            <h1>"Expected answers"</h1>
            <span class="tag">{purpose_title(source.purpose)}</span>
        </div>
        <div class="source-text"><p>{source.text}</p></div>
        <p class="soft">
            "Leave the group or the rating open where any answer will do. An explanation is shown \
             to the annotator together with them."
        </p>
        <div class="outputs">{cards}</div>
    })
}

/// One output, and the form for what is expected of it.
#[component]
fn Expectation(
    slug: String,
    source: SourceId,
    text: String,
    output: SourceOutput,
    scale: Scale,
    number: usize,
) -> impl IntoView {
    let action = links::action::<SetExpected>();
    let id = output.id.to_string();
    let set = output.expected.is_some();
    let expected = output.expected.unwrap_or_default();
    let chosen = expected.category;
    let option = move |category: Category| {
        let selected = chosen == Some(category);
        view! { <option value=category.name() selected=selected>{category.title()}</option> }
    };
    let automatic = format!("any (automatic: {})", output.category.name());
    view! {
        <article class="card output">
            <header>
                <h2>{output.system}</h2>
                {set.then(|| view! { <span class="tag done">"answer expected"</span> })}
            </header>
            <Highlights text=output.text edits=output.edits source=text/>
            <EnhancedForm action=action label=format!("Expected of output {number}")>
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="source" value=source.to_string()/>
                <input type="hidden" name="output" value=id/>
                <div class="side-by-side">
                    <Labelled label="Group">
                        <select name="category" aria-label=format!("Group of output {number}")>
                            <option value="">{automatic}</option>
                            {Category::ALL.map(option)}
                        </select>
                    </Labelled>
                    <Labelled label="Rating">
                        <input
                            name="rating"
                            type="number"
                            class="short"
                            min=scale.low
                            max=scale.high
                            aria-label=format!("Rating of output {number}")
                            value=expected.rating.map(|rating| rating.to_string())
                        />
                    </Labelled>
                    <Labelled label="Give or take">
                        <input
                            name="tolerance"
                            type="number"
                            class="short"
                            min="0"
                            max=scale.high - scale.low
                            aria-label=format!("Tolerance for output {number}")
                            value=expected.tolerance
                        />
                    </Labelled>
                </div>
                <Labelled label="Why">
                    <textarea
                        name="explanation"
                        class="low"
                        aria-label=format!("Explanation for output {number}")
                    >
                        {expected.explanation}
                    </textarea>
                </Labelled>
                <button class="primary">"Save"</button>
            </EnhancedForm>
        </article>
    }
}

/// A field whose name is said in full by its own label.
#[component]
fn Labelled(label: &'static str, children: Children) -> impl IntoView {
    view! {
        <div class="field">
            <span class="label" aria-hidden="true">{label}</span>
            {children()}
        </div>
    }
}
