//! Scores and choices of texts that come with the request, by the code of `rankrate stdio`.
//!
//! A batch is one JSON object. A stream is lines of JSON: they are scored in groups, and the next group is read only
//! once the client has taken the answers to the one before.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::{Body, Bytes},
    extract::{FromRequest as _, Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::sync::mpsc;
use utoipa::{IntoParams, ToSchema};

use super::{
    ApiCaller, ApiJson, ApiQuery, ApiState, ComputingResponses, Problem, RefusalResponses,
    ScoringSession, extract::media_type,
};
use crate::{
    calls::{
        CallError, CandidateChoice, MAX_TEXT_BYTES, MetricScores, MetricsResult, RerankCall,
        RerankResult, ScoreCall, ScoreResult, WordLimits, list_metrics,
    },
    web::places::PlacePermit,
};

/// The most pairs, or sources, of a batch.
const MAX_BATCH: usize = 2_000;
/// The most metrics of a request.
const MAX_METRICS: usize = 20;
/// The most candidates of a source, each of which is compared with all others.
const MAX_CANDIDATES: usize = 64;
/// The longest line of a stream, in bytes.
const MAX_LINE_BYTES: usize = 1 << 20;
/// Lines of a stream that are scored together.
const LINES_AT_ONCE: usize = 32;
/// The media type of streams.
const NDJSON: &str = "application/x-ndjson";

/// The metrics of a stream.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ScoreQuery {
    /// For a stream: the names of the metrics, separated by commas.
    metrics: Option<String>,
}

/// A pair to score, a line of a stream.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScoreLine {
    source: String,
    output: String,
    #[serde(default)]
    references: Vec<String>,
    /// Any value; the answer has the same.
    #[serde(default)]
    #[schema(value_type = Value)]
    id: Value,
}

/// The scores of a line.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScoredLine {
    #[schema(value_type = Value)]
    id: Value,
    /// By metric; null where a metric gives none.
    #[schema(value_type = std::collections::BTreeMap<String, Option<f64>>)]
    scores: serde_json::Map<String, Value>,
}

/// Sources with candidates to pick among.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RerankRequest {
    #[schema(max_items = 2_000)]
    sources: Vec<String>,
    /// Of each source, in the order of the sources.
    #[schema(max_items = 2_000)]
    candidates: Vec<Vec<String>>,
}

/// A source with candidates, a line of a stream.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RerankLine {
    source: String,
    candidates: Vec<String>,
    /// Any value; the answer has the same.
    #[serde(default)]
    #[schema(value_type = Value)]
    id: Value,
}

/// The choice of a line.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RerankedLine {
    #[schema(value_type = Value)]
    id: Value,
    #[serde(flatten)]
    choice: CandidateChoice,
}

/// Lists the metrics by which `/score` scores.
///
/// For every token that reaches a study.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "Scoring",
    responses((status = 200, description = "The metrics.", body = MetricsResult), RefusalResponses)
)]
pub(super) async fn show_metrics(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
) -> Result<Json<MetricsResult>, Problem> {
    caller.require_any_study(&state).await?;
    Ok(Json(list_metrics()))
}

/// Scores outputs by automatic metrics.
///
/// For every token that reaches a study. A batch has at most 2,000 pairs and 20 metrics. Metrics with a model
/// (`bertscore-…`, `similarity`, `learned-…`, `lens`, `cross-encoder`) take at most 512 words a text, and 5,000 in a
/// source, its output and its references together; other metrics 10,000 and 100,000. As `application/x-ndjson`, each
/// line is a pair (`ScoreLine`) and each line of the answer its scores (`ScoredLine`); read the answer while you send. A
/// line that cannot be scored ends the answer with a line that has `error`. A person has one request that scores or
/// picks at a time; what is not computed when you hang up is not computed.
#[utoipa::path(
    post,
    path = "/score",
    tag = "Scoring",
    params(ScoreQuery),
    request_body(content(
        (ScoreCall = "application/json", example = json!({
            "metrics": ["sari", "fkgl"],
            "sources": ["The ferry was withdrawn."],
            "outputs": ["The ferry stopped."],
            "references": [["The ferry no longer runs."]],
        })),
        (String = "application/x-ndjson"))),
    responses(
        (status = 200, description = "The scores.", content((ScoreResult = "application/json"), (String = "application/x-ndjson"))),
        ComputingResponses,
    )
)]
pub(super) async fn score(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    query: Result<ApiQuery<ScoreQuery>, Problem>,
    request: Request,
) -> Result<Response, Problem> {
    caller.require_any_study(&state).await?;
    let ApiQuery(query) = query?;
    let place = Arc::new(state.scoring_places.take_for(caller.person.id)?);
    let scoring = state.scoring.clone();

    if media_type(&request) == NDJSON {
        let metrics = query.metrics.as_deref().unwrap_or_default();
        let metrics: Vec<String> = metrics
            .split(',')
            .map(|name| name.trim().to_owned())
            .collect();
        check_metrics(&metrics)?;

        // Unknown names are refused before the response begins.
        let empty = ScoreCall::new(metrics.clone(), vec![], vec![], None);
        let limits = WordLimits::for_metrics(&empty.metric_kinds()?);

        let check = move |line: &ScoreLine| check_score_line(limits, line);
        let answer = move |lines| {
            score_lines(scoring.clone(), place.clone(), metrics.clone(), lines).boxed()
        };
        return Ok(stream_lines(request, check, answer));
    }

    let ApiJson(call) = ApiJson::<ScoreCall>::from_request(request, &state).await?;
    check_metrics(&call.metrics)?;
    check_count(call.sources.len())?;
    let references = call.references.iter().flatten().flatten();
    check_texts(call.sources.iter().chain(&call.outputs).chain(references))?;

    let limits = WordLimits::for_metrics(&call.metric_kinds()?);
    for (at, (source, output)) in call.sources.iter().zip(&call.outputs).enumerate() {
        let references = call.references.as_ref().and_then(|lists| lists.get(at));
        let references = references.map_or(&[][..], Vec::as_slice);
        let place = format!("pair {at} (counted from 0)");
        limits.check_pair(&place, source, output, references)?;
    }

    let result = scoring.score(&place, call).await?;
    Ok(Json(result).into_response())
}

/// Picks the best of several candidates for each source, by the server's learned metric.
///
/// For every token that reaches a study. A batch has at most 2,000 sources, a source 64 candidates, and a text 512
/// words; the words of a source's candidates, times their number, are at most 100,000. As `application/x-ndjson`, each
/// line is a source (`RerankLine`) and each line of the answer a choice (`RerankedLine`); read the answer while you
/// send. A line that cannot be answered ends the answer with a line that has `error`.
#[utoipa::path(
    post,
    path = "/rerank",
    tag = "Scoring",
    request_body(content(
        (RerankRequest = "application/json", example = json!({
            "sources": ["The ferry was withdrawn."],
            "candidates": [["The ferry stopped.", "The boat was withdrawn."]],
        })),
        (String = "application/x-ndjson"))),
    responses(
        (status = 200, description = "The choices.", content((RerankResult = "application/json"), (String = "application/x-ndjson"))),
        ComputingResponses,
    )
)]
pub(super) async fn rerank(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    request: Request,
) -> Result<Response, Problem> {
    caller.require_any_study(&state).await?;
    let place = Arc::new(state.scoring_places.take_for(caller.person.id)?);
    let scoring = state.scoring.clone();

    if media_type(&request) == NDJSON {
        let answer = move |lines| rerank_lines(scoring.clone(), place.clone(), lines).boxed();
        return Ok(stream_lines(request, check_rerank_line, answer));
    }

    let ApiJson(new) = ApiJson::<RerankRequest>::from_request(request, &state).await?;
    check_count(new.sources.len())?;
    check_texts(new.sources.iter().chain(new.candidates.iter().flatten()))?;
    for (at, candidates) in new.candidates.iter().enumerate() {
        check_candidates(candidates)?;
        if let Some(source) = new.sources.get(at) {
            let place = format!("source {at} (counted from 0)");
            WordLimits::MODELS.check_candidates(&place, source, candidates)?;
        }
    }

    let call = RerankCall::by_default_model(new.sources, new.candidates);
    let result = scoring.rerank(&place, call).await?;
    Ok(Json(result).into_response())
}

fn check_metrics(metrics: &[String]) -> Result<(), Problem> {
    match metrics.len() {
        0 => Err(Problem::invalid("Name at least one metric.")),
        1..=MAX_METRICS if metrics != [""] => Ok(()),
        1 => Err(Problem::invalid(
            "Name the metrics after the address: ?metrics=sari,bleu.",
        )),
        _ => Err(Problem::invalid("Name at most 20 metrics.")),
    }
}

fn check_count(count: usize) -> Result<(), Problem> {
    match count <= MAX_BATCH {
        true => Ok(()),
        false => Err(Problem::invalid(
            "A batch has at most 2,000 sources: send several, or a stream of lines.",
        )),
    }
}

fn check_texts<'a>(mut texts: impl Iterator<Item = &'a String>) -> Result<(), Problem> {
    match texts.any(|text| text.len() > MAX_TEXT_BYTES) {
        false => Ok(()),
        true => Err(Problem::invalid("A text has at most 20,000 bytes.")),
    }
}

fn check_candidates(candidates: &[String]) -> Result<(), Problem> {
    match candidates.len() {
        0 => Err(Problem::invalid("A source has no candidate.")),
        1..=MAX_CANDIDATES => Ok(()),
        _ => Err(Problem::invalid("A source has at most 64 candidates.")),
    }
}

fn check_score_line(limits: WordLimits, line: &ScoreLine) -> Result<(), Problem> {
    let texts = [&line.source, &line.output].into_iter();
    check_texts(texts.chain(&line.references))?;
    limits.check_pair("this pair", &line.source, &line.output, &line.references)?;
    Ok(())
}

fn check_rerank_line(line: &RerankLine) -> Result<(), Problem> {
    check_candidates(&line.candidates)?;
    check_texts(std::iter::once(&line.source).chain(&line.candidates))?;
    WordLimits::MODELS.check_candidates("this source", &line.source, &line.candidates)?;
    Ok(())
}

async fn score_lines(
    scoring: ScoringSession,
    place: Arc<PlacePermit>,
    metrics: Vec<String>,
    lines: Vec<ScoreLine>,
) -> Result<Vec<ScoredLine>, CallError> {
    let (mut ids, mut sources, mut outputs, mut references) = (vec![], vec![], vec![], vec![]);
    for line in lines {
        ids.push(line.id);
        sources.push(line.source);
        outputs.push(line.output);
        references.push(line.references);
    }

    let references = references
        .iter()
        .any(|list| !list.is_empty())
        .then_some(references);
    let call = ScoreCall::new(metrics, sources, outputs, references);
    let result = scoring.score(&place, call).await?;

    let scored = ids.into_iter().enumerate().map(|(at, id)| {
        let score = |metric: &MetricScores| (metric.name.clone(), metric.values[at].into());
        ScoredLine {
            id,
            scores: result.scores.iter().map(score).collect(),
        }
    });
    Ok(scored.collect())
}

async fn rerank_lines(
    scoring: ScoringSession,
    place: Arc<PlacePermit>,
    lines: Vec<RerankLine>,
) -> Result<Vec<RerankedLine>, CallError> {
    let (mut ids, mut sources, mut candidates) = (vec![], vec![], vec![]);
    for line in lines {
        ids.push(line.id);
        sources.push(line.source);
        candidates.push(line.candidates);
    }

    let call = RerankCall::by_default_model(sources, candidates);
    let result = scoring.rerank(&place, call).await?;

    let choices = ids.into_iter().zip(result.choices);
    Ok(choices
        .map(|(id, choice)| RerankedLine { id, choice })
        .collect())
}

/// A response to a stream of lines, written while they are read.
fn stream_lines<L, A>(
    request: Request,
    check: impl Fn(&L) -> Result<(), Problem> + Send + Sync + 'static,
    answer: impl Fn(Vec<L>) -> BoxFuture<'static, Result<Vec<A>, CallError>> + Send + Sync + 'static,
) -> Response
where
    L: DeserializeOwned + Send + 'static,
    A: Serialize + Send + 'static,
{
    let (to, from) = mpsc::channel::<Bytes>(2);
    let lines = BodyLines::new(request.into_body());
    tokio::spawn(async move {
        // The work ends when the client hangs up.
        tokio::select! {
            () = to.closed() => {}
            () = answer_lines(lines, &to, check, answer) => {}
        }
    });

    let body = stream::unfold(from, async |mut from| {
        let piece = from.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(piece), from))
    });

    let media_type = HeaderValue::from_static(NDJSON);
    let headers = [(header::CONTENT_TYPE, media_type)];
    (StatusCode::OK, headers, Body::from_stream(body)).into_response()
}

/// Answers lines in groups until they end, one cannot be answered, or the client stops reading.
async fn answer_lines<L, A>(
    mut lines: BodyLines,
    to: &mpsc::Sender<Bytes>,
    check: impl Fn(&L) -> Result<(), Problem>,
    answer: impl Fn(Vec<L>) -> BoxFuture<'static, Result<Vec<A>, CallError>>,
) where
    L: DeserializeOwned,
    A: Serialize,
{
    loop {
        let (batch, problem) = lines.read_batch(&check).await;
        let is_last = batch.len() < LINES_AT_ONCE || problem.is_some();

        let mut text = Vec::new();
        let mut ended = problem;
        if !batch.is_empty() {
            match answer(batch).await {
                Ok(answers) => answers.iter().for_each(|line| write_line(&mut text, line)),
                Err(error) => ended = Some(error.into()),
            }
        }

        if let Some(problem) = &ended {
            write_line(&mut text, &serde_json::json!({ "error": problem }));
        }

        let is_taken = text.is_empty() || to.send(text.into()).await.is_ok();
        if is_last || ended.is_some() || !is_taken {
            break;
        }
    }
}

fn write_line(text: &mut Vec<u8>, line: &impl Serialize) {
    serde_json::to_writer(&mut *text, line).expect("answers are plain data");
    text.push(b'\n');
}

/// The lines of a body, of bounded length.
struct BodyLines {
    body: axum::body::BodyDataStream,
    /// Bytes that were read but not used yet.
    rest: Vec<u8>,
    number: u64,
    is_over: bool,
}

impl BodyLines {
    fn new(body: Body) -> Self {
        Self {
            body: body.into_data_stream(),
            rest: Vec::new(),
            number: 0,
            is_over: false,
        }
    }

    /// The next [`LINES_AT_ONCE`] lines. There are fewer at the end of the body, and before a problem, which comes with
    /// them.
    async fn read_batch<L: DeserializeOwned>(
        &mut self,
        check: impl Fn(&L) -> Result<(), Problem>,
    ) -> (Vec<L>, Option<Problem>) {
        let mut batch = Vec::new();
        while batch.len() < LINES_AT_ONCE {
            let line = match self.next_line().await {
                Ok(None) => break,
                Ok(Some(line)) => line,
                Err(problem) => return (batch, Some(problem)),
            };
            if line.trim_ascii().is_empty() {
                continue;
            }

            let parsed = serde_json::from_slice(&line).map_err(|error| {
                Problem::invalid(format!("Line {} does not fit: {error}.", self.number))
            });
            let checked = parsed.and_then(|parsed| match check(&parsed) {
                Ok(()) => Ok(parsed),
                Err(problem) => Err(problem.in_line(self.number)),
            });

            match checked {
                Ok(parsed) => batch.push(parsed),
                Err(problem) => return (batch, Some(problem)),
            }
        }
        (batch, None)
    }

    async fn next_line(&mut self) -> Result<Option<Vec<u8>>, Problem> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.rest.drain(..=end).collect();
                line.pop();
                self.number += 1;
                return Ok(Some(line));
            }

            if self.rest.len() > MAX_LINE_BYTES {
                return Err(Problem::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    format!("Line {} has more than 1 MiB.", self.number + 1),
                ));
            }

            if self.is_over {
                let line = std::mem::take(&mut self.rest);
                self.number += 1;
                return Ok(Some(line).filter(|line| !line.is_empty()));
            }

            match self.body.next().await {
                Some(Ok(bytes)) => self.rest.extend_from_slice(&bytes),
                Some(Err(_)) => {
                    let sentence = "The body broke off, or is larger than the server takes.";
                    return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, sentence));
                }
                None => self.is_over = true,
            }
        }
    }
}
