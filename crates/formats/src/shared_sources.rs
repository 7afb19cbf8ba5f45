//! Sources that several studies or files have in common.

use std::collections::{BTreeMap, BTreeSet};

use crate::source_key::{exact_key, loose_key};

/// The sources that several lists of texts share. A source is found by its text, as [`SourceReferences`]
/// does: the same except for case and white space, else except for tokenisation, quotes, dashes and Unicode form.
/// The result does not depend on the order of the lists.
///
/// [`SourceReferences`]: crate::SourceReferences
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedSources {
    /// The number of shared sources that all lists write the same except for case and white space.
    pub exact: usize,
    /// The number of those that are the same except for tokenisation, quotes, dashes and Unicode form, where
    /// each list has just one such text.
    pub normalised: usize,
    /// For each text of each list, the number of its shared source, from 0; `None` if not every list has the text.
    /// Texts that a list repeats have one number.
    pub numbers: Vec<Vec<Option<usize>>>,
}

impl SharedSources {
    /// The sources that every list has.
    #[must_use]
    pub fn find(lists: &[Vec<&str>]) -> Self {
        let keys = |texts: &Vec<&str>| -> Vec<(String, String)> {
            let key = |text: &&str| (exact_key(text), loose_key(text));
            texts.iter().map(key).collect()
        };
        let keys: Vec<_> = lists.iter().map(keys).collect();

        // The lists that have a text, and how each list writes the texts that are alike.
        let mut exact = BTreeMap::<&str, BTreeSet<usize>>::new();
        let mut alike = BTreeMap::<&str, BTreeSet<(usize, &str)>>::new();
        for (list, keys) in keys.iter().enumerate() {
            for (text, loose) in keys {
                exact.entry(text).or_default().insert(list);
                alike.entry(loose).or_default().insert((list, text));
            }
        }

        let is_exact = |text: &str| exact[text].len() == lists.len();
        let is_alike = |loose: &str| {
            let written = alike[loose].iter();
            // If a list has several such texts, any of them may be meant.
            written.map(|(list, _)| *list).eq(0..lists.len())
        };

        let mut known = BTreeMap::new();
        let mut shared = Self::default();
        for keys in &keys {
            let number = |(text, loose): &(String, String)| {
                let (key, count) = match (is_exact(text), is_alike(loose)) {
                    (true, _) => ((true, text.clone()), &mut shared.exact),
                    (false, true) => ((false, loose.clone()), &mut shared.normalised),
                    (false, false) => return None,
                };
                let next = known.len();
                let number = *known.entry(key).or_insert(next);
                *count += usize::from(number == next);
                Some(number)
            };
            let numbers = keys.iter().map(number).collect();
            shared.numbers.push(numbers);
        }

        shared
    }

    /// The number of shared sources.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.exact + self.normalised
    }

    /// Whether nothing is shared.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_the_same_exactly_or_normalised_where_unambiguous() {
        let lists = [
            vec![
                "The river rose.",
                "He said “no”.",
                "It's over.",
                "Only here.",
            ],
            vec![
                "He said \"no\" .",
                "the  river rose.",
                "It’s over.",
                "It's  over .",
            ],
        ];
        let shared = SharedSources::find(&lists);
        // “It's over.” has two counterparts in the second list, neither of which is the same text.
        assert_eq!((shared.exact, shared.normalised, shared.len()), (1, 1, 2));
        assert_eq!(
            shared.numbers,
            [
                [Some(0), Some(1), None, None],
                [Some(1), Some(0), None, None]
            ]
        );
    }

    #[test]
    fn an_exact_text_is_shared_although_another_is_like_it() {
        let lists = [vec!["It's over."], vec!["It’s over.", "it's over."]];
        let shared = SharedSources::find(&lists);
        assert_eq!((shared.exact, shared.normalised), (1, 0));
        assert_eq!(shared.numbers, [vec![Some(0)], vec![None, Some(0)]]);
    }

    #[test]
    fn a_repeated_text_is_one_source_and_all_lists_must_have_it() {
        let shared = SharedSources::find(&[vec!["a", "A", "b"], vec!["b", "a"], vec!["a"]]);
        assert_eq!((shared.exact, shared.normalised), (1, 0));
        assert_eq!(shared.numbers[0], [Some(0), Some(0), None]);
        assert!(SharedSources::find(&[vec!["a"], vec![]]).is_empty());
    }

    proptest! {
        #[test]
        fn the_order_of_lists_changes_nothing(
            lists in prop::collection::vec(prop::collection::vec("[aA'’ ]{0,3}", 0..5), 1..4),
        ) {
            let mut lists: Vec<Vec<&str>> = lists
                .iter()
                .map(|list| list.iter().map(String::as_str).collect())
                .collect();
            let one = SharedSources::find(&lists);
            lists.reverse();
            let reversed = SharedSources::find(&lists);
            prop_assert_eq!((one.exact, one.normalised), (reversed.exact, reversed.normalised));
            for (numbers, others) in one.numbers.iter().zip(reversed.numbers.iter().rev()) {
                let numbers = numbers.iter().map(Option::is_some);
                prop_assert!(numbers.eq(others.iter().map(Option::is_some)));
            }
        }
    }
}
