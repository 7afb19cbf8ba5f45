//! Sources, outputs and ratings in pages.

use std::collections::BTreeSet;

use axum::{Extension, Json, extract::State};
use domain::ids::{OutputId, SourceId};
use serde::{Deserialize, Serialize};
use service::export::format_timestamp;
use store::{Rater, Study, export::ExportedOutput, rating_rows::RatingScope};
use utoipa::{IntoParams, ToSchema};

use super::{
    ApiCaller, ApiPath, ApiQuery, ApiState, Problem, StudyResponses, cursor::PageQuery,
    cursor::PageStart,
};

/// A page of sources.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SourcePage {
    /// The study's newest event when the first page was asked for: pass it as `since` the next time.
    event: i64,
    sources: Vec<SourceRow>,
    /// The cursor of the next page; null for the last.
    next: Option<String>,
}

/// A source.
#[derive(Debug, Serialize, ToSchema)]
struct SourceRow {
    #[schema(value_type = String, format = Uuid)]
    id: SourceId,
    /// The name it has in the files it came from.
    source_id: String,
    text: String,
    /// main, tutorial, training, qualification or attention.
    purpose: &'static str,
    references: Vec<String>,
    context_before: String,
    context_after: String,
    outputs: u32,
    /// How many annotators have handed it in.
    handed_in: u32,
}

/// A page of outputs of main sources.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OutputPage {
    /// The study's newest event when the first page was asked for: pass it as `since` the next time.
    event: i64,
    outputs: Vec<OutputRow>,
    /// The cursor of the next page; null for the last.
    next: Option<String>,
}

/// An output.
#[derive(Debug, Serialize, ToSchema)]
struct OutputRow {
    #[schema(value_type = String, format = Uuid)]
    id: OutputId,
    #[schema(value_type = String, format = Uuid)]
    source: SourceId,
    /// The source's name in the files it came from.
    source_id: String,
    system: String,
    /// machine, human or baseline.
    kind: &'static str,
    text: String,
    /// The first output of the source with the same text, unless it is this one.
    #[schema(value_type = Option<String>, format = Uuid)]
    twin_of: Option<OutputId>,
    /// The category that counts: the raters' majority, ties to the automatic one.
    category: &'static str,
    automatic_category: &'static str,
}

/// A page of ratings.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RatingPage {
    /// The study's newest event when the first page was asked for: pass it as `since` the next time.
    event: i64,
    /// The sources that changed, whose ratings replace those of an earlier answer; null for all. The same on each page.
    #[schema(value_type = Option<Vec<String>>)]
    changed_sources: Option<BTreeSet<SourceId>>,
    ratings: Vec<RatingRow>,
    /// The cursor of the next page; null for the last.
    next: Option<String>,
}

/// A rating that counts.
#[derive(Debug, Serialize, ToSchema)]
struct RatingRow {
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
    dimension: String,
    value: f64,
    /// The numbers that it could have been, as LOW..HIGH.
    scale: String,
    /// Whether it was given to the identical output that stands for this one.
    shared: bool,
    #[schema(format = DateTime)]
    recorded_at: String,
}

/// The answers that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CountedAnswers {
    /// Those of submitted sources.
    #[default]
    Submitted,
    /// Those of open sources as well.
    InWork,
    /// Those on which the raters of a source agreed, in place of their own.
    Consensus,
}

impl From<CountedAnswers> for RatingScope {
    fn from(count: CountedAnswers) -> Self {
        match count {
            CountedAnswers::Submitted => Self::HandedIn,
            CountedAnswers::InWork => Self::IncludingOpen,
            CountedAnswers::Consensus => Self::Consensus,
        }
    }
}

/// The ratings, or other answers, that are asked for. Its fields beside `count` are those of [`PageQuery`]; both would have to be read as
/// texts if one held the other.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct RatingQuery {
    /// Where the page before ended, as `next` of its answer says; nothing for the first page.
    cursor: Option<String>,
    /// The most outputs, or sources, whose answers are on the page: 1 to 500.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    /// Only answers about sources that changed after the event with this number, as `event` of an earlier answer says.
    #[param(minimum = 0)]
    since: Option<i64>,
    /// The answers that count.
    #[param(inline)]
    count: Option<CountedAnswers>,
}

impl RatingQuery {
    /// Splits into the page and the scope of the answers.
    pub(super) fn parts(self) -> (PageQuery, RatingScope) {
        let page = PageQuery {
            cursor: self.cursor,
            limit: self.limit,
            since: self.since,
        };
        (page, self.count.unwrap_or_default().into())
    }
}

/// The name of the rater's group, if they are in one.
pub(super) fn group_name(study: &Study, rater: &Rater) -> Option<String> {
    let group = study.settings.group(rater.group.as_deref());
    group.map(|group| group.name.clone())
}

/// Lists sources, with references and context.
///
/// For leads and researchers of the study. With `since`, sources whose judgements or outputs changed.
#[utoipa::path(
    get,
    path = "/studies/{study}/sources",
    tag = "Data",
    params(("study" = String, Path, description = "The study's short name."), PageQuery),
    responses((status = 200, description = "A page of sources.", body = SourcePage), StudyResponses)
)]
pub(super) async fn list_sources(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<SourcePage>, Problem> {
    let access = caller.read(&state, &slug).await?;
    let (study, store) = (&access.study, &state.services.store);
    let start = query.start(study)?;

    let changed = start.changed_sources(store, study).await;
    let changed = changed.map_err(|error| state.database(error))?;
    let (place, limit) = (start.place, start.limit);
    let page = store.source_page(study.id, place, limit + 1, changed.as_ref());
    let mut page = page.await.map_err(|error| state.database(error))?;
    let next = cut_page(&mut page, limit).map(|last| start.next(last.position));

    let row = |source: store::source_pages::ListedSource| SourceRow {
        id: source.id,
        source_id: source.key,
        text: source.text,
        purpose: source.purpose.name(),
        references: source.references,
        context_before: source.context.before,
        context_after: source.context.after,
        outputs: source.outputs,
        handed_in: source.handed_in,
    };

    Ok(Json(SourcePage {
        event: start.event,
        sources: page.into_iter().map(row).collect(),
        next,
    }))
}

/// Lists outputs of main sources.
///
/// For leads and researchers of the study. With `since`, outputs of sources that changed.
#[utoipa::path(
    get,
    path = "/studies/{study}/outputs",
    tag = "Data",
    params(("study" = String, Path, description = "The study's short name."), PageQuery),
    responses((status = 200, description = "A page of outputs.", body = OutputPage), StudyResponses)
)]
pub(super) async fn list_outputs(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<OutputPage>, Problem> {
    let access = caller.read(&state, &slug).await?;
    let start = query.start(&access.study)?;
    let scope = RatingScope::HandedIn;
    let page = load_outputs(&state, &access.study, &start, scope).await?;

    let row = |output: ExportedOutput| OutputRow {
        id: output.output,
        source: output.source.source,
        source_id: output.source.key.clone(),
        system: output.system,
        kind: output.kind.name(),
        text: output.text,
        twin_of: output.twin_of,
        category: output.category.name(),
        automatic_category: output.automatic.category.name(),
    };

    Ok(Json(OutputPage {
        event: start.event,
        outputs: page.outputs.into_iter().map(row).collect(),
        next: page.next,
    }))
}

/// Lists the ratings that count.
///
/// For leads and researchers of the study. Raters have pseudonyms. With `since`, all ratings of each source that
/// changed, which replace those that an earlier answer had: `changed_sources` names these, also where none is left.
#[utoipa::path(
    get,
    path = "/studies/{study}/ratings",
    tag = "Data",
    params(("study" = String, Path, description = "The study's short name."), RatingQuery),
    responses((status = 200, description = "A page of ratings.", body = RatingPage), StudyResponses)
)]
pub(super) async fn list_ratings(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
    ApiQuery(query): ApiQuery<RatingQuery>,
) -> Result<Json<RatingPage>, Problem> {
    let access = caller.read(&state, &slug).await?;
    let (page, scope) = query.parts();
    let start = page.start(&access.study)?;
    let page = load_outputs(&state, &access.study, &start, scope).await?;

    let label = |rater| {
        let mut raters = page.raters.iter();
        let rater = raters.find(|known| known.id == rater);
        rater.map(|rater| rater.label.clone()).unwrap_or_default()
    };
    let group = |rater| {
        let mut raters = page.raters.iter();
        let rater = raters.find(|known| known.id == rater)?;
        group_name(&access.study, rater)
    };

    let mut ratings = Vec::new();
    for output in &page.outputs {
        for rating in &output.ratings {
            ratings.push(RatingRow {
                output: output.output,
                source: output.source.source,
                source_id: output.source.key.clone(),
                system: output.system.clone(),
                rater: label(rating.rater),
                group: group(rating.rater),
                dimension: rating.dimension.clone(),
                value: rating.value,
                scale: rating.scale.clone(),
                shared: rating.shared,
                recorded_at: format_timestamp(rating.recorded_at),
            });
        }
    }

    Ok(Json(RatingPage {
        event: start.event,
        changed_sources: page.changed,
        ratings,
        next: page.next,
    }))
}

/// The outputs of a page with the answers about them.
pub(super) struct LoadedOutputs {
    pub(super) outputs: Vec<ExportedOutput>,
    pub(super) raters: Vec<Rater>,
    pub(super) changed: Option<BTreeSet<SourceId>>,
    pub(super) next: Option<String>,
}

/// Reads a page of outputs. If only some sources changed, it begins with their first output and leaves others out.
pub(super) async fn load_outputs(
    state: &ApiState,
    study: &Study,
    start: &PageStart,
    scope: RatingScope,
) -> Result<LoadedOutputs, Problem> {
    let store = &state.services.store;
    let loaded = async {
        let changed = start.changed_sources(store, study).await?;
        let only = changed.as_ref();
        let mut export = store.begin_export(study.id, scope).await?;
        let raters = std::mem::take(&mut export.raters);

        let mut outputs = Vec::new();
        let mut next = None;
        if let Some(first) = store.next_output_place(study.id, start.place, only).await? {
            export.start_after(first - 1);
            outputs = export.next_page(start.limit).await?;
            outputs.retain(|output| only.is_none_or(|only| only.contains(&output.source.source)));
            let last = export.place();
            let more = store.next_output_place(study.id, last, only).await?;
            next = more.map(|_| start.next(last));
        }

        Ok(LoadedOutputs {
            outputs,
            raters,
            changed,
            next,
        })
    };

    let loaded: store::Result<_> = loaded.await;
    loaded.map_err(|error| state.database(error))
}

/// Cuts off the rows beyond the page, and returns its last row if there were any.
pub(super) fn cut_page<T>(page: &mut Vec<T>, limit: u32) -> Option<&T> {
    let limit = limit as usize;
    let more = page.len() > limit;
    page.truncate(limit);
    page.last().filter(|_| more)
}
