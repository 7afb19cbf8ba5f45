//! References of sources, as folders and files keep them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io::Read,
};

use domain::metrics::levenshtein_ratio;

use crate::{
    error::{BadRow, FatalReadError, ReadError},
    input::{LineReader, Utf8Reader},
    row_reader::RowIterator,
    source_key::{exact_key, loose_key},
};

/// References by source. A source is found by its text: to the letter but for case and white space, else
/// whatever its tokenisation, quotes, dashes and Unicode form, where that leaves one text only. Lines of
/// which nothing is found can be offered for the sources that they are most like.
#[derive(Debug, Clone, Default)]
pub struct SourceReferences {
    texts: Vec<ReferencedText>,
    by_key: HashMap<String, usize>,
    by_loose_key: HashMap<String, Vec<usize>>,
    /// By a source's key, the place of the text that was accepted for it.
    accepted: HashMap<String, usize>,
}

/// A source as a file of references writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencedText {
    /// The line of the file on which it stands first, from 1 on.
    pub line: u64,
    /// The text.
    pub text: String,
    /// What people made of it, each text once.
    pub references: Vec<String>,
    /// How many lines bring some.
    pub rows: u64,
}

/// How references were found for sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReferenceReport {
    /// How many sources there are.
    pub sources: usize,
    /// How many of them have references by a text that is the same but for case and white space.
    pub exact: usize,
    /// How many have them by a text that is the same but for tokenisation, quotes, dashes and the like.
    pub normalised: usize,
    /// How many have them by a text that was accepted though it is not the same.
    pub accepted: usize,
    /// The sources that have none, in the order given.
    pub unmatched: Vec<UnmatchedSource>,
    /// The texts of the file that no source has, in the order of the file.
    pub unused: Vec<ReferencedText>,
}

/// A source that has no references.
#[derive(Debug, Clone, PartialEq)]
pub struct UnmatchedSource {
    /// Its place among the sources given.
    pub index: usize,
    /// Its text.
    pub text: String,
    /// The text of the file that it is most like, where one is like it at all. No text is offered for
    /// two sources.
    pub nearest: Option<NearestText>,
}

/// A text that is like a source.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestText {
    /// The line of the file on which it stands.
    pub line: u64,
    /// The text.
    pub text: String,
    /// How much of both is the same, from 0 to 1: the indel ratio of the letters, case and white space
    /// aside.
    pub similarity: f64,
}

/// How a source was found.
enum ReferenceMatch {
    Exact(usize),
    Normalised(usize),
    Accepted(usize),
    Nothing,
}

/// The least that is offered: below it two sentences share little but frequent words.
const MIN_SIMILARITY: f64 = 0.6;

/// How many texts with shared words are compared with a source letter by letter.
const MAX_CANDIDATES: usize = 16;

/// How many characters of a text are compared.
const MAX_COMPARED_CHARS: usize = 1_000;

impl SourceReferences {
    /// Takes the references that rows bring: of ASSET's texts ([`crate::open_texts`]), of JSONL or of any
    /// CSV ([`crate::open`]).
    ///
    /// # Errors
    /// The first fault: references that are left out would go unnoticed.
    pub fn from_rows(rows: RowIterator<'_>) -> Result<Self, ReadError> {
        let mut found = Self::default();
        for row in rows {
            let row = row?;
            found.add(row.line, &row.source.text, row.source.references);
        }
        Ok(found)
    }

    /// The same, with the rows that cannot be taken beside, and how many rows there are in all.
    ///
    /// # Errors
    /// [`Fatal`] where the file cannot be read to its end.
    pub fn from_valid_rows(
        rows: RowIterator<'_>,
    ) -> Result<(Self, u64, Vec<BadRow>), FatalReadError> {
        let (mut found, mut count, mut bad_rows) = (Self::default(), 0, Vec::new());
        for row in rows {
            count += 1;
            match row {
                Ok(row) => found.add(row.line, &row.source.text, row.source.references),
                Err(ReadError::Row(bad)) => bad_rows.push(bad),
                Err(ReadError::Fatal(fault)) => return Err(fault),
            }
        }
        Ok((found, count, bad_rows))
    }

    /// Reads the LENS repository's two files: sources one a line (`test.src`), and the references of the
    /// same line, separated by tabs (`test.dst`).
    ///
    /// # Errors
    /// [`Fatal`] where a file is empty or no UTF-8, or one has more lines than the other.
    pub fn read_lens(sources: impl Read, references: impl Read) -> Result<Self, FatalReadError> {
        let sources = lines(sources).map_err(|fault| fault.in_file("test.src"))?;
        let references = lines(references).map_err(|fault| fault.in_file("test.dst"))?;
        if sources.len() != references.len() {
            return Err(FatalReadError::TextFiles(format!(
                "“test.src” has {} lines, “test.dst” has {}: line N of both must belong to one source",
                sources.len(),
                references.len()
            )));
        }
        let mut found = Self::default();
        for ((line, source), references) in (1..).zip(&sources).zip(references) {
            let references = references.split('\t').map(str::trim);
            let written = references
                .filter(|text| !text.is_empty())
                .map(str::to_owned);
            found.add(line, source, written.collect());
        }
        Ok(found)
    }

    /// These and others.
    #[must_use]
    pub fn merge(mut self, others: Self) -> Self {
        for of in others.texts {
            self.add(of.line, &of.text, of.references);
        }
        self.accepted.clear();
        self
    }

    /// Takes what a line brings for a source; what two lines bring for it comes together.
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
        let known = &mut self.texts[place].references;
        let first = known.is_empty();
        for reference in references {
            if first || !known.contains(&reference) {
                known.push(reference);
            }
        }
    }

    /// The references of a source; none of one that is not there.
    #[must_use]
    pub fn references_for(&self, source: &str) -> &[String] {
        self.find_index(source)
            .map_or(&[], |place| &self.texts[place].references)
    }

    /// The line of the text that a source has its references from.
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

    /// Takes the text on this line for a source that has no references of its own. False where there is
    /// no such line, or the source has some.
    pub fn accept(&mut self, source: &str, line: u64) -> bool {
        let place = self.texts.iter().position(|of| of.line == line);
        match (place, self.find(source)) {
            (Some(place), ReferenceMatch::Nothing) => {
                self.accepted.insert(exact_key(source), place);
                true
            }
            _ => false,
        }
    }

    /// Accepts every text that [`Self::report`] offers with this similarity or more, from 0 to 1, and
    /// tells for how many sources.
    pub fn accept_similar(&mut self, sources: &[&str], least: f64) -> usize {
        let offered = self.report(sources).unmatched;
        let good = offered.into_iter().filter_map(|source| {
            let nearest = source.nearest?;
            (nearest.similarity >= least).then_some((source.text, nearest.line))
        });
        let good: Vec<_> = good.collect();
        let accepted = good.iter().filter(|(text, line)| self.accept(text, *line));
        accepted.count()
    }

    /// How many sources have references.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no reference.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// How references were found for these sources, given by their texts; one that comes again is looked
    /// at once.
    #[must_use]
    pub fn report(&self, sources: &[&str]) -> ReferenceReport {
        let mut report = ReferenceReport::default();
        let mut used = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for (place, source) in sources.iter().enumerate() {
            if !seen.insert(*source) {
                continue;
            }
            report.sources += 1;
            let count = match self.find(source) {
                ReferenceMatch::Exact(text) => (&mut report.exact, text),
                ReferenceMatch::Normalised(text) => (&mut report.normalised, text),
                ReferenceMatch::Accepted(text) => (&mut report.accepted, text),
                ReferenceMatch::Nothing => {
                    report.unmatched.push(UnmatchedSource {
                        index: place,
                        text: (*source).to_owned(),
                        nearest: None,
                    });
                    continue;
                }
            };
            *count.0 += 1;
            used.insert(count.1);
        }
        let unused: Vec<usize> = (0..self.texts.len())
            .filter(|place| !used.contains(place))
            .collect();
        self.offer_nearest(&mut report.unmatched, &unused);
        report.unused = unused.iter().map(|at| self.texts[*at].clone()).collect();
        report
    }

    fn find(&self, source: &str) -> ReferenceMatch {
        let own = exact_key(source);
        if let Some(place) = self.by_key.get(&own) {
            return ReferenceMatch::Exact(*place);
        }
        if let Some(place) = self.accepted.get(&own) {
            return ReferenceMatch::Accepted(*place);
        }
        match self.by_loose_key.get(&loose_key(source)).map(Vec::as_slice) {
            Some([place]) => ReferenceMatch::Normalised(*place),
            // Of two texts either may be meant.
            Some(_) | None => ReferenceMatch::Nothing,
        }
    }

    /// Gives each source the text that is most like it, the most similar pairs first, so that no text
    /// is offered twice.
    fn offer_nearest(&self, sources: &mut [UnmatchedSource], unused: &[usize]) {
        let mut with_word = HashMap::<String, Vec<usize>>::new();
        for place in unused {
            for word in words(&self.texts[*place].text) {
                with_word.entry(word).or_default().push(*place);
            }
        }
        let mut pairs = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            let mut shared = BTreeMap::<usize, f64>::new();
            for word in words(&source.text) {
                let places = with_word.get(&word).map_or(&[][..], Vec::as_slice);
                for place in places {
                    // A rare word says more than one that half of the texts have.
                    *shared.entry(*place).or_default() += 1.0 / places.len() as f64;
                }
            }
            let mut likely: Vec<_> = shared.into_iter().collect();
            likely.sort_by(|a, b| b.1.total_cmp(&a.1));
            let own = comparable_text(&source.text);
            for (place, _) in likely.into_iter().take(MAX_CANDIDATES) {
                let similarity = levenshtein_ratio(&own, &comparable_text(&self.texts[place].text));
                if similarity >= MIN_SIMILARITY {
                    pairs.push((similarity, at, place));
                }
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut taken = BTreeSet::new();
        for (similarity, at, place) in pairs {
            if sources[at].nearest.is_none() && taken.insert(place) {
                let of = &self.texts[place];
                sources[at].nearest = Some(NearestText {
                    line: of.line,
                    text: of.text.clone(),
                    similarity,
                });
            }
        }
    }
}

/// The words of a text in lower case, each once.
fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The part of a text that is compared letter by letter.
fn comparable_text(text: &str) -> String {
    loose_key(text).chars().take(MAX_COMPARED_CHARS).collect()
}

fn lines(input: impl Read) -> Result<Vec<String>, FatalReadError> {
    let mut lines = LineReader::new(Utf8Reader::open(input)?);
    let mut found = Vec::new();
    while let Some((_, line)) = lines.read_line()? {
        found.push(line);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(lines: &[(&str, &str)]) -> SourceReferences {
        let mut found = SourceReferences::default();
        for (line, (source, reference)) in (1..).zip(lines) {
            found.add(line, source, vec![(*reference).to_owned()]);
        }
        found
    }

    #[test]
    fn a_tokenised_source_finds_its_references_and_what_has_none_is_told() {
        let found = references(&[
            ("The ferry (a small one) sank.", "A ferry sank."),
            ("The mill burned down in 1902.", "The mill burned."),
            ("Nobody knows why.", "Why?"),
        ]);
        let sources = [
            "the ferry -LRB- a small one -RRB- sank .",
            "The mill burned down in 1903.",
            "A sentence about something else.",
            "nobody  knows why.",
        ];
        assert_eq!(found.references_for(sources[0]), ["A ferry sank."]);
        let report = found.report(&sources);
        assert_eq!(
            (report.sources, report.exact, report.normalised),
            (4, 1, 1),
            "{report:?}"
        );
        let without: Vec<_> = report.unmatched.iter().map(|it| it.index).collect();
        assert_eq!(without, [1, 2]);
        let nearest = report.unmatched[0]
            .nearest
            .as_ref()
            .expect("one digit apart");
        assert_eq!(nearest.line, 2);
        assert!((0.9..1.0).contains(&nearest.similarity), "{nearest:?}");
        assert_eq!(report.unmatched[1].nearest, None);
        assert_eq!(report.unused.len(), 1);
    }

    #[test]
    fn what_is_accepted_counts_and_a_text_is_offered_once() {
        let mut found = references(&[("The mill burned down in 1902.", "The mill burned.")]);
        let sources = [
            "The mill burned down in 1903, they say.",
            "The mill burned down in 1903.",
        ];
        let report = found.report(&sources);
        let offered: Vec<_> = report.unmatched.iter().map(|it| &it.nearest).collect();
        assert!(offered[0].is_none() && offered[1].is_some(), "{offered:?}");
        assert_eq!(found.accept_similar(&sources, 0.999), 0);
        assert_eq!(found.accept_similar(&sources, 0.9), 1);
        assert_eq!(found.references_for(sources[1]), ["The mill burned."]);
        assert!(found.references_for(sources[0]).is_empty());
        let report = found.report(&sources);
        assert_eq!((report.accepted, report.unmatched.len()), (1, 1));
        assert!(!found.accept(sources[0], 7));
    }

    #[test]
    fn of_two_texts_that_fit_alike_none_is_taken() {
        let found = references(&[
            ("He said 'no'.", "He refused."),
            ("He said \"no\" .", "No, he said."),
        ]);
        assert!(found.references_for("He said “no”.").is_empty());
        // To the letter is another matter.
        assert_eq!(found.references_for("he said 'NO'."), ["He refused."]);
    }
}
