//! The comparison as text.

use domain::statistics::{UndefinedReason, bootstrap::BootstrapInterval, correlation::Correlation};
use service::figures::{
    AlphaEstimate,
    protocols::{
        AlphaDifference, DimensionAgreement, ProtocolComparison, ProtocolDifference,
        ProtocolFigures, SystemOrderCorrelation,
    },
};

use crate::cli::{
    compare::format_p,
    output::{columns, warning_lines},
};

/// The text for a missing figure.
const NONE: &str = "–";

/// The lines of the report: sources, agreement, time with pairs of systems, orders of systems, protocols.
pub(super) fn lines(comparison: &ProtocolComparison) -> String {
    let mut text = format!(
        "sources in all: {} ({} by the same text, {} by one that differs in tokenisation, quotes or dashes \
         alone)\nrated in all: {}\n\nKrippendorff's alpha, interval level, with 95 % intervals over sources\n",
        comparison.shared(),
        comparison.exact,
        comparison.normalised,
        comparison.rated
    );

    let agreement: Vec<_> = comparison.protocols.iter().flat_map(alpha_rows).collect();
    let headings = [
        "",
        "dimension",
        "raters",
        "outputs",
        "raw",
        "",
        "z-scores",
        "",
    ];
    text += &columns(headings, &agreement);

    text += "\nActive time, and pairs of systems that are significantly apart\n";
    let headings = [
        "",
        "minutes a source",
        "a rating",
        "hours",
        "systems",
        "apart",
        "of pairs",
        "an hour",
    ];
    let work: Vec<_> = comparison.protocols.iter().map(work_row).collect();
    text += &columns(headings, &work);

    text += &differences(comparison);
    text += "\nOrder of systems by mean z-score\n";
    let order = |order: &SystemOrderCorrelation| {
        let name = |index: usize| &comparison.protocols[index].name;
        let (tau, rho) = (correlation(order.kendall), correlation(order.spearman));
        [
            format!("{} and {}", name(order.first), name(order.second)),
            order.systems.to_string(),
            tau.0,
            tau.1,
            order.kendall_holm.map_or_else(|| NONE.to_owned(), format_p),
            rho.0,
            rho.1,
        ]
    };
    let orders: Vec<_> = comparison.orders.iter().map(order).collect();
    let headings = [
        "",
        "systems",
        "Kendall's tau-b",
        "p",
        "p, Holm",
        "Spearman's rho",
        "p",
    ];
    text += &columns(headings, &orders);

    text += "\n";
    for figures in &comparison.protocols {
        let protocol = figures
            .protocol
            .as_deref()
            .unwrap_or("a file, which does not name its protocol");
        text += &format!("{}: {protocol}\n", figures.name);
    }
    text + &warning_lines(&notes(comparison))
}

/// The difference between every two protocols, in alpha and in minutes a source.
fn differences(comparison: &ProtocolComparison) -> String {
    let of = |alpha: AlphaDifference| match alpha.value {
        Ok(value) => (format!("{value:.4}"), ends(alpha.interval, 4)),
        Err(_) => ("undefined".to_owned(), NONE.to_owned()),
    };

    let row = |difference: &ProtocolDifference| {
        let name = |index: usize| &comparison.protocols[index].name;
        let (raw, z) = (of(difference.raw), of(difference.z));
        let minutes = difference.minutes.map_or_else(
            || [NONE.to_owned(), NONE.to_owned(), NONE.to_owned()],
            |minutes| {
                [
                    format!("{:.2}", minutes.difference),
                    ends(minutes.interval, 2),
                    minutes.raters.to_string(),
                ]
            },
        );
        let names = format!(
            "{} minus {}",
            name(difference.first),
            name(difference.second)
        );
        let [minutes, interval, raters] = minutes;
        [names, raw.0, raw.1, z.0, z.1, minutes, interval, raters]
    };

    let rows: Vec<_> = comparison.differences.iter().map(row).collect();
    let randomised = match (comparison.is_randomised, comparison.has_other_ratings) {
        (true, _) => {
            "\nRandomised: arms of one experiment; a Latin square gives each source to a rater under one protocol\n"
        }
        (false, true) => {
            "\nNot randomised: arms of one experiment, but with ratings from files, whose raters are not in its plan\n"
        }
        (false, false) => "",
    };

    let headings = [
        "",
        "alpha, raw",
        "",
        "z-scores",
        "",
        "minutes a source",
        "",
        "raters",
    ];
    format!(
        "{randomised}\nDifferences, with 95 % intervals: alpha over sources, minutes over raters, paired\n{}",
        columns(headings, &rows)
    )
}

fn ends(interval: Result<BootstrapInterval, UndefinedReason>, decimals: usize) -> String {
    interval.map_or_else(
        |_| NONE.to_owned(),
        |interval| {
            format!(
                "{:.decimals$} to {:.decimals$}",
                interval.low, interval.high
            )
        },
    )
}

/// A row for each dimension, the compared one first, and one for the mean over several.
fn alpha_rows(figures: &ProtocolFigures) -> Vec<[String; 8]> {
    let row = |name: &str, of: &DimensionAgreement| {
        let agreement = &of.raw.agreement;
        [
            name.to_owned(),
            format!("{}, {}", of.dimension.name, of.dimension.scale),
            agreement.raters.to_string(),
            agreement.pairable_units.to_string(),
            alpha(of.raw.agreement.alpha),
            interval(&of.raw),
            alpha(of.z.agreement.alpha),
            interval(&of.z),
        ]
    };

    let mut rows = vec![row(&figures.name, &figures.agreement)];
    let others = figures.dimensions.iter();
    let others = others.filter(|of| of.dimension.name != figures.agreement.dimension.name);
    rows.extend(others.map(|of| row("", of)));
    rows.extend(figures.mean.map(|mean| {
        let [none, none_raw, none_z] = [(); 3].map(|()| NONE.to_owned());
        let name = "mean over dimensions".to_owned();
        let (raw, z) = (alpha(mean.raw), alpha(mean.z));
        [
            String::new(),
            name,
            none.clone(),
            none,
            raw,
            none_raw,
            z,
            none_z,
        ]
    }));

    rows
}

fn work_row(figures: &ProtocolFigures) -> [String; 8] {
    let missing = "not recorded";
    let time = |show: fn(&service::figures::protocols::ProtocolTime) -> f64| {
        let time = figures.time.as_ref();
        time.map_or_else(|| missing.to_owned(), |time| format!("{:.2}", show(time)))
    };
    let whole = |value: Option<f64>| match (value, figures.time) {
        (Some(value), _) => format!("{value:.2}"),
        (None, Some(_)) => "in part".to_owned(),
        (None, None) => missing.to_owned(),
    };

    [
        figures.name.clone(),
        time(|time| time.minutes_per_source()),
        time(|time| time.minutes_per_rating()),
        whole(figures.time.and_then(|time| time.hours())),
        figures.ranking.len().to_string(),
        figures.pairs.apart.to_string(),
        figures.pairs.all.to_string(),
        whole(figures.pairs_per_hour()),
    ]
}

/// The reasons for what is undefined or recorded in part, and the warnings of each study.
fn notes(comparison: &ProtocolComparison) -> Vec<String> {
    let mut notes = Vec::new();
    for figures in &comparison.protocols {
        let name = &figures.name;
        for (what, of) in [("raw", &figures.agreement.raw), ("z", &figures.agreement.z)] {
            if let Err(reason) = of.agreement.alpha {
                notes.push(format!("{name}: alpha ({what}) is undefined: {reason}."));
            }
        }
        if let Some(time) = figures
            .time
            .filter(|time| time.timed_ratings < time.ratings)
        {
            let (timed, all) = (time.timed_ratings, time.ratings);
            notes.push(format!(
                "{name}: time is recorded for {timed} of {all} ratings only."
            ));
        }
        notes.extend(
            figures
                .warnings
                .iter()
                .map(|warning| format!("{name}: {warning}")),
        );
    }

    for order in &comparison.orders {
        let name = |index: usize| &comparison.protocols[index].name;
        let undefined = [
            ("Kendall's tau-b", order.kendall.err()),
            ("Spearman's rho", order.spearman.err()),
        ];
        for (what, reason) in undefined {
            if let Some(reason) = reason {
                let (a, b) = (name(order.first), name(order.second));
                notes.push(format!("{a} and {b}: {what} is undefined: {reason}."));
            }
        }
    }

    notes
}

fn alpha(alpha: Result<f64, UndefinedReason>) -> String {
    alpha.map_or_else(|_| "undefined".to_owned(), |alpha| format!("{alpha:.4}"))
}

fn interval(of: &AlphaEstimate) -> String {
    let interval = of.interval;
    interval.map_or_else(
        |_| NONE.to_owned(),
        |interval| format!("{:.4} to {:.4}", interval.low, interval.high),
    )
}

/// The coefficient and its p-value.
fn correlation(of: Result<Correlation, UndefinedReason>) -> (String, String) {
    match of {
        Ok(of) => (format!("{:.4}", of.coefficient), format_p(of.p)),
        Err(_) => ("undefined".to_owned(), NONE.to_owned()),
    }
}
