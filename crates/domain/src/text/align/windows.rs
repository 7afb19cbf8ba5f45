//! Windows of long texts: pairs of stretches that are aligned one after the other.

use std::{collections::HashMap, ops::Range};

use super::{MAX_CELLS, similarity::WordForm};

/// The number of cells of a window, into which long texts are cut at shared rare words.
const WINDOW_CELLS: usize = MAX_CELLS / 8;

/// A stretch of source words with the stretch of output words with which it is aligned.
type AlignmentWindow = (Range<usize>, Range<usize>);

/// One window if the texts are short enough, otherwise several in order that cover both texts.
///
/// Cuts are made before words that occur exactly once in both texts; without such words, by length.
pub(super) fn split_windows(sources: &[WordForm], outputs: &[WordForm]) -> Vec<AlignmentWindow> {
    if sources.len().saturating_mul(outputs.len()) <= MAX_CELLS {
        return vec![(0..sources.len(), 0..outputs.len())];
    }

    let mut cuts = Vec::new();
    let mut start = (0, 0);
    let mut last = (0, 0);
    let end = (sources.len(), outputs.len());

    for anchor in find_anchor_pairs(sources, outputs).into_iter().chain([end]) {
        if count_cells(start, anchor) > WINDOW_CELLS && last != start {
            cuts.push(window(start, last));
            start = last;
        }
        last = anchor;
    }

    cuts.push(window(start, end));
    cuts.into_iter()
        .flat_map(|window| split_by_length(&window))
        .collect()
}

const fn window(from: (usize, usize), to: (usize, usize)) -> AlignmentWindow {
    (from.0..to.0, from.1..to.1)
}

fn count_cells(from: (usize, usize), to: (usize, usize)) -> usize {
    (to.0 - from.0).saturating_mul(to.1 - from.1)
}

/// Cuts a window that is still too large into equal parts.
fn split_by_length((source, output): &AlignmentWindow) -> Vec<AlignmentWindow> {
    let cells = source.len().saturating_mul(output.len());
    let parts = if cells <= MAX_CELLS {
        1
    } else {
        cells.div_ceil(MAX_CELLS).isqrt() + 1
    };
    (0..parts)
        .map(|index| (part(source, index, parts), part(output, index, parts)))
        .collect()
}

/// The part at `index` of a range that is cut into `parts` equal parts.
fn part(range: &Range<usize>, index: usize, parts: usize) -> Range<usize> {
    let start = range.start + range.len() * index / parts;
    let end = range.start + range.len() * (index + 1) / parts;
    start..end
}

/// The positions of words that occur exactly once in each text: the longest chain in order.
fn find_anchor_pairs(sources: &[WordForm], outputs: &[WordForm]) -> Vec<(usize, usize)> {
    let in_output = find_unique_words(outputs);
    let mut pairs: Vec<(usize, usize)> = find_unique_words(sources)
        .into_iter()
        .filter_map(|(word, source)| Some((source, *in_output.get(word)?)))
        .collect();
    pairs.sort_unstable();
    longest_increasing(&pairs)
}

fn find_unique_words(forms: &[WordForm]) -> HashMap<&str, usize> {
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for (place, form) in forms.iter().enumerate() {
        places
            .entry(&form.bare)
            .and_modify(|entry| *entry = None)
            .or_insert(Some(place));
    }
    places
        .into_iter()
        .filter_map(|(word, place)| Some((word, place?)))
        .collect()
}

/// The longest part of `pairs`, ordered by the first number, whose second numbers rise too
/// (patience sorting, n log n).
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let pile = tails.partition_point(|&tail| pairs[tail].1 < pair.1);
        before.push(pile.checked_sub(1).map(|under| tails[under]));
        tails.truncate(tails.len().max(pile + 1));
        if pile == tails.len() {
            tails.push(index);
        } else {
            tails[pile] = index;
        }
    }

    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(tails.last().copied(), |&index| before[index])
            .map(|index| pairs[index])
            .collect();
    chain.reverse();
    chain
}
