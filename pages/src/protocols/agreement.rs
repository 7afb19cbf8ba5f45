use domain::statistics::agreement::{FIRM_ALPHA, TENTATIVE_ALPHA};
use leptos::prelude::*;
use service::figures::{
    AlphaEstimate,
    protocols::{DimensionAgreement, ProtocolFigures, ProtocolTime},
};

use super::glance::NOT_RECORDED;
use crate::charts::{
    Axis, AxisTick, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart,
    IntervalRow, IntervalRowGroup, MarkShape, decimal,
};

/// α of each protocol; the table behind it has all figures.
#[component]
pub(super) fn AgreementChart(
    protocols: Vec<ProtocolFigures>,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let estimates = protocols
        .iter()
        .flat_map(|of| [of.agreement.z, of.agreement.raw]);
    let values = estimates.flat_map(|of| {
        let ends = of.interval.ok();
        let ends = ends.into_iter().flat_map(|of| [of.low, of.high]);
        of.agreement.alpha.ok().into_iter().chain(ends)
    });

    let limit = |value| AxisTick {
        value,
        label: decimal(value, 2),
    };
    let axis = Axis::from_values("Krippendorff’s α", values.chain([0.0, 1.0]), 6)
        .with_references([TENTATIVE_ALPHA, FIRM_ALPHA].map(limit));

    let group = |name: &str, shape, pick: fn(&DimensionAgreement) -> AlphaEstimate| {
        let rows = protocols.iter();
        IntervalRowGroup {
            name: Some(name.to_owned()),
            rows: rows
                .filter_map(|of| row(&of.name, shape, pick(&of.agreement)))
                .collect(),
        }
    };
    let groups = vec![
        group("z-scores", MarkShape::Circle, |of| of.z),
        group("raw ratings", MarkShape::Diamond, |of| of.raw),
    ];

    let caption = ChartCaption {
        name: "Agreement of each protocol".to_owned(),
        // The heading of the page says it.
        finding: String::new(),
        line: "Krippendorff’s α at the interval level with its 95 % interval, on the compared dimension."
            .to_owned(),
        method: "Intervals: percentile bootstrap over sources, 1,000 resamples from a fixed seed, z-scores held \
                 fixed. Protocols are said to differ only where their intervals do not overlap. The table also \
                 has the other dimensions of each study, the unweighted mean of α over dimensions, active time \
                 and pairs of systems."
            .to_owned(),
        basis,
    };
    let table = table(&protocols);

    view! {
        <Chart caption file="protocols" table>
            <IntervalChart label="α of each protocol" axis groups/>
        </Chart>
    }
}

fn row(name: &str, shape: MarkShape, of: AlphaEstimate) -> Option<IntervalRow> {
    let alpha = of.agreement.alpha.ok()?;
    let interval = of.interval.ok();
    let ends = interval.map(|of| {
        format!(
            ", 95 % interval {} to {}",
            decimal(of.low, 3),
            decimal(of.high, 3)
        )
    });
    let shown = decimal(alpha, 3);

    Some(IntervalRow {
        name: name.to_owned(),
        shape,
        value: alpha,
        interval: interval.map(|of| (of.low, of.high)),
        description: format!("{name}: α {shown}{}", ends.unwrap_or_default()),
        shown,
    })
}

/// A row for each dimension of each study, and one for the mean. The row of the compared dimension
/// also has time and pairs.
fn table(protocols: &[ProtocolFigures]) -> ChartTable {
    let texts = ["Study", "Protocol", "Dimension"].map(ChartColumn::text);
    let numbers = [
        "α, z-scores",
        "95 % low",
        "95 % high",
        "α, raw",
        "95 % low",
        "95 % high",
        "Raters",
        "Outputs rated by two or more",
        "Minutes per source",
        "Minutes per rating",
        "Hours of all raters",
        "Systems",
        "Pairs of systems",
        "Pairs with enough sources",
        "Pairs apart",
        "Pairs apart per hour",
    ];
    let columns = texts.into_iter().chain(numbers.map(ChartColumn::number));

    let rows = protocols.iter().flat_map(|of| {
        let dimensions = of.dimensions.iter().map(|dimension| {
            let mut cells = dimension_cells(of, dimension);
            if dimension.dimension.name == of.agreement.dimension.name {
                cells.extend(work_cells(of));
            } else {
                cells.extend(vec![ChartCell::none(); 8]);
            }
            cells
        });
        dimensions.chain(of.mean.map(|mean| {
            let mut cells = names(of, "mean over dimensions");
            cells.extend([number(mean.z.ok(), 3), ChartCell::none(), ChartCell::none()]);
            cells.push(number(mean.raw.ok(), 3));
            cells.extend(vec![ChartCell::none(); 12]);
            cells
        }))
    });

    ChartTable {
        columns: columns.collect(),
        rows: rows.collect(),
    }
}

fn names(of: &ProtocolFigures, dimension: &str) -> Vec<ChartCell> {
    let protocol = of.protocol.as_deref().unwrap_or_default();
    [&of.name, protocol, dimension].map(ChartCell::text).into()
}

fn dimension_cells(of: &ProtocolFigures, dimension: &DimensionAgreement) -> Vec<ChartCell> {
    let mut cells = names(of, &dimension.dimension.name);
    for estimate in [dimension.z, dimension.raw] {
        let interval = estimate.interval.ok();
        cells.extend([
            number(estimate.agreement.alpha.ok(), 3),
            number(interval.map(|of| of.low), 3),
            number(interval.map(|of| of.high), 3),
        ]);
    }

    let agreement = dimension.raw.agreement;
    cells.push(ChartCell::count(agreement.raters));
    cells.push(ChartCell::count(agreement.pairable_units));
    cells
}

fn work_cells(of: &ProtocolFigures) -> [ChartCell; 8] {
    let time = |value: Option<f64>| match (value, of.time) {
        (None, None) => ChartCell {
            shown: NOT_RECORDED.to_owned(),
            ..ChartCell::none()
        },
        (value, _) => number(value, 2),
    };
    let pairs = of.pairs;

    [
        time(of.time.as_ref().map(ProtocolTime::minutes_per_source)),
        time(of.time.as_ref().map(ProtocolTime::minutes_per_rating)),
        time(of.time.as_ref().and_then(ProtocolTime::hours)),
        ChartCell::count(of.ranking.len()),
        ChartCell::count(pairs.all),
        ChartCell::count(pairs.tested),
        ChartCell::count(pairs.apart),
        time(of.pairs_per_hour()),
    ]
}

fn number(value: Option<f64>, decimals: usize) -> ChartCell {
    value.map_or_else(ChartCell::none, |value| ChartCell::number(value, decimals))
}
