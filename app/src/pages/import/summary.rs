//! What the file would bring, to be confirmed or corrected before it is imported.

use domain::study::SystemKind;
use formats::ColumnMapping;
use leptos::prelude::*;

use service::import::{DimensionSummary, ImportSummary, SystemKindOrigin, SystemSummary};

/// How many systems can be chosen a kind for; of more, the rest keeps its guess.
const MOST_CHOICES: usize = 100;

/// The dimensions that the study would get and the systems with their kinds; or why that cannot be
/// told yet.
#[component]
pub fn Summary(
    /// What the file would bring, or why it does not open this way.
    summary: Result<ImportSummary, String>,
    /// What was stated of its columns and scales.
    mapping: ColumnMapping,
) -> impl IntoView {
    let summary = match summary {
        Ok(summary) => summary,
        Err(reason) => {
            return view! {
                <p class="caution">"What it would bring cannot be told yet: " {reason}</p>
            }
            .into_any();
        }
    };
    let rows = (!summary.complete).then(|| {
        view! {
            <p class="soft">{format!("As far as the first {} rows tell:", summary.rows)}</p>
        }
    });
    let bad = (summary.bad > 0).then(|| {
        let (bad, rows) = (summary.bad, summary.rows);
        view! {
            <p class="caution">
                {format!("{bad} of {rows} rows cannot be taken: the report names each with the reason.")}
            </p>
        }
    });
    let refused = summary.refused.map(|reason| {
        view! { <p class="alert">"As it stands, the import would be refused: " {reason}</p> }
    });
    let without = (summary.without_rater > 0).then(|| {
        let numbers = summary.without_rater;
        view! {
            <p class="caution">
                {format!("{numbers} numbers have no rater: they are kept, and enter no figure.")}
            </p>
        }
    });
    view! {
        {rows}
        {bad}
        {refused}
        <Dimensions dimensions=summary.dimensions mapping/>
        {without}
        <Systems systems=summary.systems/>
    }
    .into_any()
}

/// What the ratings are on, each dimension with its scale.
#[component]
fn Dimensions(dimensions: Vec<DimensionSummary>, mapping: ColumnMapping) -> impl IntoView {
    if dimensions.is_empty() {
        return ().into_any();
    }
    let stated = mapping.scales.by_dimension;
    let line = |(at, it): (usize, DimensionSummary)| {
        let dimension = it.dimension;
        let own = stated.iter().rfind(|(name, _)| *name == dimension.name);
        let ends = own.map(|(_, scale)| (scale.low, scale.high)).unzip();
        let new = if it.created { "new" } else { "in the study" };
        let field = |part: &str| format!("way[scales][{at}][{part}]");
        let end = |part: &str, what: &str, value: Option<i32>| {
            view! {
                <input
                    type="number"
                    class="short"
                    name=field(part)
                    aria-label=format!("{what} rating of {}", dimension.name)
                    value=value
                />
            }
        };
        view! {
            <tr>
                <th scope="row">{dimension.name.clone()}</th>
                <td data-label="Scale">{dimension.scale.to_string()}</td>
                <td data-label="Ratings" class="number">{it.ratings}</td>
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
                "The study gets the dimensions that are new. Where the file states no scale, it is told \
                 from the numbers: if that is wrong, enter the ends of another one."
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

/// Who wrote the outputs: the kind of each is chosen here, with the guess chosen already.
#[component]
fn Systems(systems: Vec<SystemSummary>) -> impl IntoView {
    if systems.is_empty() {
        return ().into_any();
    }
    let more = systems.len().saturating_sub(MOST_CHOICES);
    let line = |(at, it): (usize, SystemSummary)| {
        let said = match it.from {
            SystemKindOrigin::Study => Some("in the study already"),
            SystemKindOrigin::Column => Some("stated in the file"),
            SystemKindOrigin::Person | SystemKindOrigin::Guess => None,
        };
        let kind = match said {
            Some(said) => view! {
                {kind_title(it.kind)} " " <span class="soft">{said}</span>
            }
            .into_any(),
            None => view! {
                <input type="hidden" name=format!("manner[kinds][{at}][name]") value=it.name.clone()/>
                <select
                    name=format!("manner[kinds][{at}][kind]")
                    aria-label=format!("{} is", it.name)
                >
                    {kind_options(it.kind)}
                </select>
            }
            .into_any(),
        };
        view! {
            <tr>
                <th scope="row">{it.name.clone()}</th>
                <td data-label="Written by">{kind}</td>
            </tr>
        }
    };
    view! {
        <section aria-labelledby="brings-systems">
            <h2 id="brings-systems">{format!("Systems ({})", systems.len())}</h2>
            <p class="soft">
                "People and machines are shown apart. What is chosen here is a guess by the name: correct \
                 it where it is wrong. It can be changed later on the page Systems."
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
                <p class="soft">{format!("{more} more are what their names suggest.")}</p>
            })}
        </section>
    }
    .into_any()
}

/// A kind of system for people.
pub fn kind_title(kind: SystemKind) -> &'static str {
    match kind {
        SystemKind::Machine => "a machine",
        SystemKind::Human => "a person",
        SystemKind::Baseline => "a baseline, such as a copy",
    }
}

/// The kinds to choose from, with one chosen.
pub fn kind_options(chosen: SystemKind) -> impl IntoView {
    let option = |kind: SystemKind| {
        view! { <option value=kind.name() selected=kind == chosen>{kind_title(kind)}</option> }
    };
    SystemKind::ALL.iter().copied().map(option).collect_view()
}
