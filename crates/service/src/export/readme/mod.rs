//! The README of an export: its contents, rules and versions.

pub(super) mod texts;

use std::io::{self, Write};

use domain::study::RaterKind;
use formats::FormulaEscaping;
use store::{Rater, rating_rows::RatingScope};

use self::texts::{
    ALIGNMENTS, ANSWERS, COMPARISON_COLUMNS, COMPARISONS, CSV, GOLD, GROUP_COLUMN, GROUP_KEY,
    GUARDED, IMPORTED_Z_SCORES, INCLUSION_RULES, JSONL, METRIC_SCORES, RATERS, RATERS_HEAD,
    RATING_COLUMNS, SIMPEVAL_2022, SIMPEVAL_PAST, SPANS, THRESH, TIDY, UNJUDGED, VERBATIM, WRITTEN,
    Z_SCORES,
};
use super::{
    AlignmentEdits, ExportContext, ExportFormat, groups,
    jsonl::format_timestamp,
    metric_scores::{MetricColumn, columns},
    summary::RaterRatings,
};

/// Writes the README, as Markdown.
pub(super) fn write(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let summary = &context.summary;
    writeln!(out, "# {}\n", context.study.name.trim())?;
    writeln!(
        out,
        "The dataset of the study `{}`, taken out at {} as of its event number {}, by Rank & Rate \
         {}.\n",
        context.study.slug,
        format_timestamp(context.at_ms),
        context.event,
        env!("CARGO_PKG_VERSION"),
    )?;

    writeln!(out, "- Outputs: {}", summary.outputs)?;
    let format = context.request.format;
    let (name, version) = (format.name(), format.schema_version());
    writeln!(
        out,
        "- Schema: `export-{name}/{version}`, which `rankrate schema export-{name}` prints"
    )?;

    match format {
        ExportFormat::Alignments => {
            write_alignments(context, out)?;
            return write_versions(context, out);
        }
        format @ (ExportFormat::Comparisons
        | ExportFormat::Answers
        | ExportFormat::Written
        | ExportFormat::Gold) => {
            write_inclusion_rules(context, out)?;
            write_columns(format, out)?;
            write_csv(context, out)?;
            return write_versions(context, out);
        }
        format @ (ExportFormat::Spans | ExportFormat::Thresh) => {
            write_inclusion_rules(context, out)?;
            write_columns(format, out)?;
            return write_versions(context, out);
        }
        format @ ExportFormat::MetricScores => {
            write_columns(format, out)?;
            write_metrics(context, out)?;
            write_csv(context, out)?;
            return write_versions(context, out);
        }
        _ => {}
    }

    let dimension = match context.request.format {
        ExportFormat::Jsonl | ExportFormat::Tidy => String::new(),
        _ => format!(" of “{}”", context.request.dimension),
    };
    let copies = match summary.shared {
        0 => String::new(),
        shared => format!(", and {shared} copies of these at identical outputs"),
    };

    writeln!(out, "- Ratings{dimension}: {}{copies}", summary.ratings)?;
    if summary.unjudged > 0 {
        let unjudged = summary.unjudged;
        writeln!(
            out,
            "- Times that a rater could not judge an output: {unjudged}"
        )?;
    }
    if summary.scores > 0 {
        let scores = summary.scores;
        writeln!(
            out,
            "- Numbers of imported files that name no rater: {scores}"
        )?;
    }

    write_inclusion_rules(context, out)?;
    write_z_scores(context, out)?;
    write_raters(context, out)?;
    write_columns(context.request.format, out)?;
    write_groups(context, out)?;

    if summary.unjudged > 0 {
        out.write_all(UNJUDGED.as_bytes())?;
    }

    if context.request.format == ExportFormat::Jsonl {
        write_metrics(context, out)?;
    } else {
        write_csv(context, out)?;
    }

    write_versions(context, out)
}

/// Writes the meaning of the columns or keys of a format's table. A dataset folder's card has this for each of its
/// tables.
fn write_columns(format: ExportFormat, out: &mut dyn Write) -> io::Result<()> {
    let texts: &[&str] = match format {
        ExportFormat::SimpevalPast => &[SIMPEVAL_PAST],
        ExportFormat::Simpeval2022 => &[SIMPEVAL_2022],
        ExportFormat::Jsonl => &[JSONL],
        ExportFormat::Tidy => &[TIDY, RATING_COLUMNS],
        ExportFormat::Comparisons => &[COMPARISONS, COMPARISON_COLUMNS],
        ExportFormat::Answers => &[ANSWERS],
        ExportFormat::Written => &[WRITTEN],
        ExportFormat::Spans => &[SPANS],
        ExportFormat::Thresh => &[THRESH],
        ExportFormat::Gold => &[GOLD],
        ExportFormat::MetricScores => &[METRIC_SCORES],
        ExportFormat::Alignments => &[ALIGNMENTS],
        ExportFormat::Dataset => &[],
    };

    texts
        .iter()
        .try_for_each(|text| out.write_all(text.as_bytes()))
}

/// Writes where tables give the groups of raters, in studies that have groups, and describes the groups.
fn write_groups(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    if context.study.settings.groups.is_empty() {
        return Ok(());
    }
    match context.request.format {
        ExportFormat::Tidy
        | ExportFormat::Comparisons
        | ExportFormat::Answers
        | ExportFormat::Written => out.write_all(GROUP_COLUMN.as_bytes())?,
        ExportFormat::Jsonl | ExportFormat::Spans => out.write_all(GROUP_KEY.as_bytes())?,
        _ => {}
    }
    groups::describe(context, |text| text.replace(['\n', '|'], " "), out)
}

/// Writes the section on the CSV format.
fn write_csv(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(CSV.as_bytes())?;
    out.write_all(match context.request.cells {
        FormulaEscaping::Guarded => GUARDED.as_bytes(),
        FormulaEscaping::Verbatim => VERBATIM.as_bytes(),
    })
}

/// Writes the table of metrics with their signatures.
fn write_metrics(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Metrics\n")?;
    if context.metrics.is_empty() {
        return writeln!(out, "The study has no metrics yet.");
    }

    writeln!(
        out,
        "| Name | Signature | Outputs with a score |\n|---|---|---|"
    )?;
    for MetricColumn { name, metric } in columns(&context.metrics) {
        let outputs = context.summary.scored_outputs.get(&metric.id).copied();
        let [name, signature] = [&name, &metric.signature].map(|text| text.replace('|', "\\|"));
        let outputs = outputs.unwrap_or_default();
        writeln!(out, "| {name} | `{signature}` | {outputs} |")?;
    }
    Ok(())
}

/// Writes the counts and rules of an export of alignments, which has no ratings.
fn write_alignments(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let summary = &context.summary;
    let (corrected, accepted) = (summary.corrected_edits, summary.accepted_edits);
    let left = match context.request.edits {
        AlignmentEdits::Corrected => "not in the table",
        AlignmentEdits::WithAccepted => "in the table, too",
    };
    let who = match context.request.which {
        RatingScope::Consensus => "the consensus",
        RatingScope::HandedIn | RatingScope::IncludingOpen => "an annotator",
    };

    writeln!(
        out,
        "- Edits of an output that {who} corrected: {corrected}, each a line\n\
         - Edits that {who} left as they were: {accepted}, {left}\n\
         - What links words where edits leave it open: {} v{}",
        context.tools.aligner.grade, context.tools.aligner.version
    )?;
    write_columns(ExportFormat::Alignments, out)
}

/// Writes the rules that decide which answers are part of an export.
pub(super) fn write_inclusion_rules(
    context: &ExportContext,
    out: &mut dyn Write,
) -> io::Result<()> {
    let work = match context.request.which {
        RatingScope::HandedIn => {
            "- Annotators' answers are those of sources that they submitted; work in progress is left \
             out."
        }
        RatingScope::IncludingOpen => {
            "- Annotators' answers are those of sources that they submitted, and **also those of \
             sources still in progress**, which may change. Categories in progress have no vote yet."
        }
        RatingScope::Consensus => {
            "- In place of the raters' own answers, those on which the raters of a source agreed, as answers of \
             one rater, `consensus`. Sources without a finished consensus have none. Notes and orders are \
             no part of a consensus."
        }
    };

    writeln!(out, "\n## What is in it\n\n{work}")?;
    out.write_all(INCLUSION_RULES.as_bytes())
}

/// Writes how z-scores are computed, and which raters have none.
pub(super) fn write_z_scores(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(Z_SCORES.as_bytes())?;
    if context.request.format != ExportFormat::Dataset {
        out.write_all(IMPORTED_Z_SCORES.as_bytes())?;
    }

    let without = |(_, rater, ratings): &(&str, &Rater, &RaterRatings)| {
        let reason = ratings.scale.err().filter(|_| !keeps_z(context, ratings))?;
        Some(format!("\n“{}” has no z-scores: {reason}.\n", rater.label))
    };
    for line in ratings_per_rater(context).iter().filter_map(without) {
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Whether the table has the z-scores of the rater's file. Tidy tables and dataset folders never do.
fn keeps_z(context: &ExportContext, rated: &RaterRatings) -> bool {
    let format = context.request.format;
    rated.has_file_z && !matches!(format, ExportFormat::Tidy | ExportFormat::Dataset)
}

/// The raters with their ratings, for each included dimension.
fn ratings_per_rater(context: &ExportContext) -> Vec<(&str, &Rater, &RaterRatings)> {
    let summary = &context.summary;
    let dimensions = summary
        .dimensions()
        .filter(|dimension| context.request.includes_dimension(dimension));
    dimensions
        .flat_map(|dimension| {
            let raters = summary.raters(dimension).into_iter();
            raters.map(move |(rater, ratings)| (dimension, rater, ratings))
        })
        .collect()
}

/// Writes the table of raters. If the table's columns are raters, it names the column of each.
fn write_raters(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let entries = ratings_per_rater(context);
    if entries.is_empty() {
        return writeln!(out, "\n## Raters\n\nNobody's rating counts yet.");
    }

    let by_column = context.request.format == ExportFormat::SimpevalPast;
    let third = if by_column { "Column" } else { "Dimension" };
    write!(out, "{RATERS}| Rater | Kind | {third}")?;
    out.write_all(RATERS_HEAD.as_bytes())?;

    for ((dimension, rater, rated), number) in entries.into_iter().zip(1..) {
        let third = match by_column {
            true => format!("`rating_{number}`"),
            false => dimension.to_owned(),
        };
        let kind = match rater.kind {
            RaterKind::Person => "annotator",
            RaterKind::Imported => "imported",
            RaterKind::Simulated => "simulated: no person",
            RaterKind::Consensus => "agreed on by the raters of each source",
        };
        let (mean, sd) = match rated.scale {
            Ok(scale) => (format!("{:.3}", scale.mean), format!("{:.3}", scale.sd)),
            Err(_) => ("–".to_owned(), "–".to_owned()),
        };
        let z = match keeps_z(context, rated) {
            true => "the file's",
            false => "computed",
        };

        let (label, count) = (rater.label.replace('|', "\\|"), rated.count());
        writeln!(
            out,
            "| {label} | {kind} | {third} | {count} | {mean} | {sd} | {z} |"
        )?;
    }

    Ok(())
}

/// Writes the versions of the programs behind the automatic answers.
pub(super) fn write_versions(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Versions\n")?;
    writeln!(out, "- Rank & Rate {}", env!("CARGO_PKG_VERSION"))?;

    let summary = &context.summary;
    let (categories, edits) = (&summary.category_versions, &summary.edits_versions);
    for (what, versions) in [
        ("Automatic categories", categories),
        ("Aligner and automatic edits", edits),
    ] {
        let versions: Vec<_> = versions
            .iter()
            .map(|version| format!("`{version}`"))
            .collect();
        if !versions.is_empty() {
            writeln!(out, "- {what}: {}", versions.join(", "))?;
        }
    }
    Ok(())
}
