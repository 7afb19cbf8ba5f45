//! Agreement of metrics with the raters of a study.

mod assisted;
mod compared;
mod comparison;
mod correlations;
mod detail;
mod dimensions;
mod groups;
mod missing_metrics;
mod query;
mod score;
mod tau;
mod training;
mod versions;

use std::sync::Arc;

use domain::{
    ids::{MetricId, StudyId},
    metrics::{ScoreDirection, ScoreScale, meta::IntervalEstimate},
    statistics::{UndefinedReason, bootstrap::ResamplingOptions},
};
use leptos::{either::Either, prelude::*};
use store::{JobKind, metrics::StudyMetric};

use self::{
    assisted::AssistedView,
    compared::ComparedMetricsCharts,
    comparison::ComparisonChart,
    correlations::CorrelationCharts,
    detail::{DetailChoice, DetailView},
    dimensions::Dimensions,
    missing_metrics::{MissingMetricReasons, MissingMetricsNotice, learned_from_note},
    query::MetricsQuery,
    score::Scoring,
    tau::TauCharts,
    training::{ModelVersionsSection, TrainingPanel},
    versions::Versions,
};
use crate::charts::ChartDownloads;
use app::{
    components::{ShownComparisons, WhichRatingsForm, figure_or_notice},
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, refuse},
    services,
};
use service::{
    FigureError,
    figures::metrics::{
        AssistedSystems, ComparedMetrics, MetricDetail, MetricEvaluationOptions, StudyMetricScores,
        StudyMetrics, WriterGroup, compare,
    },
    live::{CacheKey, StudySnapshot},
    metric_training::ModelReport,
    metrics::{running_job, unscored_metrics},
    wording::count_noun,
};

/// The agreement of each metric with raters, correlations, and the outputs on which metrics and
/// people differ most.
#[component]
pub fn MetricsPage() -> impl IntoView {
    let query = MetricsQuery::from_url();
    study_page(
        "Metrics",
        StudyTab::Metrics,
        RequestAccess::require_panel_access,
        async move |access| content(access, query).await,
    )
}

async fn content(access: RequestAccess, asked: MetricsQuery) -> Result<AnyView, Refusal> {
    if let Some(shown) = ShownComparisons::load(&access.study, &asked.which).await? {
        return compared_content(access, asked, shown).await;
    }

    let dimensions = asked.which.load_dimensions(&access.study).await?;
    let dimension = asked.which.dimension(&dimensions);
    let (tie, no_threshold) = asked.tie();
    let options = MetricEvaluationOptions {
        dimension: dimension.name,
        scale: dimension.scale,
        tie,
        without_references: asked.without_references,
        resampling: ResamplingOptions::default(),
    };

    let (store, study) = (services().store, access.study.id);
    // Read before the scores: a finished job has written all scores that are read below.
    let job = running_job(&store, study, JobKind::Score)
        .await
        .map_err(refuse)?;
    let event = store.newest_event(study).await.map_err(refuse)?;
    let metrics = store.metrics(study).await.map_err(refuse)?;
    let left = unscored_metrics(&store, study).await.map_err(refuse)?;
    let has_references = store.has_references(study).await.map_err(refuse)?;
    let slug = access.study.slug.to_string();

    if metrics.is_empty() {
        // A page without metrics needs no outputs.
        let body = nothing_to_compare(&slug, NO_METRIC, MissingMetricReasons::default());
        let scoring = view! { <Scoring slug metrics=metrics.clone() job left has_references/> };
        return page(access, metrics, event.unwrap_or(0), scoring, (), body).await;
    }
    let panel = load_panel(study, &metrics, options.clone(), &asked).await;
    let (held, kept) = match figure_or_notice(panel)? {
        Ok(panel) => panel,
        Err(notice) => {
            let (address, chosen) = (StudyPage::Metrics.address(&slug), asked.which);
            let scoring = view! { <Scoring slug metrics=metrics.clone() job left has_references/> };
            let ratings_form = view! { <WhichRatingsForm address dimensions chosen/> };
            return page(
                access,
                metrics,
                event.unwrap_or(0),
                scoring,
                ratings_form,
                notice,
            )
            .await;
        }
    };
    // The newest event comes from what was read first.
    let event = event.unwrap_or(0).min(held);

    let shown = &kept.shown;
    let fields = asked.fields(&shown.figures);
    let lacks = MissingMetricReasons::from_figures(&shown.figures, has_references, &left);
    let scale = match &shown.chosen {
        Some(chosen) => load_scale(&store, study, &metrics, chosen).await?,
        None => ScoreScale::default(),
    };
    let address = StudyPage::Metrics.address(&slug);
    let has_consensus = store.has_consensus(study).await.map_err(refuse)?;

    let body = if shown.figures.entries.is_empty() {
        Either::Left(empty(&slug, &shown.figures, lacks))
    } else {
        Either::Right(figures(&slug, shown, &options, scale, lacks))
    };

    let no_threshold = no_threshold.map(|why| view! { <p class="caution">{why}</p> });
    let scoring = view! { <Scoring slug metrics=metrics.clone() job left has_references/> };
    let chosen = asked.which;
    let ratings_form = view! {
        <WhichRatingsForm address dimensions chosen has_consensus>{fields}</WhichRatingsForm>
        {no_threshold}
    };
    page(access, metrics, event, scoring, ratings_form, body).await
}

/// The page of a study that compares outputs.
async fn compared_content(
    access: RequestAccess,
    asked: MetricsQuery,
    shown: ShownComparisons,
) -> Result<AnyView, Refusal> {
    let (services, study) = (services(), access.study.id);
    let store = &services.store;

    // Read before the scores: a finished job has written all scores that are read below.
    let job = running_job(store, study, JobKind::Score)
        .await
        .map_err(refuse)?;
    let metrics = store.metrics(study).await.map_err(refuse)?;
    let scope = asked.which.rating_scope();
    let figures = services.compared_metrics.get(store, study, scope).await;
    let figures = figure_or_notice(figures)?;
    let left = unscored_metrics(store, study).await.map_err(refuse)?;
    let has_references = store.has_references(study).await.map_err(refuse)?;
    let has_consensus = store.has_consensus(study).await.map_err(refuse)?;

    let slug = access.study.slug.to_string();
    let dimension = asked.which.dimension(&shown.dimensions).name;
    let body = match figures {
        Err(notice) => notice,
        Ok(figures) => {
            let compared = figures.iter().find(|of| of.dimension == dimension);
            compared_figures(&slug, compared, metrics.is_empty())
        }
    };

    let ratings_form = (!metrics.is_empty()).then(|| {
        let (address, dimensions) = (StudyPage::Metrics.address(&slug), shown.dimensions);
        view! { <WhichRatingsForm address dimensions chosen=asked.which has_consensus/> }
    });
    let scoring = view! { <Scoring slug metrics=metrics.clone() job left has_references/> };
    page(access, metrics, shown.event, scoring, ratings_form, body).await
}

/// The agreement of metrics with comparisons, or why there is none.
fn compared_figures(
    slug: &str,
    compared: Option<&ComparedMetrics>,
    has_no_metric: bool,
) -> AnyView {
    let scored = compared.filter(|of| !of.entries.is_empty());
    if let Some(of) = scored.cloned() {
        return view! { <ComparedMetricsCharts of/> }.into_any();
    }
    let why = match (has_no_metric, compared) {
        (true, _) => NO_METRIC,
        (false, None) => "Agreement appears as soon as outputs are compared on this dimension.",
        (false, Some(_)) => "No compared output has a score yet.",
    };
    nothing_to_compare(slug, why, MissingMetricReasons::default()).into_any()
}

async fn page(
    access: RequestAccess,
    metrics: Vec<StudyMetric>,
    event: i64,
    scoring: impl IntoView + 'static,
    ratings_form: impl IntoView + 'static,
    body: impl IntoView + 'static,
) -> Result<AnyView, Refusal> {
    let learning = TrainingPanel::load(&access).await?;
    let (slug, name) = (access.study.slug.to_string(), access.study.name.clone());

    Ok(view! {
        <div class="title-row">
            <h1>"Metrics"</h1>
            <LiveSign slug event/>
        </div>
        <p class="lead">
            "How well automatic metrics agree with the raters of this study, and where they do not."
        </p>
        {scoring}
        {ratings_form}
        <div id="metrics" data-live>{body}</div>
        <ModelVersionsSection access=access.clone() learning/>
        <Versions access metrics/>
        <ChartDownloads study=name/>
    }
    .into_any())
}

/// The key of the panel of a study's metrics, without the scores.
#[derive(Debug, Clone, PartialEq)]
struct MetricsPanelKey {
    options: MetricEvaluationOptions,
    /// The metric that is shown output by output.
    chosen: Option<MetricId>,
    /// The metric that the others are compared with.
    against: Option<MetricId>,
}

impl CacheKey for MetricsPanelKey {
    type Value = CachedMetricsPanel;
}

/// A panel and the scores that it was computed from.
struct CachedMetricsPanel {
    /// For each metric, the event that announced its newest scores, and their direction.
    scores: Vec<(MetricId, i64, ScoreDirection)>,
    shown: MetricsPanel,
}

/// Returns the number of the newest event that the panel's ratings include, and the panel. A panel
/// is computed once for all equal requests until the study's ratings or scores change.
async fn load_panel(
    study: StudyId,
    metrics: &[StudyMetric],
    wanted: MetricEvaluationOptions,
    asked: &MetricsQuery,
) -> Result<(i64, Arc<CachedMetricsPanel>), FigureError> {
    let services = services();
    let (store, scope) = (&services.store, asked.which.rating_scope());

    let id = |name: &Option<String>| {
        let id = name.as_deref()?.parse().ok()?;
        let exists = metrics.iter().any(|metric| metric.id == id);
        exists.then_some(id)
    };
    let key = MetricsPanelKey {
        options: wanted,
        chosen: id(&asked.metric),
        against: id(&asked.against),
    };

    let scores: Vec<_> = metrics
        .iter()
        .map(|metric| (metric.id, metric.event, metric.direction))
        .collect();

    let read_cached = {
        let (key, scores) = (key.clone(), scores.clone());
        move |snapshot: &StudySnapshot| {
            let panel = snapshot.cached(&key);
            Some((
                snapshot.event(),
                panel.filter(|panel| panel.scores == scores)?,
            ))
        }
    };

    // A cached panel spares reading all outputs and scores.
    if let Some(cached) = services.live.read(store, study, scope, read_cached).await? {
        return Ok(cached);
    }

    let outputs = store.output_entries(study).await?;
    let read = store.metric_scores(study).await?;
    let metric_scores = StudyMetricScores::new(metrics.to_vec(), outputs, &read);
    let make = move |snapshot: &StudySnapshot| {
        let shown = MetricsPanel::compute(snapshot, &metric_scores, &key);
        (
            snapshot.event(),
            snapshot.insert_cached(key, CachedMetricsPanel { scores, shown }),
        )
    };
    services.live.read(store, study, scope, make).await
}

/// The computed content of the page.
#[derive(Debug, Clone)]
struct MetricsPanel {
    outputs: usize,
    figures: StudyMetrics,
    chosen: Option<ChosenMetric>,
    against: Option<Vec<comparison::MetricComparisonRow>>,
    /// The labels of metrics that were requested by name and have no scores.
    asked_for: Vec<String>,
}

/// The metric that is shown output by output.
#[derive(Debug, Clone)]
struct ChosenMetric {
    metric: MetricId,
    label: String,
    detail: MetricDetail,
    /// Pearson's r over all of these outputs.
    pearson: IntervalEstimate,
    /// The systems with the metric's help, if it scored outputs without ratings.
    assisted: Option<AssistedSystems>,
}

impl MetricsPanel {
    fn compute(held: &StudySnapshot, scored: &StudyMetricScores, key: &MetricsPanelKey) -> Self {
        let (asked, chosen, against) = (&key.options, key.chosen, key.against);
        let figures = StudyMetrics::compute(held, scored, asked);
        let entry = |id| figures.entries.iter().find(|entry| entry.metric.id == id);
        let is_asked = |id| chosen == Some(id) || against == Some(id);
        let asked_for = figures.missing.iter();
        let asked_for = asked_for.filter(|missing| is_asked(missing.metric.id));
        let asked_for = asked_for.map(|missing| missing.label.clone()).collect();

        let chosen = chosen.and_then(entry).map(|entry| {
            let over_all = entry
                .parts
                .iter()
                .find(|(part, _)| *part == WriterGroup::All);
            let none = IntervalEstimate {
                value: Err(UndefinedReason::NoPairableUnit),
                interval: Err(UndefinedReason::NoPairableUnit),
            };
            ChosenMetric {
                metric: entry.metric.id,
                label: entry.label.clone(),
                detail: MetricDetail::compute(held, scored, asked, entry.metric.id),
                pearson: over_all.map_or(none, |(_, evaluation)| evaluation.segment.pearson),
                assisted: AssistedSystems::compute(
                    held,
                    scored,
                    &asked.dimension,
                    entry.metric.id,
                    asked.resampling,
                ),
            }
        });

        let against = against.and_then(entry).map(|one| {
            let others = figures.entries.iter();
            let others = others.filter(|other| other.metric.id != one.metric.id);
            let row = |other: &service::figures::metrics::MetricEntry| {
                let (outputs, of) = compare(held, scored, asked, one.metric.id, other.metric.id)?;
                Some(comparison::MetricComparisonRow {
                    baseline: one.label.clone(),
                    other: other.label.clone(),
                    outputs,
                    comparison: of,
                })
            };
            others.filter_map(row).collect()
        });

        Self {
            outputs: scored.outputs.len(),
            chosen,
            against,
            asked_for,
            figures,
        }
    }
}

fn figures(
    slug: &str,
    shown: &MetricsPanel,
    asked: &MetricEvaluationOptions,
    scale: ScoreScale,
    lacks: MissingMetricReasons,
) -> impl IntoView + use<> {
    let (of, known) = (&shown.figures, shown.outputs);
    let notes = left_out(of, asked.without_references);
    let asked_for = (!shown.asked_for.is_empty()).then(|| {
        format!(
            "{} cannot be examined or tested because it has no score of a rated output.",
            shown.asked_for.join(" and ")
        )
    });
    let (tie, signature) = (asked.tie.describe(asked.scale), asked.signature());

    let neither = of.entries.iter().map(|entry| &entry.metric);
    let neither = neither.filter(|metric| metric.direction == ScoreDirection::Neither);
    let neither: Vec<_> = neither.map(|metric| metric.name.clone()).collect();
    let neither = (!neither.is_empty()).then(|| {
        format!(
            "{}: a higher score is neither better nor worse. The panels use it as it is.",
            neither.join(", ")
        )
    });

    let lacking = lacks.note();
    let caution = |text: String| view! { <p class="caution">{text}</p> };
    let basis = count_noun(of.rated, "output");

    let detail = shown.chosen.clone().map(|chosen| {
        let ChosenMetric {
            metric: _,
            label,
            detail,
            pearson,
            assisted,
        } = chosen;
        let assisted =
            assisted.map(|assisted| view! { <AssistedView label=label.clone() assisted/> });
        view! {
            <DetailView
                slug=slug.to_owned()
                label
                scale
                detail
                pearson
                basis=basis.clone()
            />
            {assisted}
        }
    });

    let choices = of.entries.iter();
    let choices =
        choices.map(|entry| (entry.label.clone(), MetricsQuery::examine(entry.metric.id)));
    let detail = match detail {
        Some(detail) => Either::Left(detail),
        None => Either::Right(view! { <DetailChoice choices=choices.collect()/> }),
    };

    let against = shown
        .against
        .clone()
        .map(|rows| view! { <ComparisonChart rows basis=basis.clone()/> });

    view! {
        <dl class="facts">
            <div><dt>"Outputs"</dt><dd>{known}</dd></div>
            <div><dt>"Outputs rated"</dt><dd>{of.rated}</dd></div>
            <div><dt>"Metrics"</dt><dd>{of.entries.len()}</dd></div>
            <div><dt>"Dimension"</dt><dd>{asked.dimension.clone()}</dd></div>
            <div><dt>"Ratings tie up to"</dt><dd>{tie.clone()}</dd></div>
        </dl>
        {notes.into_iter().chain(asked_for).map(caution).collect_view()}
        <MissingMetricsNotice slug=slug.to_owned() lacks/>
        <p class="soft signatures">"Signature of these figures: " <code>{signature}</code></p>
        {neither.map(|text| view! { <p class="soft">{text}</p> })}
        <TauCharts
            entries=of.entries.clone()
            limit=of.human_ceiling
            tie
            lacking=lacking.clone()
            basis=basis.clone()
        />
        <CorrelationCharts
            entries=of.entries.clone()
            limit=of.human_ceiling
            lacking
            systems=of.systems
            basis=basis.clone()
        />
        <Dimensions parts=of.dimensions.clone() basis/>
        {against}
        {detail}
    }
}

/// The meaning of a metric's scores: from the report of a metric that the study trained, else as
/// this server knows it. Empty if it is unknown.
async fn load_scale(
    store: &store::Store,
    study: StudyId,
    metrics: &[StudyMetric],
    chosen: &ChosenMetric,
) -> Result<ScoreScale, Refusal> {
    let metric = metrics.iter().find(|metric| metric.id == chosen.metric);
    let Some(metric) = metric else {
        return Ok(ScoreScale::default());
    };
    let Some(id) = metric.model else {
        return Ok(find_scale(&metric.signature));
    };

    let models = store.models(study).await.map_err(refuse)?;
    let model = models.iter().find(|model| model.id == id);
    let report = model.and_then(ModelReport::from_model);
    Ok(report.map(|report| report.scale).unwrap_or_default())
}

/// The meaning of the scores of the metric with that signature, if this server knows it.
fn find_scale(signature: &str) -> ScoreScale {
    let offered = services().offered_metrics;
    let mut versions = offered
        .iter()
        .filter_map(|metric| metric.version.as_ref().ok());
    let version = versions.find(|version| version.signature == signature);
    version
        .map(|version| version.scale.clone())
        .unwrap_or_default()
}

/// Sentences on outputs that could be left out, and on sources that are.
fn left_out(of: &StudyMetrics, without: bool) -> Vec<String> {
    let same = (of.references > 0 && !without).then(|| {
        let (one, many) = ("rated output is one of its references", "rated outputs are one of their references");
        let phrase = if of.references == 1 { one } else { many };
        format!(
            "{} {phrase}, word for word: metrics that compare with references get these for free. You can leave \
             them out above to see the figures without them.",
            of.references
        )
    });
    let left_out = of.entries.iter().filter(|entry| entry.learned_from > 0);
    let left_out = left_out.map(|entry| learned_from_note(&entry.label, entry.learned_from));
    same.into_iter().chain(left_out).collect()
}

const NO_METRIC: &str =
    "Choose metrics above and score the outputs, or import scores that were computed elsewhere.";

fn empty(slug: &str, of: &StudyMetrics, lacks: MissingMetricReasons) -> impl IntoView + use<> {
    let why = if of.rated == 0 {
        "Agreement appears as soon as an annotator has submitted a source, or a file with ratings \
         has been imported."
    } else {
        "No rated output has a score yet."
    };
    let lacks = if of.rated == 0 {
        MissingMetricReasons::default()
    } else {
        lacks
    };

    nothing_to_compare(slug, why, lacks)
}

fn nothing_to_compare(
    slug: &str,
    why: &'static str,
    lacks: MissingMetricReasons,
) -> impl IntoView + use<> {
    view! {
        <section class="empty">
            <h2>"Nothing to compare yet"</h2>
            <p>{why}</p>
            <MissingMetricsNotice slug=slug.to_owned() lacks/>
        </section>
    }
}
