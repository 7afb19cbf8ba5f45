//! The files of an import, opened by their paths.

use std::{
    fs::File,
    io::{BufReader, Cursor, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use formats::{FatalReadError, FileInput, InputOptions, TextFile};
use service::import::ImportOrigin;

use crate::cli::input_file::{file_name, is_standard_stream, open_input, open_reader, shown};

/// A file that can be read repeatedly. The content of anything but an ordinary file, such as a pipe, is kept in memory.
pub(super) enum ReopenableFile {
    File(PathBuf),
    Memory(Arc<[u8]>),
}

impl ReopenableFile {
    pub(super) fn new(path: &Path) -> anyhow::Result<Self> {
        let mut file = open_reader(path)?;
        if path.is_file() && !is_standard_stream(path) {
            return Ok(Self::File(path.to_owned()));
        }
        let mut bytes = vec![];
        let read = file.read_to_end(&mut bytes);
        read.with_context(|| format!("{} cannot be read", shown(path)))?;
        Ok(Self::Memory(bytes.into()))
    }

    pub(super) fn open(
        &self,
        options: &InputOptions,
    ) -> Result<FileInput<'static>, FatalReadError> {
        let options = options.clone();
        Ok(match self {
            Self::File(path) => FileInput::new(BufReader::new(File::open(path)?), options),
            Self::Memory(bytes) => FileInput::new(Cursor::new(Arc::clone(bytes)), options),
        })
    }
}

/// The files of references at `path`: the text files of a folder, or one table.
pub(super) fn text_files(
    path: &Path,
    options: &InputOptions,
) -> anyhow::Result<Vec<TextFile<'static>>> {
    let unread = || format!("{} cannot be opened", path.display());
    let mut paths = vec![path.to_owned()];

    if path.is_dir() {
        let entries = std::fs::read_dir(path).with_context(unread)?;
        let all: Result<Vec<_>, _> = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect();
        paths = all.with_context(unread)?;
        paths.retain(|path| {
            let name = file_name(path);
            let name = name.strip_suffix(".gz").unwrap_or(&name);
            let ends = [".orig", ".src", ".dst"]
                .iter()
                .any(|end| name.ends_with(end));
            ends || name.contains(".simp.")
        });
        paths.sort();
    }

    let open = |path: &PathBuf| {
        Ok(TextFile {
            name: file_name(path),
            input: open_input(path, options.clone())?,
        })
    };
    paths.iter().map(open).collect()
}

/// The origin of an import, as it is stored.
pub(super) fn origin(paths: &[PathBuf]) -> ImportOrigin {
    ImportOrigin {
        person: None,
        names: paths.iter().map(|path| file_name(path)).collect(),
        job: None,
    }
}
