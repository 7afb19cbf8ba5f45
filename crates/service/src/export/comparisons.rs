//! Comparisons, one per row, as `rankrate pairwise` reads them.

use std::io::Write;

use domain::{
    comparison::{ComparisonAnswer, PairOutcome},
    protocol::CompareStep,
};
use formats::CsvWriter;
use store::comparisons::ComparisonRecord;

use super::{ExportContext, ExportFailure, OutputPages, format_timestamp};
use crate::figures::comparisons::{answers_of_systems, systems_by_output};

/// The columns before those of the systems, and after them.
const FIRST: [&str; 3] = ["source_id", "rater", "dimension"];
const LAST: [&str; 4] = ["outcome", "best", "worst", "recorded_at"];

/// Writes one row per comparison of systems.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let most = *CompareStep::TOGETHER.end();
    let systems: Vec<String> = (1..=most)
        .map(|number| format!("system_{number}"))
        .collect();
    let columns = FIRST.into_iter().chain(systems.iter().map(String::as_str));
    let columns: Vec<&str> = columns.chain(LAST).collect();
    let mut writer = CsvWriter::new(out, columns, context.request.cells)?;
    let study = pages.runtime.block_on(pages.export.comparisons())?;
    let names = systems_by_output(&study.outputs);
    for comparison in &study.comparisons {
        pages.comparisons += 1;
        for answer in answers_of_systems(&comparison.answer, &names) {
            writer.write(cells(comparison, &answer, systems.len()))?;
        }
    }
    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// The cells of an answer. The better of two is named by its column, which no name of a system can be taken for.
fn cells(of: &ComparisonRecord, answer: &ComparisonAnswer<String>, most: usize) -> Vec<String> {
    let mut cells = vec![of.source.clone(), of.rater.clone(), of.dimension.clone()];
    let mut systems: Vec<_> = answer.shown().into_iter().cloned().collect();
    systems.resize(most, String::new());
    cells.extend(systems);
    let [outcome, best, worst] = match answer {
        ComparisonAnswer::Pair(pair) => {
            let outcome = match pair.outcome() {
                PairOutcome::A => "system_1",
                PairOutcome::B => "system_2",
                PairOutcome::Tie => "tie",
            };
            [outcome.to_owned(), String::new(), String::new()]
        }
        ComparisonAnswer::BestWorst(choice) => {
            [String::new(), choice.best().clone(), choice.worst().clone()]
        }
    };
    cells.extend([outcome, best, worst, format_timestamp(of.recorded_at)]);
    cells
}
