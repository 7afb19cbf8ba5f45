//! Imports as jobs of a study, and the uploaded files that they read.

use domain::ids::{JobId, UploadId};
use service::{
    Context,
    import::{
        ImportChoices, ImportFileError, ImportJob, ImportKind, ImportOptions, ReadOptions,
        UploadedFiles,
    },
};
use store::{Job, JobKind, NewJob, audit::NewAuditEntry};

use super::{InputOptionFields, parse_input_options};
use crate::{Services, api::ssr::*, error::Refusal};

/// Queues an import that adds to existing sources and outputs, and leads to its progress.
///
/// # Errors
/// [`Refusal::Invalid`] where the files cannot be read as that kind.
pub(super) async fn enqueue_supplementary_import(
    access: &RequestAccess,
    uploads: &str,
    what: ImportKind,
    choices: ImportChoices,
    input: &InputOptionFields,
) -> Result<(), Refusal> {
    let file_ids = self::uploads(uploads)?;

    let turn = services().previews.take(access.person.id).await;
    let uploaded_files = files(access, &file_ids).await?.in_turn(&turn);
    let input = parse_input_options(input)?;
    let checked = uploaded_files.check_as(what, &input).await;
    checked.map_err(refuse_files)?;

    let input = ImportJob {
        names: uploaded_files.names(),
        files: file_ids,
        raters: None,
        read_options: ReadOptions {
            input,
            ..ReadOptions::default()
        },
        import_options: ImportOptions::default(),
        kind: what,
        choices,
    };

    enqueue_import(access, &input).await
}

/// Queues an import and leads to its progress.
pub(super) async fn enqueue_import(
    access: &RequestAccess,
    input: &ImportJob,
) -> Result<(), Refusal> {
    let services = services();
    let subject = AuditSubject::Named(input.names.join(", "));
    let (kind, study) = (AuditKind::ImportBegun, Some(access.study.id));

    let entry = audit_entry(&services, &visitor(), kind, study, subject);
    let id = enqueue_import_as(&services, entry, access, input).await?;
    redirect_to(StudyPage::ImportJob(id), &access.study.slug)
}

/// Queues an import and writes the audit entry, outside a Leptos request.
///
/// # Errors
/// When the database fails.
pub async fn enqueue_import_as(
    services: &Services,
    entry: NewAuditEntry,
    access: &RequestAccess,
    input: &ImportJob,
) -> Result<JobId, Refusal> {
    let id = JobId(services.context.new_id());

    let new = NewJob {
        id,
        study: Some(access.study.id),
        kind: JobKind::Import,
        input: &serde_json::to_value(input).expect("options are plain data"),
        created_by: Some(access.person.id),
    };

    let queued = services.store.audited(entry);
    let queued = queued.enqueue_job(&new, services.context.now_ms()).await;
    queued.map_err(|error| refuse_as(error, services.context))?;
    services.job_monitor.wake();
    Ok(id)
}

/// The most files in one import.
pub const MOST_FILES: usize = 64;

/// The ids of files in an address, separated by commas.
///
/// # Errors
/// [`Refusal::NotFound`] where one is not an id.
pub fn uploads(ids: &str) -> Result<Vec<UploadId>, Refusal> {
    ids.split(',').take(MOST_FILES).map(parse::id).collect()
}

/// The files of the study that an address names.
///
/// # Errors
/// [`Refusal::NotFound`] where they do not belong to this study or no longer exist.
pub async fn files(access: &RequestAccess, ids: &[UploadId]) -> Result<UploadedFiles, Refusal> {
    let store = services().store;
    match UploadedFiles::find(&store, access.study.id, ids).await {
        Err(ImportFileError::Gone) => Err(Refusal::NotFound),
        found => found.map_err(refuse_files),
    }
}

/// The refusal for files that cannot be imported.
pub fn refuse_files(error: ImportFileError) -> Refusal {
    refuse_files_as(error, services().context)
}

/// [`refuse_files`] outside a Leptos request.
pub fn refuse_files_as(error: ImportFileError, context: Context) -> Refusal {
    match error {
        ImportFileError::Store(error) => refuse_as(error, context),
        error => Refusal::Invalid(sentence(&error.page_message())),
    }
}

/// The import of the study that an address names.
///
/// # Errors
/// [`Refusal::NotFound`] where there is none.
pub async fn import_job(access: &RequestAccess, id: &str) -> Result<Job, Refusal> {
    let job = study_job(access, id).await?;
    Some(job)
        .filter(|job| job.kind == JobKind::Import)
        .ok_or(Refusal::NotFound)
}

/// The job of the study that an address names, of any kind.
///
/// # Errors
/// [`Refusal::NotFound`] where there is none.
pub async fn study_job(access: &RequestAccess, id: &str) -> Result<Job, Refusal> {
    let id: JobId = parse::id(id)?;
    let job = services().store.job(id).await.map_err(refuse)?;
    job.filter(|job| job.study == Some(access.study.id))
        .ok_or(Refusal::NotFound)
}

/// The progress of an unfinished job in percent, at most 95, in steps of 5, large enough for a screen
/// reader to announce.
pub fn percent(job: &Job) -> u64 {
    let (done, total) = match services().job_monitor.progress(job.id) {
        Some(progress) => progress.get(),
        None => (job.done.unsigned_abs(), job.total.unsigned_abs()),
    };
    (done * 20).checked_div(total).unwrap_or(0).min(19) * 5
}
