//! All files of an export in one archive, for a browser.

use std::io::{self, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::{ExportFailure, StudyExport};

/// Writes the files to a ZIP archive; their names, or the folder that holds them, begin with `stem`. `out` need not
/// be able to seek.
pub fn write_zip(
    exporting: &mut StudyExport,
    stem: &str,
    out: impl Write + Send,
) -> Result<(), ExportFailure> {
    let format = exporting.context().request.format;
    let mut zip = ZipWriter::new_stream(out);
    for file in format.files() {
        if !exporting.context().includes(*file) {
            continue;
        }

        let name = file.file_name(stem, format);
        let name = match format.is_folder() {
            true => format!("{stem}/{name}"),
            false => name,
        };

        zip.start_file(name, SimpleFileOptions::default())
            .map_err(io::Error::from)?;
        exporting.write(*file, &mut zip)?;
    }

    let mut out = zip.finish().map_err(io::Error::from)?.into_inner();
    Ok(out.flush()?)
}
