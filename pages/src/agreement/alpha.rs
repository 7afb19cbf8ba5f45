use domain::{
    category::Category,
    statistics::{
        UndefinedReason,
        agreement::{Agreement, FIRM_ALPHA, TENTATIVE_ALPHA},
        bootstrap::BootstrapInterval,
    },
};
use leptos::{either::Either, prelude::*};

use crate::charts::{
    Axis, AxisTick, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, Fold, IntervalChart,
    IntervalRow, IntervalRowGroup, MarkShape, decimal,
};
use service::{
    figures::{AlphaEstimate, PartAgreement, coefficients::AgreementCoefficient},
    findings,
};

/// One α as a large number.
#[component]
pub(super) fn Alpha(
    name: &'static str,
    note: &'static str,
    of: Agreement,
    interval: Option<Result<BootstrapInterval, UndefinedReason>>,
) -> impl IntoView {
    view! { <LargeFigure title=format!("α, {name}") value=of.alpha interval note/> }
}

/// One figure as a large number, with its interval.
#[component]
pub(super) fn LargeFigure(
    #[prop(into)] title: String,
    value: Result<f64, UndefinedReason>,
    interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    note: &'static str,
) -> impl IntoView {
    let interval = interval.and_then(Result::ok);
    let value = match value {
        Ok(value) => Either::Left(view! {
            <p class="big">{format_alpha(value)}</p>
            {interval.map(|interval| view! {
                <p class="interval">
                    {format!("95 % interval {} to {}", format_alpha(interval.low), format_alpha(interval.high))}
                </p>
            })}
        }),
        Err(reason) => Either::Right(view! {
            <p class="big undefined">"undefined"</p>
            <p class="why">{format!("Undefined: {reason}.")}</p>
        }),
    };

    view! {
        <section class="figure">
            <h2>{title}</h2>
            {value}
            <p class="soft">{note}</p>
        </section>
    }
}

/// Coefficients next to α, each as a large number.
#[component]
pub(super) fn Coefficients(coefficients: Vec<AgreementCoefficient>) -> impl IntoView {
    let figures = coefficients.into_iter().map(|coefficient| {
        let AgreementCoefficient {
            title,
            note,
            value,
            interval,
            ..
        } = coefficient;
        view! { <LargeFigure title=title value=value interval=interval note=note/> }
    });
    figures.collect_view()
}

/// The data behind the figures.
#[component]
pub(super) fn FigureBasis(of: Agreement, warnings: Vec<String>) -> impl IntoView {
    let warning = |text: String| view! { <p class="caution">{text}</p> };

    view! {
        <dl class="facts">
            <div><dt>"Raters"</dt><dd>{of.raters}</dd></div>
            <div><dt>"Ratings"</dt><dd>{of.ratings}</dd></div>
            <div><dt>"Outputs rated"</dt><dd>{of.units}</dd></div>
            <div><dt>"Rated by two or more"</dt><dd>{of.pairable_units}</dd></div>
        </dl>
        {warnings.into_iter().map(warning).collect_view()}
        <Fold name="agreement-method" class="terms" summary="How this is computed">
            <p class="soft">
                "Krippendorff's α for ratings at the interval level: 1 is full agreement, 0 is what chance \
                 alone would give. Intervals: percentile bootstrap over sources, 1,000 resamples from a \
                 fixed seed, z-scores held fixed. The limits of 0.80 and 0.667 are Krippendorff's \
                 (Content Analysis, 2019, section 12.4): conventions, not laws."
            </p>
        </Fold>
    }
}

/// α of the outputs in each category.
#[component]
pub(super) fn ByCategoryChart(
    of: Vec<(Category, PartAgreement)>,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let caption = category_caption(&of, basis);
    let parts = of.into_iter();
    let parts = parts.map(|(category, by)| (category.title().to_owned(), by));
    view! { <PartsChart of=parts.collect() caption what="category"/> }
}

/// α of the raters in each group.
#[component]
pub(super) fn ByGroupChart(
    of: Vec<(String, PartAgreement)>,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let estimates: Vec<_> = of.iter().map(|(name, by)| (name.as_str(), by.z)).collect();
    let caption = ChartCaption {
        name: "Agreement by group".to_owned(),
        finding: findings::agreement::by_group(&estimates),
        line: "α of the raters of each group among themselves, with its 95 % interval.".to_owned(),
        method: "Raters count in the group that they are in now. z-scores use all ratings of a rater. Groups are said \
                 to differ only where their intervals do not overlap."
            .to_owned(),
        basis,
    };

    view! { <PartsChart of caption what="group"/> }
}

/// α of each part of the ratings.
#[component]
fn PartsChart(
    /// The name of each part with its agreement.
    of: Vec<(String, PartAgreement)>,
    caption: ChartCaption,
    /// The word for a part.
    what: &'static str,
) -> impl IntoView {
    let estimates = || of.iter().flat_map(|(_, by)| [by.z, by.raw]);
    let values = estimates().flat_map(|estimate| {
        let ends = estimate
            .interval
            .map(|interval| [interval.low, interval.high])
            .ok();
        estimate
            .agreement
            .alpha
            .ok()
            .into_iter()
            .chain(ends.into_iter().flatten())
    });

    // The page explains these limits next to the large numbers.
    let limit = |value| AxisTick {
        value,
        label: decimal(value, 2),
    };
    let axis = Axis::from_values("Krippendorff’s α", values.chain([0.0, 1.0]), 6)
        .with_references([TENTATIVE_ALPHA, FIRM_ALPHA].map(limit));

    let group = |name: &str, shape: MarkShape, pick: fn(&PartAgreement) -> AlphaEstimate| {
        IntervalRowGroup {
            name: Some(name.to_owned()),
            rows: of
                .iter()
                .filter_map(|(name, by)| row(name, shape, pick(by)))
                .collect(),
        }
    };
    let groups = vec![
        group("z-scores", MarkShape::Circle, |by| by.z),
        group("raw ratings", MarkShape::Diamond, |by| by.raw),
    ];

    let column = if what == "group" { "Group" } else { "Category" };
    let table = ChartTable {
        columns: vec![
            ChartColumn::text(column),
            ChartColumn::text("Ratings"),
            ChartColumn::number("α"),
            ChartColumn::number("95 % low"),
            ChartColumn::number("95 % high"),
            ChartColumn::number("Outputs rated by two or more"),
        ],
        rows: of
            .iter()
            .flat_map(|(name, by)| {
                [("z-scores", by.z), ("raw", by.raw)]
                    .map(|(label, estimate)| cells(name, label, estimate))
            })
            .collect(),
    };

    let label = format!("α by {what}");
    let file = format!("agreement-by-{what}");

    view! {
        <Chart caption file table>
            <IntervalChart label axis groups/>
        </Chart>
    }
}

fn category_caption(of: &[(Category, PartAgreement)], basis: String) -> ChartCaption {
    let estimates: Vec<_> = of.iter().map(|(category, by)| (*category, by.z)).collect();
    ChartCaption {
        name: "Agreement by category".to_owned(),
        finding: findings::agreement::by_category(&estimates),
        line: "α of the outputs in each category, with its 95 % interval.".to_owned(),
        method: "The category of an output is the one that most annotators chose. z-scores use all ratings \
                 of a rater. Categories are said to differ only where their intervals do not overlap."
            .to_owned(),
        basis,
    }
}

fn row(name: &str, shape: MarkShape, of: AlphaEstimate) -> Option<IntervalRow> {
    let alpha = of.agreement.alpha.ok()?;
    let interval = of
        .interval
        .ok()
        .map(|interval| (interval.low, interval.high));
    let ends = interval.map(|(low, high)| {
        format!(
            ", 95 % interval {} to {}",
            format_alpha(low),
            format_alpha(high)
        )
    });

    Some(IntervalRow {
        name: name.to_owned(),
        shape,
        value: alpha,
        interval,
        shown: format_alpha(alpha),
        description: format!(
            "{}: α {}{}",
            name,
            format_alpha(alpha),
            ends.unwrap_or_default()
        ),
    })
}

fn cells(name: &str, what: &str, of: AlphaEstimate) -> Vec<ChartCell> {
    let number = |value: Option<f64>| {
        value.map_or_else(ChartCell::none, |value| ChartCell::number(value, 3))
    };
    let interval = of.interval.ok();
    vec![
        ChartCell::text(name),
        ChartCell::text(what),
        number(of.agreement.alpha.ok()),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        ChartCell::count(of.agreement.pairable_units),
    ]
}

/// α as printed in the literature: with three decimals.
pub(super) fn format_alpha(alpha: f64) -> String {
    decimal(alpha, 3)
}
