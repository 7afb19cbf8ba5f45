use domain::ids::ImportId;
use leptos::{either::Either, prelude::*};
use store::import::ImportEntry;

use super::imports::{describe_counts, file_names};
use app::{
    api::UndoImport,
    components::Moment,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, parse, path_parameter, refuse},
    services,
};

/// The confirmation for undoing an import, or the reason why it cannot be undone.
#[component]
pub fn UndoImportPage() -> impl IntoView {
    let id = path_parameter("import");
    study_page(
        "Undo an import",
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
    let back = StudyPage::Import.address(&slug);
    let content = match why {
        Some(why) => Either::Left(view! { <p class="alert">{why}</p> }),
        None => Either::Right(view! { <UndoConfirmation slug entry=entry.clone()/> }),
    };

    Ok(view! {
        <p class="crumb"><a href=back>"Import"</a></p>
        <h1>"Undo this import?"</h1>
        <dl class="facts">
            <div><dt>"File"</dt><dd class="file">{file_names(&entry)}</dd></div>
            <div><dt>"Imported"</dt><dd><Moment ms=entry.ended_at/></dd></div>
            <div><dt>"It added"</dt><dd>{describe_counts(&entry.counts)}</dd></div>
        </dl>
        {content}
    })
}

/// The confirmation, with what will be deleted.
#[component]
fn UndoConfirmation(slug: String, entry: ImportEntry) -> impl IntoView {
    let action = links::action::<UndoImport>();

    view! {
        <p>
            "Everything it added will be deleted, including the metric scores of its outputs. None of it has \
             been judged. Systems and raters that are used elsewhere stay. To get it back, import the file \
             again."
        </p>
        <EnhancedForm action=action class="inline" label="Undo the import">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="import" value=entry.id.to_string()/>
            <button class="danger">"Undo the import"</button>
        </EnhancedForm>
    }
}
