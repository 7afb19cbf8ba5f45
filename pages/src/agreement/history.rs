use domain::statistics::agreement::{AgreementPoint, FIRM_ALPHA, TENTATIVE_ALPHA};
use leptos::prelude::*;

use super::alpha::format_alpha;
use crate::charts::{
    Axis, AxisTick, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, LineChart, LinePoint,
};
use service::{
    findings,
    live::{self, FEWEST_PAIRABLE},
};

/// α over time. The axis counts outputs rated by two or more raters, since imported ratings all
/// came at once.
#[component]
pub(super) fn History(
    points: Vec<AgreementPoint>,
    /// The number of outputs rated by two or more raters.
    pairable: usize,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let drawn = live::drawable(&points);
    let Some(finding) = findings::agreement::over_time(&drawn) else {
        return (pairable < FEWEST_PAIRABLE).then(|| {
            view! {
                <p class="soft">
                    {format!(
                        "Agreement over time is drawn from {FEWEST_PAIRABLE} outputs with two or more \
                         ratings on; so far there are {pairable}."
                    )}
                </p>
            }
            .into_any()
        });
    };

    let x = Axis::from_values(
        "outputs rated by two or more raters",
        drawn.iter().map(|point| point.pairable as f64),
        8,
    );
    let line: Vec<_> = drawn.iter().map(line_point).collect();
    let ends = line.iter().flat_map(|point| {
        let (low, high) = point.interval.unzip();
        [low, high, point.y].into_iter().flatten()
    });
    let y = Axis::from_values("α, z-scores", ends.chain([0.0, 1.0]), 5).with_references([
        reference(FIRM_ALPHA, "0.80: firm conclusions"),
        reference(TENTATIVE_ALPHA, "0.67: tentative conclusions"),
    ]);

    let caption = ChartCaption {
        name: "Agreement over time".to_owned(),
        finding,
        line:
            "α by the number of outputs rated by two or more raters; the band is its 95 % interval."
                .to_owned(),
        method: format!(
            "α of z-scores after each number of ratings, in the order in which they were given. z-scores \
             use the means and standard deviations at that point. Interval: percentile bootstrap over \
             sources, 200 resamples for the past and 1,000 for the present, from a fixed seed, z-scores \
             held fixed. Nothing is drawn below {FEWEST_PAIRABLE} outputs, where a single rating moves α \
             from one end to the other."
        ),
        basis,
    };

    Some(
        view! {
            <Chart caption file="agreement-over-time" table=table(&drawn)>
                <LineChart label="α over time" x y points=line/>
            </Chart>
        }
        .into_any(),
    )
}

/// A usual limit of α with its words.
fn reference(value: f64, words: &str) -> AxisTick {
    AxisTick {
        value,
        label: words.to_owned(),
    }
}

fn line_point(point: &AgreementPoint) -> LinePoint {
    let interval = point.z_interval.ok();
    let interval = interval.map(|interval| (interval.low, interval.high));
    let alpha = |value: Result<f64, _>| value.map_or_else(|_| "undefined".to_owned(), format_alpha);
    let ends = interval.map(|(low, high)| {
        format!(
            ", 95 % interval {} to {}",
            format_alpha(low),
            format_alpha(high)
        )
    });

    LinePoint {
        x: point.pairable as f64,
        y: point.z.ok(),
        interval,
        description: format!(
            "After {} outputs: α {}{} on z-scores, {} raw, {} ratings",
            point.pairable,
            alpha(point.z),
            ends.unwrap_or_default(),
            alpha(point.raw),
            point.ratings,
        ),
    }
}

fn table(points: &[AgreementPoint]) -> ChartTable {
    let alpha = |value: Option<f64>| {
        value.map_or_else(ChartCell::none, |alpha| ChartCell::number(alpha, 3))
    };
    let row = |point: &AgreementPoint| {
        vec![
            ChartCell::count(point.pairable),
            ChartCell::count(point.ratings),
            alpha(point.z.ok()),
            alpha(point.z_interval.ok().map(|interval| interval.low)),
            alpha(point.z_interval.ok().map(|interval| interval.high)),
            alpha(point.raw.ok()),
        ]
    };

    ChartTable {
        columns: [
            "Outputs rated by two or more",
            "Ratings",
            "α, z-scores",
            "95 % low",
            "95 % high",
            "α, raw",
        ]
        .map(ChartColumn::number)
        .into(),
        rows: points.iter().map(row).collect(),
    }
}
