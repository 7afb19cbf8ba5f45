//! Comparisons, marked spans and answers to questions in pages.

use std::collections::BTreeSet;

use axum::{Extension, Json, extract::State};
use domain::{
    comparison::{ComparisonAnswer, PairOutcome},
    ids::{OutputId, SourceId},
    questions::QuestionAnswer,
};
use serde::Serialize;
use service::{
    export::{SpanMarkLine, format_timestamp, span_marks},
    figures::comparisons::{answers_of_systems, systems_by_output},
};
use store::{
    Rater, Study, comparisons::ComparisonRecord, question_answers::AnswerRecord,
    source_pages::ListedSource,
};
use utoipa::ToSchema;

use super::{
    ApiCaller, ApiPath, ApiQuery, ApiState, Problem, StudyResponses,
    cursor::PageStart,
    lists::{RatingQuery, cut_page, group_name, load_outputs},
};

/// A page of comparisons.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ComparisonPage {
    /// The study's newest event when the first page was asked for: pass it as `since` the next time.
    event: i64,
    /// The sources that changed, whose comparisons replace those of an earlier answer; null for all.
    #[schema(value_type = Option<Vec<String>>)]
    changed_sources: Option<BTreeSet<SourceId>>,
    comparisons: Vec<ComparisonRow>,
    /// The cursor of the next page; null for the last.
    next: Option<String>,
}

/// A comparison of outputs of a source; one of an output that several systems wrote has a row for each of them.
#[derive(Debug, Serialize, ToSchema)]
struct ComparisonRow {
    #[schema(value_type = String, format = Uuid)]
    source: SourceId,
    /// The source's name in the files it came from.
    source_id: String,
    /// The rater's pseudonym.
    rater: String,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    dimension: String,
    /// The systems whose outputs were compared.
    systems: Vec<String>,
    /// Of two, the better system; null for a tie, or where more were compared.
    better: Option<String>,
    /// Of more than two, the best.
    best: Option<String>,
    /// Of more than two, the worst.
    worst: Option<String>,
    #[schema(format = DateTime)]
    recorded_at: String,
}

/// A page of judgements with marked spans.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SpanPage {
    /// The study's newest event when the first page was asked for: pass it as `since` the next time.
    event: i64,
    /// The sources that changed, whose marks replace those of an earlier answer; null for all.
    #[schema(value_type = Option<Vec<String>>)]
    changed_sources: Option<BTreeSet<SourceId>>,
    spans: Vec<SpanRow>,
    /// The cursor of the next page; null for the last.
    next: Option<String>,
}

/// The spans that a rater marked in an output and its source.
#[derive(Debug, Serialize, ToSchema)]
struct SpanRow {
    #[schema(value_type = String, format = Uuid)]
    output: OutputId,
    #[schema(value_type = String, format = Uuid)]
    source: SourceId,
    /// The source's name in the files it came from.
    source_id: String,
    system: String,
    /// The rater's pseudonym.
    rater: String,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    /// The marks, with places in characters; none where there is nothing to mark.
    #[schema(value_type = Vec<SpanMarkLine<'static>>)]
    marks: Vec<serde_json::Value>,
    /// Whether it is about the identical output that stands for this one.
    shared: bool,
    #[schema(format = DateTime)]
    recorded_at: String,
}

/// A page of answers to questions.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnswerPage {
    /// The study's newest event when the first page was asked for: pass it as `since` the next time.
    event: i64,
    /// The sources that changed, whose answers replace those of an earlier answer; null for all.
    #[schema(value_type = Option<Vec<String>>)]
    changed_sources: Option<BTreeSet<SourceId>>,
    answers: Vec<AnswerRow>,
    /// The cursor of the next page; null for the last.
    next: Option<String>,
}

/// An answer to a question.
#[derive(Debug, Serialize, ToSchema)]
struct AnswerRow {
    #[schema(value_type = String, format = Uuid)]
    source: SourceId,
    /// The source's name in the files it came from.
    source_id: String,
    /// The output, which stands for all of its source with the same text; null for a question about the source.
    #[schema(value_type = Option<String>, format = Uuid)]
    output: Option<OutputId>,
    /// The rater's pseudonym.
    rater: String,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    /// The key of the question.
    question: String,
    /// The keys of the chosen options.
    options: Vec<String>,
    /// The answer in the rater's own words; null where options were chosen.
    text: Option<String>,
    #[schema(format = DateTime)]
    recorded_at: String,
}

/// Lists comparisons of outputs.
///
/// For leads and researchers of the study. A page has the comparisons of at most `limit` sources. With `since`, all
/// comparisons of each source that changed, which replace those that an earlier answer had.
#[utoipa::path(
    get,
    path = "/studies/{study}/comparisons",
    tag = "Data",
    params(("study" = String, Path, description = "The study's short name."), RatingQuery),
    responses((status = 200, description = "A page of comparisons.", body = ComparisonPage), StudyResponses)
)]
pub(super) async fn list_comparisons(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    ApiQuery(query): ApiQuery<RatingQuery>,
) -> Result<Json<ComparisonPage>, Problem> {
    let access = caller.read(&state, &slug).await?;
    let study = &access.study;
    let (page, scope) = query.parts();
    let page = SourcesOfPage::load(&state, study, &page.start(study)?).await?;

    let compared = state.services.store.study_comparisons(study.id, scope);
    let compared = compared.await.map_err(|error| state.database(error))?;
    let names = systems_by_output(&compared.outputs);

    let mut comparisons = Vec::new();
    for record in &compared.comparisons {
        let Some(source) = page.find(&record.source) else {
            continue;
        };
        for answer in answers_of_systems(&record.answer, &names) {
            let group = page.group(study, &record.rater);
            comparisons.push(ComparisonRow::new(source, record, group, &answer));
        }
    }

    Ok(Json(ComparisonPage {
        event: page.event,
        changed_sources: page.changed,
        comparisons,
        next: page.next,
    }))
}

impl ComparisonRow {
    fn new(
        source: &ListedSource,
        record: &ComparisonRecord,
        group: Option<String>,
        answer: &ComparisonAnswer<String>,
    ) -> Self {
        let systems: Vec<String> = answer.shown().into_iter().cloned().collect();
        let (better, best, worst) = match answer {
            ComparisonAnswer::Pair(pair) => {
                let better = match pair.outcome() {
                    PairOutcome::A => systems.first().cloned(),
                    PairOutcome::B => systems.get(1).cloned(),
                    PairOutcome::Tie => None,
                };
                (better, None, None)
            }
            ComparisonAnswer::BestWorst(choice) => {
                let [best, worst] = [choice.best(), choice.worst()].map(String::clone);
                (None, Some(best), Some(worst))
            }
        };

        Self {
            source: source.id,
            source_id: source.key.clone(),
            rater: record.rater.clone(),
            group,
            dimension: record.dimension.clone(),
            systems,
            better,
            best,
            worst,
            recorded_at: format_timestamp(record.recorded_at),
        }
    }
}

/// Lists the spans that raters marked.
///
/// For leads and researchers of the study. A page has the marks of at most `limit` outputs. With `since`, all marks of each
/// source that changed, which replace those that an earlier answer had.
#[utoipa::path(
    get,
    path = "/studies/{study}/spans",
    tag = "Data",
    params(("study" = String, Path, description = "The study's short name."), RatingQuery),
    responses((status = 200, description = "A page of marked spans.", body = SpanPage), StudyResponses)
)]
pub(super) async fn list_spans(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    ApiQuery(query): ApiQuery<RatingQuery>,
) -> Result<Json<SpanPage>, Problem> {
    let access = caller.read(&state, &slug).await?;
    let study = &access.study;
    let (page, scope) = query.parts();
    let start = page.start(study)?;
    let page = load_outputs(&state, study, &start, scope).await?;

    let step = study.settings.protocol.mark_spans_step();
    let taxonomy = step.map(|step| step.taxonomy.clone()).unwrap_or_default();

    let mut spans = Vec::new();
    for output in &page.outputs {
        for of in &output.marks {
            let rater = page.raters.iter().find(|rater| rater.id == of.rater);
            spans.push(SpanRow {
                output: output.output,
                source: output.source.source,
                source_id: output.source.key.clone(),
                system: output.system.clone(),
                rater: rater.map(|rater| rater.label.clone()).unwrap_or_default(),
                group: rater.and_then(|rater| group_name(study, rater)),
                marks: span_marks(&taxonomy, output, of)
                    .iter()
                    .map(|mark| serde_json::to_value(mark).expect("a mark is plain data"))
                    .collect(),
                shared: of.shared,
                recorded_at: format_timestamp(of.recorded_at),
            });
        }
    }

    Ok(Json(SpanPage {
        event: start.event,
        changed_sources: page.changed,
        spans,
        next: page.next,
    }))
}

/// Lists answers to questions about outputs and sources.
///
/// For leads and researchers of the study. A page has the answers about at most `limit` sources and their outputs. With
/// `since`, all answers about each source that changed, which replace those that an earlier answer had.
#[utoipa::path(
    get,
    path = "/studies/{study}/answers",
    tag = "Data",
    params(("study" = String, Path, description = "The study's short name."), RatingQuery),
    responses((status = 200, description = "A page of answers.", body = AnswerPage), StudyResponses)
)]
pub(super) async fn list_answers(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    ApiQuery(query): ApiQuery<RatingQuery>,
) -> Result<Json<AnswerPage>, Problem> {
    let access = caller.read(&state, &slug).await?;
    let study = &access.study;
    let (page, scope) = query.parts();
    let page = SourcesOfPage::load(&state, study, &page.start(study)?).await?;

    let answered = state.services.store.study_answers(study.id, scope);
    let answered = answered.await.map_err(|error| state.database(error))?;

    let row = |record: AnswerRecord| {
        let source = page.find(&record.source_key)?;
        Some(AnswerRow {
            source: source.id,
            source_id: source.key.clone(),
            output: record.output,
            group: page.group(study, &record.rater),
            rater: record.rater,
            question: record.question,
            options: record.answer.options().to_vec(),
            text: match record.answer {
                QuestionAnswer::Text(text) => Some(text),
                _ => None,
            },
            recorded_at: format_timestamp(record.recorded_at),
        })
    };

    Ok(Json(AnswerPage {
        event: page.event,
        answers: answered.answers.into_iter().filter_map(row).collect(),
        changed_sources: page.changed,
        next: page.next,
    }))
}

/// The sources whose answers are on a page.
struct SourcesOfPage {
    event: i64,
    changed: Option<BTreeSet<SourceId>>,
    sources: Vec<ListedSource>,
    raters: Vec<Rater>,
    next: Option<String>,
}

impl SourcesOfPage {
    async fn load(state: &ApiState, study: &Study, start: &PageStart) -> Result<Self, Problem> {
        let store = &state.services.store;
        let loaded = async {
            let changed = start.changed_sources(store, study).await?;
            let (place, limit) = (start.place, start.limit);
            let page = store.source_page(study.id, place, limit + 1, changed.as_ref());
            let mut sources = page.await?;
            let next = cut_page(&mut sources, limit).map(|last| start.next(last.position));
            Ok(Self {
                event: start.event,
                changed,
                sources,
                raters: store.raters(study.id).await?,
                next,
            })
        };

        let loaded: store::Result<_> = loaded.await;
        loaded.map_err(|error| state.database(error))
    }

    /// The source with this name, if it is on the page.
    fn find(&self, key: &str) -> Option<&ListedSource> {
        self.sources.iter().find(|source| source.key == key)
    }

    /// The name of the group of the rater with this pseudonym.
    fn group(&self, study: &Study, label: &str) -> Option<String> {
        let rater = self.raters.iter().find(|rater| rater.label == label)?;
        group_name(study, rater)
    }
}
