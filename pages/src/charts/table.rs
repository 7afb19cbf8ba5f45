use leptos::prelude::*;

use super::decimal;

/// The values behind a chart, as shown on the page and as written to the CSV file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartTable {
    /// The columns; the first one names the row.
    pub columns: Vec<ChartColumn>,
    /// The rows, with one cell for each column.
    pub rows: Vec<Vec<ChartCell>>,
}

/// A column of a [`ChartTable`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartColumn {
    /// The heading, with the unit.
    pub name: String,
    /// Whether it holds numbers, which are aligned by their digits.
    pub number: bool,
}

impl ChartColumn {
    /// A text column.
    pub fn text(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            number: false,
        }
    }

    /// A number column.
    pub fn number(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            number: true,
        }
    }
}

/// A cell of a [`ChartTable`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartCell {
    /// The displayed text.
    pub shown: String,
    /// The value in the CSV file, if it differs.
    pub exact: Option<String>,
}

impl ChartCell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            shown: text.into(),
            exact: None,
        }
    }

    /// A number, shown with `decimals` decimals and exported exactly.
    pub fn number(value: f64, decimals: usize) -> Self {
        Self {
            shown: decimal(value, decimals),
            exact: Some(value.to_string()),
        }
    }

    /// A p-value, shown with three decimals, or as smaller than the smallest of these.
    pub fn p(value: f64) -> Self {
        let shown = if value < 0.0005 {
            "< 0.001".to_owned()
        } else {
            decimal(value, 3)
        };
        Self {
            shown,
            exact: Some(value.to_string()),
        }
    }

    /// A count.
    pub fn count(count: usize) -> Self {
        Self::text(count.to_string())
    }

    /// A missing value: a dash on the page, and empty in the file.
    pub fn none() -> Self {
        Self {
            shown: "–".to_owned(),
            exact: Some(String::new()),
        }
    }
}

impl ChartTable {
    /// The table, in a group of its own that scrolls sideways where it is too wide.
    pub(super) fn view(self, label: String) -> impl IntoView {
        let numbers: Vec<bool> = self.columns.iter().map(|column| column.number).collect();
        let class = |number: bool| number.then_some("number");
        let head = self.columns.into_iter().map(|column| {
            view! { <th scope="col" class=class(column.number)>{column.name}</th> }
        });

        let row = |cells: Vec<ChartCell>| {
            let cells = cells.into_iter().zip(&numbers).enumerate();
            let cells = cells.map(|(place, (cell, number))| {
                if place == 0 {
                    view! { <th scope="row" data-value=cell.exact>{cell.shown}</th> }.into_any()
                } else {
                    view! { <td class=class(*number) data-value=cell.exact>{cell.shown}</td> }
                        .into_any()
                }
            });
            view! { <tr>{cells.collect_view()}</tr> }
        };

        view! {
            <div class="table-scroll" role="group" aria-label=label tabindex="0">
                <table>
                    <thead><tr>{head.collect_view()}</tr></thead>
                    <tbody>{self.rows.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        }
    }
}
