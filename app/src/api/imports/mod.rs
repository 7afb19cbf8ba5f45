//! Importing uploaded files into a study.

#[cfg(feature = "ssr")]
mod jobs;
#[cfg(feature = "ssr")]
mod options;

use std::collections::BTreeMap;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    crate::api::ssr::*,
    domain::ids::ImportId,
    jobs::{enqueue_import, enqueue_supplementary_import},
    options::{parse_import_options, parse_read_options},
    percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode},
    service::{
        import::{
            ImportChoices, ImportJob, ImportKind, ImportOptions, ReadOptions, store_file,
            write_rows,
        },
        metrics::running_job,
        written_texts::AdoptionPlan,
    },
    store::JobKind,
};
#[cfg(feature = "ssr")]
pub use {
    jobs::{
        MOST_FILES, enqueue_import_as, files, import_job, percent, refuse_files, refuse_files_as,
        study_job, uploads,
    },
    options::{input_query, parse_input_options},
};

/// A column and its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportColumnField {
    pub name: String,
    /// The field that it holds; empty for none.
    #[serde(default)]
    pub field: String,
}

/// The read options of files, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptionFields {
    /// The meaning of each column, where the file is read by columns.
    pub columns: Vec<ImportColumnField>,
    /// Present where `columns` lists all of the file's columns: a field without a column is then not read
    /// from a column of its own name.
    pub whole: Option<String>,
    /// The lowest rating; empty to infer it from the file.
    pub low: String,
    /// The highest rating; empty to infer it from the file.
    pub high: String,
    /// The scales of individual dimensions.
    pub scales: Vec<ImportScaleField>,
    /// Present where `NAME.simp.N` are outputs.
    pub as_outputs: Option<String>,
    /// The stated encoding, separator and sheet.
    pub input: InputOptionFields,
}

/// The stated encoding, separator and sheet of a file, as form fields; an empty one is detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InputOptionFields {
    pub encoding: String,
    pub separator: String,
    pub sheet: String,
}

/// The stated scale of one dimension; both ends empty for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportScaleField {
    pub dimension: String,
    pub low: String,
    pub high: String,
}

/// A system and its stated kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportSystemField {
    pub name: String,
    /// `machine`, `human` or `baseline`.
    pub kind: String,
}

/// The import options of rows, as form fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportOptionFields {
    /// The purpose of the sources.
    pub purpose: String,
    /// The kind of the raters: `imported` (also when empty) or `simulated`.
    #[serde(default)]
    pub raters: String,
    /// Present where every row must be valid.
    #[serde(default)]
    pub strict: Option<String>,
    /// The kinds of new systems.
    #[serde(default)]
    pub kinds: Vec<ImportSystemField>,
}

/// Queues the import of uploaded files and leads to its progress; or leads back to their preview with these options.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the files cannot be
/// read with these options.
#[server(endpoint = "begin-import")]
pub async fn begin_import(
    slug: String,
    /// The ids of the files, separated by commas.
    uploads: String,
    /// The id of the file of raters; empty for none.
    #[server(default)]
    raters: String,
    #[server(default)] way: ReadOptionFields,
    manner: ImportOptionFields,
    /// Present where the lead wants a preview first.
    #[server(default)]
    look: Option<String>,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let file_ids = self::uploads(&uploads)?;
    // A person's files are read for one request at a time.
    let turn = services().previews.take(access.person.id).await;
    let uploaded_files = files(&access, &file_ids).await?.in_turn(&turn);

    let (way, manner) = (parse_read_options(&way)?, parse_import_options(&manner)?);
    let raters = match raters.as_str() {
        "" => None,
        id => Some(parse::id(id)?),
    };

    if let Some(id) = raters {
        let of_raters = files(&access, &[id]).await?.in_turn(&turn);
        of_raters.raters().await.map_err(refuse_files)?;
    }
    uploaded_files.check(&way).await.map_err(refuse_files)?;

    if look.is_some() {
        let mapping_json = serde_json::to_string(&way.mapping).map_err(internal)?;
        let encoded_mapping = utf8_percent_encode(&mapping_json, NON_ALPHANUMERIC);
        let with = raters.map_or_else(String::new, |id| format!("&raters={id}"));
        let preview = StudyPage::ImportPreview(&uploads).path(&slug);
        let input = input_query(&way.input);
        see_other(&format!("{preview}?way={encoded_mapping}{with}{input}"));
        return Ok(());
    }

    let input = ImportJob {
        names: uploaded_files.names(),
        files: file_ids,
        raters,
        read_options: way,
        import_options: manner,
        kind: ImportKind::Sources,
        choices: ImportChoices::default(),
    };
    enqueue_import(&access, &input).await
}

/// The prefix of a source's key in the form: a key that begins with a digit would be read as an index into a list.
pub const ACCEPTED: &str = "source-";

/// Queues the import of uploaded references and leads to its progress.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the files
/// cannot be read as references.
#[server(endpoint = "begin-references")]
pub async fn begin_references(
    slug: String,
    /// The ids of the files, separated by commas.
    uploads: String,
    /// The lines whose references the lead accepts although their source has another wording, by [`ACCEPTED`]
    /// and the source's id.
    #[server(default)]
    accepted: BTreeMap<String, String>,
    /// The stated encoding, separator and sheet.
    #[server(default)]
    input: InputOptionFields,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let line = |(source, line): (String, String)| {
        let source = source.strip_prefix(ACCEPTED).ok_or(Refusal::NotFound)?;
        let line = line.parse().map_err(|_| Refusal::NotFound)?;
        Ok((parse::id(source)?, line))
    };
    let choices = ImportChoices {
        accepted: accepted
            .into_iter()
            .map(line)
            .collect::<Result<_, Refusal>>()?,
        ..ImportChoices::default()
    };

    let kind = ImportKind::References;
    enqueue_supplementary_import(&access, &uploads, kind, choices, &input).await
}

/// The direction of a metric's scores, as form fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionField {
    pub name: String,
    /// The name of the direction.
    pub direction: String,
}

/// Queues the import of an uploaded file of scores and leads to its progress.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the file
/// cannot be read as scores, or for an unknown direction.
#[server(endpoint = "begin-scores")]
pub async fn begin_scores(
    slug: String,
    /// The id of the file.
    uploads: String,
    /// The direction of each metric's scores.
    #[server(default)]
    directions: Vec<DirectionField>,
    /// The stated encoding, separator and sheet.
    #[server(default)]
    input: InputOptionFields,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let direction = |field: DirectionField| Ok((field.name, parse::choice(&field.direction)?));
    let directions = directions.into_iter().map(direction);
    let choices = ImportChoices {
        directions: directions.collect::<Result<_, Refusal>>()?,
        ..ImportChoices::default()
    };

    let kind = ImportKind::Scores;
    enqueue_supplementary_import(&access, &uploads, kind, choices, &input).await
}

/// Imports the submitted texts that the study does not have yet, as references or outputs according to its
/// protocol, and leads to the import's progress.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it has no texts to add.
#[server(endpoint = "add-written")]
pub async fn add_written(slug: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let services = services();
    let study = access.study.id;

    // The texts of an unfinished import would be added a second time.
    let running = running_job(&services.store, study, JobKind::Import).await;
    if running.map_err(refuse)?.is_some() {
        return Err(Refusal::invalid(
            "Another file is being imported. Try again when it is done: then it is known which texts are new.",
        ));
    }

    let plan = AdoptionPlan::load(&services.store, &access.study).await;
    let plan = plan.map_err(refuse)?;
    if plan.rows.is_empty() {
        return Err(Refusal::invalid(
            "There is nothing to add: the study has no submitted texts, or has all of them already.",
        ));
    }

    let name = "written texts.jsonl".to_owned();
    let content = write_rows(&plan.rows).map_err(internal)?;
    let context = services.context;
    let stored = store_file(
        &services.store,
        context,
        study,
        &name,
        &content,
        access.person.id,
    );

    let input = ImportJob {
        files: vec![stored.await.map_err(refuse)?],
        names: vec![name],
        raters: None,
        read_options: ReadOptions::default(),
        import_options: ImportOptions::default(),
        kind: ImportKind::Sources,
        choices: ImportChoices::default(),
    };
    enqueue_import(&access, &input).await
}

/// The progress of a job in percent of its bytes or outputs (100 once it is over, 0 while it is queued), then
/// a space and its worker's last message, if any. `JobProgress` shows it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study.
#[server(endpoint = "import-progress")]
pub async fn import_progress(slug: String, job: String) -> Result<String, Refusal> {
    let access = access(&slug).await?;
    access.require_panel_access()?;

    let job = study_job(&access, &job).await?;

    Ok(if job.state.is_over() {
        "100".to_owned()
    } else {
        let message = job.log.lines().last().unwrap_or_default();
        format!("{} {message}", percent(&job))
    })
}

/// Cancels an import and keeps nothing of it. A finished import does not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "cancel-import")]
pub async fn cancel_import(slug: String, job: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let job = import_job(&access, &job).await?;

    let services = services();

    // The worker of this process is told directly and stops at its next row. A worker of another process sees
    // the cancellation in the database.
    if let Some(progress) = services.job_monitor.progress(job.id) {
        progress.request_stop();
    } else {
        let store = &services.store;
        store
            .cancel_job(job.id, services.context.now_ms())
            .await
            .map_err(refuse)?;
    }

    redirect_to(StudyPage::ImportJob(job.id), &slug)
}

/// Undoes an import: everything that it added is deleted.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where part of it has been
/// judged, or where a later import added to it.
#[server(endpoint = "undo-import")]
pub async fn undo_import(slug: String, import: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let import: ImportId = parse::id(&import)?;
    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Import(import);
    let store = audited(AuditKind::ImportUndone, Some(study), subject);

    let undone = store.undo_import(study, import, now);
    require_found(undone.await.map_err(refuse)?)?;

    redirect_to(StudyPage::Import, &slug)
}
