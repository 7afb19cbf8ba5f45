use domain::metrics::{LearnedMetricKind, TextMetric};
use leptos::{either::Either, prelude::*};
use store::{Job, metrics::StudyMetric};

use crate::running_job::UnderWay;
use app::{
    api::{CancelScoring, ScoreOutputs},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
    services,
};
use service::metrics::{OfferedMetric, UnscoredMetric, text_metric};

/// The form to choose metrics and score outputs, or the progress of scoring.
#[component]
pub(super) fn Scoring(
    slug: String,
    metrics: Vec<StudyMetric>,
    job: Option<Job>,
    left: Vec<UnscoredMetric>,
    /// Whether a source of the study has references.
    has_references: bool,
) -> impl IntoView {
    match job {
        Some(job) => {
            let action = links::action::<CancelScoring>();
            Either::Left(view! {
                <UnderWay slug job what="Scoring" doing="Scoring outputs" action/>
            })
        }
        None => {
            let caution = |UnscoredMetric { metric, why }: UnscoredMetric| {
                view! { <p class="caution">{format!("{metric} was not computed: {why}")}</p> }
            };
            Either::Right(view! {
                {left.into_iter().map(caution).collect_view()}
                <Choose slug metrics has_references/>
            })
        }
    }
}

#[component]
fn Choose(slug: String, metrics: Vec<StudyMetric>, has_references: bool) -> impl IntoView {
    let has = |candidate: TextMetric| {
        metrics
            .iter()
            .any(|metric| text_metric(metric) == Some(candidate))
    };
    let first = metrics.is_empty();

    let choice = |candidate: TextMetric| {
        let chosen = has(candidate);
        let name = format!("metrics[{}]", candidate.name());
        let lacks = candidate.needs_references() && !has_references;
        let checked = chosen || first && DEFAULT.contains(&candidate) && !lacks;
        let why = lacks.then(|| view! { <span class="soft">{NO_REFERENCES}</span> });
        view! {
            <label class="choice">
                <input type="checkbox" name=name value="on" checked=checked disabled=chosen || lacks/>
                <span>{candidate.name()} <span class="soft">{format!(" {}", candidate.about())}</span> {why}</span>
            </label>
        }
    };
    let choices = TextMetric::ALL.map(choice);

    let offers = services().offered_metrics;
    let offers = offers
        .iter()
        .map(|offer| offered(offer, &metrics, has_references))
        .collect_view();
    let action = links::action::<ScoreOutputs>();

    let needs = (!has_references).then(|| {
        let import = StudyPage::Import.address(&slug);
        view! {
            <p class="note">
                "Metrics that compare with references cannot be chosen yet: "
                <a href=import>"import references"</a> " first."
            </p>
        }
    });
    let import = StudyPage::Import.address(&slug);

    view! {
        <details class="card scoring" open=first>
            <summary>"Score the outputs"</summary>
            <EnhancedForm action=action class="stack" label="Score the outputs">
                <input type="hidden" name="slug" value=slug/>
                <fieldset class="metric-choice">
                    <legend>"Metrics"</legend>
                    {choices}
                    {offers}
                </fieldset>
                {needs}
                <p class="soft">
                    "Outputs and references that you add later are scored automatically, by the study’s metrics. \
                     To add scores that were computed elsewhere, use "
                    <a href=import>"import"</a> "."
                </p>
                <div class="actions">
                    <button class="primary">"Score"</button>
                </div>
            </EnhancedForm>
        </details>
    }
}

/// A metric in the form; with the reason if this server cannot compute it.
fn offered(
    offer: &OfferedMetric,
    metrics: &[StudyMetric],
    has_references: bool,
) -> impl IntoView + use<> {
    let (name, about) = (offer.name, offer.about);
    let same = |metric: &StudyMetric| {
        let version = offer.version.as_ref();
        version.is_ok_and(|version| metric.name == name && metric.signature == version.signature)
    };
    let chosen = metrics.iter().any(same);

    let why = match &offer.version {
        // The reason concerns the person who runs the server. Others can train such a metric.
        Err(_) if name.parse::<LearnedMetricKind>().is_ok() => Some(
            view! { <span class="soft">"; not available here. "</span> <a href="#learned">"How to train one"</a> }
                .into_any(),
        ),
        Err(why) => Some(view! { <span class="soft">{format!("; not here: {why}")}</span> }.into_any()),
        Ok(version) if version.uses_references && !has_references => {
            Some(view! { <span class="soft">{NO_REFERENCES}</span> }.into_any())
        }
        Ok(_) => None,
    };
    let disabled = chosen || why.is_some();

    view! {
        <label class="choice">
            <input
                type="checkbox"
                name=format!("metrics[{name}]")
                value="on"
                checked=chosen
                disabled=disabled
            />
            <span>{name} <span class="soft">{format!(" {about}")}</span> {why}</span>
        </label>
    }
}

/// The reason why a metric cannot be chosen.
const NO_REFERENCES: &str = "; the study has no references";

/// The metrics ticked in a study that has none yet.
const DEFAULT: [TextMetric; 4] = [
    TextMetric::Sari,
    TextMetric::BLEU,
    TextMetric::Fkgl,
    TextMetric::Compression,
];
