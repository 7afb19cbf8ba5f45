use domain::metrics::learned::CurvePoint;
use leptos::prelude::*;
use store::metrics::Model;

use crate::{
    charts::{Axis, Cell, Chart, Column, LineChart, Point, Table, decimal},
    learned::Report,
};

/// What more ratings bring: agreement of the newest version by how many rated outputs it learned from.
#[component]
pub(super) fn Curve(model: Model) -> impl IntoView {
    let points = Report::of(&model)
        .map(|report| report.curve)
        .unwrap_or_default();
    let tau = |of: &CurvePoint| of.figures.tau;
    let said = |of: &CurvePoint| {
        let tau = tau(of).map_or_else(|| "undefined".to_owned(), |tau| decimal(tau, 3));
        format!("From {} rated outputs of the study: τ {tau}", of.outputs)
    };
    let drawn: Vec<Point> = points
        .iter()
        .map(|of| Point {
            x: of.outputs as f64,
            y: tau(of),
            interval: None,
            said: said(of),
        })
        .collect();
    let x = Axis::over("rated outputs of the study", drawn.iter().map(|it| it.x), 6);
    let y = Axis::over("τ", drawn.iter().filter_map(|it| it.y), 5);
    let cell = |of: Option<f64>| of.map_or_else(Cell::none, |it| Cell::number(it, 3));
    let table = Table {
        columns: vec![
            Column::number("Rated outputs"),
            Column::number("τ"),
            Column::number("Pearson’s r"),
            Column::number("τ of good outputs"),
        ],
        rows: points
            .iter()
            .map(|of| {
                let figures = of.figures;
                let [tau, r, hard] = [figures.tau, figures.r, figures.hard].map(cell);
                vec![Cell::count(of.outputs), tau, r, hard]
            })
            .collect(),
    };
    let title = format!(
        "What more ratings bring: {}, version {}",
        model.name, model.version
    );
    (points.len() > 1).then(|| {
        view! {
            <Chart
                title
                note="Agreement on the sources held out, of metrics that learned in the same way from fewer of \
                      the study’s rated outputs; 0 is the metric that it went on from, by itself."
                file="metrics-learning-curve"
                table
            >
                <LineChart label="Agreement by rated outputs" x y points=drawn/>
            </Chart>
        }
    })
}
