use leptos::prelude::*;
use store::Job;

use app::{
    api::percent,
    enhanced::{EnhancedForm, JobProgress},
};

/// The progress of a job, its worker's messages, and a way to cancel it.
#[component]
pub(super) fn UnderWay(
    slug: String,
    job: Job,
    /// The name of the job, as in “Training”.
    what: &'static str,
    /// The activity, as in “Scoring outputs”.
    doing: &'static str,
    /// The address of the form that cancels it.
    action: String,
) -> impl IntoView {
    let (id, percent) = (job.id.to_string(), percent(&job).to_string());
    let log = (!job.log.is_empty()).then(|| {
        view! {
            <details>
                <summary>"Log so far"</summary>
                <pre class="log">{job.log}</pre>
            </details>
        }
    });

    view! {
        <section class="card stack under-way scoring" aria-label=what>
            <JobProgress slug=slug.clone() job=id.clone() doing=doing.to_owned() percent/>
            {log}
            <noscript>
                <p>"Reload this page to update the progress."</p>
            </noscript>
            <EnhancedForm action=action class="inline" label=format!("Cancel {}", what.to_lowercase())>
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="job" value=id/>
                <button>"Cancel"</button>
            </EnhancedForm>
        </section>
    }
}
