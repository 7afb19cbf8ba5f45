use domain::{rater_groups::RaterGroup, score::RatingScale, statistics::quality::RaterConcern};
use leptos::{either::Either, prelude::*};

use super::rater_facts::{alpha_change, kind_tag, time};
use crate::charts::decimal;
use app::components::GroupTag;
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
    let has_scores = raters.iter().any(|entry| entry.scores.is_some());
    let points = move |value| decimal(value, scale.decimals());
    let row = move |entry: RaterQualityEntry| {
        let card = format!("#rater-{}", entry.rater.position);
        let scores = entry.scores.as_ref();
        let ratings = scores.map_or(0, |scores| scores.ratings);
        let mean = scores.map(|scores| scores.mean);
        let sd = scores.and_then(|scores| scores.sd.ok());
        let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), points);
        let change = scores.map_or_else(|| "–".to_owned(), |scores| alpha_change(&scores.others));

        let of_scores = has_scores.then(|| {
            view! {
                <td data-label="Ratings" class="number">{ratings}</td>
                <td data-label="Mean" class="number">{shown(mean)}</td>
                <td data-label="Standard deviation" class="number">{shown(sd)}</td>
                <td data-label="α without the rater" class="number">{change}</td>
            }
        });

        let sources = entry.conduct.pace.sources;
        let median = entry.conduct.pace.median_ms;
        let of_work = (!has_scores).then(|| {
            view! {
                <td data-label="Sources" class="number">{sources}</td>
                <td data-label="Median time" class="number">{median.map_or_else(|_| "–".to_owned(), time)}</td>
            }
        });

        view! {
            <tr>
                <th scope="row" data-label="Rater">
                    <a href=card>{entry.rater.label.clone()}</a> {kind_tag(entry.rater.kind)}
                    <GroupTag groups=groups.clone() group=entry.rater.group/>
                </th>
                <td data-label="To check">{marks(entry.concerns)}</td>
                {of_scores}
                {of_work}
            </tr>
        }
    };

    let heads = match has_scores {
        true => [
            "Ratings",
            "Mean",
            "Standard deviation",
            "α without the rater",
        ]
        .as_slice(),
        false => &["Sources", "Median time"],
    };
    let heads = heads.iter().copied();

    view! {
        <section aria-labelledby="summary">
            <h2 id="summary">"At a glance"</h2>
            <div class="table-scroll" role="group" aria-labelledby="summary" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Rater"</th>
                            <th scope="col">"To check"</th>
                            {heads.map(|head| view! { <th scope="col" class="number">{head}</th> }).collect_view()}
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
