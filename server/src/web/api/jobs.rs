//! Background jobs.

use app::error::Refusal;
use axum::{Extension, Json, extract::State};
use domain::ids::JobId;
use serde::Serialize;
use service::export::format_timestamp;
use utoipa::ToSchema;

use super::{ApiCaller, ApiPath, ApiState, Problem, StudyResponses};

/// How far a job has come.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct JobDetails {
    #[schema(value_type = String, format = Uuid)]
    id: JobId,
    /// The short name of its study.
    study: String,
    /// import, align, score or train.
    kind: &'static str,
    /// queued, running, done, failed or cancelled.
    state: &'static str,
    /// The amount done, of `total`.
    done: i64,
    /// The amount to do; 0 while it is unknown.
    total: i64,
    /// The result, once it is done, as its kind defines it: of an import, the report.
    #[schema(value_type = Option<Object>)]
    result: Option<serde_json::Value>,
    /// Why it failed.
    failure: Option<String>,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    ended_at: Option<String>,
}

/// Shows how far a job has come.
///
/// For leads and researchers of its study.
#[utoipa::path(
    get,
    path = "/jobs/{job}",
    tag = "Jobs",
    params(("job" = String, Path, description = "The job's id.")),
    responses((status = 200, description = "The job.", body = JobDetails), StudyResponses)
)]
pub(super) async fn show_job(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<JobDetails>, Problem> {
    let services = &state.services;
    let id: JobId = id.parse().map_err(|_| Refusal::NotFound)?;
    let job = services.store.job(id).await;
    let job = job.map_err(|error| state.database(error))?;
    let job = job.ok_or(Refusal::NotFound)?;

    let study = services
        .store
        .study(job.study.ok_or(Refusal::NotFound)?)
        .await;
    let study = study.map_err(|error| state.database(error))?;
    let slug = study.ok_or(Refusal::NotFound)?.slug;

    caller.read(&state, slug.as_str()).await?;

    // A job that runs in this process is further than its last report to the database.
    let (done, total) = match services.job_monitor.progress(job.id) {
        Some(progress) if !job.state.is_over() => {
            let (done, total) = progress.get();
            let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
            (number(done), number(total))
        }
        _ => (job.done, job.total),
    };

    Ok(Json(JobDetails {
        id: job.id,
        study: slug.to_string(),
        kind: job.kind.name(),
        state: job.state.name(),
        done,
        total,
        result: job.result,
        failure: job.failure,
        created_at: format_timestamp(job.created_at),
        ended_at: job.ended_at.map(format_timestamp),
    }))
}
