use leptos::{nonce::Nonce, prelude::*};

use super::Table;

/// A chart with its heading, a note on how to read it, the table of its values, and buttons that
/// take it away as SVG, PNG or CSV. The buttons show where scripts run and the page says
/// [`ChartDownloads`].
#[component]
pub fn Chart(
    /// What it shows.
    #[prop(into)]
    title: String,
    /// How to read it, what the values stand on, and their units.
    #[prop(into)]
    note: String,
    /// The name of the files that it is taken away as, without an ending; one a page.
    #[prop(into)]
    file: String,
    /// The same values.
    table: Table,
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

/// What the buttons of all charts of a page need, once at its end.
#[component]
pub fn ChartDownloads() -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    view! { <script type="module" nonce=nonce>{include_str!("download.js")}</script> }
}
