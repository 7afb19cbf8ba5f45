//! The outputs that raters could not judge: one row per output and rater.

use std::io::Write;

use formats::CsvWriter;

use super::{ExportContext, ExportFailure, OutputPages, format_timestamp};

const COLUMNS: [&str; 9] = [
    "source_id",
    "output_id",
    "output",
    "system",
    "rater",
    "reason",
    "note",
    "shared",
    "recorded_at",
];

/// Writes one row per output and rater.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut writer = CsvWriter::new(out, COLUMNS, context.request.cells)?;
    pages.for_each_output(|output, _| {
        for unjudged in &output.unjudged {
            let mut notes = output.notes.iter();
            let note = notes.find(|(rater, _)| *rater == unjudged.rater);
            writer.write([
                output.source.key.clone(),
                output.output.to_string(),
                output.text.clone(),
                output.system.clone(),
                context.summary.label(unjudged.rater).to_owned(),
                unjudged.reason.name().to_owned(),
                note.map(|(_, note)| note.clone()).unwrap_or_default(),
                unjudged.shared.to_string(),
                format_timestamp(unjudged.recorded_at),
            ])?;
        }
        Ok(())
    })?;
    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}
