//! References of sources, read from folders and files.

mod nearest;
mod reader;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use crate::{
    error::{BadRow, FatalReadError, ReadError},
    row_iterator::RowIterator,
    source_key::{exact_key, loose_key},
    text_files::TextFile,
};
pub use reader::open_references;

/// References by source. A source is found by its text: the same except for case and white space, else except
/// for tokenisation, quotes, dashes and Unicode form if only one text fits. Texts that belong to no
/// source can be offered for the sources that they resemble most.
#[derive(Debug, Clone, Default)]
pub struct SourceReferences {
    texts: Vec<ReferencedText>,
    by_key: HashMap<String, usize>,
    by_loose_key: HashMap<String, Vec<usize>>,
    /// For a source's key, the place of the text that was accepted for it.
    accepted: HashMap<String, usize>,
}

/// A source as a file of references writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencedText {
    /// The first line of the file that has it, from 1.
    pub line: u64,
    /// The text.
    pub text: String,
    /// The human simplifications, each text once.
    pub references: Vec<String>,
    /// The number of lines with references for it.
    pub rows: u64,
}

/// The outcome of looking up references for sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReferenceReport {
    /// The number of different sources.
    pub sources: usize,
    /// The number of sources with references by a text that differs in nothing but case and white space.
    pub exact: usize,
    /// The number with references by a text that differs only in tokenisation, quotes, dashes and the like.
    pub normalised: usize,
    /// The number with references by a text that was accepted although it differs.
    pub accepted: usize,
    /// The sources without references, in the order given.
    pub unmatched: Vec<UnmatchedSource>,
    /// The texts of the file that belong to no source, in the order of the file.
    pub unused: Vec<ReferencedText>,
}

/// A source without references.
#[derive(Debug, Clone, PartialEq)]
pub struct UnmatchedSource {
    /// Its place among the sources given.
    pub index: usize,
    /// Its text.
    pub text: String,
    /// The most similar text of the file, if one is similar enough. No text is offered for
    /// two sources.
    pub nearest: Option<NearestText>,
}

/// A text that resembles a source.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestText {
    /// The text's line in the file.
    pub line: u64,
    /// The text.
    pub text: String,
    /// The share of both texts that is equal, from 0 to 1: the indel ratio of the letters, ignoring case and
    /// white space.
    pub similarity: f64,
}

/// The place of a source's text, by how it was found.
enum ReferenceMatch {
    Exact(usize),
    Normalised(usize),
    Accepted(usize),
    Nothing,
}

impl SourceReferences {
    /// Reads files of references, those of [`open_references`]. A row without references is skipped.
    ///
    /// # Errors
    /// The first fault: references that are left out would go unnoticed.
    pub fn read(files: Vec<TextFile<'_>>) -> Result<Self, ReadError> {
        reader::read(files)
    }

    /// Collects the references of rows, from any file that has some.
    ///
    /// # Errors
    /// The first fault: references that are left out would go unnoticed.
    pub fn from_rows(rows: RowIterator<'_>) -> Result<Self, ReadError> {
        let mut references = Self::default();
        for row in rows {
            let row = row?;
            references.add(row.line, &row.source.text, row.source.references);
        }
        Ok(references)
    }

    /// Collects the references of the good rows. Also returns the number of all rows, and the bad ones.
    ///
    /// # Errors
    /// [`FatalReadError`] where the file cannot be read to its end.
    pub fn from_valid_rows(
        rows: RowIterator<'_>,
    ) -> Result<(Self, u64, Vec<BadRow>), FatalReadError> {
        let (mut references, mut count, mut bad_rows) = (Self::default(), 0, Vec::new());
        for row in rows {
            count += 1;
            match row {
                Ok(row) => references.add(row.line, &row.source.text, row.source.references),
                Err(ReadError::Row(bad)) => bad_rows.push(bad),
                Err(ReadError::Fatal(fault)) => return Err(fault),
            }
        }
        Ok((references, count, bad_rows))
    }

    /// Adds other references to these. Accepted texts have to be accepted again.
    #[must_use]
    pub fn merge(mut self, others: Self) -> Self {
        for text in others.texts {
            self.add(text.line, &text.text, text.references);
        }
        self.accepted.clear();
        self
    }

    /// Adds the references that a line has for a source; those of several lines are combined.
    pub fn add(&mut self, line: u64, source: &str, references: Vec<String>) {
        if references.is_empty() {
            return;
        }

        let next = self.texts.len();
        let place = *self.by_key.entry(exact_key(source)).or_insert(next);
        if place == next {
            let alike = self.by_loose_key.entry(loose_key(source)).or_default();
            alike.push(place);
            self.texts.push(ReferencedText {
                line,
                text: source.to_owned(),
                references: Vec::with_capacity(references.len()),
                rows: 0,
            });
        }

        self.texts[place].rows += 1;
        let existing_references = &mut self.texts[place].references;
        // Equal references on one line are those of two people; a line that repeats an earlier one adds none.
        let is_first_line = existing_references.is_empty();
        for reference in references {
            if is_first_line || !existing_references.contains(&reference) {
                existing_references.push(reference);
            }
        }
    }

    /// All texts with their references, in the order of the files.
    #[must_use]
    pub fn texts(&self) -> &[ReferencedText] {
        &self.texts
    }

    /// The references of a source; empty for a source without any.
    #[must_use]
    pub fn references_for(&self, source: &str) -> &[String] {
        self.find_index(source)
            .map_or(&[], |place| &self.texts[place].references)
    }

    /// The line of the text from which a source has its references.
    #[must_use]
    pub fn line_for(&self, source: &str) -> Option<u64> {
        self.find_index(source).map(|place| self.texts[place].line)
    }

    fn find_index(&self, source: &str) -> Option<usize> {
        match self.find(source) {
            ReferenceMatch::Exact(place)
            | ReferenceMatch::Normalised(place)
            | ReferenceMatch::Accepted(place) => Some(place),
            ReferenceMatch::Nothing => None,
        }
    }

    /// Accepts the text on this line for a source without references. Returns false if the line does not exist,
    /// or the source has references.
    pub fn accept(&mut self, source: &str, line: u64) -> bool {
        let place = self.texts.iter().position(|text| text.line == line);
        match (place, self.find(source)) {
            (Some(place), ReferenceMatch::Nothing) => {
                self.accepted.insert(exact_key(source), place);
                true
            }
            _ => false,
        }
    }

    /// Accepts every text that [`Self::report`] offers with this similarity or more, from 0 to 1.
    /// Returns the number of sources that got references this way.
    pub fn accept_similar(&mut self, sources: &[&str], min_similarity: f64) -> usize {
        let offered = self.report(sources).unmatched;
        let similar = offered.into_iter().filter_map(|source| {
            let nearest = source.nearest?;
            (nearest.similarity >= min_similarity).then_some((source.text, nearest.line))
        });
        let similar: Vec<_> = similar.collect();
        let accepted = similar
            .iter()
            .filter(|(source, line)| self.accept(source, *line));
        accepted.count()
    }

    /// The number of different texts with references.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether no text has references.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Looks up references for these sources, given by their texts, and reports how they were found. A source that is
    /// repeated counts once.
    #[must_use]
    pub fn report(&self, sources: &[&str]) -> ReferenceReport {
        let mut report = ReferenceReport::default();
        let mut used = BTreeSet::new();
        let mut seen = BTreeSet::new();

        for (index, source) in sources.iter().enumerate() {
            if !seen.insert(*source) {
                continue;
            }
            report.sources += 1;

            let (count, place) = match self.find(source) {
                ReferenceMatch::Exact(place) => (&mut report.exact, place),
                ReferenceMatch::Normalised(place) => (&mut report.normalised, place),
                ReferenceMatch::Accepted(place) => (&mut report.accepted, place),
                ReferenceMatch::Nothing => {
                    report.unmatched.push(UnmatchedSource {
                        index,
                        text: (*source).to_owned(),
                        nearest: None,
                    });
                    continue;
                }
            };
            *count += 1;
            used.insert(place);
        }

        let unused: Vec<usize> = (0..self.texts.len())
            .filter(|place| !used.contains(place))
            .collect();
        nearest::offer_nearest(&self.texts, &unused, &mut report.unmatched);
        let unused = unused.iter().map(|place| self.texts[*place].clone());
        report.unused = unused.collect();
        report
    }

    fn find(&self, source: &str) -> ReferenceMatch {
        let key = exact_key(source);
        if let Some(place) = self.by_key.get(&key) {
            return ReferenceMatch::Exact(*place);
        }
        if let Some(place) = self.accepted.get(&key) {
            return ReferenceMatch::Accepted(*place);
        }
        match self.by_loose_key.get(&loose_key(source)).map(Vec::as_slice) {
            Some([place]) => ReferenceMatch::Normalised(*place),
            // Any of several texts may be meant.
            Some(_) | None => ReferenceMatch::Nothing,
        }
    }
}
