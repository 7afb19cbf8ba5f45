use domain::metrics::learned_quality::LearningCurvePoint;
use leptos::prelude::*;
use store::metrics::StudyModel;

use crate::charts::{
    Axis, Chart, ChartCell, ChartColumn, ChartTable, LineChart, LinePoint, decimal,
};
use service::metric_training::ModelReport;

/// The learning curve: agreement of the newest version by the number of rated outputs in its training.
#[component]
pub(super) fn Curve(model: StudyModel) -> impl IntoView {
    let points = ModelReport::from_model(&model)
        .map(|report| report.curve)
        .unwrap_or_default();
    let tau = |of: &LearningCurvePoint| of.figures.tau;
    let description = |of: &LearningCurvePoint| {
        let tau = tau(of).map_or_else(|| "undefined".to_owned(), |tau| decimal(tau, 3));
        format!("From {} rated outputs of the study: τ {tau}", of.outputs)
    };
    let drawn: Vec<LinePoint> = points
        .iter()
        .map(|of| LinePoint {
            x: of.outputs as f64,
            y: tau(of),
            interval: None,
            description: description(of),
        })
        .collect();
    let x = Axis::from_values("rated outputs of the study", drawn.iter().map(|it| it.x), 6);
    let y = Axis::from_values("τ", drawn.iter().filter_map(|it| it.y), 5);
    let cell = |of: Option<f64>| of.map_or_else(ChartCell::none, |it| ChartCell::number(it, 3));
    let table = ChartTable {
        columns: vec![
            ChartColumn::number("Rated outputs"),
            ChartColumn::number("τ"),
            ChartColumn::number("Pearson’s r"),
            ChartColumn::number("τ of good outputs"),
        ],
        rows: points
            .iter()
            .map(|of| {
                let figures = of.figures;
                let [tau, r, hard] = [figures.tau, figures.r, figures.hard].map(cell);
                vec![ChartCell::count(of.outputs), tau, r, hard]
            })
            .collect(),
    };
    let title = format!(
        "Would more ratings help? {}, version {}",
        model.name, model.version
    );
    (points.len() > 1).then(|| {
        view! {
            <Chart
                title
                note="Agreement on the held-out sources, of metrics that were trained in the same way on fewer of \
                      the study’s rated outputs; 0 is the metric that training started from, unchanged."
                file="metrics-learning-curve"
                table
            >
                <LineChart label="Agreement by rated outputs" x y points=drawn/>
            </Chart>
        }
    })
}
