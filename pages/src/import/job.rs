use leptos::prelude::*;
use store::Job;

use super::{ImportStage, reading::kind_name, report::ReportView};
use app::{
    api::{CancelImport, files, import_job, input_query, percent},
    components::Moment,
    enhanced::{EnhancedForm, JobProgress},
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, path_parameter, refuse},
    services,
};
use service::import::ImportJob;

/// The progress and the result of an import.
#[component]
pub fn ImportJobPage() -> impl IntoView {
    let id = path_parameter("job");
    study_page(
        "Import",
        StudyTab::Import,
        RequestAccess::require_lead,
        move |access| page(access, id),
    )
}

async fn page(access: RequestAccess, id: String) -> Result<impl IntoView, Refusal> {
    let job = import_job(&access, &id).await?;
    let input: Option<ImportJob> = serde_json::from_value(job.input.clone()).ok();
    let names = input.as_ref().map(|input| input.names.join(", "));
    let slug = access.study.slug.to_string();

    let again = match &input {
        Some(input) => preview_address(&access, input).await,
        None => None,
    };

    let content = match ImportStage::from_job(&job) {
        ImportStage::Queued | ImportStage::Running => {
            view! { <UnderWay slug=slug.clone() job=job.clone()/> }.into_any()
        }
        ImportStage::Done(report) => {
            let undo = undo_address(&access, &job).await?;
            view! { <ReportView slug=slug.clone() report=*report kept=true undo/> }.into_any()
        }
        ImportStage::Refused(report) => {
            view! { <ReportView slug=slug.clone() report=*report kept=false/> }.into_any()
        }
        ImportStage::Failed(why) => view! { <p class="alert">{why}</p> }.into_any(),
        ImportStage::Cancelled => view! {
            <p class="note">"The import was cancelled. Nothing of it was kept."</p>
        }
        .into_any(),
    };

    let again = again.filter(|_| job.state.is_over()).map(|address| {
        view! { <p><a class="button" href=address>"Import it with other settings"</a></p> }
    });

    Ok(view! {
        <p class="crumb"><a href=StudyPage::Import.address(&slug)>"Import"</a></p>
        <h1 class="file">{names.unwrap_or_else(|| "Import".to_owned())}</h1>
        <p class="soft">"Started " <Moment ms=job.created_at/></p>
        {content}
        {again}
    })
}

/// The address at which the import of this job can be undone, if it added anything that is still there.
async fn undo_address(access: &RequestAccess, job: &Job) -> Result<Option<String>, Refusal> {
    let imports = services().store.imports(access.study.id).await;
    let mut imports = imports.map_err(refuse)?.into_iter();
    let own = imports.find(|entry| entry.job == Some(job.id) && entry.undone_at.is_none());
    let own = own.filter(|_| access.study.closed_at.is_none());
    Ok(own.map(|entry| StudyPage::UndoImport(entry.id).address(&access.study.slug)))
}

/// The address of the preview of these files, while they still exist.
async fn preview_address(access: &RequestAccess, input: &ImportJob) -> Option<String> {
    files(access, &input.files).await.ok()?;
    let ids: Vec<_> = input.files.iter().map(ToString::to_string).collect();
    let raters = input.raters.map(|id| format!("&raters={id}"));
    let (slug, ids) = (&access.study.slug, ids.join(","));
    let query = format!(
        "?what={}{}{}",
        kind_name(input.kind),
        raters.unwrap_or_default(),
        input_query(&input.read_options.input)
    );
    Some(StudyPage::ImportPreview(&ids).address(slug) + &query)
}

/// The progress of a running import, with a way to cancel it.
#[component]
fn UnderWay(slug: String, job: Job) -> impl IntoView {
    let action = links::action::<CancelImport>();
    let percent = percent(&job);
    let id = job.id.to_string();
    // Shown without scripts only. With scripts, the progress shows it.
    let message = job.log.lines().last().map(str::to_owned);

    view! {
        <section class="card stack under-way" aria-label="Progress">
            <JobProgress
                slug=slug.clone()
                job=id.clone()
                doing="Importing".to_owned()
                percent=percent.to_string()
            />
            <noscript>
                <meta http-equiv="refresh" content="2"/>
                <p>"This page reloads until the import is over."</p>
                {message.map(|message| view! { <p>{message}</p> })}
            </noscript>
            <EnhancedForm action=action class="inline" label="Cancel the import">
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="job" value=id/>
                <button>"Cancel"</button>
            </EnhancedForm>
        </section>
        <p class="soft">
            "You may leave this page. The import continues, and you can find it under Import."
        </p>
    }
}
