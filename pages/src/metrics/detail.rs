use domain::metrics::{ScaleMark, ScoreScale, meta::IntervalEstimate};
use leptos::prelude::*;

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, MarkShape, Scatter,
    ScatterPoint, decimal,
};
use app::links::StudyPage;
use service::{
    figures::metrics::{MetricDetail, MetricDetailPoint, MetricDisagreement},
    findings,
};

/// The most outputs drawn and listed: more would make the page slow and the drawing unreadable.
const DRAWN: usize = 600;

/// The anchor of the detailed view.
pub(super) const EXAMINED: &str = "examined";

/// The choice of a metric to see in detail, while none is chosen. A drawing of every output with its text is
/// heavier than all other charts of the page.
#[component]
pub(super) fn DetailChoice(
    /// The metrics with the addresses of their views.
    choices: Vec<(String, String)>,
) -> impl IntoView {
    let choice =
        |(label, address): (String, String)| view! { <li><a href=address>{label}</a></li> };

    view! {
        <section id=EXAMINED aria-labelledby="examine">
            <h2 id="examine">"One metric, output by output"</h2>
            <p class="soft">
                "See a metric’s scores against the ratings, and where it and people differ most:"
            </p>
            <ul class="metric-links">{choices.into_iter().map(choice).collect_view()}</ul>
        </section>
    }
}

/// One metric in detail: its scores against ratings by output, and where they differ most.
#[component]
pub(super) fn DetailView(
    slug: String,
    label: String,
    /// The meaning of the metric's scores.
    scale: ScoreScale,
    detail: MetricDetail,
    /// Pearson's r over the same outputs.
    pearson: IntervalEstimate,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let MetricDetail {
        points,
        disagreements,
    } = detail;

    (points.len() > 1).then(|| {
        let every = points.len().div_ceil(DRAWN);
        let drawn: Vec<&MetricDetailPoint> = points.iter().step_by(every).collect();
        let part = if every > 1 {
            format!(" {} of {} outputs are shown, evenly selected.", drawn.len(), points.len())
        } else {
            String::new()
        };
        let line = format!(
            "Each mark is an output: circles were written by machines, squares by people. Point at one to see \
             its values, or follow it to its source.{part}"
        );

        let dots: Vec<ScatterPoint> = drawn.iter().map(|point| dot(&slug, &label, point)).collect();
        let x = Axis::from_values(format!("Score by {label}"), points.iter().map(|point| point.score), 8);
        let y = Axis::from_values("Mean z-score of ratings", points.iter().map(|point| point.z), 6);

        let caption = ChartCaption {
            name: format!("Scores of {label} against ratings"),
            finding: findings::metrics::scatter(&label, pearson),
            line,
            method: String::new(),
            basis,
        };
        let table = table(&drawn);
        let drawing = format!("Scores of {label} and ratings of {} outputs", drawn.len());

        view! {
            <div id=EXAMINED>
                <Chart caption file="metrics-scatter" table>
                    <Scatter label=drawing x y dots/>
                </Chart>
            </div>
            <Disagreements slug=slug.clone() label scale points=points.clone() disagreements/>
        }
    })
}

fn address(slug: &str, point: &MetricDetailPoint) -> String {
    StudyPage::Source(point.source).address(slug)
}

fn dot(slug: &str, label: &str, point: &MetricDetailPoint) -> ScatterPoint {
    ScatterPoint {
        x: point.score,
        y: point.z,
        shape: if point.by_people {
            MarkShape::Square
        } else {
            MarkShape::Circle
        },
        description: format!(
            "{}, source {}: {label} {}, mean rating {}. {}",
            point.system,
            point.source_key,
            decimal(point.score, 3),
            decimal(point.rating, 1),
            point.text
        ),
        address: address(slug, point),
    }
}

fn table(points: &[&MetricDetailPoint]) -> ChartTable {
    let row = |point: &&MetricDetailPoint| {
        vec![
            ChartCell::text(&*point.source_key),
            ChartCell::text(&point.system),
            ChartCell::number(point.score, 3),
            ChartCell::number(point.rating, 1),
            ChartCell::number(point.z, 2),
            ChartCell::text(&point.text),
        ]
    };

    ChartTable {
        columns: vec![
            ChartColumn::text("Source"),
            ChartColumn::text("System"),
            ChartColumn::number("Score"),
            ChartColumn::number("Mean rating"),
            ChartColumn::number("Mean z-score"),
            ChartColumn::text("Output"),
        ],
        rows: points.iter().map(row).collect(),
    }
}

/// An explanation of the percentages next to scores.
const MEANING: &str = " A percentage says how many of the outputs that the metric learned from have a lower rating than the one \
     expected of the score; 95 % of outputs with such a score lie in the range beside it. Where texts are unlike all that the \
     metric learned from, both are guesses.";

/// A phrase on what a score means.
fn describe_meaning(mark: &ScaleMark) -> String {
    let ScaleMark {
        percent,
        interval: (low, high),
        ..
    } = mark;
    format!(
        ", above {percent:.0} % of the outputs that the metric learned from (95 %: {low:.0} to {high:.0})"
    )
}

/// The outputs to read to see why a metric and people differ.
#[component]
fn Disagreements(
    slug: String,
    label: String,
    scale: ScoreScale,
    points: Vec<MetricDetailPoint>,
    disagreements: Vec<MetricDisagreement>,
) -> impl IntoView {
    let has_meaning = points
        .first()
        .is_some_and(|point| scale.find(point.score).is_some());

    let item = |disagreement: MetricDisagreement| {
        let point = &points[disagreement.point];
        let place = |rank: usize| format!("rank {rank} of {}", points.len());
        view! {
            <li class="card">
                <p>
                    <a href=address(&slug, point)>{format!("Source {}", point.source_key)}</a>
                    {format!(", {}", point.system)}
                </p>
                <p class="soft">{point.source_text.to_string()}</p>
                <p>{point.text.clone()}</p>
                <dl class="facts">
                    <div>
                        <dt>
                            {format!("by {label}, score {}", decimal(point.score, 3))}
                            {scale.find(point.score).map(describe_meaning)}
                        </dt>
                        <dd>{place(disagreement.by_metric)}</dd>
                    </div>
                    <div>
                        <dt>{format!("by people, mean rating {}", decimal(point.rating, 1))}</dt>
                        <dd>{place(disagreement.by_people)}</dd>
                    </div>
                </dl>
            </li>
        }
    };

    view! {
        <section aria-labelledby="disagreements">
            <h2 id="disagreements">{format!("Where {label} and people differ most")}</h2>
            <p class="soft">
                "The rank of the output among all, by the metric and by people: 1 is the best. Equal ones \
                 share the smallest rank."
                {has_meaning.then_some(MEANING)}
            </p>
            <ol class="disagreements">{disagreements.into_iter().map(item).collect_view()}</ol>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_above_a_share_of_rated_outputs() {
        let mark = |score: f64, percent: f64| ScaleMark {
            score,
            percent,
            interval: (percent - 30.0, percent + 25.4),
        };
        let scale = ScoreScale(vec![mark(-1.0, 30.0), mark(0.5, 61.6)]);
        let phrase = |score| scale.find(score).map(describe_meaning);
        let low = ", above 30 % of the outputs that the metric learned from (95 %: 0 to 55)";
        let high = ", above 62 % of the outputs that the metric learned from (95 %: 32 to 87)";
        for (score, expect) in [
            (-9.0, low),
            (-1.0, low),
            (0.49, low),
            (0.5, high),
            (9.0, high),
        ] {
            assert_eq!(phrase(score).as_deref(), Some(expect), "{score}");
        }
        assert_eq!(ScoreScale::default().find(0.0), None);
    }
}
