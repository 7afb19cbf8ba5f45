//! Word alignment: which words of a source and of an output correspond.
//!
//! Every aligner returns an [`Alignment`]. Later stages (edits, highlights, training data) use only its links, so
//! they do not change with a better aligner.

mod backbone;
mod function_words;
mod gaps;
mod moved;
mod partial;
mod similarity;
mod units;
mod windows;

pub mod edit_links;
pub mod evaluate;
pub mod gold;
pub mod grid;
pub mod pharaoh;

use std::fmt;

use serde::{Deserialize, Serialize};

use self::{partial::PartialAlignment, similarity::WordForm, units::ComparisonUnits};
use super::tokenised_text::TokenisedText;

/// The version of the string grade's decisions, stored with them.
pub const VERSION: u32 = 1;

/// The number of cells (source words × output words) above which an aligner processes the texts
/// window by window.
pub const MAX_CELLS: usize = 250_000;

/// Whether a lower-cased English word is a function word (`the`, `of`, `was`).
#[must_use]
pub fn is_function_word(word: &str) -> bool {
    function_words::classes(word) != 0
}

/// A pair of corresponding words of the source and the output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AlignmentLink {
    /// The source word, counted from 0.
    pub source: usize,
    /// The output word, counted from 0.
    pub output: usize,
    /// The aligner's confidence, 0 to 1.
    pub confidence: f64,
}

/// The basis of an aligner, which determines its quality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum AlignerGrade {
    /// Equal and similar words and their neighbourhood, without a model.
    String,
    /// A network over string features.
    Grid,
    /// A network over string features and word vectors.
    Encoder,
}

impl AlignerGrade {
    /// All of them, in ascending order of quality.
    pub const ALL: [Self; 3] = [Self::String, Self::Grid, Self::Encoder];

    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Grid => "grid",
            Self::Encoder => "encoder",
        }
    }
}

impl fmt::Display for AlignerGrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The links between two texts with the aligner that made them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    /// The links, ordered by source word, then output word, without duplicates.
    pub links: Vec<AlignmentLink>,
    /// Rejected links of words without a link, with their probability: it shows how certain it is that a word has no
    /// counterpart.
    pub near_misses: Vec<AlignmentLink>,
    /// The aligner's grade.
    pub grade: AlignerGrade,
    /// The version of the grade's program or model.
    pub version: u32,
    /// Whether the texts were too long to compare every word with every other; then words that
    /// moved further than a window are not linked.
    pub banded: bool,
}

impl Alignment {
    /// The same links with source and output swapped.
    #[must_use]
    pub fn mirrored(mut self) -> Self {
        for link in self.links.iter_mut().chain(&mut self.near_misses) {
            (link.source, link.output) = (link.output, link.source);
        }
        sort_links(self)
    }
}

/// Aligns two texts by strings alone.
///
/// Equal words and words of one stem make a backbone in reading order, preferring unbroken runs;
/// remaining words are matched wherever they moved to, if their neighbours moved along or they
/// are content words; and short free stretches between linked neighbours are linked to each other.
///
/// It is deterministic, and swapping source and output gives the same links, mirrored.
/// Memory and time grow with [`MAX_CELLS`] at most, and linearly beyond.
#[must_use]
pub fn align(source: &TokenisedText, output: &TokenisedText) -> Alignment {
    // One side must decide between equally good choices: the same one in both directions.
    if source.words().gt(output.words()) {
        return align_in_order(output, source).mirrored();
    }
    align_in_order(source, output)
}

fn sort_links(mut alignment: Alignment) -> Alignment {
    alignment
        .links
        .sort_by_key(|link| (link.source, link.output));
    alignment
        .near_misses
        .sort_by_key(|link| (link.source, link.output));
    alignment
}

fn align_in_order(source: &TokenisedText, output: &TokenisedText) -> Alignment {
    let (sources, outputs) = ComparisonUnits::of_pair(source, output);
    let windows = windows::split_windows(&sources.forms, &outputs.forms);
    let banded = windows.len() > 1;

    let (mut links, mut near_misses) = (Vec::new(), Vec::new());
    for (from, to) in windows {
        let window_alignment =
            align_window(&sources.forms[from.clone()], &outputs.forms[to.clone()]);
        let place = |link: &AlignmentLink| {
            let (source, output) = (from.start + link.source, to.start + link.output);
            units::token_links(
                AlignmentLink {
                    source,
                    output,
                    ..*link
                },
                &sources,
                &outputs,
            )
        };

        links.extend(window_alignment.links().iter().flat_map(place));
        near_misses.extend(window_alignment.near_misses().iter().flat_map(place));
    }

    sort_links(Alignment {
        links,
        near_misses,
        grade: AlignerGrade::String,
        version: VERSION,
        banded,
    })
}

fn align_window(sources: &[WordForm], outputs: &[WordForm]) -> PartialAlignment {
    let mut alignment = PartialAlignment::new(sources.len(), outputs.len());
    backbone::link(sources, outputs, &mut alignment);
    moved::link(sources, outputs, &mut alignment);
    gaps::link(sources, outputs, &mut alignment);
    alignment
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn links(source: &str, output: &str) -> String {
        let (source, output) = (TokenisedText::new(source), TokenisedText::new(output));
        pharaoh::format_links(&pharaoh::link_set(&align(&source, &output).links))
    }

    #[test]
    fn equal_and_inflected_words_and_what_stands_in_ones_place_are_linked() {
        assert_eq!(
            links("The boats sank.", "the boat sank ."),
            "0-0 1-1 2-2 3-3"
        );
        assert_eq!(
            links("An old ship sank.", "An old boat sank."),
            "0-0 1-1 2-2 3-3 4-4"
        );
        assert_eq!(links("A very old ship", "A ship"), "0-0 3-1");
        assert_eq!(links("", "A ship"), "");
    }

    #[test]
    fn moved_words_are_found() {
        assert_eq!(
            links("In late May, two boats sank", "Two boats sank in late May"),
            "0-3 1-4 2-5 4-0 5-1 6-2"
        );
    }

    #[test]
    fn words_cut_differently_are_one() {
        assert_eq!(
            links("He cannot sail", "He can not sail"),
            "0-0 1-1 1-2 2-3"
        );
        assert_eq!(
            links("the Italian-French one", "the Italian French one"),
            "0-0 1-1 1-2 2-3"
        );
    }

    #[test]
    fn ten_thousand_words_are_aligned_in_windows() {
        let words = |number: &dyn Fn(usize) -> usize| -> String {
            (0..10_000).map(|n| format!("word{} ", number(n))).collect()
        };
        for (text, shared) in [(words(&|n| n), 9_500), (words(&|n| n % 7), 9_500)] {
            let source = TokenisedText::new(&text);
            let output = TokenisedText::new(text.split_once(' ').map_or("", |(_, rest)| rest));
            let alignment = align(&source, &output);
            assert!(alignment.banded);
            assert!(alignment.links.len() > shared, "{}", alignment.links.len());
        }
    }

    proptest! {
        #[test]
        fn links_are_in_range_ordered_and_mirrored(
            source in "([a-d]{1,3}|[,.;é])( ([a-d]{1,3}|[,.;])){0,14}|\\PC{0,40}",
            output in "([a-d]{1,3}|[,.;é])( ([a-d]{1,3}|[,.;])){0,14}|\\PC{0,40}",
        ) {
            let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let alignment = align(&from, &to);
            let mut last = None;
            for link in &alignment.links {
                prop_assert!(link.source < from.len() && link.output < to.len());
                prop_assert!((0.0..=1.0).contains(&link.confidence));
                prop_assert!(last < Some((link.source, link.output)));
                last = Some((link.source, link.output));
            }
            prop_assert_eq!(align(&to, &from).mirrored(), alignment);
        }

        #[test]
        fn a_text_is_linked_to_itself_word_by_word(text in "\\PC{0,60}") {
            let text = TokenisedText::new(&text);
            let expected = (0..text.len()).map(|at| (at, at)).collect();
            prop_assert_eq!(pharaoh::link_set(&align(&text, &text).links), expected);
        }
    }
}
