use domain::statistics::correlation::fisher_interval;
use leptos::prelude::*;

use super::groups::cell;
use crate::charts::{
    Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, Matrix, MatrixCell, MatrixRow, decimal,
};
use service::{
    figures::metrics::{DimensionCorrelation, WriterGroup},
    findings,
};

/// The correlations between rated dimensions, separate for outputs of people and machines.
#[component]
pub(super) fn Dimensions(
    parts: Vec<(WriterGroup, Vec<DimensionCorrelation>)>,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let all = parts.first().map(|(_, pairs)| pairs.clone());
    let all = all.filter(|pairs| !pairs.is_empty());

    all.map(|pairs| {
        let table = table(&parts);
        let caption = ChartCaption {
            name: "How dimensions correlate".to_owned(),
            finding: findings::metrics::dimensions(&pairs),
            line: "Pearson’s r of mean ratings, over outputs that were rated on both dimensions.".to_owned(),
            method: "Where dimensions correlate, a metric of one looks like a metric of the other. The table \
                     shows outputs of people and of machines separately, with Fisher’s interval."
                .to_owned(),
            basis,
        };

        view! {
            <Chart caption file="metrics-dimensions" table>
                <Matrix label="How dimensions correlate" rows=rows(&pairs) cell=88.0/>
            </Chart>
        }
    })
}

fn rows(pairs: &[DimensionCorrelation]) -> Vec<MatrixRow> {
    let mut names: Vec<&str> = pairs
        .iter()
        .flat_map(|pair| [&pair.a[..], &pair.b[..]])
        .collect();
    names.sort_unstable();
    names.dedup();

    let matrix_cell = |a: &str, b: &str| {
        let is = |pair: &&DimensionCorrelation| {
            (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)
        };
        let correlation = pairs.iter().find(is)?.r.as_ref().ok()?;
        Some(MatrixCell {
            shown: decimal(correlation.coefficient, 2),
            description: format!(
                "{a} and {b}: {}, {} outputs",
                decimal(correlation.coefficient, 2),
                correlation.n
            ),
            strength: Some(correlation.coefficient),
        })
    };

    names
        .iter()
        .map(|name| {
            let cells: Vec<_> = names.iter().map(|other| matrix_cell(name, other)).collect();
            let description: Vec<_> = cells
                .iter()
                .flatten()
                .map(|cell| cell.description.clone())
                .collect();
            MatrixRow {
                name: (*name).to_owned(),
                description: description.join("; "),
                cells,
            }
        })
        .collect()
}

fn table(parts: &[(WriterGroup, Vec<DimensionCorrelation>)]) -> ChartTable {
    let rows = parts.iter().flat_map(|(writers, pairs)| {
        pairs.iter().map(|pair| {
            let n = pair.r.as_ref().map_or(0, |correlation| correlation.n);
            let interval = pair
                .r
                .map(|correlation| fisher_interval(&correlation, 0.95));
            vec![
                ChartCell::text(&pair.a),
                ChartCell::text(&pair.b),
                ChartCell::text(writers.title()),
                cell(
                    pair.r
                        .as_ref()
                        .map(|correlation| correlation.coefficient)
                        .map_err(Clone::clone),
                ),
                cell(interval.map(|(low, _)| low)),
                cell(interval.map(|(_, high)| high)),
                ChartCell::count(n),
            ]
        })
    });

    ChartTable {
        columns: vec![
            ChartColumn::text("Dimension"),
            ChartColumn::text("With"),
            ChartColumn::text("Outputs by"),
            ChartColumn::number("Pearson’s r"),
            ChartColumn::number("95 % interval, low"),
            ChartColumn::number("95 % interval, high"),
            ChartColumn::number("Outputs"),
        ],
        rows: rows.collect(),
    }
}
