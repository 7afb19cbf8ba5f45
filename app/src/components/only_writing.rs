use leptos::prelude::*;

use crate::links::StudyPage;

/// The message of a figures page in a study whose annotators only write.
#[component]
pub fn OnlyWriting(
    slug: String,
    /// The missing figures, such as `no agreement to compute`.
    lacking: &'static str,
) -> impl IntoView {
    let sources = StudyPage::Sources.address(&slug);
    view! {
        <section class="empty">
            <h2>"Nothing is judged in this study"</h2>
            <p>
                {format!("Its annotators write texts, and give no ratings, so there is {lacking}. ")}
                <a href=sources>"Sources"</a> " has the texts."
            </p>
        </section>
    }
}
