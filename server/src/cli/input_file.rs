//! Files that commands read, or standard input in place of one.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read as _},
    path::Path,
    sync::OnceLock,
};

use anyhow::Context as _;
use formats::{FileInput, InputOptions};

/// Whether a path means standard input, or standard output for a file to write.
pub(super) fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file or standard input, which can be opened repeatedly.
pub(super) fn open_reader(path: &Path) -> anyhow::Result<Box<dyn BufRead + Send>> {
    let why = || format!("{} cannot be opened", shown(path));
    Ok(match is_standard_stream(path) {
        true => Box::new(standard_input().with_context(why)?),
        false => Box::new(BufReader::new(File::open(path).with_context(why)?)),
    })
}

/// Opens a file with these options.
pub(super) fn open_input(path: &Path, options: InputOptions) -> anyhow::Result<FileInput<'static>> {
    Ok(FileInput::new(open_reader(path)?, options))
}

/// Reads all bytes of a file.
pub(super) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    match is_standard_stream(path) {
        true => standard_input().map(<[u8]>::to_vec),
        false => fs::read(path),
    }
}

/// Reads a text in UTF-8.
pub(super) fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The file's name without its folder.
pub(super) fn file_name(path: &Path) -> String {
    match is_standard_stream(path) {
        true => shown(path),
        false => {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        }
    }
}

/// The path as messages show it.
pub(super) fn shown(path: &Path) -> String {
    match is_standard_stream(path) {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

/// Standard input, read to its end at first use and kept, since some files are read twice.
fn standard_input() -> io::Result<&'static [u8]> {
    static BYTES: OnceLock<Result<Vec<u8>, io::ErrorKind>> = OnceLock::new();
    let read = || {
        let mut bytes = Vec::new();
        let end = io::stdin().lock().read_to_end(&mut bytes);
        end.map(|_| bytes).map_err(|error| error.kind())
    };

    let bytes = BYTES.get_or_init(read).as_ref();
    bytes.map(Vec::as_slice).map_err(|kind| (*kind).into())
}
