use domain::{rater_groups::RaterGroup, score::RatingScale};
use leptos::prelude::*;
use store::OutputText;

use crate::charts::{Strip, decimal, signed};
use app::{components::GroupTag, links};
use service::figures::disputed::{DisputedOutput, DisputedRating};

/// An output with its ratings.
#[component]
pub(super) fn OutputRatings(
    /// Its place in the list, from 1.
    number: usize,
    /// Its ratings.
    of: DisputedOutput,
    /// Its texts.
    text: OutputText,
    /// The scale of the ratings.
    scale: RatingScale,
    /// The address of its source.
    source: String,
    /// The groups of raters.
    groups: Vec<RaterGroup>,
    /// The final values and the discussion of the output.
    children: Children,
) -> impl IntoView {
    let (low, high) = (f64::from(scale.low), f64::from(scale.high));
    let dots = of
        .ratings
        .iter()
        .map(|rating| (rating.value - low) / (high - low));
    let each: Vec<_> = of
        .ratings
        .iter()
        .map(|rating| format_rating(rating.value))
        .collect();
    let label = format!(
        "Ratings on a line from {low} to {high}: {}",
        each.join(", ")
    );
    let ends = (format_rating(low), format_rating(high));
    let strip = view! { <Strip label dots=dots.collect() ends/> };

    let apart = match (of.apart, of.points) {
        (Some(apart), Some(points)) => {
            format!(
                "{} apart in z-scores, {} points",
                decimal(apart, 2),
                format_rating(points)
            )
        }
        (None, Some(points)) => format!("{} points apart", format_rating(points)),
        _ => "one rating".to_owned(),
    };

    let rating = |rating: DisputedRating| {
        let group = view! { <GroupTag groups=groups.clone() group=rating.group/> };
        let z = rating.z.map(|z| format!(" (z {})", signed(z, 2)));
        view! {
            <div><dt>{rating.rater} {group}</dt><dd><strong>{format_rating(rating.value)}</strong> <span class="soft">{z}</span></dd></div>
        }
    };
    let id = format!("output-{number}");

    view! {
        <li class="card" id=links::rated_output(of.output) aria-labelledby=id>
            <header>
                <h2 id=id.clone()>{format!("{number}. {}", text.system)}</h2>
                {of.category.map(|category| view! { <span class="tag">{category.title()}</span> })}
                <span class="apart">{apart}</span>
            </header>
            <div class="texts">
                <div>
                    <h3>"Source " <a href=source>{text.source_key}</a></h3>
                    <p>{text.source}</p>
                </div>
                <div>
                    <h3>"Output"</h3>
                    <p>{text.text}</p>
                </div>
            </div>
            {strip}
            <dl class="each">{of.ratings.into_iter().map(rating).collect_view()}</dl>
            {children()}
        </li>
    }
}

/// A rating: whole numbers without decimals.
pub(super) fn format_rating(value: f64) -> String {
    decimal(value, usize::from(value.fract() != 0.0) * 2)
}
