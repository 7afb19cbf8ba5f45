use leptos::prelude::*;
use store::Job;

use crate::{
    api::percent,
    islands::{EnhancedForm, JobProgress},
};

/// How far a job is, what its worker said of it, and the way to call it off.
#[component]
pub(super) fn UnderWay(
    slug: String,
    job: Job,
    /// What it is, as in “Training”.
    what: &'static str,
    /// What it does, as in “Scoring outputs”.
    doing: &'static str,
    /// Where the form to call it off goes.
    action: String,
) -> impl IntoView {
    let (id, percent) = (job.id.to_string(), percent(&job).to_string());
    let log = (!job.log.is_empty()).then(|| {
        view! {
            <details>
                <summary>"What it did so far"</summary>
                <pre class="log">{job.log}</pre>
            </details>
        }
    });
    view! {
        <section class="card stack under-way scoring" aria-label=what>
            <JobProgress slug=slug.clone() job=id.clone() doing=doing.to_owned() percent/>
            {log}
            <noscript>
                <p>"Load this page anew to see how far it is."</p>
            </noscript>
            <EnhancedForm action=action class="inline" label=format!("Cancel {}", what.to_lowercase())>
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="job" value=id/>
                <button>"Cancel"</button>
            </EnhancedForm>
        </section>
    }
}
