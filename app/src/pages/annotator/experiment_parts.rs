//! The studies of an experiment as parts of one work.

use domain::ids::StudyId;
use leptos::prelude::*;
use store::experiments::ExperimentPart;

use crate::links::StudyPage;

/// Where a study is among the parts of its experiment, and the way to the next one; nothing where it is in none.
#[component]
pub fn ExperimentParts(
    study: StudyId,
    /// Whether the annotator has nothing left to do here at the moment.
    is_done: bool,
    /// The other open parts in which they have something left.
    unfinished: Vec<StudyId>,
    /// The person's parts of experiments, in their order.
    parts: Vec<ExperimentPart>,
) -> impl IntoView {
    let own = parts.iter().find(|part| part.study == study).cloned()?;
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|part| part.experiment == own.experiment)
        .collect();
    if parts.len() < 2 {
        return None;
    }
    let place = match own.part {
        Some(part) => format!("This is part {part} of {}.", own.parts),
        None => format!(
            "This is one of {} parts. When you begin, you are led to the one that comes first for you.",
            own.parts
        ),
    };
    let after = own.part.unwrap_or_default();
    let mut left = parts.iter().filter(|part| unfinished.contains(&part.study));
    let next = left.clone().find(|part| part.part > Some(after));
    // They may have gone to a later part before they finished an earlier one.
    let next = next.or_else(|| left.next());
    let next = (is_done && own.part.is_some()).then_some(next);
    let next = next.map(|next| match next {
        Some(part) => view! {
            <p>
                "There is nothing left for you here. "
                <a class="button primary" href=StudyPage::Work.address(&part.slug)>
                    {format!("Go to part {}: {}", part.part.unwrap_or_default(), part.name)}
                </a>
            </p>
        }
        .into_any(),
        None => view! { <p>"There is nothing left for you in any part. Thank you!"</p> }.into_any(),
    });
    let item = |part: ExperimentPart| {
        let current = (part.study == study).then_some("page");
        view! {
            <li>
                <a href=StudyPage::Work.address(&part.slug) aria-current=current>{part.name}</a>
                {part.is_closed.then_some(" (closed)")}
            </li>
        }
    };
    Some(view! {
        <section aria-labelledby="parts">
            <h2 id="parts">"Parts"</h2>
            <p>
                {place} " You judge different sources in each, in another way; finish one part before you begin the next."
            </p>
            {next}
            <ol>{parts.into_iter().map(item).collect_view()}</ol>
        </section>
    })
}
