use leptos::{nonce::Nonce, prelude::*};

use super::ChartTable;

/// A chart with its heading, a note on how to read it, the table of its values, and buttons that
/// download it as SVG, PNG or CSV. The buttons show where scripts run and the page has
/// [`ChartDownloads`].
#[component]
pub fn Chart(
    /// The heading.
    #[prop(into)]
    title: String,
    /// How to read the chart, what the values are based on, and their units.
    #[prop(into)]
    note: String,
    /// The name of the downloaded files, without an extension; unique on the page.
    #[prop(into)]
    file: String,
    /// The same values as a table.
    table: ChartTable,
    /// The drawing.
    children: Children,
) -> impl IntoView {
    let heading = format!("chart-{file}");
    let label = format!("Values: {title}");
    let button = |kind: &'static str| {
        let label = format!("{kind}: {title}");
        view! { <button type="button" data-download=kind aria-label=label>{kind}</button> }
    };
    let buttons = ["SVG", "PNG", "CSV"].map(button);
    view! {
        <figure class="chart" data-file=file aria-labelledby=heading>
            <figcaption>
                <h2 id=heading.clone()>{title.clone()}</h2>
                <p class="soft">{note}</p>
            </figcaption>
            {children()}
            <div class="chart-foot">
                <details>
                    <summary>"Values as a table"</summary>
                    {table.view(label)}
                </details>
                <div class="chart-downloads" hidden>
                    <span class="soft">"Download"</span>
                    {buttons}
                </div>
            </div>
        </figure>
    }
    .into_any()
}

/// The script behind the buttons and marks of all charts on a page, placed once at its end: it shows the
/// buttons and makes each chart one tab stop, with arrow keys between its marks.
#[component]
pub fn ChartDownloads() -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    view! {
        <script type="module" nonce=nonce.clone()>{include_str!("download.js")}</script>
        <script type="module" nonce=nonce>{include_str!("marks.js")}</script>
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
                strength: -0.5,
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
        for drawing in [line, matrix] {
            let named = drawing.matches(r#"tabindex="0" role="img" aria-label="#);
            assert_eq!(named.count(), 2, "{drawing}");
            assert_eq!(drawing.matches(r#"class="mark""#).count(), 2, "{drawing}");
            assert!(!drawing.contains("style="), "{drawing}");
        }
    }
}
