//! The degenerate texts. The sentences are our own.

use crate::{random::SeededRandom, text::tokenise::split_words};

/// Sentences about subjects that are rare in sources.
const UNRELATED: [&str; 8] = [
    "The baker forgot to put salt into the second loaf.",
    "Two goats stood on the roof of the garden shed all afternoon.",
    "She keeps her spare buttons in an old tea tin.",
    "The ferry was late again because of thick fog.",
    "My neighbour paints his fence a different colour every spring.",
    "A cold soup of cucumbers is best on the day it is made.",
    "The tall ladder would not fit through the cellar door.",
    "He lost his left glove somewhere between the bridge and the mill.",
];

const GENERIC: [&str; 4] = [
    "This is a very important topic.",
    "Many people know something about this.",
    "There are many different things to say here.",
    "It happened, and it was interesting.",
];

/// Made-up sentences that no source contains.
const ADDITIONS: [&str; 6] = [
    "It was later sold for nine million dollars.",
    "Most of it was built by volunteers from Norway.",
    "A film about it won three prizes in 1998.",
    "Scientists still do not agree about this.",
    "The mayor opposed it for more than twenty years.",
    "Only four people were told about it at the time.",
];

pub(super) fn first_words(text: &str, number: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().take(number + 1).collect();
    match words.get(..number) {
        Some(first) if words.len() > number => first.join(" "),
        _ => text.to_owned(),
    }
}

/// `text` without a random share of its words, at least one if there are two.
pub(super) fn delete_words(text: &str, share: f64, seed: u64) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() < 2 {
        return text.to_owned();
    }
    let gone = choose_positions(words.len(), share, 1, seed);
    let rest = words
        .iter()
        .enumerate()
        .filter(|(at, _)| !gone.contains(at));
    rest.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

pub(super) fn add_periods(text: &str, every: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= every {
        return text.to_owned();
    }
    let mut cut = String::with_capacity(text.len() + words.len() / every);
    for (number, word) in (1..).zip(&words) {
        cut.push_str(word);
        if number < words.len() {
            let ends = number % every == 0 && !word.ends_with('.');
            cut.push_str(if ends { ". " } else { " " });
        }
    }
    cut
}

/// A sentence that shares as few words with `source` as any.
pub(super) fn unrelated_sentence(source: &str, seed: u64) -> String {
    let source_words = lower_words(source);
    let mut sentences: Vec<&&str> = UNRELATED.iter().collect();
    SeededRandom::new(seed).shuffle(&mut sentences);

    let least = sentences.iter().min_by_key(|text| {
        let words = lower_words(text);
        words
            .iter()
            .filter(|word| source_words.contains(word))
            .count()
    });
    least.map_or_else(String::new, |text| (**text).to_owned())
}

fn lower_words(text: &str) -> Vec<String> {
    split_words(text)
        .iter()
        .map(|word| word.to_lowercase())
        .collect()
}

/// `text` with a random share of its words swapped, at least two if they differ.
pub(super) fn swap_words(text: &str, share: f64, seed: u64) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if words.len() < 2 {
        return text.to_owned();
    }

    let mut places = choose_positions(words.len(), share, 2, seed);
    if let [first, .., last] = places[..]
        && places.iter().all(|at| words[*at] == words[first])
        && let Some(other) = words.iter().position(|word| *word != words[first])
    {
        places = vec![first, last, other];
    }
    // Each word moves to the place of the next, so that all of them move.
    for pair in places.windows(2) {
        words.swap(pair[0], pair[1]);
    }
    words.join(" ")
}

pub(super) fn generic_sentence(seed: u64) -> String {
    GENERIC[SeededRandom::new(seed).below(GENERIC.len())].to_owned()
}

pub(super) fn add_sentence(text: &str, seed: u64) -> String {
    let addition = ADDITIONS[SeededRandom::new(seed).below(ADDITIONS.len())];
    format!("{} {addition}", text.trim_end())
}

/// A random share of the numbers below `number`, at least `least` of them, in random order.
fn choose_positions(number: usize, share: f64, least: usize, seed: u64) -> Vec<usize> {
    let count = (number as f64 * share).round() as usize;
    let mut all: Vec<usize> = (0..number).collect();
    SeededRandom::new(seed).shuffle(&mut all);
    all.truncate(count.max(least));
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "one two three four five six seven eight nine ten";

    #[test]
    fn as_many_words_change_as_is_said() {
        assert_eq!(first_words(TEXT, 6), "one two three four five six");
        assert_eq!(first_words("one two", 6), "one two");
        assert_eq!(delete_words(TEXT, 0.3, 1).split(' ').count(), 7);
        let swapped = swap_words(TEXT, 0.2, 1);
        let moved = swapped
            .split(' ')
            .zip(TEXT.split(' '))
            .filter(|(a, b)| a != b);
        assert_eq!(moved.count(), 2, "{swapped}");
        assert_eq!(
            add_periods(&format!("{TEXT}."), 5),
            "one two three four five. six seven eight nine ten."
        );
        assert_eq!(add_periods("one. two", 1), "one. two");
        assert!(add_sentence("It sank. ", 1).starts_with("It sank. "));
    }

    #[test]
    fn unrelated_is_what_shares_least() {
        let source = "The cellar of the ferry was full of cucumbers, soup, fog and goats.";
        for seed in 0..20 {
            let sentence = unrelated_sentence(source, seed);
            assert!(
                sentence.contains("buttons") || sentence.contains("neighbour"),
                "{sentence}"
            );
        }
    }

    proptest! {
        #[test]
        fn swapping_keeps_the_words_and_deleting_adds_none(text in "([a-c]{1,3} ){0,12}", seed: u64) {
            let sorted = |text: &str| {
                let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
                words.sort();
                words
            };
            let words = sorted(&text);
            let swapped = swap_words(&text, 0.2, seed);
            prop_assert_eq!(sorted(&swapped), words.clone());
            if words.first() != words.last() {
                prop_assert_ne!(swapped, text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            prop_assert!(sorted(&delete_words(&text, 0.3, seed)).len() < words.len().max(2));
        }
    }
}
