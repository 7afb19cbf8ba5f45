use domain::statistics::{UndefinedReason, bootstrap::BootstrapInterval};
use leptos::prelude::*;
use service::{
    figures::protocols::{AlphaDifference, ProtocolComparison, ProtocolDifference},
    findings,
};

use super::glance::NOT_RECORDED;
use crate::charts::decimal;

/// The difference between each pair of protocols.
#[component]
pub(super) fn Differences(of: ProtocolComparison) -> impl IntoView {
    let names: Vec<_> = of.protocols.iter().map(|of| of.name.clone()).collect();
    let randomised = of.is_randomised;
    let introduction = match (randomised, of.has_other_ratings) {
        (true, _) => {
            "Randomised: these studies are arms of one experiment. The same annotators judge the same sources, and a Latin \
             square gives each source to an annotator under one protocol only, so that differences come from the protocol \
             and chance."
        }
        (false, true) => {
            "Not randomised: these studies are arms of one experiment, but some ratings come from files, and their raters are \
             not in its plan, so a difference may come from other annotators or another order."
        }
        (false, false) => {
            "These studies are not arms of one experiment, so a difference may come from other annotators or another order."
        }
    };

    let finding = findings::protocols::minutes(&of);
    let rows: Vec<_> = of
        .differences
        .iter()
        .map(|difference| row(difference, &names, randomised))
        .collect();
    let minutes_heads = randomised.then(|| {
        view! {
            <th scope="col">"Minutes per source"</th>
            <th scope="col" class="number">"Annotators in both"</th>
        }
    });

    view! {
        <section aria-labelledby="differences">
            <h2 id="differences">"Differences"</h2>
            {finding.map(|finding| view! { <p class="finding">{finding}</p> })}
            <p class="soft">{introduction}</p>
            <div class="table-scroll" role="group" aria-labelledby="differences" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Studies"</th>
                            <th scope="col">"α, z-scores"</th>
                            <th scope="col">"α, raw"</th>
                            {minutes_heads}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(of: &ProtocolDifference, names: &[String], randomised: bool) -> impl IntoView + use<> {
    let minutes = randomised.then(|| {
        let (difference, raters) = match of.minutes {
            Some(minutes) => (
                signed(minutes.difference, 2) + &ends(minutes.interval, 2),
                minutes.raters.to_string(),
            ),
            None => (NOT_RECORDED.to_owned(), "0".to_owned()),
        };
        view! {
            <td data-label="Minutes per source">{difference}</td>
            <td data-label="Annotators in both" class="number">{raters}</td>
        }
    });

    view! {
        <tr>
            <th scope="row" data-label="Studies">
                {format!("{} minus {}", names[of.first], names[of.second])}
            </th>
            <td data-label="α, z-scores">{alpha(of.z)}</td>
            <td data-label="α, raw">{alpha(of.raw)}</td>
            {minutes}
        </tr>
    }
}

fn alpha(of: AlphaDifference) -> String {
    match of.value {
        Ok(value) => signed(value, 3) + &ends(of.interval, 3),
        Err(_) => "undefined".to_owned(),
    }
}

/// A difference with its sign.
fn signed(value: f64, decimals: usize) -> String {
    let plus = if value > 0.0 { "+" } else { "" };
    format!("{plus}{}", decimal(value, decimals))
}

fn ends(interval: Result<BootstrapInterval, UndefinedReason>, decimals: usize) -> String {
    interval.map_or_else(
        |_| String::new(),
        |interval| {
            format!(
                " ({} to {})",
                decimal(interval.low, decimals),
                decimal(interval.high, decimals)
            )
        },
    )
}
