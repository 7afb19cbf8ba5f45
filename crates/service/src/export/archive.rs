//! All files of an export as one, for a browser.

use std::io::{self, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::{ExportFailure, StudyExport};

/// Writes a ZIP archive whose files begin with `stem`; `out` need not be able to go back.
pub fn write_zip(
    exporting: &mut StudyExport,
    stem: &str,
    out: impl Write,
) -> Result<(), ExportFailure> {
    let format = exporting.context().request.format;
    let mut zip = ZipWriter::new_stream(out);
    for part in format.files() {
        let name = part.file_name(stem, format);
        zip.start_file(name, SimpleFileOptions::default())
            .map_err(io::Error::from)?;
        exporting.write(*part, &mut zip)?;
    }
    let mut out = zip.finish().map_err(io::Error::from)?.into_inner();
    Ok(out.flush()?)
}
