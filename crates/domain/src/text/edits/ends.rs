//! Sentence ends that only the output has.

use std::collections::BTreeSet;

use crate::{
    span::Span,
    text::{align::AlignmentLink, tokenised_text::TokenisedText},
};

/// An added sentence end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddedEnd {
    /// A token of the output: a period, a semicolon.
    Token(usize),
    /// A position without a token of its own: a line end, or the period of an abbreviation.
    Place(Span),
}

/// Links the last sentence ends of both texts to each other, where one of them is linked to an
/// inner one and the other to nothing or to the same: periods are matched by what follows them,
/// and nothing follows the last one.
pub(super) fn link_last_ends(
    source: &TokenisedText,
    output: &TokenisedText,
    links: &mut Vec<AlignmentLink>,
) {
    let (Some(last_source), Some(last_output)) = (last_sign(source), last_sign(output)) else {
        return;
    };

    let (source_ends, output_ends) = (inner_signs(source), inner_signs(output));
    let strays = |link: &AlignmentLink| {
        (link.source == last_source && output_ends.contains(&link.output))
            || (link.output == last_output && source_ends.contains(&link.source))
    };
    let Some(stray) = links.iter().copied().find(strays) else {
        return;
    };

    let apart = |link: &AlignmentLink| {
        strays(link) || (link.source != last_source && link.output != last_output)
    };
    let joined = |link: &AlignmentLink| link.source == last_source && link.output == last_output;

    if links.iter().all(|link| apart(link) || joined(link)) {
        links.retain(|link| !strays(link) && !joined(link));
        links.push(AlignmentLink {
            source: last_source,
            output: last_output,
            ..stray
        });
        links.sort_by_key(|link| (link.source, link.output));
    }
}

/// The sentence ends, semicolons and line ends of `output` without a counterpart in `source`, in
/// order.
pub(super) fn find_added_ends(
    source: &TokenisedText,
    output: &TokenisedText,
    links: &[AlignmentLink],
) -> Vec<AddedEnd> {
    let (source_ends, source_breaks) = (inner_signs(source), find_breaks(source));
    let signs = inner_signs(output);
    let is_kept = |token: usize| {
        let mut counterparts = links.iter().filter(|l| l.output == token).map(|l| l.source);
        let same = |at| !signs.contains(&token) && source.word(at) == output.word(token);
        counterparts.any(|at| source_ends.contains(&at) || same(at))
    };

    let semicolons = (0..output.len().saturating_sub(1)).filter(|&at| output.word(at) == ";");
    let tokens: BTreeSet<usize> = signs.iter().copied().chain(semicolons).collect();
    let of_tokens = tokens
        .iter()
        .filter(|&&at| !is_kept(at))
        .map(|&at| AddedEnd::Token(at));

    let of_places = find_breaks(output).into_iter().filter(|place| {
        let ends_sentence = tokens.iter().any(|&at| closes(output, at, place.after));
        !ends_sentence
            && !source_breaks
                .iter()
                .any(|other| same_place(links, *other, *place))
    });

    let mut ends: Vec<AddedEnd> = of_tokens
        .chain(of_places.map(|place| AddedEnd::Place(place.span)))
        .collect();
    ends.sort_by_key(|end| match end {
        AddedEnd::Token(at) => output.tokens()[*at].span.start,
        AddedEnd::Place(span) => span.start,
    });
    ends
}

/// The punctuation mark that ends the last sentence, if any.
fn last_sign(text: &TokenisedText) -> Option<usize> {
    sign_before(text, text.len())
}

/// The punctuation marks that end the sentences before the last.
fn inner_signs(text: &TokenisedText) -> BTreeSet<usize> {
    inner_ends(text)
        .into_iter()
        .filter_map(|end| sign_before(text, end))
        .collect()
}

fn inner_ends(text: &TokenisedText) -> Vec<usize> {
    let mut ends = text.sentence_ends();
    ends.pop();
    ends
}

/// The terminator before token `end`, with only closing punctuation between.
fn sign_before(text: &TokenisedText, end: usize) -> Option<usize> {
    (0..end)
        .rev()
        .take_while(|&at| is_punctuation(text.word(at)))
        .find(|&at| {
            text.word(at)
                .contains(['.', '!', '?', '…', '。', '！', '？'])
        })
}

fn is_punctuation(word: &str) -> bool {
    word.chars().all(|c| !c.is_alphanumeric())
}

/// A sentence boundary or line end between the tokens `after - 1` and `after`.
#[derive(Debug, Clone, Copy)]
struct SentenceBreak {
    after: usize,
    span: Span,
}

/// Sentence ends without punctuation of their own, and line ends.
fn find_breaks(text: &TokenisedText) -> Vec<SentenceBreak> {
    let ends = inner_ends(text);
    (1..text.len())
        .filter_map(|after| find_break(text, &ends, after))
        .collect()
}

/// The break before token `after`, if there is one; `ends` as from [`inner_ends`].
fn find_break(text: &TokenisedText, ends: &[usize], after: usize) -> Option<SentenceBreak> {
    let (before, next) = (text.tokens()[after - 1].span, text.tokens()[after].span);
    let line_end = text.text()[before.end..next.start]
        .find('\n')
        .map(|at| before.end + at);
    let span = match line_end {
        Some(place) => Span::new(place, place + 1),
        None if ends.contains(&after) => Span::at(before.end),
        None => return None,
    };
    (line_end.is_some() || sign_before(text, after).is_none())
        .then_some(SentenceBreak { after, span })
}

/// Whether the punctuation at `token` ends the sentence before token `after`.
fn closes(text: &TokenisedText, token: usize, after: usize) -> bool {
    token < after && (token + 1..after).all(|at| is_punctuation(text.word(at)))
}

/// Whether the words around two positions correspond.
fn same_place(links: &[AlignmentLink], source: SentenceBreak, output: SentenceBreak) -> bool {
    let before = links
        .iter()
        .filter(|l| l.output < output.after)
        .max_by_key(|l| l.output);
    let after = links
        .iter()
        .filter(|l| l.output >= output.after)
        .min_by_key(|l| l.output);
    before.is_none_or(|l| l.source < source.after) && after.is_none_or(|l| l.source >= source.after)
}
