use domain::{
    comprehension::{RankingStability, StabilityOptions},
    statistics::UndefinedReason,
};
use leptos::prelude::*;

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, LineChart, LinePoint, decimal,
};
use service::{findings, wording::count_noun};

/// The stability of the ranking on fewer passages.
#[component]
pub(super) fn StabilityChart(
    found: Vec<Result<RankingStability, UndefinedReason>>,
    /// The number of passages with answers.
    all: usize,
) -> impl IntoView {
    let stabilities: Vec<RankingStability> = found
        .iter()
        .filter_map(|stability| stability.ok())
        .collect();
    if stabilities.len() < 2 {
        let why = found.into_iter().find_map(Result::err);
        let why = why.map_or_else(
            || "there is only one passage".to_owned(),
            |why| why.to_string(),
        );
        return view! {
            <section aria-labelledby="stability">
                <h2 id="stability">"How certain the ranking is"</h2>
                <p class="soft">
                    {format!("It is not possible to say whether fewer passages give the same ranking: {why}.")}
                </p>
            </section>
        }
        .into_any();
    }

    let description = |stability: &RankingStability| {
        format!(
            "{} passages: mean ρ {}, 5 to 95 % {} to {}",
            stability.passages,
            decimal(stability.mean, 3),
            decimal(stability.low, 3),
            decimal(stability.high, 3)
        )
    };
    let points = stabilities.iter().map(|stability| LinePoint {
        x: stability.passages as f64,
        y: Some(stability.mean),
        interval: Some((stability.low, stability.high)),
        description: description(stability),
    });
    let points: Vec<_> = points.collect();

    let x = Axis::from_values(
        "Passages in the subset",
        points.iter().map(|point| point.x).chain([0.0]),
        8,
    );
    let ends = stabilities
        .iter()
        .flat_map(|stability| [stability.low, stability.high]);
    let y = Axis::from_values("Spearman’s ρ to the ranking on all", ends.chain([1.0]), 6);

    let caption = caption(&stabilities, all);
    let table = table(&stabilities);

    view! {
        <Chart caption file="reading-stability" table>
            <LineChart label="Stability of the ranking by number of passages" x y points/>
        </Chart>
    }
    .into_any()
}

fn caption(stabilities: &[RankingStability], all: usize) -> ChartCaption {
    let StabilityOptions { count, seed } = StabilityOptions::default();
    ChartCaption {
        name: "How certain the ranking is".to_owned(),
        finding: findings::comprehension::stability(stabilities, all),
        line: format!(
            "Likeness of the ranking on random subsets of the {all} passages to the ranking on all, with its \
             5 % to 95 % quantiles."
        ),
        method: format!(
            "Conditions are ranked by accuracy; likeness is the mean of Spearman’s ρ over {count} subsets from \
             seed {seed}. The heading calls a ranking nearly the same where ρ is 0.9 or more in 95 % of the \
             subsets. The last point is 1 because it uses all passages."
        ),
        basis: count_noun(all, "passage"),
    }
}

fn table(known: &[RankingStability]) -> ChartTable {
    let row = |stability: &RankingStability| {
        vec![
            ChartCell::count(stability.passages),
            ChartCell::number(stability.mean, 3),
            ChartCell::number(stability.low, 3),
            ChartCell::number(stability.high, 3),
            ChartCell::count(stability.draws),
            ChartCell::count(stability.undefined),
        ]
    };
    ChartTable {
        columns: [
            "Passages",
            "Mean ρ",
            "5 %",
            "95 %",
            "Subsets",
            "Subsets without a ρ",
        ]
        .map(ChartColumn::number)
        .into(),
        rows: known.iter().map(row).collect(),
    }
}
