use formats::InputOptions;
use leptos::prelude::*;

use super::reading::{InputFields, OtherReading, PreviewError, with_sheet};
use crate::charts::decimal;
use app::{
    api::{ACCEPTED, BeginReferences, files, uploads},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
    request::{RequestAccess, refuse},
    services,
};
use service::import::{
    MatchedReferences, PreviewTurn, ReferenceSummary, SourceWithoutReferences, UnusedReferenceText,
};

/// The sources that the references belong to, and the sources that get none.
pub(super) async fn preview(
    access: &RequestAccess,
    turn: &PreviewTurn,
    ids: String,
    input: InputOptions,
) -> Result<AnyView, PreviewError> {
    let uploaded_files = files(access, &uploads(&ids)?).await?.in_turn(turn);
    let services = services();
    let sources = services.live.source_list(&services.store, access.study.id);
    let sources = sources.await.map_err(refuse)?;
    let MatchedReferences {
        summary,
        format,
        input: found,
    } = uploaded_files.match_references(sources, &input).await?;

    let here = StudyPage::ImportPreview(&ids).path(&access.study.slug);
    let reading = format.describe_reading(&found, None);
    let read_input = with_sheet(&input, &found);
    let slug = access.study.slug.to_string();
    let action = links::action::<BeginReferences>();

    Ok(view! {
        <p class="crumb"><a href=StudyPage::Import.address(&slug)>"Import"</a></p>
        <h1 class="file">{uploaded_files.names().join(", ")}</h1>
        <p class="lead">{summary.sentence()}</p>
        <p class="soft recognised">{reading}</p>
        <OtherReading here kept=vec![("what", "references".to_owned())] found stated=input/>
        <EnhancedForm action=action label="Import the references">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="uploads" value=ids/>
            <InputFields field="input" input=read_input/>
            <ReferenceDetails summary offered=true/>
            <div class="actions">
                <button class="primary">"Import"</button>
            </div>
        </EnhancedForm>
    }
    .into_any())
}

/// Sources without references, and texts of the file that belong to no source.
#[component]
pub(super) fn ReferenceDetails(
    summary: ReferenceSummary,
    /// Whether the nearest text can be ticked for a source: only within a form.
    offered: bool,
) -> impl IntoView {
    let ReferenceSummary {
        without,
        first_without,
        unused,
        first_unused,
        ..
    } = summary;

    let listed = first_without.len();
    let source = move |source: SourceWithoutReferences| view! { <li class="card">{without_references(source, offered)}</li> };
    let sources = (without > 0).then(|| {
        let help = if offered {
            "The file does not have their exact text. Tick the most similar text to use its references for a \
             source."
        } else {
            "The file does not have their exact text. Scores that need references leave out the outputs of \
             these sources."
        };
        view! {
            <section aria-labelledby="without">
                <h2 id="without">{format!("Sources without references ({without})")}</h2>
                <p class="soft">{help}</p>
                {(listed < without).then(|| view! {
                    <p class="soft">{format!("The first {listed} of them:")}</p>
                })}
                <ul class="plain stack">{first_without.into_iter().map(source).collect_view()}</ul>
            </section>
        }
    });

    let text = |text: UnusedReferenceText| view! { <li>{format!("Line {}: {}", text.line, text.text)}</li> };
    let texts = (unused > 0).then(|| {
        view! {
            <details>
                <summary>{format!("Texts of the file that belong to no source ({unused})")}</summary>
                <ul>{first_unused.into_iter().map(text).collect_view()}</ul>
            </details>
        }
    });

    view! { {sources} {texts} }
}

/// A source, and the text that is most like it.
fn without_references(of: SourceWithoutReferences, offered: bool) -> impl IntoView {
    let nearest = of.nearest.map(|nearest| {
        let likeness = format!(
            "line {}, {} % alike: ",
            nearest.line,
            decimal(100.0 * nearest.similarity, 0)
        );
        match of.id.filter(|_| offered) {
            Some(id) => view! {
                <label class="choice">
                    <input
                        type="checkbox"
                        name=format!("accepted[{ACCEPTED}{id}]")
                        value=nearest.line.to_string()
                    />
                    <span>
                        {format!("Use {likeness}")} <q>{nearest.text}</q> " for this source"
                    </span>
                </label>
            }
            .into_any(),
            None => view! {
                <p class="soft">{format!("The nearest is {likeness}")} <q>{nearest.text}</q></p>
            }
            .into_any(),
        }
    });

    let none = nearest.is_none().then(|| {
        view! { <p class="soft">"No text in the file is similar."</p> }
    });

    view! {
        <p><b>{of.name}</b> " " {of.text}</p>
        {nearest}
        {none}
    }
}
