//! A compact letter display of pairwise comparisons.

/// The most items, and the most groups while they are built: a display of more would not be readable.
const MAX_ITEMS: usize = 128;
/// The letters for groups; more groups than letters have no display.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The letters of each item, where `differ(i, j)` says for `i < j` whether the test of two items is
/// significant: two items share a letter if and only if it is not. Pass the items best first, so that “a”
/// belongs to the best one; the letters of an item are in alphabetical order. `None` where there are more
/// than 128 items or more groups than letters.
///
/// Items that share a letter are not shown to be equal: they just cannot be told apart.
///
/// Source: Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons,
/// steps *insert* and *absorb*.
#[must_use]
pub fn compact_letters(
    items: usize,
    mut differ: impl FnMut(usize, usize) -> bool,
) -> Option<Vec<String>> {
    if items > MAX_ITEMS {
        return None;
    }

    // A group is a set of items, one bit for each.
    let all = (0..items).fold(0_u128, |all, item| all | (1 << item));
    let mut groups = vec![all];
    for first in 0..items {
        for second in first + 1..items {
            if differ(first, second) {
                groups = insert(&groups, 1 << first, 1 << second);
                if groups.len() > MAX_ITEMS {
                    return None;
                }
            }
        }
    }

    // Groups with the best items come first.
    groups.sort_unstable_by_key(|group| std::cmp::Reverse(group.reverse_bits()));
    if groups.len() > LETTERS.len() {
        return None;
    }
    Some((0..items).map(|item| letters_of(item, &groups)).collect())
}

/// The letters of the groups that hold the item.
fn letters_of(item: usize, groups: &[u128]) -> String {
    let groups = groups.iter().zip(LETTERS.chars());
    let own = groups.filter(|(group, _)| *group & (1 << item) != 0);
    own.map(|(_, letter)| letter).collect()
}

/// Splits each group that has both items into one without the first and one without the second, and
/// drops the parts that another group contains.
fn insert(groups: &[u128], first: u128, second: u128) -> Vec<u128> {
    let pair = first | second;
    let (split, mut result): (Vec<u128>, Vec<u128>) = groups
        .iter()
        .copied()
        .partition(|group| group & pair == pair);

    let parts = split
        .iter()
        .flat_map(|group| [group & !first, group & !second]);
    let parts: Vec<u128> = parts.collect();
    for (number, part) in parts.iter().enumerate() {
        let is_inside = |other: &u128| part & other == *part;
        // The first of equal parts stays.
        let is_larger = |(at, other): (usize, &u128)| {
            at != number && is_inside(other) && (part != other || at < number)
        };
        if !result.iter().any(is_inside) && !parts.iter().enumerate().any(is_larger) {
            result.push(*part);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The letters where exactly these pairs differ.
    fn letters(items: usize, pairs: &[(usize, usize)]) -> Vec<String> {
        compact_letters(items, |i, j| pairs.contains(&(i, j))).unwrap()
    }

    #[test]
    fn letters_without_or_with_all_differences() {
        assert_eq!(letters(0, &[]), Vec::<String>::new());
        assert_eq!(letters(1, &[]), ["a"]);
        assert_eq!(letters(3, &[]), ["a", "a", "a"]);
        assert_eq!(letters(3, &[(0, 1), (0, 2), (1, 2)]), ["a", "b", "c"]);
    }

    /// The four groups of Dallal, The Little Handbook of Statistical Practice (“similar.htm”): A differs
    /// from B, and B from D. A, C and D share a superscript, and so do B and C.
    #[test]
    fn dallal_four_groups() {
        assert_eq!(letters(4, &[(0, 1), (1, 3)]), ["a", "b", "ab", "a"]);
    }

    /// trt1, ctrl, trt3, trt2 and trt4 of the vignette “Re-engineering CLDs” of the R package emmeans: the
    /// first differs from all but the second, the last one from all others.
    #[test]
    fn emmeans_vignette_underlines() {
        let pairs = [(0, 2), (0, 3), (0, 4), (1, 4), (2, 4), (3, 4)];
        assert_eq!(letters(5, &pairs), ["a", "ab", "b", "b", "c"]);
    }

    /// Worked by hand. Start: {0 1 2 3 4}. 0–3: {1 2 3 4}, {0 1 2 4}. 0–4: {1 2 3 4}, {1 2 4} (inside the
    /// first), {0 1 2}. 1–4: {2 3 4}, {1 2 3}, {0 1 2}.
    #[test]
    fn a_chain_overlaps() {
        assert_eq!(
            letters(5, &[(0, 3), (0, 4), (1, 4)]),
            ["a", "ab", "abc", "bc", "c"]
        );
    }

    #[test]
    fn too_many_items_or_groups_have_no_display() {
        assert_eq!(compact_letters(129, |_, _| false), None);
        assert_eq!(compact_letters(60, |_, _| true), None);
        // Seven triples in which everyone differs: 3⁷ groups of seven.
        assert_eq!(compact_letters(21, |i, j| i / 3 == j / 3), None);
    }

    proptest! {
        #[test]
        fn items_share_a_letter_unless_they_differ(differences in prop::collection::vec(any::<bool>(), 45)) {
            let at = |i: usize, j: usize| differences[j * (j - 1) / 2 + i];
            let letters = compact_letters(10, at).unwrap();
            for j in 1..10 {
                for i in 0..j {
                    let shared = letters[i].chars().any(|letter| letters[j].contains(letter));
                    prop_assert_eq!(shared, !at(i, j), "{} and {} of {:?}", i, j, &letters);
                }
            }
            prop_assert!(letters[0].starts_with('a'));
        }
    }
}
