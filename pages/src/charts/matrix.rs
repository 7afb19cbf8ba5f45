use leptos::prelude::*;

use super::{
    frame::canvas,
    numbers::{format_coordinate, shortened, width_of},
};

/// Above this many rows, each row is one tab stop instead of each cell.
const CELLS_TO_REACH: usize = 12;
const WIDEST_NAME: f64 = 210.0;
const HEAD: f64 = 26.0;

/// A row of a [`Matrix`]: one rater or system against all others.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRow {
    /// The name of the row.
    pub name: String,
    /// The row in words, announced if it is one tab stop: “access: better than 8, worse than 12”.
    pub description: String,
    /// A cell for each column (the rows in the same order); `None` on the diagonal.
    pub cells: Vec<Option<MatrixCell>>,
}

/// A cell of a [`Matrix`]: one item against another.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixCell {
    /// Its text: the value, or a sign.
    pub shown: String,
    /// The cell in words: “annotator 1 and annotator 2: α 0.61 on 40 outputs”.
    pub description: String,
    /// The strength of the fill: 1 is strongest, 0 is none, negative values use another colour.
    /// `None` is grey: nothing certain is known. The text carries the same information.
    pub strength: Option<f64>,
}

/// A matrix of each item against each: rows are named, columns have the numbers of the rows.
#[component]
pub fn Matrix(
    /// A description of the drawing.
    #[prop(into)]
    label: String,
    /// The rows from the top, and the columns in the same order.
    rows: Vec<MatrixRow>,
    /// The width of a cell; its height is 26.
    #[prop(default = 44.0)]
    cell: f64,
) -> impl IntoView {
    let many = rows.len() > CELLS_TO_REACH;
    let names = rows.iter().map(|row| width_of(&row.name));
    let left = names.fold(0.0, f64::max).min(WIDEST_NAME) + 40.0;
    let (width, height) = (
        left + cell * rows.len() as f64 + 2.0,
        HEAD * (rows.len() as f64 + 1.0) + 2.0,
    );

    let head = (0..rows.len()).map(|column| {
        let x = format_coordinate(left + cell * (column as f64 + 0.5));
        view! { <text class="tick" x=x y="17" text-anchor="middle">{column + 1}</text> }
    });
    let head = head.collect_view();

    // Each row is drawn from its own top, so that all repeat the same numbers, which compresses well.
    let row = |(number, row): (usize, MatrixRow)| {
        let place = format!("translate(0 {})", HEAD * (number as f64 + 1.0));
        let cells = row.cells.into_iter().enumerate();
        let cells = cells.map(|(column, matrix_cell)| {
            square(matrix_cell, left + cell * column as f64, cell, many)
        });
        let cells = cells.collect_view();
        let name = shortened(&row.name, WIDEST_NAME);
        let names = view! {
            <text class="tick" x="22" y="17" text-anchor="end">{number + 1}</text>
            <text class="name" x="30" y="17">{name}</text>
        };

        if many {
            view! {
                <g class="mark" tabindex="0" role="img" aria-label=row.description transform=place>
                    <rect class="reach" x="1" y="0" width=format_coordinate(width - 2.0) height=format_coordinate(HEAD) rx="4"></rect>
                    {names}
                    {cells}
                </g>
            }
            .into_any()
        } else {
            view! { <g transform=place>{names} {cells}</g> }.into_any()
        }
    };
    let rows = rows.into_iter().enumerate().map(row).collect_view();
    let content = view! { <g aria-hidden="true">{head}</g> {rows} };
    canvas("", label, (width, height), content).into_any()
}

fn square(of: Option<MatrixCell>, left: f64, width: f64, many: bool) -> AnyView {
    let x = format_coordinate(left + 1.0);
    let Some(cell) = of else {
        return view! { <rect class="self" x=x y="1" width=format_coordinate(width - 2.0) height=format_coordinate(HEAD - 2.0)></rect> }.into_any();
    };

    let (class, text) = match cell.strength {
        None => ("heat unsure", "value unsure"),
        Some(strength) if strength < 0.0 => ("heat below", "value"),
        Some(_) => ("heat", "value"),
    };
    // Never so strong that the text on it becomes hard to read.
    let strength = cell
        .strength
        .map(|strength| format!("{:.2}", 0.45 * strength.abs().min(1.0)));

    let drawn = view! {
        <rect class=class x=x y="1" width=format_coordinate(width - 2.0) height=format_coordinate(HEAD - 2.0) fill-opacity=strength></rect>
        <text class=text x=format_coordinate(left + width / 2.0) y="17" text-anchor="middle">{cell.shown}</text>
    };
    if many {
        return view! { <g><title>{cell.description}</title>{drawn}</g> }.into_any();
    }

    view! {
        <g class="mark" tabindex="0" role="img" aria-label=cell.description>
            <rect class="reach" x=format_coordinate(left) y="0" width=format_coordinate(width) height=format_coordinate(HEAD) rx="4"></rect>
            {drawn}
        </g>
    }
    .into_any()
}
