//! The preview of an import: what the file would add, to be confirmed or corrected.

use domain::study::SystemKind;
use formats::ColumnMapping;
use leptos::prelude::*;

use super::report::BadRows;
use service::import::{DimensionSummary, ImportSummary, SystemKindOrigin, SystemSummary};

/// The most systems whose kind can be chosen; any further ones keep the guess.
const MOST_CHOICES: usize = 100;

/// The dimensions that the study would get and the systems with their kinds; or the reason why this is
/// not known yet.
#[component]
pub fn Summary(
    /// The preview, or the reason why the file cannot be read this way.
    summary: Result<ImportSummary, String>,
    /// The stated columns and scales.
    mapping: ColumnMapping,
) -> impl IntoView {
    let summary = match summary {
        Ok(summary) => summary,
        Err(reason) => {
            return view! {
                <p class="caution">"There is no preview yet: " {reason}</p>
            }
            .into_any();
        }
    };

    let rows = (!summary.complete).then(|| {
        view! {
            <p class="soft">{format!("Based on the first {} rows:", summary.rows)}</p>
        }
    });
    let counts = summary.refused.is_none().then(|| {
        view! {
            <p class="note counts">{summary.sentence()}</p>
            {summary.known_sentence().map(|known| view! { <p class="soft">{known}</p> })}
        }
    });

    let empty = summary.empty_sentence();
    let empty = empty.map(|sentence| view! { <p class="caution">{sentence}</p> });
    let refused = summary.refused.map(|reason| {
        view! { <p class="alert">"With these options the import would fail: " {reason}</p> }
    });
    let without = (summary.without_rater > 0).then(|| {
        let numbers = summary.without_rater;
        view! {
            <p class="caution">
                {format!("{numbers} ratings have no rater. They are kept, but do not count in figures.")}
            </p>
        }
    });

    view! {
        <section aria-labelledby="would-do">
            <h2 id="would-do">"What the import will do"</h2>
            {rows}
            {counts}
            {refused}
            {summary.notes.into_iter().map(|note| view! { <p class="caution">{note}</p> }).collect_view()}
        </section>
        <BadRows title="Rows that will be left out" bad=summary.bad bad_rows=summary.bad_rows/>
        <Dimensions dimensions=summary.dimensions mapping/>
        {without}
        {empty}
        <Systems systems=summary.systems/>
    }
    .into_any()
}

/// The rated dimensions, each with its scale.
#[component]
fn Dimensions(dimensions: Vec<DimensionSummary>, mapping: ColumnMapping) -> impl IntoView {
    if dimensions.is_empty() {
        return ().into_any();
    }

    let stated = mapping.scales.by_dimension;
    let line = |(at, summary): (usize, DimensionSummary)| {
        let dimension = summary.dimension;
        let own = stated.iter().rfind(|(name, _)| *name == dimension.name);
        let ends = own.map(|(_, scale)| (scale.low, scale.high)).unzip();
        let new = if summary.created {
            "new"
        } else {
            "already in the study"
        };
        let field = |part: &str| format!("way[scales][{at}][{part}]");
        let end = |part: &str, label: &str, value: Option<i32>| {
            view! {
                <input
                    type="number"
                    class="short"
                    name=field(part)
                    aria-label=format!("{label} rating of {}", dimension.name)
                    value=value
                />
            }
        };
        view! {
            <tr>
                <th scope="row">{dimension.name.clone()}</th>
                <td data-label="Scale">{dimension.scale.to_string()}</td>
                <td data-label="Ratings" class="number">{summary.ratings}</td>
                <td data-label="In the study">{new}</td>
                <td data-label="Another scale">
                    <input type="hidden" name=field("dimension") value=dimension.name.clone()/>
                    {end("low", "Lowest", ends.0)} " to " {end("high", "Highest", ends.1)}
                </td>
            </tr>
        }
    };

    view! {
        <section aria-labelledby="brings-dimensions">
            <h2 id="brings-dimensions">"What was rated"</h2>
            <p class="soft">
                "New dimensions are added to the study. A scale that the file does not state is inferred from \
                 the numbers. If it is wrong, enter another one."
            </p>
            <table class="fold brings">
                <thead>
                    <tr>
                        <th scope="col">"Dimension"</th>
                        <th scope="col">"Scale"</th>
                        <th scope="col" class="number">"Ratings"</th>
                        <th scope="col">"In the study"</th>
                        <th scope="col">"Another scale"</th>
                    </tr>
                </thead>
                <tbody>{dimensions.into_iter().enumerate().map(line).collect_view()}</tbody>
            </table>
        </section>
    }
    .into_any()
}

/// The writers of the outputs, with a choice of kind for each that starts with the guess.
#[component]
fn Systems(systems: Vec<SystemSummary>) -> impl IntoView {
    if systems.is_empty() {
        return ().into_any();
    }

    let more = systems.len().saturating_sub(MOST_CHOICES);
    let line = |(at, system): (usize, SystemSummary)| {
        let origin = match system.from {
            SystemKindOrigin::Study => Some("already in the study"),
            SystemKindOrigin::Column => Some("stated in the file"),
            SystemKindOrigin::Person | SystemKindOrigin::Guess => None,
        };

        let kind = match origin {
            Some(origin) => view! {
                {kind_title(system.kind)} " " <span class="soft">{origin}</span>
            }
            .into_any(),
            None => view! {
                <input type="hidden" name=format!("manner[kinds][{at}][name]") value=system.name.clone()/>
                <select
                    name=format!("manner[kinds][{at}][kind]")
                    aria-label=format!("{} is", system.name)
                >
                    {kind_options(system.kind)}
                </select>
            }
            .into_any(),
        };

        view! {
            <tr>
                <th scope="row">{system.name.clone()}</th>
                <td data-label="Written by">{kind}</td>
            </tr>
        }
    };

    view! {
        <section aria-labelledby="brings-systems">
            <h2 id="brings-systems">{format!("Systems ({})", systems.len())}</h2>
            <p class="soft">
                "People and machines are shown separately. These are guesses from the names: correct them where \
                 they are wrong. You can also change them later on the Systems page."
            </p>
            <table class="fold brings">
                <thead>
                    <tr>
                        <th scope="col">"System"</th>
                        <th scope="col">"Written by"</th>
                    </tr>
                </thead>
                <tbody>
                    {systems.into_iter().take(MOST_CHOICES).enumerate().map(line).collect_view()}
                </tbody>
            </table>
            {(more > 0).then(|| view! {
                <p class="soft">{format!("{more} more get the kind that their names suggest.")}</p>
            })}
        </section>
    }
    .into_any()
}

/// The displayed name of a kind of system.
pub fn kind_title(kind: SystemKind) -> &'static str {
    match kind {
        SystemKind::Machine => "a machine",
        SystemKind::Human => "a person",
        SystemKind::Baseline => "a baseline, such as a copy",
    }
}

/// The options of the kinds, with one selected.
pub fn kind_options(chosen: SystemKind) -> impl IntoView {
    let option = |kind: SystemKind| {
        view! { <option value=kind.name() selected=kind == chosen>{kind_title(kind)}</option> }
    };
    SystemKind::ALL.iter().copied().map(option).collect_view()
}
