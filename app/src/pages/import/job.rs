use leptos::prelude::*;
use store::Job;

use super::{ImportStage, report::ReportView};
use crate::{
    api::{CancelImport, files, import_job, percent},
    components::Moment,
    error::Refusal,
    islands::{EnhancedForm, JobProgress},
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, path_parameter},
};
use service::import::{ImportJob, ImportKind};

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
            view! { <ReportView slug=slug.clone() report=*report kept=true/> }.into_any()
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

/// The address of the preview of these files, while they still exist.
async fn preview_address(access: &RequestAccess, input: &ImportJob) -> Option<String> {
    files(access, &input.files).await.ok()?;
    let ids: Vec<_> = input.files.iter().map(ToString::to_string).collect();
    let raters = input.raters.map(|id| format!("?raters={id}"));
    let (slug, ids) = (&access.study.slug, ids.join(","));
    let query = match input.kind {
        ImportKind::Sources => raters.unwrap_or_default(),
        ImportKind::References => "?what=references".to_owned(),
        ImportKind::Scores => "?what=scores".to_owned(),
    };
    Some(StudyPage::ImportPreview(&ids).address(slug) + &query)
}

/// The progress of a running import, with a way to cancel it.
#[component]
fn UnderWay(slug: String, job: Job) -> impl IntoView {
    let action = links::action::<CancelImport>();
    let percent = percent(&job);
    let id = job.id.to_string();
    // With scripts, the progress shows it.
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
