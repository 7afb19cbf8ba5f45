use std::collections::BTreeMap;

use domain::category::Category;
use leptos::prelude::*;

use crate::charts::decimal;
use service::figures::systems::SystemEntry;

/// Ranks and mean scores within each category.
#[component]
pub(super) fn ByCategory(
    /// The order of the systems; others come last, by name.
    ranking: Vec<SystemEntry>,
    /// The ranking in each category, best first.
    parts: Vec<(Category, Vec<SystemEntry>)>,
) -> impl IntoView {
    let order = |name: &str| {
        let place = ranking.iter().position(|entry| entry.system.name == name);
        place.unwrap_or(ranking.len())
    };

    let mut systems: BTreeMap<(usize, &str), Vec<Option<&SystemEntry>>> = BTreeMap::new();
    for (number, (_, ranking)) in parts.iter().enumerate() {
        for entry in ranking {
            let name = &entry.system.name[..];
            let slot = systems.entry((order(name), name));
            slot.or_insert_with(|| vec![None; parts.len()])[number] = Some(entry);
        }
    }

    let head = parts.iter().map(|(category, _)| {
        view! {
            <th scope="col" class="number">{format!("{}, mean z", category.title())}</th>
            <th scope="col" class="number">"Rank"</th>
            <th scope="col" class="number">"Outputs"</th>
        }
    });
    let cells = |entry: Option<&SystemEntry>| {
        let z = entry.and_then(|entry| entry.z.as_ref());
        let dash = || "–".to_owned();
        let outputs = entry.map_or(0, |entry| entry.raw.outputs);
        view! {
            <td class="number">{z.map_or_else(dash, |z| decimal(z.mean, 2))}</td>
            <td class="number">{z.map_or_else(dash, |z| z.place.to_string())}</td>
            <td class="number soft">{outputs}</td>
        }
    };
    let row = |((_, name), entries): ((usize, &str), Vec<Option<&SystemEntry>>)| {
        view! {
            <tr>
                <th scope="row">{name.to_owned()}</th>
                {entries.into_iter().map(cells).collect_view()}
            </tr>
        }
    };

    view! {
        <h2>"By category"</h2>
        <p class="soft">
            "An output belongs to the category that most of its annotators chose; in a tie the automatic one \
             decides. z-scores are those of the whole study."
        </p>
        <div class="table-scroll" role="group" aria-label="By category" tabindex="0">
            <table>
                <thead><tr><th scope="col">"System"</th>{head.collect_view()}</tr></thead>
                <tbody>{systems.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}
