use domain::metrics::TextMetric;
use leptos::{either::Either, prelude::*};
use store::{Job, metrics::Metric};

use crate::{
    api::{CancelScoring, ScoreOutputs, percent},
    islands::{EnhancedForm, JobProgress},
    links,
    metrics::{about, text_metric},
};

/// Where metrics are chosen and outputs scored, or how far that is.
#[component]
pub(super) fn Scoring(slug: String, metrics: Vec<Metric>, job: Option<Job>) -> impl IntoView {
    match job {
        Some(job) => Either::Left(view! { <UnderWay slug job/> }),
        None => Either::Right(view! { <Choose slug metrics/> }),
    }
}

#[component]
fn UnderWay(slug: String, job: Job) -> impl IntoView {
    let (id, percent) = (job.id.to_string(), percent(&job).to_string());
    let action = links::action::<CancelScoring>();
    view! {
        <section class="card stack under-way scoring" aria-label="Scoring">
            <JobProgress
                slug=slug.clone()
                job=id.clone()
                doing="Scoring outputs".to_owned()
                percent
            />
            <noscript>
                <p>"Load this page anew to see how far it is."</p>
            </noscript>
            <EnhancedForm action=action class="inline" label="Cancel scoring">
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="job" value=id/>
                <button>"Cancel"</button>
            </EnhancedForm>
        </section>
    }
}

#[component]
fn Choose(slug: String, metrics: Vec<Metric>) -> impl IntoView {
    let has = |of: TextMetric| metrics.iter().any(|metric| text_metric(metric) == Some(of));
    let first = metrics.is_empty();
    let choice = |of: TextMetric| {
        let chosen = has(of);
        let name = format!("metrics[{}]", of.name());
        let checked = chosen || first && DEFAULT.contains(&of);
        view! {
            <label class="choice">
                <input type="checkbox" name=name value="on" checked=checked disabled=chosen/>
                <span>{of.name()} <span class="soft">{format!(" {}", about(of))}</span></span>
            </label>
        }
    };
    let choices = TextMetric::ALL.map(choice);
    let action = links::action::<ScoreOutputs>();
    let import = links::to(&format!("/s/{slug}/import"));
    view! {
        <details class="card scoring" open=first>
            <summary>"Score the outputs"</summary>
            <EnhancedForm action=action class="stack" label="Score the outputs">
                <input type="hidden" name="slug" value=slug/>
                <fieldset class="metric-choice">
                    <legend>"Metrics"</legend>
                    {choices}
                </fieldset>
                <p class="soft">
                    "Outputs and references that come later are scored by themselves, by the metrics that \
                     the study has. Scores that were computed elsewhere come in by "
                    <a href=import>"import"</a> "."
                </p>
                <div class="actions">
                    <button class="primary">"Score"</button>
                </div>
            </EnhancedForm>
        </details>
    }
}

/// What is ticked where a study has no metric yet.
const DEFAULT: [TextMetric; 4] = [
    TextMetric::Sari,
    TextMetric::Bleu,
    TextMetric::Fkgl,
    TextMetric::Compression,
];
