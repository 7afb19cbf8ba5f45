use leptos::prelude::*;

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, LineChart, LinePoint, MarkShape, decimal,
};
use domain::statistics::prediction_powered::{AssistedMean, RatingCosts};
use service::{
    figures::metrics::{AssistedSystem, AssistedSystems, MeanUnit},
    findings,
    wording::count_noun,
};

/// The most points of the chart of saved ratings.
const POINTS: usize = 12;

/// The systems with a metric's help: more certain means, and the ratings that this saves.
#[component]
pub(super) fn AssistedView(label: String, assisted: AssistedSystems) -> impl IntoView {
    let basis = count_noun(assisted.rated_outputs(), "rated output");
    let left_out = (assisted.learned_from > 0).then(|| {
        let text = format!(
            "{label} leaves out {} that it learned from: its scores of these outputs repeat what their raters said.",
            count_noun(assisted.learned_from, "source")
        );
        view! { <p class="caution">{text}</p> }
    });

    // A chart needs two numbers of rated outputs, and an interval two outputs.
    let costs = assisted.costs.ok().filter(|costs| costs.outputs >= 3.0);
    let saved = costs.map(|costs| {
        view! { <SavedRatings label=label.clone() assisted=assisted.clone() costs basis=basis.clone()/> }
    });

    view! {
        {left_out}
        <Means label=label.clone() assisted=assisted.clone() basis/>
        {saved}
    }
}

/// The mean of each system with the metric's help and without.
#[component]
fn Means(label: String, assisted: AssistedSystems, basis: String) -> impl IntoView {
    let (unit, decimals) = match assisted.unit {
        MeanUnit::StandardDeviations => ("Mean z-score (standard deviations)", 2),
        MeanUnit::Points => ("Mean rating (points)", 1),
    };

    let means: Vec<(&AssistedSystem, AssistedMean)> = assisted
        .systems
        .iter()
        .filter_map(|of| Some((of, of.mean.ok()?)))
        .collect();
    let ends = means.iter().flat_map(|(_, mean)| {
        let plain = mean.plain.interval();
        let own = mean.interval();
        [plain.0, plain.1, own.0, own.1]
    });

    let axis = Axis::from_values(unit, ends, 8);
    let row = |name: &str, how: &str, shape, value: f64, interval: (f64, f64)| IntervalRow {
        name: how.to_owned(),
        shape,
        value,
        interval: Some(interval),
        description: format!(
            "{name}, {how}: {}, 95 % interval {} to {}",
            decimal(value, decimals),
            decimal(interval.0, decimals),
            decimal(interval.1, decimals)
        ),
        shown: decimal(value, decimals),
    };
    let with_metric = format!("with {label}");

    let group = |(of, mean): &(&AssistedSystem, AssistedMean)| {
        let name = &of.system.name;
        let plain = mean.plain;
        IntervalRowGroup {
            name: Some(name.clone()),
            rows: vec![
                row(
                    name,
                    &with_metric,
                    MarkShape::Square,
                    mean.mean,
                    mean.interval(),
                ),
                row(
                    name,
                    "ratings alone",
                    MarkShape::Circle,
                    plain.mean,
                    plain.interval(),
                ),
            ],
        }
    };

    let caption = ChartCaption {
        name: format!("Means of systems with the help of {label}"),
        finding: findings::metrics::saved_ratings(&label, &assisted),
        line: "Each system’s mean with its 95 % interval: from ratings alone, and where the metric’s scores of outputs \
               without ratings count as well, corrected by the ratings."
            .to_owned(),
        method: "Prediction-powered inference (PPI++, Angelopoulos, Duchi and Zrnic 2023): the mean of rating − λ·score over \
                 rated outputs, plus λ times the mean score of the others. The rated outputs show how wrong the metric is, so \
                 a poor or unfair one makes the mean no worse than the ratings alone do, up to chance. λ makes the variance \
                 smallest; it is one for all systems, and each fifth of the sources has a λ from the others. Intervals are \
                 t(.975, n − 1) standard errors, with n rated outputs. They hold for sources like these, if the rated ones \
                 were not chosen by how good their outputs are. The percentage is that of the outputs which need no ratings \
                 for intervals as wide as those of ratings alone: r²·N/(n + N), with r, within systems, of ratings and \
                 scores, n rated and N other outputs of a system."
            .to_owned(),
        basis,
    };

    let table = means_table(&assisted.systems, decimals + 1);
    let groups = means.iter().map(group).collect();

    view! {
        <Chart caption file="metrics-assisted" table>
            <IntervalChart label="Means of systems with and without the metric" axis groups/>
        </Chart>
    }
}

fn means_table(systems: &[AssistedSystem], decimals: usize) -> ChartTable {
    let row = |of: &AssistedSystem| {
        let mut cells = vec![ChartCell::text(&of.system.name)];
        match of.mean {
            Err(_) => cells.extend((0..9).map(|_| ChartCell::none())),
            Ok(mean) => {
                let (own, plain) = (mean.interval(), mean.plain.interval());
                cells.extend([
                    ChartCell::count(mean.plain.n),
                    ChartCell::count(mean.unrated),
                    ChartCell::number(mean.mean, decimals),
                    ChartCell::number(own.0, decimals),
                    ChartCell::number(own.1, decimals),
                    ChartCell::number(mean.plain.mean, decimals),
                    ChartCell::number(plain.0, decimals),
                    ChartCell::number(plain.1, decimals),
                    mean.equivalent_outputs()
                        .map_or_else(ChartCell::none, |outputs| ChartCell::number(outputs, 0)),
                ]);
            }
        }
        cells
    };

    let mut columns = vec![ChartColumn::text("System")];
    let numbers = [
        "Rated outputs",
        "Other outputs",
        "Mean with the metric",
        "low",
        "high",
        "Mean of ratings alone",
        "low",
        "high",
        "As certain as this number of rated outputs",
    ];
    columns.extend(numbers.map(ChartColumn::number));

    ChartTable {
        columns,
        rows: systems.iter().map(row).collect(),
    }
}

/// The share of ratings that the metric saves, by the number of rated outputs.
#[component]
fn SavedRatings(
    label: String,
    assisted: AssistedSystems,
    costs: RatingCosts,
    basis: String,
) -> impl IntoView {
    let all = costs.outputs.round() as usize;
    let step = all.div_ceil(POINTS).max(1);
    let numbers: Vec<usize> = (2..all).step_by(step).chain([all]).collect();
    let (decimals, unit) = match assisted.unit {
        MeanUnit::StandardDeviations => (2, "standard deviations"),
        MeanUnit::Points => (1, "points"),
    };

    let point = |rated: &usize| {
        let (plain, helped) = costs.half_widths(*rated);
        let saved = 100.0 * costs.saved(*rated);
        LinePoint {
            x: *rated as f64,
            y: Some(saved),
            interval: assisted.correlation.ok().map(|interval| {
                let saved = |correlation| {
                    100.0
                        * RatingCosts {
                            correlation,
                            ..costs
                        }
                        .saved(*rated)
                };
                let ends = [saved(interval.low), saved(interval.high)];
                let least = match interval.low <= 0.0 && interval.high >= 0.0 {
                    true => 0.0,
                    false => ends[0].min(ends[1]),
                };
                (least, ends[0].max(ends[1]))
            }),
            description: format!(
                "{rated} rated outputs of a system: {} % saved; intervals of ± {} instead of ± {} {unit}",
                decimal(saved, 0),
                decimal(helped, decimals),
                decimal(plain, decimals)
            ),
        }
    };

    let points: Vec<LinePoint> = numbers.iter().map(point).collect();
    let x = Axis::from_values(
        "Rated outputs of a system",
        points.iter().map(|point| point.x).chain([0.0]),
        8,
    );
    let highest = points.iter().filter_map(|point| Some(point.interval?.1));
    let shares = points.iter().filter_map(|point| point.y);
    let y = Axis::from_values("Ratings saved, %", highest.chain(shares).chain([0.0]), 6);

    let caption = ChartCaption {
        name: "Ratings saved".to_owned(),
        finding: format!(
            "The fewer outputs are rated, the larger the share that {label} saves: up to {}\u{a0}%",
            decimal(100.0 * costs.saved(numbers[0]), 0)
        ),
        line: format!(
            "The share of ratings that are not needed for the same certainty when {label} helps, by the number of rated \
             outputs of a system; the band is the 95 % interval."
        ),
        method: format!(
            "r²·N/(n + N), with r = {} of ratings and scores within systems, n rated and N other outputs of {all} of a \
             system. The band is that of r, by resampling sources.",
            decimal(costs.correlation, 2)
        ),
        basis,
    };

    let row = |rated: &usize| {
        let (plain, helped) = costs.half_widths(*rated);
        vec![
            ChartCell::count(*rated),
            ChartCell::number(100.0 * costs.saved(*rated), 1),
            ChartCell::number(helped, decimals + 1),
            ChartCell::number(plain, decimals + 1),
        ]
    };
    let columns = [
        "Rated outputs of a system",
        "Ratings saved, %",
        "Half the width of the interval with the metric",
        "of ratings alone",
    ];
    let table = ChartTable {
        columns: columns.map(ChartColumn::number).into(),
        rows: numbers.iter().map(row).collect(),
    };

    (points.len() > 1).then(|| {
        view! {
            <Chart caption file="metrics-saved-ratings" table>
                <LineChart label="Ratings saved by the number of rated outputs" x y points/>
            </Chart>
        }
    })
}
