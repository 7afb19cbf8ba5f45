use leptos::{prelude::*, task::spawn_local};

use crate::{api::import_progress, browser};

/// How far a job is: asked once a second. When it is over, the page is loaded anew and says
/// what came of it.
#[island]
pub fn JobProgress(
    /// The study's short name.
    slug: String,
    /// The job.
    job: String,
    /// What it does, as in “Importing”.
    doing: String,
    /// Percent, to begin with.
    percent: String,
) -> impl IntoView {
    let (shown, set_shown) = signal(percent);
    let (said, set_said) = signal(String::new());
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
                        set_said.set(last.to_owned());
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
        <p class="soft">{said}</p>
    }
}
