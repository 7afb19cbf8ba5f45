//! Words that an output has in a different place than its source.

use super::{
    align::{
        align,
        edit_links::{BaseAlignments, links_from_edits},
        is_function_word,
    },
    tokenise::TokenKind,
    tokenised_text::TokenisedText,
};
use crate::{edit::Edit, span::Span};

/// The words of `output` outside `edits` that moved: as few as possible, such that the counterparts of all others
/// follow each other in the source (they are outside the longest increasing subsequence). Adjacent words make one
/// stretch.
///
/// The links are those that the edits imply ([`links_from_edits`]), whichever aligner made them. Punctuation does not
/// move. Stretches of function words alone are left out, because such words recur and their links cross by chance.
#[must_use]
pub fn find_moved_words(
    source: &TokenisedText,
    output: &TokenisedText,
    edits: &[Edit],
) -> Vec<Span> {
    let alignment = align(source, output);
    let base = BaseAlignments {
        within: &alignment,
        outside: &alignment,
    };

    let mut counterparts: Vec<Option<usize>> = vec![None; output.len()];
    // Links come in ascending order, so a token with several counterparts keeps the first.
    for (word, token) in links_from_edits(source, output, edits, base) {
        let span = output.tokens()[token].span;
        let mut edited = edits.iter().flat_map(|edit| &edit.output);
        if output.tokens()[token].kind != TokenKind::Sign
            && !edited.any(|stretch| stretch.start < span.end && span.start < stretch.end)
        {
            counterparts[token].get_or_insert(word);
        }
    }

    let linked_tokens: Vec<(usize, usize)> = (0..output.len())
        .filter_map(|token| Some((token, counterparts[token]?)))
        .collect();
    let moved_tokens = outside_longest_order(&linked_tokens);
    moved_tokens
        .chunk_by(|before, after| before + 1 == *after)
        .filter(|run| {
            run.iter()
                .any(|token| !is_function_word(&output.word(*token).to_lowercase()))
        })
        .map(|run| {
            let tokens = output.tokens();
            Span::new(
                tokens[run[0]].span.start,
                tokens[run[run.len() - 1]].span.end,
            )
        })
        .collect()
}

/// The first numbers of the pairs that are outside a longest subsequence in which the second numbers do not descend,
/// in order.
fn outside_longest_order(pairs: &[(usize, usize)]) -> Vec<usize> {
    // The index of the pair that ends the best subsequence of each length, and for each pair that of the pair before
    // it.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (index, (_, value)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 <= *value);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }

    let mut is_kept = vec![false; pairs.len()];
    let mut last = ends.last().copied();
    while let Some(index) = last {
        is_kept[index] = true;
        last = before[index];
    }

    let outside = pairs.iter().zip(is_kept).filter(|(_, is_kept)| !is_kept);
    outside.map(|((first, _), _)| *first).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{edits::derive_edits, test_texts::hostile_text};

    fn check(source: &str, output: &str, expected: &[&str]) {
        let (from, to) = (TokenisedText::new(source), TokenisedText::new(output));
        let edits = derive_edits(&from, &to, &align(&from, &to));
        let moved = find_moved_words(&from, &to, &edits);
        let words: Vec<&str> = moved.iter().filter_map(|span| span.slice(output)).collect();
        assert_eq!(words, expected, "{output}");
    }

    #[test]
    fn words_out_of_order_moved() {
        check(
            "In June two big boats sank.",
            "Two big boats sank in June.",
            &["in June"],
        );
        check(
            "The show by Howard Stern was loved by Cutting fans.",
            "The show by Howard Cutting Stern was loved by fans.",
            &["Cutting"],
        );
        check("The old boat sank.", "The old boat sank.", &[]);
        check("The very old boat sank.", "The boat went down.", &[]);
        check("", "", &[]);
    }

    #[test]
    fn function_words_and_punctuation_alone_do_not_move() {
        check("the boat, of wood", "of boat the, wood", &[]);
    }

    #[test]
    fn the_longest_order_stays() {
        let outside = |values: &[usize]| {
            outside_longest_order(&values.iter().copied().enumerate().collect::<Vec<_>>())
        };
        assert_eq!(outside(&[0, 1, 1, 2]), [0; 0]);
        assert_eq!(outside(&[3, 4, 5, 0, 1]), [3, 4]);
        assert_eq!(outside(&[0, 5, 1, 2, 3]), [1]);
        assert_eq!(outside(&[2, 1, 0]).len(), 2);
        assert_eq!(outside(&[]), [0; 0]);
    }

    proptest! {
        #[test]
        fn all_others_are_in_order_and_no_fewer_could_move(values in prop::collection::vec(0..9_usize, 0..10)) {
            let pairs: Vec<(usize, usize)> = values.iter().copied().enumerate().collect();
            let outside = outside_longest_order(&pairs);
            let ascends = |kept: &[usize]| kept.windows(2).all(|pair| values[pair[0]] <= values[pair[1]]);
            let kept: Vec<usize> = (0..values.len()).filter(|at| !outside.contains(at)).collect();
            prop_assert!(ascends(&kept));
            // By trying every subset.
            let longest = (0_u32..1 << values.len())
                .map(|subset| (0..values.len()).filter(|at| subset & (1 << at) != 0).collect::<Vec<_>>())
                .filter(|kept| ascends(kept))
                .map(|kept| kept.len())
                .max();
            prop_assert_eq!(Some(kept.len()), longest);
        }

        #[test]
        fn moved_words_are_words_outside_edits(source in hostile_text(), output in hostile_text()) {
            let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let edits = derive_edits(&from, &to, &align(&from, &to));
            for moved in find_moved_words(&from, &to, &edits) {
                prop_assert!(moved.slice(&output).is_some_and(|words| !words.trim().is_empty()));
            }
            prop_assert_eq!(find_moved_words(&from, &from, &[]), []);
        }
    }
}
