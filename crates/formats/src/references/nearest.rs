//! The most similar texts for sources without references.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::metrics::levenshtein_ratio;

use super::{NearestText, ReferencedText, UnmatchedSource};
use crate::source_key::loose_key;

/// The lowest similarity that is offered. Below it, two sentences share little but frequent words.
const MIN_SIMILARITY: f64 = 0.6;

/// The most texts with shared words that are compared with a source letter by letter.
const MAX_CANDIDATES: usize = 16;

/// The most characters of a text that are compared.
const MAX_COMPARED_CHARS: usize = 1_000;

/// Gives each source the most similar of the texts in the places `unused`. The most similar pairs come first, and no
/// text is offered twice.
pub(super) fn offer_nearest(
    texts: &[ReferencedText],
    unused: &[usize],
    sources: &mut [UnmatchedSource],
) {
    let mut places_by_word = HashMap::<String, Vec<usize>>::new();
    for place in unused {
        for word in words(&texts[*place].text) {
            places_by_word.entry(word).or_default().push(*place);
        }
    }

    let mut pairs = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let source_letters = comparable_text(&source.text);
        for place in likely_places(&source.text, &places_by_word) {
            let text_letters = comparable_text(&texts[place].text);
            let similarity = levenshtein_ratio(&source_letters, &text_letters);
            if similarity >= MIN_SIMILARITY {
                pairs.push((similarity, index, place));
            }
        }
    }

    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut offered = BTreeSet::new();
    for (similarity, index, place) in pairs {
        let nearest = &mut sources[index].nearest;
        if nearest.is_none() && offered.insert(place) {
            *nearest = Some(NearestText {
                line: texts[place].line,
                text: texts[place].text.clone(),
                similarity,
            });
        }
    }
}

/// The texts that share most words with a source, at most [`MAX_CANDIDATES`]. Comparing letters is slow;
/// shared words find the candidates fast.
fn likely_places(
    source: &str,
    places_by_word: &HashMap<String, Vec<usize>>,
) -> impl Iterator<Item = usize> {
    let mut weights = BTreeMap::<usize, f64>::new();
    for word in words(source) {
        let places = places_by_word.get(&word).map_or(&[][..], Vec::as_slice);
        for place in places {
            // A rare word says more than one that half of the texts have.
            *weights.entry(*place).or_default() += 1.0 / places.len() as f64;
        }
    }

    let mut weighted: Vec<_> = weights.into_iter().collect();
    weighted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let places = weighted.into_iter().map(|(place, _)| place);
    places.take(MAX_CANDIDATES)
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
