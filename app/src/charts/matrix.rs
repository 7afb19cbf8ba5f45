use leptos::prelude::*;

use super::{
    frame::canvas,
    numbers::{format_coordinate, shortened, width_of},
};

/// Above so many rows each row is one stop for the keyboard, and not each cell.
const CELLS_TO_REACH: usize = 12;
const WIDEST_NAME: f64 = 210.0;
const HEAD: f64 = 26.0;

/// A row of a [`Matrix`]: one rater or system against all.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRow {
    /// Whose row it is.
    pub name: String,
    /// The row in words, said where it is one stop: “access: better than 8, worse than 12”.
    pub said: String,
    /// A cell for each column, which are the rows in the same order; `None` against oneself.
    pub cells: Vec<Option<MatrixCell>>,
}

/// What one is against another.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixCell {
    /// What is written in it: the value, or a sign.
    pub shown: String,
    /// The cell in words: “annotator 1 and annotator 2: α 0.61 on 40 outputs”.
    pub said: String,
    /// How strongly it is filled: 1 most, 0 not at all; below zero in another colour. The text says
    /// the same.
    pub strength: f64,
}

/// Each against each: rows are named, columns have the numbers of the rows.
#[component]
pub fn Matrix(
    /// What is drawn, in words.
    #[prop(into)]
    label: String,
    /// From the top, and with the same columns from the left.
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
    let row = |(number, row): (usize, MatrixRow)| {
        let top = HEAD * (number as f64 + 1.0);
        let cells = row.cells.into_iter().enumerate();
        let cells =
            cells.map(|(column, of)| square(of, left + cell * column as f64, top, cell, many));
        let cells = cells.collect_view();
        let name = shortened(&row.name, WIDEST_NAME);
        let names = view! {
            <text class="tick" x="22" y=format_coordinate(top + 17.0) text-anchor="end">{number + 1}</text>
            <text class="name" x="30" y=format_coordinate(top + 17.0)>{name}</text>
        };
        if many {
            view! {
                <g class="mark" tabindex="0" role="img" aria-label=row.said>
                    <title>{row.said.clone()}</title>
                    <rect class="reach" x="1" y=format_coordinate(top) width=format_coordinate(width - 2.0) height=format_coordinate(HEAD) rx="4"></rect>
                    {names}
                    {cells}
                </g>
            }
            .into_any()
        } else {
            view! { {names} {cells} }.into_any()
        }
    };
    let rows = rows.into_iter().enumerate().map(row).collect_view();
    let content = view! { <g aria-hidden="true">{head}</g> {rows} };
    canvas("", label, (width, height), content).into_any()
}

fn square(of: Option<MatrixCell>, left: f64, top: f64, width: f64, many: bool) -> AnyView {
    let (x, y) = (format_coordinate(left + 1.0), format_coordinate(top + 1.0));
    let Some(cell) = of else {
        return view! { <rect class="self" x=x y=y width=format_coordinate(width - 2.0) height=format_coordinate(HEAD - 2.0)></rect> }.into_any();
    };
    let class = if cell.strength < 0.0 {
        "heat below"
    } else {
        "heat"
    };
    // Never so strong that ink on it could not be read.
    let strength = format!("{:.2}", 0.45 * cell.strength.abs().min(1.0));
    let drawn = view! {
        <rect class=class x=x y=y width=format_coordinate(width - 2.0) height=format_coordinate(HEAD - 2.0) fill-opacity=strength></rect>
        <text class="value" x=format_coordinate(left + width / 2.0) y=format_coordinate(top + 17.0) text-anchor="middle">{cell.shown}</text>
    };
    if many {
        return view! { <g><title>{cell.said}</title>{drawn}</g> }.into_any();
    }
    view! {
        <g class="mark" tabindex="0" role="img" aria-label=cell.said>
            <title>{cell.said.clone()}</title>
            <rect class="reach" x=format_coordinate(left) y=format_coordinate(top) width=format_coordinate(width) height=format_coordinate(HEAD) rx="4"></rect>
            {drawn}
        </g>
    }
    .into_any()
}
