//! Outputs that are made worse at random, from which a metric learns what bad outputs look like.

use crate::random::SeededRandom;

/// How an output is made worse, after Huang and Kochmar 2024 (“REFeREE”, appendix A.1), where one to five words are scrambled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputDegradation {
    /// One to four words are deleted.
    Deletion,
    /// Two to five words change places.
    Scrambling,
    /// Source and output change places: the “simplification” is the harder text.
    Swap,
}

impl OutputDegradation {
    /// Draws one of them: deletion and scrambling in three of ten cases each, a swap in four.
    pub fn draw(random: &mut SeededRandom) -> Self {
        match random.below(10) {
            0..=2 => Self::Deletion,
            3..=5 => Self::Scrambling,
            _ => Self::Swap,
        }
    }

    /// The degraded pair of source and output. A text too short for it stays as it is: deletion leaves one word, and
    /// scrambling needs two that differ.
    pub fn apply(self, source: &str, output: &str, random: &mut SeededRandom) -> (String, String) {
        match self {
            Self::Deletion => (source.to_owned(), delete_words(output, random)),
            Self::Scrambling => (source.to_owned(), scramble_words(output, random)),
            Self::Swap => (output.to_owned(), source.to_owned()),
        }
    }
}

fn delete_words(text: &str, random: &mut SeededRandom) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() < 2 {
        return text.to_owned();
    }
    let count = (1 + random.below(4)).min(words.len() - 1);
    let deleted = choose_positions(words.len(), count, random);

    let kept_words = words
        .iter()
        .enumerate()
        .filter(|(at, _)| !deleted.contains(at))
        .map(|(_, word)| *word);
    kept_words.collect::<Vec<_>>().join(" ")
}

fn scramble_words(text: &str, random: &mut SeededRandom) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if words.iter().all(|word| *word == words[0]) {
        return text.to_owned();
    }

    let count = (2 + random.below(4)).min(words.len());
    let mut places = choose_positions(words.len(), count, random);
    if places.iter().all(|at| words[*at] == words[places[0]])
        && let Some(other) = words.iter().position(|word| *word != words[places[0]])
    {
        places = vec![places[0], other];
    }

    // Each chosen word moves to the place of another.
    for pair in places.windows(2) {
        words.swap(pair[0], pair[1]);
    }
    words.join(" ")
}

/// Some of the numbers below `number`, in random order.
fn choose_positions(number: usize, count: usize, random: &mut SeededRandom) -> Vec<usize> {
    let mut all: Vec<usize> = (0..number).collect();
    random.shuffle(&mut all);
    all.truncate(count);
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted_words(text: &str) -> Vec<&str> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        words.sort_unstable();
        words
    }

    #[test]
    fn each_kind_is_drawn_as_often_as_in_the_paper() {
        let mut random = SeededRandom::new(1);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[OutputDegradation::draw(&mut random) as usize] += 1;
        }
        for (count, expected) in counts.into_iter().zip([3_000_i32, 3_000, 4_000]) {
            assert!((expected - count).abs() < 200, "{counts:?}");
        }
    }

    #[test]
    fn a_swap_exchanges_source_and_output() {
        let swapped =
            OutputDegradation::Swap.apply("a long one", "short", &mut SeededRandom::new(1));
        assert_eq!(swapped, ("short".to_owned(), "a long one".to_owned()));
    }

    proptest! {
        #[test]
        fn one_to_four_words_are_deleted_and_one_is_left(text in "([a-c]{1,3} ){0,12}", seed: u64) {
            let (_, output) = OutputDegradation::Deletion.apply("", &text, &mut SeededRandom::new(seed));
            let (before, after) = (sorted_words(&text).len(), sorted_words(&output).len());
            if before < 2 {
                prop_assert_eq!(output, text);
            } else {
                prop_assert!(after >= 1 && (1..=4).contains(&(before - after)));
            }
        }

        #[test]
        fn scrambling_changes_the_order_of_at_most_five_words(text in "([a-c]{1,3} ){0,12}", seed: u64) {
            let (_, output) = OutputDegradation::Scrambling.apply("", &text, &mut SeededRandom::new(seed));
            prop_assert_eq!(sorted_words(&output), sorted_words(&text));
            let moved = text.split_whitespace().zip(output.split_whitespace());
            let moved = moved.filter(|(before, after)| before != after).count();
            let words = sorted_words(&text);
            let differ = words.first() != words.last();
            prop_assert!(moved <= 5 && (moved > 0) == differ, "{} became {}", text, output);
        }
    }
}
