use domain::statistics::{UndefinedReason, bootstrap::BootstrapInterval};
use leptos::prelude::*;
use service::figures::{
    AlphaEstimate,
    protocols::{ProtocolFigures, ProtocolTime},
};

use crate::charts::decimal;

/// The words for an unknown time, such as that of imported ratings.
pub(super) const NOT_RECORDED: &str = "not recorded";

/// The protocols with their main figures, one a row.
#[component]
pub(super) fn Glance(protocols: Vec<ProtocolFigures>) -> impl IntoView {
    let warnings: Vec<_> = protocols.iter().flat_map(cautions).collect();
    let warning = |text: String| view! { <p class="caution">{text}</p> };

    view! {
        <section aria-labelledby="glance">
            <h2 id="glance">"At a glance"</h2>
            <div class="table-scroll" role="group" aria-labelledby="glance" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Study"</th>
                            <th scope="col">"Protocol"</th>
                            <th scope="col">"Compared on"</th>
                            <th scope="col">"α, z-scores"</th>
                            <th scope="col">"α, raw"</th>
                            <th scope="col" class="number">"Minutes per source"</th>
                            <th scope="col" class="number">"Minutes per rating"</th>
                            <th scope="col" class="number">"Pairs of systems apart"</th>
                            <th scope="col" class="number">"Pairs per hour"</th>
                        </tr>
                    </thead>
                    <tbody>{protocols.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
            {warnings.into_iter().map(warning).collect_view()}
        </section>
    }
}

fn row(of: ProtocolFigures) -> impl IntoView {
    let minutes = |show: fn(&ProtocolTime) -> f64| {
        let time = of.time.as_ref();
        time.map_or_else(|| NOT_RECORDED.to_owned(), |time| decimal(show(time), 2))
    };
    let per_hour = match (of.pairs_per_hour(), of.time) {
        (Some(pairs), _) => decimal(pairs, 2),
        (None, Some(_)) => "recorded in part".to_owned(),
        (None, None) => NOT_RECORDED.to_owned(),
    };

    view! {
        <tr>
            <th scope="row" data-label="Study">{of.name.clone()}</th>
            <td data-label="Protocol">{of.protocol.clone()}</td>
            <td data-label="Compared on">{of.agreement.dimension.name.clone()}</td>
            <td data-label="α, z-scores">{alpha(&of.agreement.z)}</td>
            <td data-label="α, raw">{alpha(&of.agreement.raw)}</td>
            <td data-label="Minutes per source" class="number">{minutes(ProtocolTime::minutes_per_source)}</td>
            <td data-label="Minutes per rating" class="number">{minutes(ProtocolTime::minutes_per_rating)}</td>
            <td data-label="Pairs of systems apart" class="number">
                {format!("{} of {}", of.pairs.apart, of.pairs.all)}
            </td>
            <td data-label="Pairs per hour" class="number">{per_hour}</td>
        </tr>
    }
}

/// Sentences on what limits the figures of a protocol.
fn cautions(of: &ProtocolFigures) -> Vec<String> {
    let undefined = of.agreement.z.agreement.alpha.err();
    let undefined = undefined.map(|reason| format!("{}: α is undefined: {reason}.", of.name));
    let part = of.time.filter(|time| time.timed_ratings < time.ratings);
    let part = part.map(|time| {
        format!(
            "{}: the time of {} of {} ratings is recorded; minutes are those of these.",
            of.name, time.timed_ratings, time.ratings
        )
    });
    let warnings = of.warnings.iter();
    let warnings = warnings.map(|warning| format!("{}: {warning}", of.name));
    undefined.into_iter().chain(part).chain(warnings).collect()
}

/// α with its interval, as text.
fn alpha(of: &AlphaEstimate) -> String {
    let shown = |interval: Result<BootstrapInterval, UndefinedReason>| {
        let interval = interval.ok()?;
        Some(format!(
            " ({} to {})",
            decimal(interval.low, 3),
            decimal(interval.high, 3)
        ))
    };
    match of.agreement.alpha {
        Ok(alpha) => decimal(alpha, 3) + &shown(of.interval).unwrap_or_default(),
        Err(_) => "undefined".to_owned(),
    }
}
