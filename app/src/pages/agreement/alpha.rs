use domain::{
    category::Category,
    statistics::{Undefined, agreement::Agreement, bootstrap::Interval},
};
use leptos::{either::Either, prelude::*};

use crate::{
    charts::{Axis, Cell, Chart, Column, IntervalChart, Row, RowGroup, Shape, Table, decimal},
    figures::{ByCategory, Estimate},
};

/// One α, said large.
#[component]
pub(super) fn Alpha(
    name: &'static str,
    note: &'static str,
    of: Agreement,
    interval: Option<Result<Interval, Undefined>>,
) -> impl IntoView {
    let interval = interval.and_then(Result::ok);
    let value = match of.alpha {
        Ok(alpha) => Either::Left(view! {
            <p class="big">{shown(alpha)}</p>
            {interval.map(|it| view! {
                <p class="interval">
                    {format!("95 % interval {} to {}", shown(it.low), shown(it.high))}
                </p>
            })}
        }),
        Err(reason) => Either::Right(view! {
            <p class="big undefined">"undefined"</p>
            <p class="why">{format!("Undefined: {reason}.")}</p>
        }),
    };
    view! {
        <section class="figure">
            <h2>{format!("α, {name}")}</h2>
            {value}
            <p class="soft">{note}</p>
        </section>
    }
}

/// What the figures stand on.
#[component]
pub(super) fn Basis(of: Agreement, warnings: Vec<String>) -> impl IntoView {
    let warning = |text: String| view! { <p class="caution">{text}</p> };
    view! {
        <dl class="facts">
            <div><dt>"Raters"</dt><dd>{of.raters}</dd></div>
            <div><dt>"Ratings"</dt><dd>{of.ratings}</dd></div>
            <div><dt>"Outputs rated"</dt><dd>{of.units}</dd></div>
            <div><dt>"Rated by two or more"</dt><dd>{of.pairable_units}</dd></div>
        </dl>
        {warnings.into_iter().map(warning).collect_view()}
        <p class="soft">
            "Intervals: percentile bootstrap over sources, 1,000 resamples from a fixed seed, z-scores held \
             fixed."
        </p>
    }
}

/// α of each group's outputs.
#[component]
pub(super) fn ByCategoryChart(of: Vec<(Category, ByCategory)>) -> impl IntoView {
    let estimates = || of.iter().flat_map(|(_, by)| [by.z, by.raw]);
    let values = estimates().flat_map(|it| {
        let ends = it.interval.map(|it| [it.low, it.high]).ok();
        it.agreement
            .alpha
            .ok()
            .into_iter()
            .chain(ends.into_iter().flatten())
    });
    let axis = Axis::over("Krippendorff’s α", values.chain([0.0, 1.0]), 6);
    let group = |name: &str, shape: Shape, pick: fn(&ByCategory) -> Estimate| RowGroup {
        name: Some(name.to_owned()),
        rows: of
            .iter()
            .filter_map(|(category, by)| row(*category, shape, pick(by)))
            .collect(),
    };
    let groups = vec![
        group("z-scores", Shape::Circle, |by| by.z),
        group("raw ratings", Shape::Diamond, |by| by.raw),
    ];
    let table = Table {
        columns: vec![
            Column::text("Category"),
            Column::text("Ratings"),
            Column::number("α"),
            Column::number("95 % low"),
            Column::number("95 % high"),
            Column::number("Outputs rated by two or more"),
        ],
        rows: of
            .iter()
            .flat_map(|(category, by)| {
                [("z-scores", by.z), ("raw", by.raw)]
                    .map(|(what, of)| cells(category.title(), what, of))
            })
            .collect(),
    };
    view! {
        <Chart
            title="By category"
            note="α of the outputs in each group (the group that most annotators gave), with its 95 % \
                  interval. z-scores are by all ratings of a rater."
            file="agreement-by-category"
            table
        >
            <IntervalChart label="α by category" axis groups/>
        </Chart>
    }
}

fn row(category: Category, shape: Shape, of: Estimate) -> Option<Row> {
    let alpha = of.agreement.alpha.ok()?;
    let interval = of.interval.ok().map(|it| (it.low, it.high));
    let ends =
        interval.map(|(low, high)| format!(", 95 % interval {} to {}", shown(low), shown(high)));
    Some(Row {
        name: category.title().to_owned(),
        shape,
        value: alpha,
        interval,
        shown: shown(alpha),
        said: format!(
            "{}: α {}{}",
            category.title(),
            shown(alpha),
            ends.unwrap_or_default()
        ),
    })
}

fn cells(name: &str, what: &str, of: Estimate) -> Vec<Cell> {
    let number = |value: Option<f64>| value.map_or_else(Cell::none, |value| Cell::number(value, 3));
    let interval = of.interval.ok();
    vec![
        Cell::text(name),
        Cell::text(what),
        number(of.agreement.alpha.ok()),
        number(interval.map(|it| it.low)),
        number(interval.map(|it| it.high)),
        Cell::count(of.agreement.pairable_units),
    ]
}

/// α as the field prints it: three decimals.
pub(super) fn shown(alpha: f64) -> String {
    decimal(alpha, 3)
}
