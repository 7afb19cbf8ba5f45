//! Figures from marked spans as tables.

use domain::statistics::{
    spans::{LevelledMarks, SystemMarks},
    systems::SystemPairComparison,
};
use service::figures::spans::{SpanAgreement, SpanFigures};

use super::SpansReport;
use crate::cli::{
    compare::format_p,
    output::{columns, format_interval, or_undefined, table_lines, warning_lines},
};

/// The label of the row for all types.
const ALL_TYPES: &str = "all types";

/// The figures as text.
pub(super) fn report_table(report: &SpansReport) -> String {
    let figures = &report.figures;
    let mut text = String::new();
    for (name, count) in [
        ("outputs", figures.outputs),
        ("outputs with two raters or more", figures.pairable_outputs),
        ("sources", figures.sources),
        ("raters", figures.raters),
        ("pairs of raters", figures.rater_pairs),
        ("marks", figures.all.marks),
    ] {
        text += &format!("{name:<32}{count}\n");
    }

    text += "\n";
    text += &agreement_table(figures);
    if let Err(reason) = figures.all.alpha {
        text += &format!("! No agreement on all types: {reason}.\n");
    }
    if !figures.systems.is_empty() {
        text += "\n";
        text += &systems_table(figures);
    }

    for (name, pairs) in [
        ("by mean value", &figures.by_value),
        ("by number of marks", &figures.by_count),
    ] {
        if !pairs.is_empty() {
            text += "\n";
            text += &pairs_table(figures, name, pairs);
        }
    }

    let skipped = report.skipped.iter();
    let skipped: Vec<_> = skipped
        .map(|bad_row| format!("Left out: {bad_row}."))
        .collect();
    text + &warning_lines(&skipped)
}

fn agreement_table(figures: &SpanFigures) -> String {
    let mut head = vec!["type", "marks", "F1"];
    let resampled = figures.all.f1_interval.is_some();
    head.extend(resampled.then_some("95 % interval"));
    head.push("alpha");
    head.extend(resampled.then_some("95 % interval"));

    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    let mut add = |name: &str, of: &SpanAgreement| {
        let mut row = vec![name.to_owned(), of.marks.to_string()];
        for (figure, interval) in [(of.f1, of.f1_interval), (of.alpha, of.alpha_interval)] {
            row.push(or_undefined(
                figure.ok().map(|figure| format!("{figure:.4}")),
            ));
            row.extend(interval.map(format_interval));
        }
        rows.push(row);
    };

    add(ALL_TYPES, &figures.all);
    for (kind, of) in figures.taxonomy.types.iter().zip(&figures.types) {
        add(&kind.name, of);
    }
    table_lines(&rows)
}

/// Marks by system and type, with the share of each level.
fn systems_table(figures: &SpanFigures) -> String {
    let levels = &figures.taxonomy.levels;
    let mut head: Vec<_> = ["system", "type", "marks", "per output"]
        .map(str::to_owned)
        .into();
    head.extend(levels.iter().map(|level| level.name.clone()));
    for column in ["mean value", "sum/output"] {
        head.extend((!levels.is_empty()).then(|| column.to_owned()));
    }

    let mut rows = vec![head];
    for of in &figures.systems {
        let name = format!(
            "{} ({} of {} unchanged)",
            of.system, of.unchanged, of.outputs
        );
        rows.push(system_row(figures, name, ALL_TYPES, &of.all));
        for (kind, marks) in figures.taxonomy.types.iter().zip(&of.types) {
            rows.push(system_row(figures, String::new(), &kind.name, marks));
        }
    }

    table_lines(&rows)
}

fn system_row(figures: &SpanFigures, name: String, kind: &str, of: &LevelledMarks) -> Vec<String> {
    let mut row = vec![
        name,
        kind.to_owned(),
        of.marks.to_string(),
        format!("{:.2}", of.per_output),
    ];

    let levels = 0..figures.taxonomy.levels.len();
    row.extend(levels.clone().map(|level| {
        let share = of.level_share(level);
        or_undefined(share.map(|share| format!("{:.1} %", 100.0 * share)))
    }));

    let mean = || or_undefined(of.mean_value.map(|mean| format!("{mean:.3}")));
    let sum = || or_undefined(of.sum_per_output.map(|sum| format!("{sum:.3}")));
    row.extend((!levels.is_empty()).then(mean));
    row.extend((!levels.is_empty()).then(sum));
    row
}

fn pairs_table(figures: &SpanFigures, name: &str, pairs: &[SystemPairComparison<usize>]) -> String {
    let system = |number: usize| -> &str {
        let of: &SystemMarks<String> = &figures.systems[number];
        &of.system
    };

    let row = |pair: &SystemPairComparison<usize>| {
        let (t, wilcoxon) = (pair.of.t.ok(), pair.of.wilcoxon.ok());
        let p = |p: Option<f64>| or_undefined(p.map(format_p));
        let difference = (pair.of.sources > 0).then_some(pair.of.difference);
        [
            format!("{} : {}", system(pair.a), system(pair.b)),
            pair.of.sources.to_string(),
            or_undefined(difference.map(|difference| format!("{difference:+.3}"))),
            p(t.map(|test| test.p)),
            p(pair.t_holm),
            p(wilcoxon.map(|test| test.p)),
            p(pair.wilcoxon_holm),
        ]
    };

    let rows: Vec<_> = pairs.iter().map(row).collect();
    let head = [
        name,
        "sources",
        "difference",
        "t-test p",
        "Holm",
        "Wilcoxon p",
        "Holm",
    ];
    columns(head, &rows)
}
