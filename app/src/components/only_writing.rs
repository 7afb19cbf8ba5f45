use leptos::prelude::*;

use crate::links::StudyPage;

/// The message of a page of figures in a study whose annotators do nothing but write.
#[component]
pub fn OnlyWriting(
    slug: String,
    /// The figures that there are none of, such as `no agreement to compute`.
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
