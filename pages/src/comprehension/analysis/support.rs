use std::sync::Arc;

use domain::{
    comprehension::SupportTarget,
    statistics::roc::{self, RocCurve},
};
use leptos::prelude::*;

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, LineChart, LinePoint, MarkShape, decimal,
};
use service::{
    figures::comprehension::{ComprehensionAnalysis, SupportPredictor},
    findings,
};

/// The most points of a drawn curve; the table has all.
const DRAWN: usize = 40;

/// A chart of how well low support in the text tells *unanswerable* from right answers.
#[component]
pub(super) fn Predictors(of: Arc<ComprehensionAnalysis>) -> impl IntoView {
    let curves: Vec<(&SupportPredictor, &RocCurve)> = of
        .support
        .iter()
        .filter_map(|predictor| Some((predictor, predictor.found.as_ref().ok()?)))
        .collect();
    if curves.is_empty() {
        let why = of
            .support
            .iter()
            .find_map(|predictor| predictor.found.as_ref().err());
        let why = why.map(ToString::to_string).unwrap_or_default();
        return view! {
            <section aria-labelledby="support">
                <h2 id="support">"Can “unanswerable” be predicted?"</h2>
                <p class="soft">
                    {format!("This needs both right and unanswerable answers to systems’ texts: {why}.")}
                </p>
            </section>
        }
        .into_any();
    }

    let caption = caption(&curves, &of.stop_words);
    let row = |(support, roc): &(&SupportPredictor, &RocCurve)| IntervalRow {
        name: title(support),
        shape: MarkShape::Circle,
        value: roc.area,
        interval: None,
        shown: decimal(roc.area, 3),
        description: format!("{}: area {}", title(support), decimal(roc.area, 3)),
    };
    let groups = vec![IntervalRowGroup {
        name: None,
        rows: curves.iter().map(row).collect(),
    }];
    let areas = curves.iter().map(|(_, roc)| roc.area);
    let axis = Axis::from_values("Area under the curve", areas.chain([0.5, 1.0]), 5);

    let table = ChartTable {
        columns: columns("Support of", &["Area"]),
        rows: curves
            .iter()
            .map(|(support, roc)| cells(title(support), &[roc.area], roc.best))
            .collect(),
    };

    view! {
        <Chart caption file="reading-support" table>
            <IntervalChart label="Area under the curve of each variant of support" axis groups/>
        </Chart>
    }
    .into_any()
}

/// The caption. Needs at least one curve.
fn caption(curves: &[(&SupportPredictor, &RocCurve)], stop_words: &str) -> ChartCaption {
    let best = curves
        .iter()
        .map(|(_, roc)| *roc)
        .max_by(|a, b| a.area.total_cmp(&b.area));
    let (_, first) = curves[0];

    ChartCaption {
        name: "Can “unanswerable” be predicted?".to_owned(),
        finding: best.map_or_else(String::new, findings::comprehension::support),
        line: "Area under the curve of low support in the text as a predictor of “unanswerable”: 0.5 is chance, \
               1 is perfect."
            .to_owned(),
        method: format!(
            "Support is the share of the words of the question, of its right answer, or the product of both, \
             that occur in the text. Content words are all but {}. The heading is about the largest area, \
             the best of {} tries on the same answers.",
            stop_words,
            curves.len()
        ),
        basis: format!(
            "{} unanswerable and {} right answers to systems’ texts",
            first.positive, first.negative
        ),
    }
}

/// The curve of one variant.
#[component]
pub(super) fn Curve(of: SupportPredictor) -> impl IntoView {
    let roc = of.found.as_ref().ok()?;
    let every = roc.points.len().div_ceil(DRAWN);
    let last = roc.points.len() - 1;
    let drawn = roc.points.iter().enumerate();
    let drawn =
        drawn.filter(|(at, roc_point)| at % every == 0 || *at == last || **roc_point == roc.best);

    let point = |roc_point: &roc::RocPoint| LinePoint {
        x: roc_point.false_positive_rate,
        y: Some(roc_point.true_positive_rate),
        interval: None,
        description: format!(
            "support {} or less: {} % of unanswerable, and {} % of right answers",
            decimal(roc_point.threshold, 3),
            decimal(100.0 * roc_point.true_positive_rate, 1),
            decimal(100.0 * roc_point.false_positive_rate, 1)
        ),
    };
    let origin = LinePoint {
        x: 0.0,
        y: Some(0.0),
        interval: None,
        description: "threshold below all support: nothing is predicted".to_owned(),
    };
    let points = std::iter::once(origin).chain(drawn.map(|(_, roc_point)| point(roc_point)));
    let points: Vec<_> = points.collect();

    let axis = |label: &str| Axis::from_values(label, [0.0, 1.0], 5);
    let (x, y) = (
        axis("Right answers wrongly predicted as unanswerable (share)"),
        axis("Unanswerable answers predicted (share)"),
    );

    let caption = ChartCaption {
        name: format!("Curve: {}", title(&of).to_lowercase()),
        finding: String::new(),
        line: format!(
            "What is predicted where support up to the threshold means “unanswerable”; the dotted line is \
             chance. Area {}.",
            decimal(roc.area, 3)
        ),
        method: format!(
            "Best threshold, at the largest √(tpr·(1 − fpr)): {}.",
            decimal(roc.best.threshold, 3)
        ),
        basis: format!(
            "{} unanswerable and {} right answers",
            roc.positive, roc.negative
        ),
    };

    let table = ChartTable {
        columns: columns("Threshold", &[]),
        rows: roc
            .points
            .iter()
            .map(|roc_point| cells(decimal(roc_point.threshold, 3), &[], *roc_point))
            .collect(),
    };

    Some(view! {
        <Chart caption file="reading-roc" table>
            <LineChart label="Receiver operating characteristic" x y points height=380.0 diagonal=true/>
        </Chart>
    })
}

fn title(of: &SupportPredictor) -> String {
    let target = match of.of {
        SupportTarget::Question => "Question",
        SupportTarget::Answer => "Right answer",
        SupportTarget::Both => "Both",
    };
    let words = if of.content {
        "content words"
    } else {
        "all words"
    };
    format!("{target}, {words}")
}

fn columns(first: &str, more: &[&str]) -> Vec<ChartColumn> {
    let of_point = ["Threshold", "True positive rate", "False positive rate"];
    let skip = usize::from(first == "Threshold");
    let numbers = more.iter().chain(&of_point[skip..]);
    std::iter::once(ChartColumn::text(first))
        .chain(numbers.map(|name| ChartColumn::number(*name)))
        .collect()
}

fn cells(first: String, more: &[f64], of: roc::RocPoint) -> Vec<ChartCell> {
    let rates = [of.true_positive_rate, of.false_positive_rate];
    let threshold = (!more.is_empty()).then_some(of.threshold);
    let numbers = more.iter().copied().chain(threshold).chain(rates);
    std::iter::once(ChartCell::text(first))
        .chain(numbers.map(|number| ChartCell::number(number, 3)))
        .collect()
}
