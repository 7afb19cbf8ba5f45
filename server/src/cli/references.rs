//! Where the references of sources are.

use std::{
    fs::{self, File},
    io::BufReader,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use formats::{Reading, Simplifications, SourceReferences, TextFile, open, open_texts};

/// Reads references: of an ASSET folder (`NAME.orig` and `NAME.simp.0` …), of the LENS repository's
/// (`test.src` and `test.dst`), or of a file of rows (JSONL or CSV).
pub(super) fn read_references(path: &Path) -> anyhow::Result<SourceReferences> {
    let found = if path.is_dir() {
        of_folder(path)
    } else {
        of_file(path)
    };
    let found = found.with_context(|| format!("{} was not read", path.display()))?;
    if found.is_empty() {
        bail!(
            "{} holds no reference: name a folder with NAME.orig and NAME.simp.0 … or with test.src and \
             test.dst, or a file whose rows have references",
            path.display()
        );
    }
    Ok(found)
}

fn of_file(path: &Path) -> anyhow::Result<SourceReferences> {
    let opened = open(reader(path)?, Reading::default())?;
    Ok(SourceReferences::of_rows(opened.rows)?)
}

fn of_folder(folder: &Path) -> anyhow::Result<SourceReferences> {
    let [sources, references] = ["test.src", "test.dst"].map(|name| folder.join(name));
    if sources.exists() && references.exists() {
        let (sources, references) = (reader(&sources)?, reader(&references)?);
        return Ok(SourceReferences::read_lens(sources, references)?);
    }
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).context("the folder cannot be listed")? {
        names.push(entry.context("the folder cannot be listed")?.path());
    }
    names.sort();
    // ASSET's folder has both halves of the dataset: each `NAME.orig` belongs to its own `NAME.simp.N`.
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let stems = names
        .iter()
        .filter_map(|path| Some(name(path)?.strip_suffix(".orig")?.to_owned()));
    let mut found: Option<SourceReferences> = None;
    for stem in stems.collect::<Vec<_>>() {
        let mut files = Vec::new();
        for path in &names {
            let Some(name) = name(path) else { continue };
            let part = name.strip_prefix(&stem).unwrap_or_default();
            if part == ".orig" || part.starts_with(".simp.") {
                let input = Box::new(reader(path)?);
                files.push(TextFile { name, input });
            }
        }
        let opened = open_texts(files, Simplifications::References)?;
        let of_stem = SourceReferences::of_rows(opened.rows)?;
        found = Some(match found {
            Some(all) => all.with(of_stem),
            None => of_stem,
        });
    }
    found.context("there is neither NAME.orig nor test.src with test.dst in the folder")
}

pub(super) fn reader(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    Ok(BufReader::new(file))
}
