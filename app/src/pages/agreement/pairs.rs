use leptos::prelude::*;

use super::alpha::format_alpha;
use crate::charts::{
    Chart, ChartCell, ChartColumn, ChartTable, Matrix, MatrixCell, MatrixRow, decimal,
};
use service::figures::{RaterAgreement, RaterPairAgreement};

/// Above this many raters, only the table is shown.
const DRAWN: usize = 40;

/// α of each pair of raters.
#[component]
pub(super) fn Pairs(raters: Vec<RaterAgreement>, pairs: Vec<RaterPairAgreement>) -> impl IntoView {
    let name = |place: usize| raters[place].rater.label.as_str();
    let description = |of: &RaterPairAgreement| {
        let alpha = match of.alpha {
            Ok(alpha) => format!("α {}", format_alpha(alpha)),
            Err(reason) => format!("α undefined, {reason}"),
        };
        format!(
            "{} and {}: {alpha}, {} outputs",
            name(of.first),
            name(of.second),
            of.outputs
        )
    };
    let cell = |of: &RaterPairAgreement| MatrixCell {
        shown: of
            .alpha
            .map_or_else(|_| "–".to_owned(), |alpha| decimal(alpha, 2)),
        description: description(of),
        strength: of.alpha.unwrap_or(0.0),
    };
    let row = |place: usize| {
        let mut cells = vec![None; raters.len()];
        for of in &pairs {
            if of.first == place {
                cells[of.second] = Some(cell(of));
            } else if of.second == place {
                cells[of.first] = Some(cell(of));
            }
        }
        let told: Vec<_> = cells
            .iter()
            .flatten()
            .map(|cell| cell.description.clone())
            .collect();
        MatrixRow {
            name: name(place).to_owned(),
            description: format!("{}: {}", name(place), told.join("; ")),
            cells,
        }
    };
    let drawn = raters.len() <= DRAWN;
    let rows: Vec<_> = (0..raters.len()).filter(|_| drawn).map(row).collect();
    let table = ChartTable {
        columns: vec![
            ChartColumn::text("Rater"),
            ChartColumn::text("With"),
            ChartColumn::number("α"),
            ChartColumn::number("Outputs rated by both"),
        ],
        rows: pairs
            .iter()
            .map(|of| {
                vec![
                    ChartCell::text(name(of.first)),
                    ChartCell::text(name(of.second)),
                    of.alpha
                        .map_or_else(|_| ChartCell::none(), |alpha| ChartCell::number(alpha, 3)),
                    ChartCell::count(of.outputs),
                ]
            })
            .collect(),
    };
    (!pairs.is_empty()).then(|| {
        view! {
            <Chart
                title="Rater by rater"
                note="α of each pair of raters on the outputs that both rated, on z-scores."
                file="agreement-pairs"
                table
            >
                {drawn.then(|| view! { <Matrix label="α of each pair of raters" rows/> })}
            </Chart>
        }
    })
}
