//! The studies of an experiment as parts of one work.

use domain::ids::StudyId;
use leptos::prelude::*;
use store::experiments::ExperimentPart;

use app::links::StudyPage;

/// The parts of a study's experiment. Empty if the study is in no experiment or is its only part.
fn parts_beside(study: StudyId, parts: &[ExperimentPart]) -> Vec<ExperimentPart> {
    let own = parts.iter().find(|part| part.study == study);
    let Some(experiment) = own.map(|part| part.experiment) else {
        return vec![];
    };
    let beside = parts.iter().filter(|part| part.experiment == experiment);
    let beside: Vec<_> = beside.cloned().collect();
    if beside.len() < 2 { vec![] } else { beside }
}

/// The way on for an annotator who has nothing left to do in a study: the next part of its
/// experiment among the `unfinished` ones, or thanks. `None` if the study is in no experiment or
/// the annotator has not begun.
pub fn draw_end_of_part(
    study: StudyId,
    parts: &[ExperimentPart],
    unfinished: &[StudyId],
) -> Option<AnyView> {
    let parts = parts_beside(study, parts);
    let after = parts.iter().find(|part| part.study == study)?.part?;
    let mut left = parts.iter().filter(|part| unfinished.contains(&part.study));
    let next = left.clone().find(|part| part.part > Some(after));

    // They may have gone to a later part before they finished an earlier one.
    let end = match next.or_else(|| left.next()) {
        Some(part) => view! {
            <p>"There is nothing left for you in this part."</p>
            <p class="actions">
                <a class="button primary" href=StudyPage::Work.address(&part.slug)>
                    {format!("Go to part {}: {}", part.part.unwrap_or_default(), part.name)}
                </a>
            </p>
        }
        .into_any(),
        None => view! { <p>"There is nothing left for you in any part. Thank you!"</p> }.into_any(),
    };
    Some(end)
}

/// The place of a study among the parts of its experiment, and all parts. Draws nothing if the
/// study is in no experiment.
#[component]
pub fn ExperimentParts(
    study: StudyId,
    /// The person's parts of experiments, in their order.
    parts: Vec<ExperimentPart>,
) -> impl IntoView {
    let parts = parts_beside(study, &parts);
    let own = parts.iter().find(|part| part.study == study)?;
    let place = match own.part {
        Some(part) => format!("This is part {part} of {}.", own.parts),
        None => format!(
            "This is one of {} parts. When you begin, you are led to the one that comes first for you.",
            own.parts
        ),
    };

    let item = move |part: ExperimentPart| {
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
            <ol>{parts.into_iter().map(item).collect_view()}</ol>
        </section>
    })
}
