//! Datasets as archives.

use axum::{Extension, extract::State, response::Response};
use serde::Deserialize;
use service::export::{ExportFailure, ExportFormat};
use store::audit::{AuditKind, AuditSubject};
use utoipa::{IntoParams, ToSchema};

use super::{
    ApiCaller, ApiPath, ApiQuery, ApiState, Problem, StudyResponses, lists::CountedAnswers,
};
use crate::web::export::{ExportError, ExportQuery};

/// The content of an export.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportParameters {
    /// The answers that count.
    #[param(inline)]
    count: Option<CountedAnswers>,
    /// `guarded` for no cell that a spreadsheet would run as a formula.
    #[param(inline)]
    cells: Option<CellForm>,
    /// `with-accepted` for alignments of edits that annotators left as they were as well.
    #[param(inline)]
    edits: Option<EditChoice>,
    /// The dimension, for formats that have one alone; the study's first by default.
    dimension: Option<String>,
    /// The licence that the card of a dataset names, such as `cc-by-4.0`; without one, the card says that none was given.
    license: Option<String>,
    /// The languages of a dataset's texts: codes of ISO 639 with commas between them; `en` by default.
    language: Option<String>,
}

/// The bytes of an archive, for the description alone.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "it stands for bytes in the description")]
struct ZipArchive(Vec<u8>);

/// How cells of tables are written.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum CellForm {
    Verbatim,
    Guarded,
}

/// The edits whose alignments are exported.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum EditChoice {
    Corrected,
    WithAccepted,
}

/// Streams the study's dataset in a format, as the page *Export* gives it: a ZIP archive.
///
/// For leads and researchers of the study. The formats are simpeval-past, simpeval-2022, jsonl, tidy, comparisons, answers, written, spans,
/// thresh, gold, metric-scores, alignments and dataset. A truncated body is an incomplete archive.
#[utoipa::path(
    get,
    path = "/studies/{study}/exports/{format}",
    tag = "Data",
    params(
        ("study" = String, Path, description = "The study's short name."),
        ("format" = String, Path, description = "The name of the format.", example = "jsonl"),
        ExportParameters,
    ),
    responses((status = 200, description = "The archive.", content_type = "application/zip", body = inline(ZipArchive)), StudyResponses)
)]
pub(super) async fn export_study(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath((slug, format)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<ExportParameters>,
) -> Result<Response, Problem> {
    let access = caller.read(&state, &slug).await?;
    let format = ExportFormat::from_name(&format).ok_or(app::error::Refusal::NotFound)?;
    let place = state.exports.places.take_for(caller.person.id)?;

    let choice = ExportQuery {
        count: match query.count.unwrap_or_default() {
            CountedAnswers::Submitted => None,
            CountedAnswers::InWork => Some("in-work".to_owned()),
            CountedAnswers::Consensus => Some("consensus".to_owned()),
        },
        cells: matches!(query.cells, Some(CellForm::Guarded)).then(|| "guarded".to_owned()),
        edits: matches!(query.edits, Some(EditChoice::WithAccepted))
            .then(|| "with-accepted".to_owned()),
        dimension: query.dimension,
        license: query.license,
        language: query.language,
    };

    let study = access.study.clone();
    let subject = AuditSubject::Named(format!("{}-{}.zip", study.slug, format.name()));
    let entry = caller.audit_entry(&state, AuditKind::Exported, study.id, subject);

    let response = state
        .exports
        .begin(study, format, choice, place, entry)
        .await;
    response.map_err(|error| match error {
        ExportError::Export(_, ExportFailure::Store(error)) => state.database(error),
        ExportError::Export(what, error) => {
            let context = state.services.context;
            Problem::logged(
                context,
                &format!("{what}: {}", service::wording::error_chain(&error)),
            )
        }
        ExportError::Choice(sentence) => Problem::invalid(sentence),
        ExportError::Audit(error) => state.database(error),
    })
}
