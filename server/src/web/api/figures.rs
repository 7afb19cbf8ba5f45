//! Figures of a study, as the commands print them with `--json`.

use axum::{
    Extension, Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::{
    ids::StudyId,
    statistics::{agreement::MeasurementLevel, bootstrap::ResamplingOptions},
};
use serde::Deserialize;
use service::live::StudySnapshot;
use store::{question_answers::StudyAnswers, rating_rows::RatingScope};
use utoipa::{IntoParams, ToSchema};

use super::{
    ApiCaller, ApiPath, ApiQuery, ApiState, Problem, StudyResponses, lists::CountedAnswers,
};
use crate::reports::{
    AgreementGrouping, AgreementJson, AgreementOptions, AgreementReport, ResamplingUnit,
    SystemGrouping, SystemRankings, SystemsJson,
};

/// The most resamples of a request.
const MAX_RESAMPLES: usize = 1_000;

/// The agreement that is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct AgreementQuery {
    /// The dimension; the study's first by default.
    dimension: Option<String>,
    /// How the difference of two values counts; `interval` by default.
    #[param(inline)]
    level: Option<LevelName>,
    /// Also report each part on its own.
    #[param(inline)]
    by: Option<AgreementGrouping>,
    /// Report intervals from this many resamples: 1 to 1,000.
    #[param(minimum = 1, maximum = 1000)]
    bootstrap: Option<usize>,
    /// The answers that count.
    #[param(inline)]
    count: Option<CountedAnswers>,
}

/// A level of measurement.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum LevelName {
    Nominal,
    Ordinal,
    Interval,
    Ratio,
}

/// The ranking that is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct SystemsQuery {
    /// The dimension; the study's first by default.
    dimension: Option<String>,
    /// The name of a group of raters: only their ratings count.
    group: Option<String>,
    /// A ranking for each part instead of one.
    #[param(inline)]
    by: Option<SystemGrouping>,
    /// The answers that count.
    #[param(inline)]
    count: Option<CountedAnswers>,
}

impl AgreementQuery {
    fn options(&self) -> Result<AgreementOptions, Problem> {
        if let Some(resamples) = self.bootstrap
            && !(1..=MAX_RESAMPLES).contains(&resamples)
        {
            return Err(Problem::invalid(
                "“bootstrap” must be a whole number from 1 to 1,000.",
            ));
        }

        Ok(AgreementOptions {
            level: match self.level.unwrap_or(LevelName::Interval) {
                LevelName::Nominal => MeasurementLevel::Nominal,
                LevelName::Ordinal => MeasurementLevel::Ordinal,
                LevelName::Interval => MeasurementLevel::Interval,
                LevelName::Ratio => MeasurementLevel::Ratio,
            },
            by: self.by,
            bootstrap: self.bootstrap,
            seed: ResamplingOptions::default().seed,
            unit: ResamplingUnit::Source,
        })
    }
}

/// Krippendorff's alpha, as `rankrate agreement --json` prints it.
///
/// For leads and researchers of the study.
#[utoipa::path(
    get,
    path = "/studies/{study}/figures/agreement",
    tag = "Figures",
    params(("study" = String, Path, description = "The study's short name."), AgreementQuery),
    responses((status = 200, description = "The agreement.", body = AgreementJson<'static>), StudyResponses)
)]
pub(super) async fn show_agreement(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    ApiQuery(query): ApiQuery<AgreementQuery>,
) -> Result<Response, Problem> {
    let access = caller.read(&state, &slug).await?;
    let options = query.options()?;
    let scope = query.count.unwrap_or_default().into();
    let _place = state.places.take_for(caller.person.id)?;

    let settings = access.study.settings.clone();
    let answers = match settings.protocol.answer_step() {
        Some(_) => {
            let answers = state.services.store.study_answers(access.study.id, scope);
            answers.await.map_err(|error| state.database(error))?
        }
        None => StudyAnswers::default(),
    };

    let figures = move |snapshot: &StudySnapshot| {
        let dimension = query.dimension.as_deref();
        let report = options.read_snapshot(snapshot, &settings, dimension)?;
        let report = AgreementReport {
            questions: options.questions(&settings.protocol, &answers),
            ..report
        };
        Ok(Json(AgreementJson::from(&report)).into_response())
    };

    read_figures(&state, access.study.id, scope, figures).await
}

/// Mean scores and ranks of systems, as `rankrate systems --json` prints them.
///
/// For leads and researchers of the study.
#[utoipa::path(
    get,
    path = "/studies/{study}/figures/systems",
    tag = "Figures",
    params(("study" = String, Path, description = "The study's short name."), SystemsQuery),
    responses((status = 200, description = "The rankings.", body = SystemsJson<'static>), StudyResponses)
)]
pub(super) async fn show_systems(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    ApiQuery(query): ApiQuery<SystemsQuery>,
) -> Result<Response, Problem> {
    let access = caller.read(&state, &slug).await?;
    let _place = state.places.take_for(caller.person.id)?;
    let settings = access.study.settings.clone();
    let scope = query.count.unwrap_or_default().into();

    let figures = move |snapshot: &StudySnapshot| {
        let dimension = query.dimension.as_deref();
        let rankings = SystemRankings::read_snapshot(
            snapshot,
            &settings,
            dimension,
            query.group.as_deref(),
            query.by,
        );
        rankings.map(|rankings| Json(SystemsJson::from(&rankings)).into_response())
    };

    read_figures(&state, access.study.id, scope, figures).await
}

/// The response that `figures` makes from the study's current snapshot. A dimension or group that the study does not
/// have is refused.
async fn read_figures(
    state: &ApiState,
    study: StudyId,
    scope: RatingScope,
    figures: impl FnOnce(&StudySnapshot) -> anyhow::Result<Response> + Send + 'static,
) -> Result<Response, Problem> {
    let services = &state.services;
    let read = services.live.read(&services.store, study, scope, figures);
    let read = read.await.map_err(|error| state.database(error))?;
    read.map_err(|error| Problem::invalid(format!("{error}.")))
}
