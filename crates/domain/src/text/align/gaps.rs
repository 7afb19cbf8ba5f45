//! Links between free words in the same gap, that is, between the same linked neighbours.

use std::ops::Range;

use strsim::jaro_winkler;

use super::{partial::PartialAlignment, similarity::WordForm};
use crate::text::tokenise::TokenKind;

/// The most words, of source and output together, that are linked as a phrase, all with all.
const LONGEST_PHRASE: usize = 4;

// The shares of such links that are also in the gold alignments, over the training pairs of Wiki and MTRef.
const SINGLE_WORD_CONFIDENCE: f64 = 0.93;
const SAME_KIND_CONFIDENCE: f64 = 0.87;
const SHORT_PHRASE_CONFIDENCE: f64 = 0.75;
const PHRASE_CONFIDENCE: f64 = 0.6;
const NEAR_MISS_CONFIDENCE: f64 = 0.4;

/// Links short stretches of free words that lie between the same linked neighbours; of longer stretches only ends of
/// the same kind. Pairs of words that stay free in such a gap become near misses.
pub(super) fn link(sources: &[WordForm], outputs: &[WordForm], alignment: &mut PartialAlignment) {
    let mut start = 0;
    while start < sources.len() {
        let end = (start..sources.len()).find(|&i| !alignment.source_is_free(i));
        let end = end.unwrap_or(sources.len());

        if end > start
            && let Some(range) = opposite_range(start, end, outputs.len(), alignment)
        {
            link_gap(
                UnlinkedGap {
                    sources,
                    outputs,
                    source: start..end,
                    output: range,
                },
                alignment,
            );
        }
        start = end + 1;
    }
}

/// Punctuation that separates clauses or sentences.
fn is_pause(sign: &str) -> bool {
    matches!(sign, "," | ";" | ":" | "." | "!" | "?" | "-" | "--")
}

/// The free output words between the counterparts of the words before `start` and at `end`.
fn opposite_range(
    start: usize,
    end: usize,
    outputs: usize,
    alignment: &PartialAlignment,
) -> Option<Range<usize>> {
    let from = match start.checked_sub(1) {
        Some(before) => alignment.output_of(before)? + 1,
        None => 0,
    };
    let to = alignment.output_of(end).unwrap_or(outputs);
    (from < to && (from..to).all(|j| alignment.output_is_free(j))).then_some(from..to)
}

struct UnlinkedGap<'a> {
    sources: &'a [WordForm],
    outputs: &'a [WordForm],
    source: Range<usize>,
    output: Range<usize>,
}

fn link_gap(mut gap: UnlinkedGap<'_>, alignment: &mut PartialAlignment) {
    while gap.words() > 2 && gap.is_open() && gap.is_same_kind(gap.source.start, gap.output.start) {
        alignment.add(gap.source.start, gap.output.start, SAME_KIND_CONFIDENCE);
        (gap.source.start, gap.output.start) = (gap.source.start + 1, gap.output.start + 1);
    }
    while gap.words() > 2
        && gap.is_open()
        && gap.is_same_kind(gap.source.end - 1, gap.output.end - 1)
    {
        (gap.source.end, gap.output.end) = (gap.source.end - 1, gap.output.end - 1);
        alignment.add(gap.source.end, gap.output.end, SAME_KIND_CONFIDENCE);
    }

    if gap.is_open() {
        gap.link_rest(alignment);
    }
}

/// The kind of each word, and whether it is a content word.
fn word_kinds(forms: &[WordForm]) -> Vec<(TokenKind, bool)> {
    forms
        .iter()
        .map(|form| (form.kind, form.is_content()))
        .collect()
}

impl UnlinkedGap<'_> {
    fn words(&self) -> usize {
        self.source.len() + self.output.len()
    }

    fn is_open(&self) -> bool {
        !self.source.is_empty() && !self.output.is_empty()
    }

    /// Whether two words are interchangeable by their kind.
    fn is_same_kind(&self, source: usize, output: usize) -> bool {
        let (a, b) = (&self.sources[source], &self.outputs[output]);
        match (a.kind, b.kind) {
            (TokenKind::Number, TokenKind::Number) => true,
            (TokenKind::Sign, TokenKind::Sign) => is_pause(&a.bare) && is_pause(&b.bare),
            (TokenKind::Word, TokenKind::Word) if a.classes != 0 => a.classes & b.classes != 0,
            (TokenKind::Word, TokenKind::Word) => {
                b.classes == 0
                    && a.bare.chars().next() == b.bare.chars().next()
                    && jaro_winkler(&a.bare, &b.bare) > 0.7
            }
            _ => false,
        }
    }

    fn link_rest(&self, alignment: &mut PartialAlignment) {
        let (first_source, first_output) = (self.source.start, self.output.start);
        let source_kinds = word_kinds(&self.sources[self.source.clone()]);
        let output_kinds = word_kinds(&self.outputs[self.output.clone()]);
        let mut kinds = source_kinds.iter().chain(&output_kinds);
        let only_words = kinds.clone().all(|(kind, _)| *kind == TokenKind::Word);
        let no_sign = kinds.all(|(kind, _)| *kind != TokenKind::Sign);
        let same_kinds = source_kinds == output_kinds;

        match (self.source.len(), self.output.len()) {
            (1, 1) if same_kinds || only_words => {
                alignment.add(first_source, first_output, SINGLE_WORD_CONFIDENCE)
            }
            (2, 2) if no_sign && same_kinds && source_kinds[0] != source_kinds[1] => {
                alignment.add(first_source, first_output, SAME_KIND_CONFIDENCE);
                alignment.add(first_source + 1, first_output + 1, SAME_KIND_CONFIDENCE);
            }
            (x, y) if no_sign && x + y > 2 && x + y <= LONGEST_PHRASE => {
                let confidence = if x + y == 3 {
                    SHORT_PHRASE_CONFIDENCE
                } else {
                    PHRASE_CONFIDENCE
                };
                for i in self.source.clone() {
                    self.output
                        .clone()
                        .for_each(|j| alignment.add(i, j, confidence));
                }
            }
            _ => self.add_near_misses(alignment),
        }
    }

    /// Records for each word the one across the gap that it most likely corresponds to.
    fn add_near_misses(&self, alignment: &mut PartialAlignment) {
        let (x, y) = (self.source.len(), self.output.len());
        for step in 0..x.max(y) {
            let across = |length: usize| step * length / x.max(y);
            let (i, j) = (self.source.start + across(x), self.output.start + across(y));
            alignment.add_near_miss(i, j, NEAR_MISS_CONFIDENCE);
        }
    }
}
