//! Scores of outputs by metrics, read from a study and added to it.

use axum::{Extension, Json, extract::State, http::StatusCode, response::Response};
use domain::{
    ids::{MetricId, OutputId, SourceId},
    metrics::ScoreDirection,
};
use serde::{Deserialize, Serialize};
use service::import::{ImportChoices, ImportKind};
use utoipa::ToSchema;

use super::{
    ApiCaller, ApiJson, ApiPath, ApiQuery, ApiState, Problem, StudyChangeResponses, StudyResponses,
    cursor::PageQuery,
    imports::{AcceptedJob, RowImport},
    lists::cut_page,
};

/// A page of scores.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScorePage {
    /// The study's newest event when the first page was asked for: pass it as `since` the next time.
    event: i64,
    /// All metrics of the study.
    metrics: Vec<MetricDetails>,
    scores: Vec<ScoreRow>,
    /// The cursor of the next page; null for the last.
    next: Option<String>,
}

/// A metric of a study.
#[derive(Debug, Serialize, ToSchema)]
struct MetricDetails {
    #[schema(value_type = String, format = Uuid)]
    id: MetricId,
    name: String,
    /// Everything that its scores depend on.
    signature: String,
    /// higher-is-better, lower-is-better or neither.
    direction: &'static str,
    /// computed, imported or learned.
    origin: &'static str,
}

/// The score of an output.
#[derive(Debug, Serialize, ToSchema)]
struct ScoreRow {
    #[schema(value_type = String, format = Uuid)]
    output: OutputId,
    #[schema(value_type = String, format = Uuid)]
    source: SourceId,
    /// The source's name in the files it came from.
    source_id: String,
    system: String,
    #[schema(value_type = String, format = Uuid)]
    metric: MetricId,
    /// As the metric gives it; null where it has none.
    value: Option<f64>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

/// Scores to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewScores {
    /// The metric's name.
    #[schema(
        min_length = 1,
        max_length = 80,
        pattern = r"^[A-Za-z][A-Za-z0-9_.\-]*$"
    )]
    metric: String,
    /// higher-is-better, lower-is-better or neither; guessed from the name where it is missing.
    #[schema(value_type = Option<DirectionName>, inline)]
    direction: Option<String>,
    /// The name of the version, such as that of the model or the run: scores with the same metric and version replace
    /// earlier ones, another version is a metric of its own.
    #[serde(default = "default_version")]
    #[schema(
        default = "api",
        min_length = 1,
        max_length = 80,
        pattern = r"^[A-Za-z0-9][A-Za-z0-9_.\-]*$"
    )]
    version: String,
    #[schema(min_items = 1, max_items = 20_000)]
    scores: Vec<NewScore>,
}

fn default_version() -> String {
    "api".to_owned()
}

/// The directions of metrics, for the description alone.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it stands for names in the description")]
enum DirectionName {
    HigherIsBetter,
    LowerIsBetter,
    Neither,
}

/// A score to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewScore {
    /// The output's id.
    #[schema(value_type = String, format = Uuid)]
    output: OutputId,
    value: f64,
}

/// Columns of score files that identify outputs. A metric cannot have such a name.
const OTHER_COLUMNS: [&str; 11] = [
    "output_id",
    "id",
    "source_id",
    "original_id",
    "source",
    "original",
    "output",
    "processed_generation",
    "generation",
    "simplification",
    "system",
];

/// Lists scores of outputs by all metrics of the study.
///
/// For leads and researchers of the study. With `since`, scores that came after that event.
#[utoipa::path(
    get,
    path = "/studies/{study}/scores",
    tag = "Data",
    params(("study" = String, Path, description = "The study's short name."), PageQuery),
    responses((status = 200, description = "A page of scores.", body = ScorePage), StudyResponses)
)]
pub(super) async fn list_scores(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<ScorePage>, Problem> {
    let access = caller.read(&state, &slug).await?;
    let (study, store) = (access.study.id, &state.services.store);
    let start = query.start(&access.study)?;

    let metric = match &start.rest {
        None => None,
        Some(id) => Some(id.parse().map_err(|_| {
            Problem::invalid("“cursor” is not one: take it from “next” of the page before.")
        })?),
    };

    let page = store.score_page(study, (start.place, metric), start.since, start.limit + 1);
    let mut page = page.await.map_err(|error| state.database(error))?;
    let next = cut_page(&mut page, start.limit);
    let next = next.map(|last| start.next_with(last.position, last.metric));

    let metrics = store.metrics(study).await;
    let metrics = metrics.map_err(|error| state.database(error))?;

    Ok(Json(ScorePage {
        event: start.event,
        metrics: metrics
            .into_iter()
            .map(|metric| MetricDetails {
                id: metric.id,
                name: metric.name,
                signature: metric.signature,
                direction: metric.direction.name(),
                origin: metric.origin.name(),
            })
            .collect(),
        scores: page
            .into_iter()
            .map(|score| ScoreRow {
                output: score.output,
                source: score.source,
                source_id: score.source_key,
                system: score.system,
                metric: score.metric,
                value: score.value.as_ref().ok().copied(),
                undefined: score.value.err(),
            })
            .collect(),
        next,
    }))
}

/// Adds scores that were computed elsewhere.
///
/// For leads of the study, with a token that may change it. A job imports them, through the same checks as a file of
/// scores.
#[utoipa::path(
    post,
    path = "/studies/{study}/scores",
    tag = "Data",
    params(("study" = String, Path, description = "The study's short name.")),
    request_body(
        content = NewScores,
        example = json!({
            "metric": "my-metric",
            "scores": [{ "output": "019ab2d0-0000-7000-8000-000000000000", "value": 0.5 }],
        }),
    ),
    responses((status = 202, description = "The job that imports the scores.", body = AcceptedJob), StudyChangeResponses)
)]
pub(super) async fn add_scores(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    body: Result<ApiJson<NewScores>, Problem>,
) -> Result<Response, Problem> {
    let access = caller.write(&state, &slug).await?;
    let ApiJson(new) = body?;

    let metric = check_name(&new.metric, "metric", |first| first.is_ascii_alphabetic())?;
    let version = check_name(&new.version, "version", |first| {
        first.is_ascii_alphanumeric()
    })?;
    // The metric's name becomes a column of the imported rows.
    let folded = metric.to_ascii_lowercase();
    if OTHER_COLUMNS.contains(&folded.as_str()) || folded.starts_with("rating") {
        let sentence = format!("A metric cannot be called “{metric}”: choose another name.");
        return Err(Problem::invalid(sentence));
    }
    if !(1..=20_000).contains(&new.scores.len()) {
        return Err(Problem::invalid("Send 1 to 20,000 scores at a time."));
    }

    let directions = match &new.direction {
        None => vec![],
        Some(name) => {
            let direction: Result<ScoreDirection, _> = name.parse();
            let direction = direction.map_err(|error| Problem::invalid(format!("{error}.")))?;
            vec![(metric.to_owned(), direction)]
        }
    };

    let mut lines = Vec::new();
    for score in &new.scores {
        let line = serde_json::json!({ "output_id": score.output, metric: score.value });
        lines.push(line);
    }

    let rows = RowImport {
        file: format!("{version}.jsonl"),
        kind: ImportKind::Scores,
        options: service::import::ImportOptions::default(),
        choices: ImportChoices {
            directions,
            ..ImportChoices::default()
        },
    };

    let job = rows.enqueue(&state, &caller, &access, &lines).await?;
    Ok(job.response(StatusCode::ACCEPTED))
}

/// Checks that a name consists of plain characters, so that it can be a column and part of a file's name.
fn check_name<'a>(
    name: &'a str,
    what: &str,
    may_begin: impl Fn(char) -> bool,
) -> Result<&'a str, Problem> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let fits = name.len() <= 80 && name.starts_with(may_begin) && name.chars().all(plain);

    match fits {
        true => Ok(name),
        false => Err(Problem::invalid(format!(
            "“{what}” has 1 to 80 letters, digits, “_”, “.” and “-”, and begins with a letter or, for a version, a \
             digit."
        ))),
    }
}
