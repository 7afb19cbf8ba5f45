use domain::metrics::learned_quality::LearningCurvePoint;
use leptos::prelude::*;
use store::metrics::StudyModel;

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, LineChart, LinePoint, decimal,
};
use service::metric_training::ModelReport;

/// The learning curve: agreement of the newest version by the number of rated outputs in its training.
#[component]
pub(super) fn Curve(model: StudyModel) -> impl IntoView {
    let points = ModelReport::from_model(&model)
        .map(|report| report.curve)
        .unwrap_or_default();
    let tau = |point: &LearningCurvePoint| point.figures.tau;
    let description = |point: &LearningCurvePoint| {
        let tau = tau(point).map_or_else(|| "undefined".to_owned(), |tau| decimal(tau, 3));
        format!("From {} rated outputs of the study: τ {tau}", point.outputs)
    };

    let drawn: Vec<LinePoint> = points
        .iter()
        .map(|point| LinePoint {
            x: point.outputs as f64,
            y: tau(point),
            interval: None,
            description: description(point),
        })
        .collect();

    let x = Axis::from_values(
        "rated outputs of the study",
        drawn.iter().map(|point| point.x),
        6,
    );
    let y = Axis::from_values("τ", drawn.iter().filter_map(|point| point.y), 5);

    let cell = |value: Option<f64>| {
        value.map_or_else(ChartCell::none, |value| ChartCell::number(value, 3))
    };
    let table = ChartTable {
        columns: vec![
            ChartColumn::number("Rated outputs"),
            ChartColumn::number("τ"),
            ChartColumn::number("Pearson’s r"),
            ChartColumn::number("τ of good outputs"),
        ],
        rows: points
            .iter()
            .map(|point| {
                let figures = point.figures;
                let [tau, r, hard] = [figures.tau, figures.r, figures.hard].map(cell);
                vec![ChartCell::count(point.outputs), tau, r, hard]
            })
            .collect(),
    };

    let caption = ChartCaption {
        name: format!(
            "Would more ratings help? {}, version {}",
            model.name, model.version
        ),
        finding: String::new(),
        line: "Agreement on the held-out sources by the number of rated outputs that training used."
            .to_owned(),
        method: "Of metrics that were trained in the same way on fewer of the study’s rated outputs; 0 is the \
                 metric that training started from, unchanged."
            .to_owned(),
        basis: String::new(),
    };

    (points.len() > 1).then(|| {
        view! {
            <Chart caption file="metrics-learning-curve" table>
                <LineChart label="Agreement by rated outputs" x y points=drawn/>
            </Chart>
        }
    })
}
