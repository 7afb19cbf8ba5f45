use leptos::prelude::*;
use store::{Job, JobKind};

use super::{ImportStage, imports::Imports};
use app::{
    components::{Field, Moment},
    enhanced::{EnhancedForm, UploadArea},
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, refuse},
    services,
};
use service::import::ImportJob;

/// The most jobs of a study that are searched for imports.
const RECENT: u32 = 20;

/// The page to choose a file for import, with past imports.
#[component]
pub fn ImportPage() -> impl IntoView {
    study_page(
        "Import",
        StudyTab::Import,
        RequestAccess::require_lead,
        choose,
    )
}

async fn choose(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let jobs = services().store.jobs(access.study.id, RECENT).await;
    let mut jobs = jobs.map_err(refuse)?;
    jobs.retain(|job| job.kind == JobKind::Import);
    let entries = services().store.imports(access.study.id).await;
    let entries = entries.map_err(refuse)?;

    let slug = access.study.slug.to_string();
    let closed = access.study.closed_at.is_some();
    let form = if closed {
        view! {
            <p class="caution">
                {match access.study.archived_at {
                    Some(_) => "This study is archived. Take it out of the archive in its settings, and open it again, \
                                to import anything.",
                    None => "This study is closed. Open it again to import anything.",
                }}
            </p>
        }
        .into_any()
    } else {
        view! { <UploadForm slug=slug.clone()/> }.into_any()
    };

    Ok(view! {
        <h1>"Import"</h1>
        {form}
        <Imports slug=slug.clone() entries closed/>
        <Recent slug jobs/>
    })
}

/// The upload form.
#[component]
fn UploadForm(slug: String) -> impl IntoView {
    view! {
        <p class="lead">
            "Import sources, references, systems’ outputs and ratings. You can check what a file holds \
             before anything is saved."
        </p>
        <EnhancedForm action=links::to(links::UPLOAD) class="card" label="Upload a file" multipart=true>
            <input type="hidden" name="slug" value=slug/>
            <fieldset class="stack">
                <legend>"What it holds"</legend>
                <label>
                    <input type="radio" name="what" value="sources" checked/>
                    " Sources, with or without outputs and ratings: you can check them before anything is saved"
                </label>
                <label>
                    <input type="radio" name="what" value="references"/>
                    " References of existing sources, matched by text: you see which sources get none"
                </label>
                <label>
                    <input type="radio" name="what" value="scores"/>
                    " Scores of existing outputs, by metrics computed elsewhere: you state whether \
                     higher or lower is better"
                </label>
            </fieldset>
            <UploadArea>
                <Field
                    id="files"
                    label="File"
                    help="One table as CSV, TSV, JSONL or Excel (.xlsx); or texts with one sentence in each line, all \
                          together: NAME.orig, NAME.simp.0, NAME.simp.1 … and one file for each system. Each may \
                          be compressed (.gz)."
                >
                    <input
                        id="files"
                        name="files"
                        type="file"
                        multiple
                        required
                        aria-describedby="files-help"
                    />
                </Field>
            </UploadArea>
            <div class="actions">
                <button class="primary">"Upload"</button>
            </div>
        </EnhancedForm>
        <details class="formats">
            <summary>"Supported formats"</summary>
            <ul>
                <li>"SimpEval, past and 2022, with ratings and z-scores. In a 2022 file the columns do not \
                     stand for raters: add the companion file of raters on the next page."</li>
                <li>"Direct assessment and Likert ratings, and ASSET’s ratings."</li>
                <li>"Any other table, if you say what its columns mean, and JSONL with one object in \
                     each line."</li>
                <li>"The text around a source, which annotators see in grey: columns (or keys) context_before and \
                     context_after, or any others that you choose on the next page."</li>
                <li>"Excel workbooks (.xlsx): one sheet, which you can choose, up to 32 MB, or 128 MB unpacked. Larger tables: \
                     CSV."</li>
                <li>"Texts in UTF-8, UTF-16 or Windows-1252. Compressed by gzip up to 1 GB unpacked."</li>
                <li>"ASSET’s and EASSE’s text folders."</li>
                <li>"References: such a folder, NAME.src with NAME.dst (several on a line, separated by tabs), or \
                     a table with the columns source and reference."</li>
                <li>"Scores: a table with output_id, or with source and system, and one column for each metric."</li>
            </ul>
            <p>"Importing a file twice changes nothing."</p>
        </details>
    }
}

/// Past imports, newest first.
#[component]
fn Recent(slug: String, jobs: Vec<Job>) -> impl IntoView {
    (!jobs.is_empty()).then(|| {
        let row = |job: Job| {
            let page = StudyPage::ImportJob(job.id).address(&slug);
            let names = serde_json::from_value(job.input.clone()).map_or_else(
                |_| "a file".to_owned(),
                |input: ImportJob| input.names.join(", "),
            );
            view! {
                <tr>
                    <th scope="row" data-label="File" class="file"><a href=page>{names}</a></th>
                    <td data-label="Started"><Moment ms=job.created_at/></td>
                    <td data-label="Result">{summarise_job(&job)}</td>
                </tr>
            }
        };

        view! {
            <section aria-labelledby="recent">
                <h2 id="recent">"Recent imports"</h2>
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"File"</th>
                            <th scope="col">"Started"</th>
                            <th scope="col">"Result"</th>
                        </tr>
                    </thead>
                    <tbody>{jobs.into_iter().map(row).collect_view()}</tbody>
                </table>
            </section>
        }
    })
}

/// The result of an import, in a few words.
fn summarise_job(job: &Job) -> String {
    match ImportStage::from_job(job) {
        ImportStage::Queued => "waiting".into(),
        ImportStage::Running => "in progress".into(),
        ImportStage::Cancelled => "cancelled".into(),
        ImportStage::Failed(_) => "failed".into(),
        ImportStage::Refused(report) => {
            format!("nothing imported: {} bad rows", report.bad)
        }
        ImportStage::Done(report) => {
            let left_out = match report.bad {
                0 => String::new(),
                bad => format!(", {bad} left out"),
            };
            format!("{} rows{left_out}", report.rows)
        }
    }
}
