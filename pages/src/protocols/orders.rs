use leptos::prelude::*;
use service::{
    figures::protocols::{ProtocolComparison, SystemOrderCorrelation},
    findings,
    wording::count_noun,
};

use crate::charts::{
    Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, Matrix, MatrixCell, MatrixRow, decimal,
};

/// The similarity of each pair of protocols in the order of systems.
#[component]
pub(super) fn OrdersChart(
    of: ProtocolComparison,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let caption = ChartCaption {
        name: "Order of systems".to_owned(),
        finding: findings::protocols::orders(&of),
        line: "Kendall’s τ-b of the systems’ mean z-scores: 1 is the same order, −1 the opposite one.".to_owned(),
        method: "Systems are the same where their names are; those that only one of two studies has are left \
                 out. Orders are said to be alike where the p-value of τ-b is at most .05 after Holm’s \
                 correction for all pairs of studies. The table also has Spearman’s ρ."
            .to_owned(),
        basis,
    };
    let table = table(&of);

    view! {
        <Chart caption file="protocols-orders" table>
            <Matrix label="Kendall’s τ-b of each pair of protocols" rows=rows(&of) cell=72.0/>
        </Chart>
    }
}

fn rows(of: &ProtocolComparison) -> Vec<MatrixRow> {
    let places = 0..of.protocols.len();
    let order = |first: usize, second: usize| {
        let both = (first.min(second), first.max(second));
        of.orders
            .iter()
            .find(|order| (order.first, order.second) == both)
    };

    let row = |place: usize| {
        let cells = places.clone();
        let cells: Vec<_> = cells
            .map(|other| Some(cell(of, order(place, other)?)))
            .collect();
        let described = cells.iter().flatten();
        let described: Vec<_> = described.map(|cell| &cell.description[..]).collect();
        MatrixRow {
            name: of.protocols[place].name.clone(),
            description: described.join("; "),
            cells,
        }
    };

    places.clone().map(row).collect()
}

fn cell(of: &ProtocolComparison, order: &SystemOrderCorrelation) -> MatrixCell {
    let tau = order.kendall.map(|tau| tau.coefficient);
    let shown = match tau {
        Ok(tau) => format!("τ-b {}", decimal(tau, 2)),
        Err(reason) => format!("undefined, {reason}"),
    };

    MatrixCell {
        shown: tau.map_or_else(|_| "–".to_owned(), |tau| decimal(tau, 2)),
        description: format!(
            "{} and {}: {shown}, {}",
            of.protocols[order.first].name,
            of.protocols[order.second].name,
            count_noun(order.systems, "system")
        ),
        strength: tau.ok(),
    }
}

fn table(of: &ProtocolComparison) -> ChartTable {
    let texts = ["Study", "With"].map(ChartColumn::text);
    let numbers = [
        "Systems in both",
        "Kendall’s τ-b",
        "p",
        "p, Holm",
        "Spearman’s ρ",
        "p",
    ];

    let row = |order: &SystemOrderCorrelation| {
        let name = |place: usize| ChartCell::text(&of.protocols[place].name);
        let p = |value: Option<f64>| value.map_or_else(ChartCell::none, ChartCell::p);
        let coefficient = |value: Option<f64>| {
            value.map_or_else(ChartCell::none, |value| ChartCell::number(value, 3))
        };
        let (tau, rho) = (order.kendall.ok(), order.spearman.ok());
        // If the first figure is undefined, its cell has the reason.
        let kendall = match order.kendall {
            Ok(tau) => ChartCell::number(tau.coefficient, 3),
            Err(reason) => ChartCell {
                shown: format!("undefined: {reason}"),
                ..ChartCell::none()
            },
        };

        vec![
            name(order.first),
            name(order.second),
            ChartCell::count(order.systems),
            kendall,
            p(tau.map(|tau| tau.p)),
            p(order.kendall_holm),
            coefficient(rho.map(|rho| rho.coefficient)),
            p(rho.map(|rho| rho.p)),
        ]
    };

    ChartTable {
        columns: texts
            .into_iter()
            .chain(numbers.map(ChartColumn::number))
            .collect(),
        rows: of.orders.iter().map(row).collect(),
    }
}
