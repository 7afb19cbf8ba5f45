//! Agreement on marked spans.

use domain::statistics::{UndefinedReason, bootstrap::BootstrapInterval};
use leptos::prelude::*;
use service::{
    figures::spans::{SpanAgreement, SpanFigures},
    findings,
    wording::count_noun,
};

use super::alpha::{LargeFigure, format_alpha};
use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, MarkShape,
};

/// The agreement on marks, of all types together and of each type.
#[component]
pub(super) fn MarkedSpans(of: SpanFigures) -> impl IntoView {
    let all = &of.all;

    view! {
        <h2 class="finding">{findings::spans::agreement(&of)}</h2>
        <div class="figures">
            <LargeFigure
                title="α, marked spans"
                value=all.alpha
                interval=all.alpha_interval
                note="Which characters are marked, and with which type, beyond what chance alone would give."
            />
            <LargeFigure
                title="F1, marked spans"
                value=all.f1
                interval=all.f1_interval
                note="The characters that two raters both marked with a type, against those that each marked: the \
                      mean over pairs of raters. 1 is full overlap, 0 is none."
            />
        </div>
        <dl class="facts">
            <div><dt>"Raters"</dt><dd>{of.raters}</dd></div>
            <div><dt>"Marks"</dt><dd>{all.marks}</dd></div>
            <div><dt>"Outputs judged"</dt><dd>{of.outputs}</dd></div>
            <div><dt>"Judged by two or more"</dt><dd>{of.pairable_outputs}</dd></div>
        </dl>
        {types_chart(&of)}
    }
}

/// A figure with its interval, if it has one.
#[derive(Clone, Copy)]
struct AgreementEstimate {
    value: Result<f64, UndefinedReason>,
    interval: Option<BootstrapInterval>,
}

fn estimates(of: &SpanAgreement) -> [AgreementEstimate; 2] {
    let pairs = [(of.alpha, of.alpha_interval), (of.f1, of.f1_interval)];
    pairs.map(|(value, interval)| AgreementEstimate {
        value,
        interval: interval.and_then(Result::ok),
    })
}

/// All types together with their agreement, then each type.
fn rows(of: &SpanFigures) -> impl Iterator<Item = (&str, &SpanAgreement)> {
    let types = of.taxonomy.types.iter().zip(&of.types);
    let types = types.map(|(kind, agreement)| (&kind.name[..], agreement));
    std::iter::once(("All types", &of.all)).chain(types)
}

fn types_chart(of: &SpanFigures) -> impl IntoView + use<> {
    let values = rows(of).flat_map(|(_, agreement)| estimates(agreement));
    let values = values.flat_map(|estimate| {
        let ends = estimate
            .interval
            .map(|interval| [interval.low, interval.high]);
        let ends = ends.into_iter().flatten();
        estimate.value.ok().into_iter().chain(ends)
    });
    let axis = Axis::from_values("α and F1", values.chain([0.0, 1.0]), 6);

    let group = |number: usize, name: &str, shape| IntervalRowGroup {
        name: Some(name.to_owned()),
        rows: rows(of)
            .filter_map(|(kind, agreement)| row(kind, name, shape, estimates(agreement)[number]))
            .collect(),
    };
    let groups = vec![
        group(0, "α", MarkShape::Circle),
        group(1, "F1", MarkShape::Diamond),
    ];

    let caption = ChartCaption {
        name: "Agreement on each type of mark".to_owned(),
        finding: "How far raters agree on each type of mark".to_owned(),
        line: "α: whether a character is marked with the type or not, beyond chance. F1: how far the marks of two \
               raters overlap. With 95 % intervals."
            .to_owned(),
        method: "On the characters of source and output, without white space. α is Krippendorff’s unitised α, nominal \
                 (Krippendorff, Mathet, Bouvry and Widlöcher 2016); of all types its values are the sets of types with \
                 which a character is marked. F1 is pooled over the outputs that two raters both judged, and averaged \
                 over pairs of raters. Intervals are percentile intervals of 1,000 resamples of sources. Identical \
                 outputs are judged together and count once. A type that nobody used has neither."
            .to_owned(),
        basis: format!(
            "{}, {}",
            count_noun(of.pairable_outputs, "output"),
            count_noun(of.raters, "rater")
        ),
    };

    let table = table(of);

    view! {
        <Chart caption file="agreement-spans" table>
            <IntervalChart label="α and F1 of each type of mark, with 95 % intervals" axis groups/>
        </Chart>
    }
}

fn row(kind: &str, figure: &str, shape: MarkShape, of: AgreementEstimate) -> Option<IntervalRow> {
    let value = of.value.ok()?;
    let ends = of.interval.map(|interval| {
        format!(
            ", 95 % interval {} to {}",
            format_alpha(interval.low),
            format_alpha(interval.high)
        )
    });

    Some(IntervalRow {
        name: kind.to_owned(),
        shape,
        value,
        interval: of.interval.map(|interval| (interval.low, interval.high)),
        shown: format_alpha(value),
        description: format!(
            "{kind}: {figure} {}{}",
            format_alpha(value),
            ends.unwrap_or_default()
        ),
    })
}

fn table(of: &SpanFigures) -> ChartTable {
    let numbers = [
        "Marks",
        "α",
        "95 % low",
        "95 % high",
        "F1",
        "95 % low",
        "95 % high",
    ];
    let number = |value: Option<f64>| {
        value.map_or_else(ChartCell::none, |value| ChartCell::number(value, 3))
    };
    let cells = |(kind, agreement): (&str, &SpanAgreement)| {
        let figures = estimates(agreement).into_iter().flat_map(|estimate| {
            [
                number(estimate.value.ok()),
                number(estimate.interval.map(|interval| interval.low)),
                number(estimate.interval.map(|interval| interval.high)),
            ]
        });
        let first = [ChartCell::text(kind), ChartCell::count(agreement.marks)];
        first.into_iter().chain(figures).collect()
    };

    ChartTable {
        columns: [ChartColumn::text("Type")]
            .into_iter()
            .chain(numbers.map(ChartColumn::number))
            .collect(),
        rows: rows(of).map(cells).collect(),
    }
}
