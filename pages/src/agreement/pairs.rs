use leptos::prelude::*;

use super::alpha::format_alpha;
use crate::charts::{
    Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, Matrix, MatrixCell, MatrixRow, decimal,
};
use service::{
    figures::{RaterAgreement, RaterPairAgreement},
    findings,
};

/// Above this many raters, only the table is shown.
const DRAWN: usize = 40;

/// α of each pair of raters.
#[component]
pub(super) fn Pairs(
    raters: Vec<RaterAgreement>,
    pairs: Vec<RaterPairAgreement>,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let name = |place: usize| raters[place].rater.label.as_str();
    let description = |pair: &RaterPairAgreement| {
        let alpha = match pair.alpha {
            Ok(alpha) => format!("α {}", format_alpha(alpha)),
            Err(reason) => format!("α undefined, {reason}"),
        };
        format!(
            "{} and {}: {alpha}, {} outputs",
            name(pair.first),
            name(pair.second),
            pair.outputs
        )
    };
    let cell = |pair: &RaterPairAgreement| MatrixCell {
        shown: pair
            .alpha
            .map_or_else(|_| "–".to_owned(), |alpha| decimal(alpha, 2)),
        description: description(pair),
        strength: pair.alpha.ok(),
    };

    let row = |place: usize| {
        let mut cells = vec![None; raters.len()];
        for pair in &pairs {
            if pair.first == place {
                cells[pair.second] = Some(cell(pair));
            } else if pair.second == place {
                cells[pair.first] = Some(cell(pair));
            }
        }
        let descriptions: Vec<_> = cells
            .iter()
            .flatten()
            .map(|cell| cell.description.clone())
            .collect();
        MatrixRow {
            name: name(place).to_owned(),
            description: format!("{}: {}", name(place), descriptions.join("; ")),
            cells,
        }
    };

    let drawn = raters.len() <= DRAWN;
    let rows: Vec<_> = (0..raters.len()).filter(|_| drawn).map(row).collect();
    let caption = ChartCaption {
        name: "Rater by rater".to_owned(),
        finding: findings::agreement::pairs(&raters, &pairs),
        line: "α of each pair of raters, on z-scores of the outputs that both rated.".to_owned(),
        method: String::new(),
        basis,
    };

    (!pairs.is_empty()).then(|| {
        view! {
            <Chart caption file="agreement-pairs" table=table(&raters, &pairs)>
                {drawn.then(|| view! { <Matrix label="α of each pair of raters" rows/> })}
            </Chart>
        }
    })
}

fn table(raters: &[RaterAgreement], pairs: &[RaterPairAgreement]) -> ChartTable {
    let name = |place: usize| raters[place].rater.label.as_str();
    ChartTable {
        columns: vec![
            ChartColumn::text("Rater"),
            ChartColumn::text("With"),
            ChartColumn::number("α"),
            ChartColumn::number("Outputs rated by both"),
        ],
        rows: pairs
            .iter()
            .map(|pair| {
                vec![
                    ChartCell::text(name(pair.first)),
                    ChartCell::text(name(pair.second)),
                    pair.alpha
                        .map_or_else(|_| ChartCell::none(), |alpha| ChartCell::number(alpha, 3)),
                    ChartCell::count(pair.outputs),
                ]
            })
            .collect(),
    }
}
