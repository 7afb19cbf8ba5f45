use domain::ids::ImportId;
use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_params_map;
use store::import::ImportEntry;

use super::imports::{describe_counts, file_names};
use crate::{
    api::UndoImport,
    components::Moment,
    error::Refusal,
    islands::EnhancedForm,
    layout::{StudyTab, study_page},
    links,
    request::{RequestAccess, parse, refuse},
    services,
};

/// Asks whether an import is to be taken back, or says why it cannot be.
#[component]
pub fn UndoImportPage() -> impl IntoView {
    let id = use_params_map()
        .with_untracked(|params| params.get("import"))
        .unwrap_or_default();
    study_page(
        "Take an import back",
        StudyTab::Import,
        RequestAccess::require_lead,
        move |access| page(access, id),
    )
}

async fn page(access: RequestAccess, id: String) -> Result<impl IntoView, Refusal> {
    let store = services().store;
    let id: ImportId = parse::id(&id)?;
    let imports = store.imports(access.study.id).await.map_err(refuse)?;
    let entry = imports.into_iter().find(|entry| entry.id == id);
    let entry = entry.ok_or(Refusal::NotFound)?;
    let why = store.why_import_stays(id).await.map_err(refuse)?;
    let slug = access.study.slug.to_string();
    let back = links::to(&format!("/s/{slug}/import"));
    let content = match why {
        Some(why) => Either::Left(view! { <p class="alert">{why}</p> }),
        None => Either::Right(view! { <Ask slug entry=entry.clone()/> }),
    };
    Ok(view! {
        <p class="crumb"><a href=back>"Import"</a></p>
        <h1>"Take this import back?"</h1>
        <dl class="facts">
            <div><dt>"File"</dt><dd class="file">{file_names(&entry)}</dd></div>
            <div><dt>"Imported"</dt><dd><Moment ms=entry.ended_at/></dd></div>
            <div><dt>"It brought"</dt><dd>{describe_counts(&entry.counts)}</dd></div>
        </dl>
        {content}
    })
}

/// The question, with what is lost.
#[component]
fn Ask(slug: String, entry: ImportEntry) -> impl IntoView {
    let action = links::action::<UndoImport>();
    view! {
        <p>
            "Everything that it brought is deleted, scores of metrics of its outputs included. Nobody has \
             judged any of it. Systems and raters that others use stay. To bring it back, import the file \
             again."
        </p>
        <EnhancedForm action=action class="inline" label="Take the import back">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="import" value=entry.id.to_string()/>
            <button class="danger">"Take it back"</button>
        </EnhancedForm>
    }
}
