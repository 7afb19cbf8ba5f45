//! References of sources, as folders and files keep them.

use std::{collections::HashMap, io::Read};

use crate::{
    fault::{Fatal, Problem},
    input::{Guarded, Lines},
    read::Rows,
};

/// References by source. A source is found by its text, whatever its case and white space: files of
/// one dataset differ in these.
#[derive(Debug, Clone, Default)]
pub struct SourceReferences {
    of: HashMap<String, Vec<String>>,
}

impl SourceReferences {
    /// Takes the references that rows bring: of ASSET's texts ([`crate::open_texts`]), of JSONL or of any
    /// CSV ([`crate::open`]).
    ///
    /// # Errors
    /// The first fault: references that are left out would go unnoticed.
    pub fn of_rows(rows: Rows<'_>) -> Result<Self, Problem> {
        let mut found = Self::default();
        for row in rows {
            let source = row?.source;
            found.add(&source.text, source.references);
        }
        Ok(found)
    }

    /// Reads the LENS repository's two files: sources one a line (`test.src`), and the references of the
    /// same line, separated by tabs (`test.dst`).
    ///
    /// # Errors
    /// [`Fatal`] where a file is empty or no UTF-8, or one has more lines than the other.
    pub fn read_lens(sources: impl Read, references: impl Read) -> Result<Self, Fatal> {
        let sources = lines(sources).map_err(|fault| fault.in_file("test.src"))?;
        let references = lines(references).map_err(|fault| fault.in_file("test.dst"))?;
        if sources.len() != references.len() {
            return Err(Fatal::Texts(format!(
                "“test.src” has {} lines, “test.dst” has {}: line N of both must belong to one source",
                sources.len(),
                references.len()
            )));
        }
        let mut found = Self::default();
        for (source, references) in sources.iter().zip(references) {
            let references = references.split('\t').map(str::trim);
            let written = references
                .filter(|text| !text.is_empty())
                .map(str::to_owned);
            found.add(source, written.collect());
        }
        Ok(found)
    }

    /// The references of a source; none of one that is not there.
    #[must_use]
    pub fn of(&self, source: &str) -> &[String] {
        self.of.get(&key(source)).map_or(&[], Vec::as_slice)
    }

    /// How many sources have references.
    #[must_use]
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether there is no reference.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Rows repeat a source with its references; what two bring for it comes together.
    fn add(&mut self, source: &str, references: Vec<String>) {
        if references.is_empty() {
            return;
        }
        let known = self.of.entry(key(source)).or_default();
        if known.is_empty() {
            *known = references;
        } else {
            for reference in references {
                if !known.contains(&reference) {
                    known.push(reference);
                }
            }
        }
    }
}

/// What is the same of a source in all files.
pub(crate) fn key(source: &str) -> String {
    let words: Vec<&str> = source.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

fn lines(input: impl Read) -> Result<Vec<String>, Fatal> {
    let mut lines = Lines::new(Guarded::open(input)?);
    let mut found = Vec::new();
    while let Some((_, line)) = lines.read()? {
        found.push(line);
    }
    Ok(found)
}
