//! The outputs of an export, read page by page.

use store::export::{ExportSnapshot, ExportedOutput};
use tokio::runtime::Handle;

use super::ExportFailure;
use crate::import::row_extras::RowExtras;

/// The number of outputs that are read at a time.
pub(super) const PAGE_SIZE: u32 = 500;

pub(super) struct OutputPages {
    pub(super) export: ExportSnapshot,
    pub(super) runtime: Handle,
    /// The number of cells in CSV files that a spreadsheet would run as formulas, guarded or not.
    pub(super) formula_cells: u64,
    /// The number of comparisons written so far.
    pub(super) comparisons: u64,
    /// The number of answers to questions written so far.
    pub(super) answers: u64,
    /// The number of simplifications by annotators written so far.
    pub(super) written_texts: u64,
    /// The number of judgements with marked spans written so far.
    pub(super) marked_outputs: u64,
}

impl OutputPages {
    /// Calls `take` for every output, beginning with the first, with the further parts of its imported row.
    pub(super) fn for_each_output(
        &mut self,
        mut take: impl FnMut(&ExportedOutput, Option<&RowExtras<'_>>) -> Result<(), ExportFailure>,
    ) -> Result<(), ExportFailure> {
        self.export.rewind();
        loop {
            let page = self.runtime.block_on(self.export.next_page(PAGE_SIZE))?;
            if page.is_empty() {
                return Ok(());
            }
            for output in &page {
                take(output, parse_row_extras(output)?.as_ref())?;
            }
        }
    }
}

/// The further parts of an output's imported row.
pub(super) fn parse_row_extras(
    output: &ExportedOutput,
) -> Result<Option<RowExtras<'static>>, ExportFailure> {
    let parse = |text: &String| serde_json::from_str(text);
    let extras = output.verbatim.as_ref().map(parse).transpose();
    extras.map_err(|error| ExportFailure::RowExtras(output.output, error))
}
