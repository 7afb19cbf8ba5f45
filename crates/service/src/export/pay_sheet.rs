//! The pay sheet of crowd raters.

use std::io;

use domain::crowd::CompletionCodes;
use formats::{FormulaEscaping, PayRow, PaySheetWriter};
use store::crowd::CrowdRater;

/// Writes the pay sheet of crowd raters as CSV: their ids on the platform, their work, and the codes they got.
///
/// # Errors
/// None in practice: the buffer is in memory.
pub fn write_pay_sheet(
    raters: &[CrowdRater],
    codes: &CompletionCodes,
    cells: FormulaEscaping,
) -> io::Result<Vec<u8>> {
    let mut sheet = PaySheetWriter::new(vec![], cells)?;

    for rater in raters {
        sheet.write(&PayRow {
            participant: &rater.label,
            platform_id: rater.platform_id.as_deref().unwrap_or_default(),
            platform_study: &rater.platform_study,
            platform_session: &rater.platform_session,
            sources: rater.done,
            active_ms: rater.active_ms,
            code: rater
                .end
                .and_then(|end| codes.code(end))
                .unwrap_or_default(),
            state: rater.end.map_or("at-work", |end| end.name()),
        })?;
    }

    sheet.finish()
}
