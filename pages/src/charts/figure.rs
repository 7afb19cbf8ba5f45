use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_query_map;

use super::{
    ChartTable,
    fold::{Fold, OPEN, is_open},
};
use app::{components::iso_date, page_script::PageScript, services};

/// The words of a chart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChartCaption {
    /// The name of the chart, unique on the page.
    pub name: String,
    /// The finding, as a sentence without a full stop: the heading. Empty if the name is the
    /// heading.
    pub finding: String,
    /// A plain line on what is drawn.
    pub line: String,
    /// The computation of the values, folded away; empty if the line says it all.
    pub method: String,
    /// The numbers behind it, for downloads: “80 outputs, 3 raters”.
    pub basis: String,
}

/// A chart with its heading, a line on what is drawn, the way its values are computed, the table of these
/// values, and buttons that download it as SVG, PNG or CSV. The buttons show where scripts run and the page
/// has [`ChartDownloads`]. The table is in the page only where the address says that it is open: with many
/// systems, tables are half of what a page transfers.
#[component]
pub fn Chart(
    caption: ChartCaption,
    /// The name of the downloaded files, without an extension; unique on the page.
    #[prop(into)]
    file: String,
    /// The same values as a table.
    table: ChartTable,
    /// The drawing.
    children: Children,
) -> impl IntoView {
    let ChartCaption {
        name,
        finding,
        line,
        method,
        basis,
    } = caption;

    let id = format!("chart-{file}");
    let heading = match finding.is_empty() {
        true => name.clone(),
        false => finding,
    };
    let values = match is_open(&file) {
        true => Either::Left(table.view(format!("Values: {name}"))),
        false => Either::Right(later(&file, &id)),
    };
    let method = (!method.is_empty()).then(|| {
        view! {
            <Fold name=format!("{file}-method") class="chart-method" summary="How this is computed">
                <p>{method}</p>
            </Fold>
        }
    });

    view! {
        <figure class="chart" data-file=file data-basis=basis aria-labelledby=id.clone()>
            <figcaption>
                <h2 id=id.clone()>{heading}</h2>
                <p class="soft">{line}</p>
            </figcaption>
            {children()}
            <div class="chart-foot">
                <Fold name=file.clone() summary="Values as a table">
                    {values}
                </Fold>
                {method}
                {download_buttons(&name)}
            </div>
        </figure>
    }
    .into_any()
}

/// A link to the table of values. With scripts, the table is loaded when it is opened.
fn later(file: &str, id: &str) -> impl IntoView + use<> {
    let mut query = use_query_map().get_untracked();
    query.insert(OPEN, file.to_owned());
    let address = query.to_query_string();
    let link = format!("{address}#{id}");
    view! {
        <p class="soft" role="status" data-later=address>
            <a href=link>"Show the values"</a>
        </p>
    }
}

/// The buttons that download a chart, and the switch that leaves out the words around a drawing.
fn download_buttons(name: &str) -> impl IntoView + use<> {
    let button = |kind: &'static str| {
        let label = format!("{kind}: {name}");
        view! { <button type="button" data-download=kind aria-label=label>{kind}</button> }
    };
    let buttons = ["SVG", "PNG", "CSV"].map(button);
    let label = format!("Drawing only: {name}");

    view! {
        <div class="chart-downloads" hidden>
            <span class="soft">"Download"</span>
            {buttons}
            <label class="choice" title="Downloads the drawing without its title and source">
                <input type="checkbox" data-bare aria-label=label/>
                <span>"Drawing only"</span>
            </label>
        </div>
    }
}

/// The scripts behind the charts on a page, placed once at its end. One loads tables and makes
/// files. The other makes each chart one tab stop, with arrow keys between its marks, and shows a
/// mark's values next to it.
#[component]
pub fn ChartDownloads(
    /// The name of the study, which files state with the date.
    study: String,
) -> impl IntoView {
    let date = iso_date(services().context.now_ms());
    view! {
        <div id="chart-origin" hidden data-study=study data-date=date></div>
        <PageScript name="values"/>
        <PageScript name="marks"/>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::{Axis, LineChart, LinePoint, Matrix, MatrixCell, MatrixRow};

    fn html(drawing: impl FnOnce() -> AnyView) -> String {
        let owner = Owner::new();
        owner.with(|| drawing().to_html())
    }

    /// The content security policy forbids inline styles, and people without a mouse need names.
    #[test]
    fn marks_have_names_and_nothing_has_a_style() {
        let axis = || Axis::from_values("Score (points)", [0.0, 10.0], 5);
        let (x, y) = (axis(), axis());
        let line = html(move || {
            let points = [1.0, 2.0].map(|x| LinePoint {
                x,
                y: Some(x),
                interval: None,
                description: format!("at {x}"),
            });
            view! { <LineChart label="Line" x y points=points.into()/> }.into_any()
        });
        let matrix = html(|| {
            let cell = MatrixCell {
                shown: "7".to_owned(),
                description: "7".to_owned(),
                strength: Some(-0.5),
            };
            let row = |cells| MatrixRow {
                name: "a".to_owned(),
                description: String::new(),
                cells,
            };
            let rows = vec![
                row(vec![None, Some(cell.clone())]),
                row(vec![Some(cell), None]),
            ];
            view! { <Matrix label="Matrix" rows/> }.into_any()
        });
        // A line is drawn twice: for wide screens and for phones.
        for (drawing, marks) in [(line, 4), (matrix, 2)] {
            let named = drawing.matches(r#"tabindex="0" role="img" aria-label="#);
            assert_eq!(named.count(), marks, "{drawing}");
            assert_eq!(
                drawing.matches(r#"class="mark""#).count(),
                marks,
                "{drawing}"
            );
            assert!(!drawing.contains("style="), "{drawing}");
        }
    }
}
