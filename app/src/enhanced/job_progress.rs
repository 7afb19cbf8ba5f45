use leptos::prelude::*;

use crate::{api::ImportProgress, links};

/// The progress of a job, polled once a second. When the job is over, the page is reloaded and shows its result.
#[component]
pub fn JobProgress(
    slug: String,
    job: String,
    /// The activity, as in “Importing”.
    doing: String,
    /// The progress at the start, in percent.
    percent: String,
) -> impl IntoView {
    let address = links::action::<ImportProgress>();
    view! {
        <div class="job-progress" data-progress=address data-slug=slug data-job=job>
            <progress max="100" value=percent.clone() aria-label="Done so far"></progress>
            <p role="status">{doing} ": " <span>{percent}</span> " %"</p>
            <p class="soft"></p>
        </div>
    }
}
