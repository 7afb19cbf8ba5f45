use domain::work::consistency::RepeatConsistency;
use leptos::prelude::*;

use app::{
    error::Refusal,
    request::{RequestAccess, refuse},
    services,
};

/// Describes how close the annotator's repeated scores are to their first ones. Only submitted
/// sources count. `None` if there are too few repeated outputs.
pub async fn describe_consistency(access: &RequestAccess) -> Result<Option<String>, Refusal> {
    let dimension = access.study.settings.dimensions.first().cloned();
    let dimension = dimension.unwrap_or_default();
    let pairs = services()
        .store
        .repeated_scores(access.study.id, access.person.id, &dimension.name)
        .await
        .map_err(refuse)?;
    let consistency = RepeatConsistency::from_pairs(&pairs);
    Ok(consistency.map(|consistency| consistency.sentence(dimension.scale)))
}

/// The annotator's own consistency.
#[component]
pub fn OwnConsistency(
    /// The sentence from [`describe_consistency`].
    sentence: String,
) -> impl IntoView {
    view! {
        <section aria-labelledby="consistency">
            <h2 id="consistency">"Your consistency"</h2>
            <p class="numbers">{sentence}</p>
            <p class="soft">
                "Now and then an output appears twice in a source. Small differences are normal."
            </p>
        </section>
    }
}
