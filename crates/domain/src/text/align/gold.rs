//! Gold alignments, in the format of the MultiMWA files.

use super::pharaoh::{self, LinkSet, PharaohError};
use crate::text::tokenised_text::TokenisedText;

/// A pair of tokenised sentences with links made by annotators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldPair {
    /// The words of the source.
    pub source: Vec<String>,
    /// The words of the output.
    pub output: Vec<String>,
    /// Sure links.
    pub sure: LinkSet,
    /// Possible links.
    pub possible: LinkSet,
}

/// The reason why a line is not a gold pair.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GoldError {
    /// A column is missing.
    #[error("a line of gold alignments has at least eight columns separated by tabs, not {0}")]
    Columns(usize),
    /// A link cannot be read.
    #[error("the links of a gold pair cannot be read")]
    Link(#[from] PharaohError),
    /// A link points outside its sentences.
    #[error("the link {0}-{1} points outside its sentences of {2} and {3} words")]
    Outside(usize, usize, usize, usize),
}

impl GoldPair {
    /// The names of the ten columns of [`Self::line`], for a file's header. MultiMWA's own files
    /// have no header.
    pub const HEADER: &str = "output_id\tsource\tsource_note\toutput\toutput_note\tflag_1\tflag_2\t\
                              links\tpossible_links\tnote";

    /// Whether a line is a header and not a pair: its eighth column is `links`, as in
    /// [`Self::HEADER`].
    #[must_use]
    pub fn is_header(line: &str) -> bool {
        line.split('\t').nth(7) == Some("links")
    }

    /// Reads a line of a MultiMWA file: source in column 2, output in column 4, sure links in
    /// column 8, possible ones in column 9; a link `i-j` goes from word `i` of the source to word
    /// `j` of the output (checked on the texts: all links fit this way, and 95 % of Wiki's
    /// join equal words; neither holds the other way round).
    ///
    /// # Errors
    /// The line has another shape, or a link points outside its sentences.
    pub fn parse(line: &str) -> Result<Self, GoldError> {
        let columns: Vec<&str> = line.trim_end_matches(['\r', '\n']).split('\t').collect();
        let [_, source, _, output, _, _, _, sure, more @ ..] = columns.as_slice() else {
            return Err(GoldError::Columns(columns.len()));
        };
        let source: Vec<_> = source.split_whitespace().map(str::to_owned).collect();
        let output: Vec<_> = output.split_whitespace().map(str::to_owned).collect();

        let possible = more.first().unwrap_or(&"");
        Ok(Self {
            sure: read_links(sure, source.len(), output.len())?,
            possible: read_links(possible, source.len(), output.len())?,
            source,
            output,
        })
    }

    /// Two texts in our own tokens with links that are all sure.
    #[must_use]
    pub fn from_texts(source: &TokenisedText, output: &TokenisedText, sure: LinkSet) -> Self {
        Self {
            source: source.words().map(str::to_owned).collect(),
            output: output.words().map(str::to_owned).collect(),
            sure,
            possible: LinkSet::new(),
        }
    }

    /// The ten columns of a MultiMWA line, without line end; columns that [`Self::parse`] ignores
    /// are filled as in those files. Words contain no white space, so joining them with spaces is safe.
    #[must_use]
    pub fn line(&self, id: &str) -> String {
        let (source, output) = (self.source.join(" "), self.output.join(" "));
        let (sure, possible) = (
            pharaoh::format_links(&self.sure),
            pharaoh::format_links(&self.possible),
        );
        format!("{id}\t{source}\tN/A\t{output}\tN/A\t1\t1\t{sure}\t{possible}\t")
    }

    /// Both sides as texts.
    #[must_use]
    pub fn texts(&self) -> (TokenisedText, TokenisedText) {
        let side = |words: &[String]| TokenisedText::from_words(words.iter().map(String::as_str));
        (side(&self.source), side(&self.output))
    }

    /// The sure links and the possible ones together.
    #[must_use]
    pub fn all_links(&self) -> LinkSet {
        self.sure.union(&self.possible).copied().collect()
    }
}

/// Reads a column of links between sentences of `source` and `output` words.
fn read_links(column: &str, source: usize, output: usize) -> Result<LinkSet, GoldError> {
    let links = pharaoh::parse_links(column)?;
    match links.iter().find(|(i, j)| *i >= source || *j >= output) {
        Some(&(i, j)) => Err(GoldError::Outside(i, j, source, output)),
        None => Ok(links),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::align::align;

    #[test]
    fn a_line_has_texts_and_two_sets_of_links() {
        let pair = GoldPair::parse("7:7\tone two\tN/A\tuno dos\tN/A\t1\t1\t0-0 1-1\t0-1\t\n");
        let pair = pair.expect("the line has the shape");
        assert_eq!(pair.source, ["one", "two"]);
        assert_eq!(pair.output, ["uno", "dos"]);
        assert_eq!(pharaoh::format_links(&pair.sure), "0-0 1-1");
        assert_eq!(pharaoh::format_links(&pair.all_links()), "0-0 0-1 1-1");
    }

    #[test]
    fn a_header_is_told_from_a_pair() {
        assert_eq!(GoldPair::HEADER.split('\t').count(), 10);
        assert!(GoldPair::is_header(GoldPair::HEADER));
        assert!(GoldPair::parse(GoldPair::HEADER).is_err());
        for line in ["", "a\tlinks", "7\tlinks\tN/A\tlinks\tN/A\t1\t1\t0-0\t\t"] {
            assert!(!GoldPair::is_header(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_of_any_texts_is_read_back(source: String, output: String) {
            let (source, output) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let links = pharaoh::link_set(&align(&source, &output).links);
            let pair = GoldPair::from_texts(&source, &output, links);
            prop_assert!(pair.source.iter().all(|word| !word.contains(char::is_whitespace)));
            let line = pair.line("an-id");
            prop_assert_eq!(line.split('\t').count(), 10);
            prop_assert!(!line.contains(['\n', '\r']));
            prop_assert_eq!(GoldPair::parse(&line), Ok(pair));
        }
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let error = |line: &str| GoldPair::parse(line).map_err(|e| e.to_string()).err();
        assert_eq!(GoldPair::parse("a\tb"), Err(GoldError::Columns(2)));
        let outside = "a\tone\tb\tuno\tc\t1\t1\t0-1";
        assert_eq!(
            GoldPair::parse(outside),
            Err(GoldError::Outside(0, 1, 1, 1))
        );
        assert!(error("a\tone\tb\tuno\tc\t1\t1\t0:0").is_some());
    }
}
