//! Agreement as a table.

use domain::{
    edit::EditKind,
    statistics::{UndefinedReason, bootstrap::BootstrapInterval},
    study::Dimension,
};

use crate::{
    cli::output::warning_lines,
    reports::{AgreementEstimate, AgreementReport},
};

/// The figures, one a line.
pub(super) fn table(report: &AgreementReport) -> String {
    let agreement = &report.all.raw.agreement;
    let mut text = String::new();
    let mut line = |name: &str, value: String| text += &format!("{name:<32}{value}\n");

    let Dimension { name, scale, .. } = &report.dimension;
    line("dimension", format!("{name}, from {scale}"));
    line("alpha, raw ratings", format_estimate(&report.all.raw));
    line("alpha, z-scores", format_estimate(&report.all.z));
    if let Some(recomputed) = &report.recomputed {
        line("alpha, z-scores recomputed", format_alpha(recomputed.alpha));
    }
    for coefficient in &report.coefficients {
        let value = with_interval(coefficient.value, coefficient.interval);
        line(coefficient.label, value);
    }

    for (name, count) in [
        ("raters", agreement.raters),
        ("units (outputs)", agreement.units),
        ("units with two ratings or more", agreement.pairable_units),
    ] {
        line(name, count.to_string());
    }

    for part in &report.parts {
        line(&format!("{}, raw", part.name), format_estimate(&part.raw));
        line(&format!("{}, z", part.name), format_estimate(&part.z));
    }
    if let Some(mean) = &report.mean {
        line("mean over dimensions, raw", format_alpha(mean.raw));
        line("mean over dimensions, z", format_alpha(mean.z));
    }

    if let Some(corrections) = report
        .corrections
        .as_ref()
        .filter(|corrections| corrections.outputs > 0)
    {
        let (outputs, corrected) = (corrections.outputs, corrections.corrected);
        text += &format!(
            "{:<32}{corrected} of {outputs}\n",
            "outputs with corrected edits"
        );
        for kind in EditKind::ALL {
            let name = format!("correction rate, {}", kind.title().to_lowercase());
            let rate = match corrections.by_kind.of_kind(kind).correction_rate() {
                Ok(rate) => format!("{rate:.4}"),
                Err(reason) => format!("undefined: {reason}"),
            };
            text += &format!("{name:<32}{rate}\n");
        }
    }

    for question in &report.questions {
        let (key, answers) = (&question.question.key, question.answers);
        text += &format!("{:<32}{answers} answers\n", format!("question {key}"));
        for of in &question.agreement {
            let name = match &of.option {
                Some(option) => format!("  alpha, {option}"),
                None => "  alpha, nominal".to_owned(),
            };
            let alpha = with_interval(of.agreement.alpha, Some(of.interval));
            text += &format!("{name:<32}{alpha}\n");
        }
    }

    text + &warning_lines(&report.warnings)
}

fn format_estimate(estimate: &AgreementEstimate) -> String {
    with_interval(estimate.agreement.alpha, estimate.interval)
}

fn with_interval(
    alpha: Result<f64, UndefinedReason>,
    interval: Option<Result<BootstrapInterval, UndefinedReason>>,
) -> String {
    let alpha = format_alpha(alpha);
    match interval {
        Some(Ok(BootstrapInterval { low, high, .. })) => format!("{alpha}  [{low:.4}, {high:.4}]"),
        _ => alpha,
    }
}

fn format_alpha(alpha: Result<f64, UndefinedReason>) -> String {
    match alpha {
        Ok(alpha) => format!("{alpha:.4}"),
        Err(reason) => format!("undefined: {reason}"),
    }
}
