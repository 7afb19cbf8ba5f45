//! Marked spans of the outputs of each system.

use domain::statistics::{
    spans::{LevelledMarks, SystemMarks},
    systems::SystemPairComparison,
};
use leptos::prelude::*;
use service::{
    figures::spans::SpanFigures,
    findings,
    wording::{count_noun, decimal, signed},
};

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, MarkShape,
};

/// The number of spans that were marked in the outputs of each system, their levels, and the
/// differences between systems.
#[component]
pub(super) fn MarkedSystems(of: SpanFigures) -> impl IntoView {
    let basis = format!(
        "{}, {}, {}",
        count_noun(of.outputs, "output"),
        count_noun(of.sources, "source"),
        count_noun(of.raters, "rater")
    );
    let has_values = of
        .systems
        .iter()
        .any(|system| system.all.mean_value.is_some());

    view! {
        <h2>"Marked spans"</h2>
        {counts_table(&of)}
        {counts_chart(&of, &basis)}
        {has_values.then(|| values_chart(&of, &basis))}
    }
}

/// The columns of the expert evaluation's published table: counts by type, with the share of each level.
fn counts_table(of: &SpanFigures) -> impl IntoView + use<> {
    let levels = of.taxonomy.levels.iter().map(|level| {
        let name = level.name.clone();
        view! { <th scope="col" class="number">{name}</th> }
    });
    let levels = levels.collect_view();
    let has_levels = !of.taxonomy.levels.is_empty();

    let systems = of.systems.iter().map(|system| system_rows(of, system));
    let systems = systems.collect_view();

    view! {
        <p class="soft">
            "In sources that annotators submitted. Marks are those of all raters; marks per output are the mean over \
             outputs of the mean over their raters."
            {has_levels.then_some(" Shares are of the marks with a level, and the mean is of the values of these. The \
             sum is that of the values of an output's marks, as one rater made them: where levels are penalties, the \
             penalty of an output.")}
        </p>
        <div class="table-scroll" role="group" aria-label="Marked spans by system and type" tabindex="0">
            <table>
                <thead>
                    <tr>
                        <th scope="col">"System"</th>
                        <th scope="col">"Type"</th>
                        <th scope="col" class="number">"Marks"</th>
                        <th scope="col" class="number">"Per output"</th>
                        {levels}
                        {has_levels.then(|| view! { <th scope="col" class="number">"Mean value"</th> })}
                        {has_levels.then(|| view! { <th scope="col" class="number">"Sum per output"</th> })}
                    </tr>
                </thead>
                {systems}
            </table>
        </div>
    }
}

fn system_rows(of: &SpanFigures, system: &SystemMarks<String>) -> impl IntoView + use<> {
    let unchanged = match system.outputs {
        0 => 0.0,
        outputs => 100.0 * system.unchanged as f64 / outputs as f64,
    };
    let about = format!(
        "{}; {} % equal the source",
        count_noun(system.outputs, "output"),
        decimal(unchanged, 1)
    );

    let first = view! {
        <tr>
            <th scope="row">{system.system.clone()} " " <span class="soft">{about}</span></th>
            <td>"All types"</td>
            {mark_cells(of, &system.all)}
        </tr>
    };

    let types = of.taxonomy.types.iter().zip(&system.types);
    let types = types.map(|(kind, marks)| {
        let (name, cells) = (kind.name.clone(), mark_cells(of, marks));
        view! { <tr><td></td><td>{name}</td>{cells}</tr> }
    });
    view! { <tbody>{first} {types.collect_view()}</tbody> }
}

fn mark_cells(of: &SpanFigures, marks: &LevelledMarks) -> impl IntoView + use<> {
    let cell = |text: String| view! { <td class="number">{text}</td> };
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let levels = 0..of.taxonomy.levels.len();

    let shares = levels.clone().map(|level| {
        let share = marks.level_share(level);
        cell(or_dash(
            share.map(|share| format!("{} %", decimal(100.0 * share, 1))),
        ))
    });
    let shares = shares.collect_view();

    let mean =
        (!levels.is_empty()).then(|| cell(or_dash(marks.mean_value.map(|mean| decimal(mean, 2)))));
    let sum = (!levels.is_empty())
        .then(|| cell(or_dash(marks.sum_per_output.map(|sum| decimal(sum, 2)))));

    view! {
        {cell(marks.marks.to_string())}
        {cell(decimal(marks.per_output, 2))}
        {shares}
        {mean}
        {sum}
    }
}

/// A description of the tests of each pair of systems, for the captions.
const TESTS: &str = "The table has the paired t-test and Wilcoxon’s signed-rank test over the sources that both systems \
                     have, two-sided, with Holm’s correction; systems are said to differ by the corrected signed-rank \
                     test at .05. An output that several systems wrote counts for each of them.";

fn counts_chart(of: &SpanFigures, basis: &str) -> impl IntoView + use<> {
    let caption = ChartCaption {
        name: "Marks per output".to_owned(),
        finding: findings::spans::counts(of),
        line: "How many spans raters mark in an output of each system, of all types.".to_owned(),
        method: format!("The mean over outputs of the mean over their raters. {TESTS}"),
        basis: basis.to_owned(),
    };

    let figures = of.systems.iter();
    let figures = figures.map(|system| (&system.system[..], system.all.per_output));
    let chart = chart("Marks per output", figures.collect());
    let table = pairs_table(of, &of.by_count);

    view! {
        <Chart caption file="systems-marks" table>
            {chart}
        </Chart>
    }
}

fn values_chart(of: &SpanFigures, basis: &str) -> impl IntoView + use<> {
    let values = of.taxonomy.levels.iter();
    let values = values.map(|level| format!("{} is {}", level.name, level.value));

    let caption = ChartCaption {
        name: "Value of marks".to_owned(),
        finding: findings::spans::values(of),
        line: format!(
            "The mean value of the marks in the outputs of each system: {}.",
            values.collect::<Vec<_>>().join(", ")
        ),
        method: format!(
            "The mean over all marks with a level. Tests compare sources: the value of an output is the mean over \
             its raters of the mean over each one’s marks, and an output without marks has none. {TESTS}"
        ),
        basis: basis.to_owned(),
    };

    let figures = of.systems.iter();
    let figures = figures.filter_map(|system| Some((&system.system[..], system.all.mean_value?)));
    let chart = chart("Mean value of marks", figures.collect());
    let table = pairs_table(of, &of.by_value);

    view! {
        <Chart caption file="systems-mark-values" table>
            {chart}
        </Chart>
    }
}

fn chart(label: &'static str, figures: Vec<(&str, f64)>) -> impl IntoView + use<> {
    let values = figures.iter().map(|(_, value)| *value);
    let axis = Axis::from_values(label, values.chain([0.0]), 6);
    let row = |(system, value): (&str, f64)| {
        let shown = decimal(value, 2);
        IntervalRow {
            name: system.to_owned(),
            shape: MarkShape::Circle,
            value,
            interval: None,
            description: format!("{system}: {shown}"),
            shown,
        }
    };

    let groups = vec![IntervalRowGroup {
        name: None,
        rows: figures.into_iter().map(row).collect(),
    }];
    view! { <IntervalChart label=format!("{label}, of each system") axis groups/> }
}

fn pairs_table(of: &SpanFigures, pairs: &[SystemPairComparison<usize>]) -> ChartTable {
    let columns = [
        "Sources",
        "A higher",
        "Equal",
        "B higher",
        "Mean difference, A − B",
        "95 % interval, low",
        "95 % interval, high",
        "p, paired t",
        "p, paired t, Holm",
        "p, Wilcoxon",
        "p, Wilcoxon, Holm",
    ];

    let row = |pair: &SystemPairComparison<usize>| {
        let name = |system: usize| ChartCell::text(&of.systems[system].system);
        let p = |value: Option<f64>| value.map_or_else(ChartCell::none, ChartCell::p);
        let difference = |value: f64| ChartCell {
            shown: signed(value, 2),
            ..ChartCell::number(value, 2)
        };
        let or_none = |value: Option<f64>| value.map_or_else(ChartCell::none, difference);
        let (t, wilcoxon) = (pair.of.t.ok(), pair.of.wilcoxon.ok());

        vec![
            name(pair.a),
            name(pair.b),
            ChartCell::count(pair.of.sources),
            ChartCell::count(pair.of.counts.wins),
            ChartCell::count(pair.of.counts.ties),
            ChartCell::count(pair.of.counts.losses),
            or_none((pair.of.sources > 0).then_some(pair.of.difference)),
            or_none(t.map(|test| test.interval.0)),
            or_none(t.map(|test| test.interval.1)),
            p(t.map(|test| test.p)),
            p(pair.t_holm),
            p(wilcoxon.map(|test| test.p)),
            p(pair.wilcoxon_holm),
        ]
    };
    let names = ["A", "B"].map(ChartColumn::text).into_iter();

    ChartTable {
        columns: names.chain(columns.map(ChartColumn::number)).collect(),
        rows: pairs.iter().map(row).collect(),
    }
}
