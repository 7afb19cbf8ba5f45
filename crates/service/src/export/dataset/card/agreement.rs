//! The section on agreement.

use std::io::{self, Write};

use domain::statistics::{UndefinedReason, bootstrap::BootstrapInterval};
use store::rating_rows::RatingScope;

use super::one_line;
use crate::{export::ExportContext, figures::AlphaEstimate};

/// Writes the section.
pub(super) fn write(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Agreement\n")?;

    let agreement = &context.agreement;
    let rated: Vec<_> = agreement
        .dimensions
        .iter()
        .filter_map(|(dimension, agreement)| Some((dimension, agreement.as_ref()?)))
        .collect();
    if rated.is_empty() && agreement.comparisons.is_empty() && agreement.spans.is_none() {
        return writeln!(out, "There are no answers to compare.");
    }

    if context.request.which == RatingScope::Consensus {
        writeln!(
            out,
            "Figures are of the raters' own answers, before the consensus.\n"
        )?;
    }

    writeln!(
        out,
        "Krippendorff's α: 1 is full agreement, 0 is chance. Intervals hold 95 % of resamples of sources, z-scores held \
         fixed. Identical outputs of a source are one unit."
    )?;
    if agreement.event != context.event {
        writeln!(out, "Figures are as of event {}.", agreement.event)?;
    }

    if !rated.is_empty() {
        writeln!(
            out,
            "\n| Dimension | Outputs | With two ratings or more | α of ratings | α of z-scores |\n|---|---|---|---|---|"
        )?;
    }
    for (dimension, figures) in rated {
        let units = &figures.raw.agreement;
        writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            cell(&dimension.name),
            units.units,
            units.pairable_units,
            estimate(&figures.raw),
            estimate(&figures.z)
        )?;
    }

    if !agreement.comparisons.is_empty() {
        writeln!(
            out,
            "\n| Comparisons on | Number | α (nominal) of pairs of systems |\n|---|---|---|"
        )?;
    }
    for figures in &agreement.comparisons {
        let alpha = with_interval(figures.agreement.alpha, figures.agreement_interval);
        writeln!(
            out,
            "| {} | {} | {alpha} |",
            cell(&figures.name),
            figures.comparisons
        )?;
    }

    if let Some(spans) = &agreement.spans {
        writeln!(
            out,
            "\n| Marked spans | Outputs marked by two or more | F1 of overlap | Unitised α on characters |\n\
             |---|---|---|---|\n| {} | {} | {} | {} |",
            spans.all.marks,
            spans.pairable_outputs,
            with_interval(spans.all.f1, spans.all.f1_interval),
            with_interval(spans.all.alpha, spans.all.alpha_interval)
        )?;
    }

    Ok(())
}

/// A text as a cell of a Markdown table.
fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

fn estimate(of: &AlphaEstimate) -> String {
    with_interval(of.agreement.alpha, Some(of.interval))
}

/// A figure with its interval, or the reason why there is none.
fn with_interval(
    figure: Result<f64, UndefinedReason>,
    interval: Option<Result<BootstrapInterval, UndefinedReason>>,
) -> String {
    match (figure, interval) {
        (Ok(figure), Some(Ok(BootstrapInterval { low, high, .. }))) => {
            format!("{figure:.3} [{low:.3}, {high:.3}]")
        }
        (Ok(figure), _) => format!("{figure:.3}"),
        (Err(reason), _) => format!("undefined: {reason}"),
    }
}
