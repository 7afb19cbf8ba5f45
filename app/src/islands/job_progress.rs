use leptos::{prelude::*, task::spawn_local};

use crate::{api::import_progress, browser};

/// The progress of a job, polled once a second. When the job is over, the page is reloaded and shows its
/// result.
#[island]
pub fn JobProgress(
    slug: String,
    job: String,
    /// The activity, as in “Importing”.
    doing: String,
    /// The progress at the start, in percent.
    percent: String,
) -> impl IntoView {
    let (shown, set_shown) = signal(percent);
    let (message, set_message) = signal(String::new());
    Effect::new(move || {
        let (slug, job) = (slug.clone(), job.clone());
        spawn_local(async move {
            loop {
                browser::sleep(1000).await;
                match import_progress(slug.clone(), job.clone()).await {
                    Ok(far) if far == "100" => break browser::reload(),
                    Ok(far) => {
                        let (percent, last) = far.split_once(' ').unwrap_or((&far, ""));
                        set_shown.set(percent.to_owned());
                        set_message.set(last.to_owned());
                    }
                    // The server may be back soon.
                    Err(_) => {}
                }
            }
        });
    });
    view! {
        <progress max="100" prop:value=shown value=shown aria-label="Done so far"></progress>
        <p role="status">{doing} ": " {shown} " %"</p>
        <p class="soft">{message}</p>
    }
}
