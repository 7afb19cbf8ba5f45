//! The report and the preview of an import as text.

use service::import::{ImportReport, ImportSummary, MatchedRowCounts, SystemKindOrigin};

use super::list_bad_rows;
use crate::cli::references::reference_lines;

pub(super) fn report_lines(report: &ImportReport) -> String {
    let new = report.new;
    let mut text = format!(
        "{}: {} rows; new are {} sources, {} references, {} systems, {} outputs, {} raters and {} \
         ratings",
        report.format,
        report.rows,
        new.sources,
        new.references,
        new.systems,
        new.outputs,
        new.raters,
        new.answers,
    );

    if report.scores > 0 {
        text += &format!(
            "\n{} scores have no rater: they are kept, and enter no figure",
            report.scores
        );
    }
    for dimension in &report.dimensions {
        let (name, scale) = (&dimension.name, dimension.scale);
        text += &format!("\nnew dimension: {name}, from {scale}");
    }
    if let Some(MatchedRowCounts { matched, unmatched }) = report.matched {
        text += &format!("\n{matched} rows belong to what is in the study, {unmatched} do not");
    }
    if let Some(summary) = &report.references {
        for line in reference_lines(summary) {
            text += &format!("\n{line}");
        }
    }

    if report.bad > 0 {
        text += &format!("\n{} rows were left out:", report.bad);
    }
    text += &list_bad_rows(&report.bad_rows);
    if let Some(more) = report.bad.checked_sub(report.bad_rows.len() as u64 + 1) {
        text += &format!("\n  and {} more rows", more + 1);
    }

    for note in &report.notes {
        text += &format!("\n{note}");
    }
    text
}

/// The number of systems to list before an import.
const MAX_LISTED: usize = 60;

/// The lines on what an import would add.
pub(super) fn summary_lines(summary: &ImportSummary) -> String {
    let mut text = format!("The file would add: {}", summary.sentence());
    if let Some(known) = summary.known_sentence() {
        text += &format!("\n{known}");
    }
    for note in &summary.notes {
        text += &format!("\n{note}");
    }
    text += &list_bad_rows(&summary.bad_rows);
    if let Some(more) = summary.bad.checked_sub(summary.bad_rows.len() as u64 + 1) {
        text += &format!("\n  and {} more rows", more + 1);
    }

    for entry in &summary.dimensions {
        let new = if entry.created { "new" } else { "in the study" };
        let (name, scale, ratings) = (&entry.dimension.name, entry.dimension.scale, entry.ratings);
        text += &format!("\n  dimension {name}, from {scale} ({new}): {ratings} ratings");
    }
    if summary.without_rater > 0 {
        text += &format!(
            "\n  {} numbers without a rater, which enter no figure",
            summary.without_rater
        );
    }
    if let Some(sentence) = summary.empty_sentence() {
        text += &format!("\n  {sentence}");
    }

    for system in summary.systems.iter().take(MAX_LISTED) {
        let from = match system.from {
            SystemKindOrigin::Study => "in the study",
            SystemKindOrigin::Column => "by its column",
            SystemKindOrigin::Person => "as stated",
            SystemKindOrigin::Guess => "a guess by its name",
        };
        text += &format!("\n  system {}: {} ({from})", system.name, system.kind);
    }
    if let Some(more) = summary.systems.len().checked_sub(MAX_LISTED + 1) {
        text += &format!("\n  and {} more systems", more + 1);
    }

    if let Some(reason) = &summary.refused {
        text += &format!("\nThe import would be refused: {reason}");
    }
    text
}
