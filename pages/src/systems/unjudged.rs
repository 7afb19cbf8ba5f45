use domain::work::unjudged::UnjudgedReason;
use leptos::prelude::*;
use store::unjudged::UnjudgedOutputs;

use crate::charts::decimal;

/// The number of times that raters could not judge the outputs of each system, and why; nothing if
/// they always could.
#[component]
pub(super) fn Unjudged(systems: Vec<UnjudgedOutputs>) -> impl IntoView {
    let head = UnjudgedReason::ALL.iter().map(|reason| {
        view! { <th scope="col" class="number">{reason.short_label()}</th> }
    });

    let row = |system: &UnjudgedOutputs| {
        let times: u32 = system.reasons.values().sum();
        let share = 100.0 * f64::from(times) / f64::from(system.submitted.max(1));
        let cells = UnjudgedReason::ALL.iter().map(|reason| {
            let times = system.reasons.get(reason).copied().unwrap_or_default();
            view! { <td class="number soft">{times}</td> }
        });
        view! {
            <tr>
                <th scope="row">{system.system.clone()}</th>
                <td class="number">{times}</td>
                <td class="number">{format!("{} %", decimal(share, 1))}</td>
                {cells.collect_view()}
            </tr>
        }
    };

    (!systems.is_empty()).then(|| {
        view! {
            <h2>"Outputs that raters could not judge"</h2>
            <p class="soft">
                "In sources that annotators submitted, of all categories. Such an output has no score from that rater, \
                 and counts in no mean. The share is of all answers to the outputs of the system."
            </p>
            <div class="table-scroll" role="group" aria-label="Outputs that raters could not judge" tabindex="0">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"System"</th>
                            <th scope="col" class="number">"Not judged"</th>
                            <th scope="col" class="number">"Share"</th>
                            {head.collect_view()}
                        </tr>
                    </thead>
                    <tbody>{systems.iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        }
    })
}
