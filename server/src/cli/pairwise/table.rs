//! Figures from comparisons as tables.

use domain::metrics::meta::IntervalEstimate;
use domain::statistics::{
    pairwise::{BradleyTerryFit, PairTest},
    systems::WinTieLoss,
};

use service::figures::{
    comparisons::ComparisonFigures,
    metrics::{ComparedMetricEntry, ComparedMetrics},
};

use super::PairwiseReport;
use crate::cli::{
    compare::format_p,
    output::{UNDEFINED, columns, format_interval, or_undefined, table_lines, warning_lines},
};

/// The figures as text.
pub(super) fn report_table(report: &PairwiseReport) -> String {
    let dimensions = report.dimensions.iter().map(|figures| {
        let metrics = report.metrics.iter();
        let mut metrics =
            metrics.filter(|of| of.dimension == figures.name && !of.entries.is_empty());
        let metrics = metrics.next().map(|of| format!("\n{}", metrics_table(of)));
        dimension_tables(figures) + &metrics.unwrap_or_default()
    });

    let text = dimensions.collect::<Vec<_>>().join("\n");
    let skipped = report.skipped.iter();
    let skipped: Vec<_> = skipped
        .map(|bad_row| format!("Left out: {bad_row}."))
        .collect();
    text + &warning_lines(&skipped)
}

fn dimension_tables(report: &ComparisonFigures) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| text += &format!("{name:<32}{value}\n");
    let agreement = &report.agreement;

    line("dimension", report.name.clone());
    for (name, count) in [
        ("comparisons", report.comparisons),
        ("sources", report.table.sources()),
        ("raters", agreement.raters),
        ("units (pairs on a source)", agreement.units),
        ("units with two raters or more", agreement.pairable_units),
    ] {
        line(name, count.to_string());
    }

    let with_interval = |figure: f64, interval: Option<_>| {
        let interval = interval.map(|interval| format!("  {}", format_interval(interval)));
        format!("{figure:.4}{}", interval.unwrap_or_default())
    };
    let alpha = match agreement.alpha {
        Ok(alpha) => with_interval(alpha, report.agreement_interval),
        Err(reason) => format!("undefined: {reason}"),
    };
    line("alpha on outcomes", alpha);

    match &report.fit {
        Ok(fit) => {
            let interval = report.intervals.as_ref().map(|all| all.tie_parameter);
            line("tie parameter", with_interval(fit.tie_parameter, interval));
            if fit.penalised {
                text += "! Some systems never lose to the others, so that their scores are drawn to 0.\n";
            }
        }
        Err(reason) => text += &format!("! No scores: {reason}.\n"),
    }

    text + "\n"
        + &systems_table(report)
        + "\n"
        + &matrix_table(report)
        + "\n"
        + &pairs_table(report)
}

fn systems_table(report: &ComparisonFigures) -> String {
    let intervals = report.intervals.as_ref();
    let mut head = vec!["system", "rank"];
    let choices = report.has_choices().then_some("best-worst");
    for name in ["strength", "win share"].into_iter().chain(choices) {
        head.push(name);
        head.extend(intervals.map(|_| "95 % interval"));
    }
    head.extend(["wins", "ties", "losses"]);
    let mut rows = vec![head.into_iter().map(str::to_owned).collect()];

    let fit = report.fit.as_ref().ok();
    let shares = fit.map(BradleyTerryFit::win_shares);
    for system in report.order.iter().copied() {
        let mut row = vec![
            report.table.systems()[system].clone(),
            or_undefined(report.ranks.as_ref().map(|ranks| ranks[system].to_string())),
            or_undefined(fit.map(|fit| format!("{:+.3}", fit.strengths[system]))),
        ];
        row.extend(intervals.map(|of| format_interval(of.strengths[system])));
        let share = shares.as_ref().map(|shares| shares[system]);
        row.push(or_undefined(share.map(|share| format!("{share:.3}"))));
        row.extend(intervals.map(|of| format_interval(of.win_shares[system])));

        if choices.is_some() {
            let score = report.best_worst[system].score().ok();
            row.push(or_undefined(score.map(|score| format!("{score:+.3}"))));
            row.extend(intervals.map(|of| format_interval(of.best_worst[system])));
        }

        let WinTieLoss { wins, ties, losses } = report.matrix.totals(system);
        row.extend([wins, ties, losses].map(|count| count.to_string()));
        rows.push(row);
    }

    table_lines(&rows)
}

/// Wins of the row against the column, with ties in brackets if there are any.
fn matrix_table(report: &ComparisonFigures) -> String {
    let names = report.table.systems();
    let ordered = || report.order.iter().copied();
    let mut rows = vec![vec!["wins (ties) against".to_owned()]];
    rows[0].extend(ordered().map(|system| names[system].clone()));

    for a in ordered() {
        let mut row = vec![names[a].clone()];
        row.extend(ordered().map(|b| {
            let counts = report.matrix.counts(a, b);
            match (counts.total(), counts.ties) {
                (0, _) => UNDEFINED.to_owned(),
                (_, 0) => counts.wins.to_string(),
                (_, ties) => format!("{} ({ties})", counts.wins),
            }
        }));
        rows.push(row);
    }

    table_lines(&rows)
}

fn pairs_table(report: &ComparisonFigures) -> String {
    let names = report.table.systems();
    let counts = |counts: WinTieLoss| format!("{}-{}-{}", counts.wins, counts.ties, counts.losses);
    let row = |test: &PairTest| {
        let p = |p: Option<f64>| or_undefined(p.map(format_p));
        [
            format!("{} : {}", names[test.a], names[test.b]),
            counts(test.comparisons),
            counts(test.sources),
            p(test.sign.ok().map(|sign| sign.p)),
            p(test.sign_holm),
        ]
    };

    let rows: Vec<_> = report.pairs.iter().map(row).collect();
    let head = ["pair", "won-tied-lost", "by source", "sign test p", "Holm"];
    columns(head, &rows)
}

/// Metrics against the comparisons, the one with the highest tau first.
fn metrics_table(of: &ComparedMetrics) -> String {
    let tau = |entry: &ComparedMetricEntry| IntervalEstimate {
        value: entry.pairs.tau.tau(),
        interval: entry.pairs.tau_interval,
    };

    let mut entries: Vec<_> = of.entries.iter().collect();
    let order = |entry: &ComparedMetricEntry| tau(entry).value.unwrap_or(f64::NEG_INFINITY);
    entries.sort_by(|a, b| order(b).total_cmp(&order(a)));

    let figure = |of: IntervalEstimate| {
        let value = of.value.ok().map(|value| format!("{value:+.3}"));
        [or_undefined(value), format_interval(of.interval)]
    };
    let row = |entry: &&ComparedMetricEntry| {
        let [tau, tau_interval] = figure(tau(entry));
        let [pearson, pearson_interval] = figure(entry.systems.pearson);
        let [spearman, spearman_interval] = figure(entry.systems.spearman);
        let counts = entry.pairs.tau;
        [
            entry.label.clone(),
            tau,
            tau_interval,
            format!("{}-{}", counts.concordant, counts.discordant),
            pearson,
            pearson_interval,
            spearman,
            spearman_interval,
        ]
    };

    let rows: Vec<_> = entries.iter().map(row).collect();
    let head = [
        "metric",
        "tau",
        "95 % interval",
        "as raters-not",
        "r of systems",
        "95 % interval",
        "rho of systems",
        "95 % interval",
    ];
    columns(head, &rows)
}
