//! Links derived from corrected edits, as training data for an aligner.

use std::collections::BTreeMap;

use super::{
    Alignment,
    pharaoh::{LinkSet, link_set},
    similarity::{WordForm, similarity},
};
use crate::{
    edit::{Edit, corrections::find_unchanged},
    span::Span,
    text::{edits::derive_edits, tokenised_text::TokenisedText},
};

/// The number of pairs (source words × output words) above which the words of one edit are not all
/// linked with each other.
pub const MAX_PHRASE: usize = 10_000;

/// The most pairs of words of an output and its source from which an aligner learns in a study: memory and time of a
/// training grow with them.
pub const MAX_OUTPUT_CELLS: usize = 10_000;

/// Automatic alignments of the same tokens, for links that edits do not determine.
#[derive(Debug, Clone, Copy)]
pub struct BaseAlignments<'a> {
    /// The alignment for words in edits, which correspond as phrases.
    pub within: &'a Alignment,
    /// The alignment for all other words.
    pub outside: &'a Alignment,
}

/// The links that follow from `edits` of `source` into `output`.
///
/// - Words in an edit that has words of one text only (a deletion, an insertion, a split that
///   replaces nothing) have no link.
/// - The words of an edit with words of both texts are linked as phrases: by the base's links between
///   them, where a word without a link gets those of the nearest word; all with all if the base has
///   none. (In edits of more than [`MAX_PHRASE`] pairs the base's links are kept as they are.)
/// - Words outside edits keep the base's links to words outside edits. A word left without one is
///   linked with an equal unlinked word outside edits, the one nearest to where the words before it
///   lead; else with the nearest similar one between the counterparts of the linked words around it;
///   else with none.
///
/// For any edits and base, each link is within both texts.
#[must_use]
pub fn links_from_edits(
    source: &TokenisedText,
    output: &TokenisedText,
    edits: &[Edit],
    base: BaseAlignments<'_>,
) -> LinkSet {
    links_around_unchanged(source, output, (edits, &vec![false; edits.len()]), base)
}

/// The links that follow from a person's correction of the edits that `base.outside` makes: where an edit is
/// unchanged, and between words that no other edit holds, these are the base's own links. If nothing was changed, all
/// links are the base's own.
///
/// So a corrected alignment differs from the base's only by what the person changed, not by the way in which links
/// follow from edits.
#[must_use]
pub fn links_from_corrections(
    source: &TokenisedText,
    output: &TokenisedText,
    edits: &[Edit],
    base: BaseAlignments<'_>,
) -> LinkSet {
    let own = derive_edits(source, output, base.outside);
    let unchanged = find_unchanged(&own, edits, source.text(), output.text());
    if own.len() == edits.len() && unchanged.iter().all(|unchanged| *unchanged) {
        return link_set(&base.outside.links);
    }
    links_around_unchanged(source, output, (edits, &unchanged), base)
}

/// [`links_from_edits`], except that `unchanged` edits keep the links of `base.outside`.
fn links_around_unchanged(
    source: &TokenisedText,
    output: &TokenisedText,
    (edits, unchanged): (&[Edit], &[bool]),
    base: BaseAlignments<'_>,
) -> LinkSet {
    let (from, to) = (
        edits_by_token(source, edits, |edit| &edit.source),
        edits_by_token(output, edits, |edit| &edit.output),
    );
    let holders = |(i, j): (usize, usize)| Some((*from.get(i)?, *to.get(j)?));
    let keeps_links = |holder: Option<usize>| holder.is_none_or(|edit| unchanged[edit]);

    let mut links = link_set(&base.outside.links);
    links.retain(|link| holders(*link).is_some_and(|(i, j)| keeps_links(i) && keeps_links(j)));

    let mut within = vec![LinkSet::new(); edits.len()];
    for link in link_set(&base.within.links) {
        if let Some((Some(one), Some(other))) = holders(link)
            && one == other
        {
            within[one].insert(link);
        }
    }

    let (held_from, held_to) = (
        tokens_by_edit(&from, edits.len()),
        tokens_by_edit(&to, edits.len()),
    );
    let phrases = held_from.iter().zip(&held_to).zip(within);
    for (((words, others), within), unchanged) in phrases.zip(unchanged) {
        if !unchanged {
            links.extend(link_phrase(words, others, within));
        }
    }

    pair_equal((source, &from), (output, &to), &mut links);
    pair_similar((source, &from), (output, &to), &mut links);
    links
}

/// The edit, if any, that contains a part of each token.
fn edits_by_token(
    text: &TokenisedText,
    edits: &[Edit],
    side: fn(&Edit) -> &Vec<Span>,
) -> Vec<Option<usize>> {
    let tokens = text.tokens();
    let mut holders = vec![None; tokens.len()];
    for (number, edit) in edits.iter().enumerate() {
        for span in side(edit) {
            let first = tokens.partition_point(|token| token.span.end <= span.start);
            let token_holders = tokens[first..].iter().zip(&mut holders[first..]);
            for (_, holder) in token_holders.take_while(|(token, _)| token.span.start < span.end) {
                if !span.is_empty() {
                    holder.get_or_insert(number);
                }
            }
        }
    }
    holders
}

/// The tokens of each edit.
fn tokens_by_edit(holders: &[Option<usize>], edits: usize) -> Vec<Vec<usize>> {
    let mut tokens = vec![Vec::new(); edits];
    for (token, holder) in holders.iter().enumerate() {
        if let Some(edit) = holder {
            tokens[*edit].push(token);
        }
    }
    tokens
}

/// The links between the words of one edit.
fn link_phrase(words: &[usize], others: &[usize], within: LinkSet) -> LinkSet {
    if words.len().saturating_mul(others.len()) > MAX_PHRASE {
        return within;
    }

    // A word without a link gets those of the nearest word with one; all go with all where there is none.
    let mut links = within.clone();
    for &word in words {
        let nearest = within.iter().min_by_key(|(i, _)| i.abs_diff(word));
        let partners = others.iter().filter(|other| match nearest {
            Some(&(near, _)) => within.contains(&(near, **other)),
            None => true,
        });
        links.extend(partners.map(|other| (word, *other)));
    }

    for &other in others {
        let nearest = within.iter().min_by_key(|(_, j)| j.abs_diff(other));
        let partners = words
            .iter()
            .filter(|word| nearest.is_some_and(|&(_, j)| within.contains(&(**word, j))));
        links.extend(partners.map(|word| (*word, other)));
    }

    links
}

/// A text with the edit of each token.
type TokenEdits<'a> = (&'a TokenisedText, &'a [Option<usize>]);

/// The tokens outside edits that are not `linked`.
fn unlinked_tokens<'a>(
    (_, held): TokenEdits<'a>,
    linked: &'a [bool],
) -> impl Iterator<Item = usize> + 'a {
    (0..held.len()).filter(|&token| held[token].is_none() && !linked[token])
}

/// Whether each token of the source, and of the output, has a link.
fn mark_linked(
    source: TokenEdits<'_>,
    output: TokenEdits<'_>,
    links: &LinkSet,
) -> (Vec<bool>, Vec<bool>) {
    let (mut from, mut to) = (vec![false; source.1.len()], vec![false; output.1.len()]);
    for &(i, j) in links {
        from[i] = true;
        to[j] = true;
    }
    (from, to)
}

/// Links unlinked tokens outside edits with the nearest equal ones.
fn pair_equal(source: TokenEdits<'_>, output: TokenEdits<'_>, links: &mut LinkSet) {
    let (from, to) = mark_linked(source, output, links);
    let mut free = BTreeMap::<String, Vec<usize>>::new();
    for token in unlinked_tokens(output, &to) {
        let word = WordForm::new(output.0.word(token)).bare;
        free.entry(word).or_default().push(token);
    }

    for token in unlinked_tokens(source, &from) {
        let Some(equal) = free.get_mut(&WordForm::new(source.0.word(token)).bare) else {
            continue;
        };
        let place = next_output_token(links, token);
        let nearest = (0..equal.len()).min_by_key(|at| equal[*at].abs_diff(place));
        if let Some(at) = nearest {
            links.insert((token, equal.remove(at)));
        }
    }
}

/// Links unlinked tokens outside edits with the nearest similar ones between the counterparts of the linked tokens
/// around them.
fn pair_similar(source: TokenEdits<'_>, output: TokenEdits<'_>, links: &mut LinkSet) {
    let (from, mut to) = mark_linked(source, output, links);
    for token in unlinked_tokens(source, &from).collect::<Vec<_>>() {
        let place = next_output_token(links, token);
        let end = links.range((token + 1, 0)..).next().map(|(_, j)| *j);
        let form = WordForm::new(source.0.word(token));

        let mut free =
            (place..end.unwrap_or(to.len())).filter(|&at| output.1[at].is_none() && !to[at]);
        let nearest =
            free.find(|&other| similarity(&form, &WordForm::new(output.0.word(other))) > 0.0);
        if let Some(nearest) = nearest {
            to[nearest] = true;
            links.insert((token, nearest));
        }
    }
}

/// The token of the output after the last counterpart of the nearest linked token before `token`.
fn next_output_token(links: &LinkSet, token: usize) -> usize {
    let before = links.range(..(token, 0)).next_back();
    before.map_or(0, |(_, j)| j + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        edit::{EditKind, ops},
        text::{
            align::{AlignmentLink, align, pharaoh},
            edits::derive_edits,
        },
    };

    fn made(source: &TokenisedText, output: &TokenisedText) -> Vec<Edit> {
        derive_edits(source, output, &align(source, output))
    }

    /// The same alignment for all words.
    fn one(alignment: &Alignment) -> BaseAlignments<'_> {
        BaseAlignments {
            within: alignment,
            outside: alignment,
        }
    }

    /// The links after `correct`, in Pharaoh's form.
    fn check(source: &str, output: &str, correct: impl Fn(Vec<Edit>) -> Vec<Edit>, expect: &str) {
        let (from, to) = (TokenisedText::new(source), TokenisedText::new(output));
        let edits = correct(made(&from, &to));
        let links = links_from_edits(&from, &to, &edits, one(&align(&from, &to)));
        assert_eq!(pharaoh::format_links(&links), expect, "{edits:?}");
    }

    #[test]
    fn what_a_person_left_says_which_words_have_links() {
        let source = "They say, with great joy, it sank.";
        let output = "They say it happily sank.";
        let joy = Span::new(15, 24);
        let links = "0-0 1-1 7-2 8-4 9-5";
        check(source, output, |edits| edits, links);
        // The new word corresponds to two of the deleted ones.
        let put = |edits: Vec<Edit>| {
            let new = edits
                .iter()
                .position(|edit| edit.kind == EditKind::Paraphrase);
            ops::set_source(edits, new.expect("a word is new"), &[joy], source)
        };
        check(source, output, put, "0-0 1-1 4-3 5-3 7-2 8-4 9-5");
        // The annotator marked a word as deleted that the aligner had linked.
        let sank = Span::new(29, 33);
        let gone = |edits| {
            ops::add_word(
                ops::mark_deleted(edits, sank, 19, source),
                Span::new(20, 24),
                output,
            )
        };
        check(source, output, gone, "0-0 1-1 7-2 9-5");
        // A split may replace source words.
        check(
            "It sank, it burned.",
            "It sank. It burned.",
            |edits| edits,
            "0-0 1-1 2-2 3-3 4-4 5-5",
        );
    }

    #[test]
    fn words_that_nothing_links_find_equal_and_similar_ones() {
        let (source, output) = ("An old ship sank.", "The old ships sank.");
        let (from, to) = (TokenisedText::new(source), TokenisedText::new(output));
        let base = Alignment {
            links: vec![],
            ..align(&from, &to)
        };
        assert_eq!(
            pharaoh::format_links(&links_from_edits(&from, &to, &[], one(&base))),
            "1-1 2-2 3-3 4-4"
        );
    }

    #[test]
    fn unchanged_edits_keep_the_links_of_the_aligner() {
        let (source, output) = ("The old boat sank in the bay.", "The ship went down there.");
        let (from, to) = (TokenisedText::new(source), TokenisedText::new(output));
        let outside = align(&from, &to);
        let everywhere = (0..from.len()).flat_map(|source| {
            let link = move |output| AlignmentLink {
                source,
                output,
                confidence: 1.0,
            };
            (0..to.len()).map(link)
        });
        // Phrases that link everything show where they are used.
        let within = Alignment {
            links: everywhere.collect(),
            ..outside.clone()
        };
        let base = BaseAlignments {
            within: &within,
            outside: &outside,
        };
        let own = made(&from, &to);
        let links = |edits: &[Edit]| links_from_corrections(&from, &to, edits, base);
        let word_links = link_set(&outside.links);
        assert_eq!(links(&own), word_links);
        // One edit is taken away: the links within all others are the aligner's own.
        let left = &own[1..];
        let changed = links(left);
        let (of_source, of_output) = (
            edits_by_token(&from, left, |edit| &edit.source),
            edits_by_token(&to, left, |edit| &edit.output),
        );
        for (i, j) in changed.symmetric_difference(&word_links) {
            assert!(
                of_source[*i].is_none() && of_output[*j].is_none(),
                "{i}-{j}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_the_aligner_made_comes_back(
            source in "([a-d]{1,3}|[,.;é])( ([a-d]{1,3}|[,.;])){0,14}|\\PC{0,40}",
            output in "([a-d]{1,3}|[,.;é])( ([a-d]{1,3}|[,.;])){0,14}|\\PC{0,40}",
        ) {
            let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let base = align(&from, &to);
            let automatic_edits = derive_edits(&from, &to, &base);
            let links = links_from_edits(&from, &to, &automatic_edits, one(&base));
            let as_alignment = Alignment {
                links: links
                    .iter()
                    .map(|&(source, output)| AlignmentLink { source, output, confidence: 1.0 })
                    .collect(),
                near_misses: vec![],
                ..base
            };
            let again = derive_edits(&from, &to, &as_alignment);
            let differing = |edits: &[Edit]| {
                let in_edits = |text, side| -> Vec<bool> {
                    edits_by_token(text, edits, side).iter().map(Option::is_some).collect()
                };
                (in_edits(&from, |edit| &edit.source), in_edits(&to, |edit| &edit.output))
            };
            prop_assert_eq!(differing(&again), differing(&automatic_edits), "{:?}", links);
        }

        #[test]
        fn any_edits_and_any_base_give_links_within_the_texts(
            source in "\\PC{0,30}|([a-d]{1,3}|[,.;])( ([a-d]{1,3}|[,.;])){0,14}",
            output in "\\PC{0,30}|([a-d]{1,3}|[,.;])( ([a-d]{1,3}|[,.;])){0,14}",
            spans in prop::collection::vec((0..3_usize, 0..30_usize, 0..9_usize, 0..30_usize, 0..9_usize), 0..6),
            base in prop::collection::vec((0..20_usize, 0..20_usize), 0..20),
        ) {
            let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let edits: Vec<_> = spans.iter().map(|&(kind, i, more, j, others)| Edit {
                kind: EditKind::ALL[kind],
                source: vec![Span::new(i, i + more)],
                output: vec![Span::new(j, j + others)],
                confidence: None,
            }).collect();
            let link = |&(source, output): &(usize, usize)| AlignmentLink { source, output, confidence: 1.0 };
            let base = Alignment { links: base.iter().map(link).collect(), ..align(&from, &to) };
            let links = links_from_edits(&from, &to, &edits, one(&base));
            prop_assert!(links.iter().all(|(i, j)| *i < from.len() && *j < to.len()));
        }
    }
}
