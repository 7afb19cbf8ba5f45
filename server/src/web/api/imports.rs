//! Rows added to a study, by the job that also imports files.

use app::{
    api::{enqueue_import_as, refuse_files_as},
    request::RequestAccess,
};
use axum::{
    Extension, Json,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    ids::JobId,
    study::{RaterKind, SourcePurpose, SystemKind},
};
use serde::{Deserialize, Serialize};
use service::import::{
    ImportChoices, ImportJob, ImportKind, ImportOptions, ReadOptions, UploadedFiles, store_file,
    write_rows,
};
use store::audit::{AuditKind, AuditSubject};
use utoipa::ToSchema;

use super::{ApiCaller, ApiJson, ApiPath, ApiState, Problem, StudyChangeResponses};

/// A job that was queued.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AcceptedJob {
    /// Its id: ask `/jobs/{job}` how far it has come.
    #[schema(value_type = String, format = Uuid)]
    job: JobId,
}

/// Outputs to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewOutputs {
    #[schema(min_items = 1, max_items = 5_000)]
    rows: Vec<NewOutputRow>,
    /// Import nothing unless every row is good.
    #[serde(default)]
    strict: bool,
    /// The purpose of new sources.
    #[serde(default)]
    #[schema(inline)]
    purpose: NewSourcePurpose,
}

/// The purpose of new sources.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum NewSourcePurpose {
    #[default]
    Main,
    Training,
    Qualification,
    Attention,
}

/// An output to add to a source, which is made where the study does not have it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewOutputRow {
    /// The source text.
    #[schema(min_length = 1)]
    source: String,
    /// The output's text; without one the row adds a source alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// The system that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    /// machine, human or baseline: the kind of a new system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<NewSystemKind>, inline)]
    kind: Option<String>,
    /// A name of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source_id: Option<String>,
    /// Human simplifications of the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    references: Vec<String>,
    /// The text before the source in its document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context_before: Option<String>,
    /// The text after the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context_after: Option<String>,
    /// Ratings that the output has already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ratings: Vec<NewRating>,
}

/// The kinds of systems, for the description alone.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it stands for names in the description")]
enum NewSystemKind {
    Machine,
    Human,
    Baseline,
}

/// A rating that an output has already.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewRating {
    value: f64,
    /// The rater's name, which becomes their pseudonym.
    rater: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dimension: Option<String>,
}

/// An import of rows as if from a file with this name.
pub(super) struct RowImport {
    pub(super) file: String,
    pub(super) kind: ImportKind,
    pub(super) options: ImportOptions,
    pub(super) choices: ImportChoices,
}

/// The most rows of a request.
const MAX_ROWS: usize = 5_000;

/// Adds outputs, with their sources, references and ratings where the study does not have them.
///
/// For leads of the study, with a token that may change it. A job imports the rows, through the same checks as a file;
/// rows that the study has already change nothing.
#[utoipa::path(
    post,
    path = "/studies/{study}/outputs",
    tag = "Data",
    params(("study" = String, Path, description = "The study's short name.")),
    request_body(
        content = NewOutputs,
        example = json!({
            "rows": [{ "source": "The ferry was withdrawn.", "output": "The ferry stopped.", "system": "rewriter" }],
        }),
    ),
    responses((status = 202, description = "The job that imports the rows.", body = AcceptedJob), StudyChangeResponses)
)]
pub(super) async fn add_outputs(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    body: Result<ApiJson<NewOutputs>, Problem>,
) -> Result<Response, Problem> {
    let access = caller.write(&state, &slug).await?;
    let ApiJson(new) = body?;

    if !(1..=MAX_ROWS).contains(&new.rows.len()) {
        return Err(Problem::invalid("Send 1 to 5,000 rows at a time."));
    }
    for (at, row) in new.rows.iter().enumerate() {
        let kind = row.kind.as_deref().map(str::parse::<SystemKind>);
        if let Some(Err(error)) = kind {
            return Err(Problem::invalid(format!("rows[{at}].kind: {error}.")));
        }
        if row.source.trim().is_empty() {
            return Err(Problem::invalid(format!("rows[{at}].source is empty.")));
        }
    }

    let rows = RowImport {
        file: "api.jsonl".to_owned(),
        kind: ImportKind::Sources,
        options: ImportOptions {
            purpose: match new.purpose {
                NewSourcePurpose::Main => SourcePurpose::Main,
                NewSourcePurpose::Training => SourcePurpose::Training,
                NewSourcePurpose::Qualification => SourcePurpose::Qualification,
                NewSourcePurpose::Attention => SourcePurpose::Attention,
            },
            raters: RaterKind::Imported,
            strict: new.strict,
            kinds: vec![],
        },
        choices: ImportChoices::default(),
    };

    let job = rows.enqueue(&state, &caller, &access, &new.rows).await?;
    Ok(job.response(StatusCode::ACCEPTED))
}

impl RowImport {
    /// Stores the rows as a file, checks that it can be read, and queues its import.
    ///
    /// # Errors
    /// The refusal that an upload of this file would get, or an error of the database.
    pub(super) async fn enqueue(
        self,
        state: &ApiState,
        caller: &ApiCaller,
        access: &RequestAccess,
        rows: &[impl Serialize],
    ) -> Result<AcceptedJob, Problem> {
        let services = &state.services;
        let content = write_rows(rows);
        let content = content.map_err(|error| Problem::internal(services.context, &error))?;
        let (store, study, person) = (&services.store, access.study.id, caller.person.id);
        let stored = store_file(store, services.context, study, &self.file, &content, person);
        let upload = stored.await.map_err(|error| state.database(error))?;

        let files = UploadedFiles::find(store, study, &[upload]).await;
        let checked = match files {
            Ok(files) => {
                files
                    .check_as(self.kind, &ReadOptions::default().input)
                    .await
            }
            Err(error) => Err(error),
        };

        if let Err(error) = checked {
            let deleted = store.delete_upload(upload).await;
            deleted.map_err(|error| state.database(error))?;
            return Err(refuse_files_as(error, services.context).into());
        }

        let input = ImportJob {
            names: vec![self.file.clone()],
            files: vec![upload],
            raters: None,
            read_options: ReadOptions::default(),
            import_options: self.options,
            kind: self.kind,
            choices: self.choices,
        };

        let subject = AuditSubject::Named(format!("{}: {}", caller.token.name, self.file));
        let entry = caller.audit_entry(state, AuditKind::ImportBegun, study, subject);
        match enqueue_import_as(services, entry, access, &input).await {
            Ok(job) => Ok(AcceptedJob { job }),
            Err(refusal) => {
                let deleted = store.delete_upload(upload).await;
                deleted.map_err(|error| state.database(error))?;
                Err(refusal.into())
            }
        }
    }
}

impl AcceptedJob {
    /// The response, with the job's address as its `Location`.
    pub(super) fn response(self, status: StatusCode) -> Response {
        let address = app::links::to(&format!("{}/jobs/{}", super::PATH, self.job));
        let mut response = (status, Json(self)).into_response();
        if let Ok(address) = HeaderValue::from_str(&address) {
            response.headers_mut().insert(header::LOCATION, address);
        }
        response
    }
}
