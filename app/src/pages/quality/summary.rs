use domain::{rater_groups::RaterGroup, score::RatingScale, statistics::quality::RaterConcern};
use leptos::{either::Either, prelude::*};

use super::rater_facts::{alpha_change, kind_tag};
use crate::{charts::decimal, components::GroupTag};
use service::figures::RaterQualityEntry;

/// All raters in one table, those with most to check first.
#[component]
pub fn Summary(
    /// The raters in the order shown.
    raters: Vec<RaterQualityEntry>,
    /// The scale of their scores.
    scale: RatingScale,
    /// The groups of raters.
    groups: Vec<RaterGroup>,
) -> impl IntoView {
    let points = move |value| decimal(value, scale.decimals());
    let row = move |entry: RaterQualityEntry| {
        let card = format!("#rater-{}", entry.rater.position);
        let sd = entry.scores.sd.map_or_else(|_| "–".to_owned(), points);
        view! {
            <tr>
                <th scope="row" data-label="Rater">
                    <a href=card>{entry.rater.label.clone()}</a> {kind_tag(entry.rater.kind)}
                    <GroupTag groups=groups.clone() group=entry.rater.group/>
                </th>
                <td data-label="To check">{marks(entry.concerns)}</td>
                <td data-label="Ratings" class="number">{entry.scores.ratings}</td>
                <td data-label="Mean" class="number">{points(entry.scores.mean)}</td>
                <td data-label="Standard deviation" class="number">{sd}</td>
                <td data-label="α without the rater" class="number">
                    {alpha_change(&entry.scores.others)}
                </td>
            </tr>
        }
    };
    view! {
        <section aria-labelledby="summary">
            <h2 id="summary">"At a glance"</h2>
            <div class="table-scroll" role="group" aria-labelledby="summary" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Rater"</th>
                            <th scope="col">"To check"</th>
                            <th scope="col" class="number">"Ratings"</th>
                            <th scope="col" class="number">"Mean"</th>
                            <th scope="col" class="number">"Standard deviation"</th>
                            <th scope="col" class="number">"α without the rater"</th>
                        </tr>
                    </thead>
                    <tbody>{raters.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

/// The rater's concerns, in two or three words each.
fn marks(concerns: Vec<RaterConcern>) -> impl IntoView {
    if concerns.is_empty() {
        return Either::Left(view! { <span class="soft">"nothing stands out"</span> });
    }
    let mark = |concern: RaterConcern| view! { <li class="mark">{concern.title()}</li> };
    Either::Right(view! {
        <ul class="marks">{concerns.into_iter().map(mark).collect_view()}</ul>
    })
}
