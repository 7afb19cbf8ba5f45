//! Edits by token indices, before conversion to spans.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::{self, AddedEnd};
use crate::{
    edit::EditKind,
    span::Span,
    text::{
        align::{Alignment, AlignmentLink},
        tokenise::normalise_token,
        tokenised_text::TokenisedText,
    },
};

/// One edit by the indices of its tokens, ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenChange {
    /// The kind of change.
    pub kind: EditKind,
    /// The tokens of the source.
    pub source: Vec<usize>,
    /// The tokens of the output.
    pub output: Vec<usize>,
    /// Its position in the output if it has no tokens there.
    pub place: Option<Span>,
    /// The aligner's confidence, 0 to 1.
    pub confidence: f64,
}

/// All changes, in no particular order.
#[must_use]
pub fn find_changes(
    source: &TokenisedText,
    output: &TokenisedText,
    alignment: &Alignment,
) -> Vec<TokenChange> {
    let mut links = alignment.links.clone();
    ends::link_last_ends(source, output, &mut links);
    let doubt = MissProbabilities::new(alignment);

    let mut changes: Vec<TokenChange> = Vec::new();
    for end in ends::find_added_ends(source, output, &links) {
        changes.push(extract_split(end, &mut links, &doubt));
    }

    let cuts = cuts(output, &changes);
    let claimed_source: BTreeSet<usize> = changes.iter().flat_map(|c| c.source.clone()).collect();
    let claimed_output: BTreeSet<usize> = changes.iter().flat_map(|c| c.output.clone()).collect();

    let (mut deleted, mut inserted, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for group in group_tokens(source.len(), output.len(), &links) {
        let (from, to) = differing_tokens(source, output, group);
        match (from.is_empty(), to.is_empty()) {
            (true, true) => {}
            (false, true) => deleted.extend(from),
            (true, false) => inserted.extend(to),
            (false, false) => changed.push((from, to)),
        }
    }

    deleted.retain(|at| !claimed_source.contains(at));
    inserted.retain(|at| !claimed_output.contains(at));

    changes.extend(
        split_runs(deleted, &BTreeSet::new())
            .into_iter()
            .map(|run| TokenChange {
                kind: EditKind::Deletion,
                place: Some(Span::at(caret(output, &links, run[0]))),
                confidence: min_confidence(run.iter().map(|at| 1.0 - doubt.for_source(*at))),
                source: run,
                output: Vec::new(),
            }),
    );
    changes.extend(
        split_runs(inserted, &cuts)
            .into_iter()
            .map(|run| TokenChange {
                kind: EditKind::Paraphrase,
                confidence: min_confidence(run.iter().map(|at| 1.0 - doubt.for_output(*at))),
                source: Vec::new(),
                output: run,
                place: None,
            }),
    );
    changes.extend(join_phrases(changed, &cuts).into_iter().map(|(from, to)| {
        let own_links = links
            .iter()
            .filter(|l| from.contains(&l.source) && to.contains(&l.output));
        let confidence = min_confidence(own_links.map(|l| l.confidence));
        TokenChange {
            kind: EditKind::Paraphrase,
            source: from,
            output: to,
            place: None,
            confidence,
        }
    }));
    changes
}

/// The tokens of the output before which a line end is a split of its own: no other edit may
/// contain the white space there, as no character belongs to two edits.
pub(super) fn cuts(output: &TokenisedText, changes: &[TokenChange]) -> BTreeSet<usize> {
    let places = changes.iter().filter_map(|change| change.place);
    places
        .filter(|place| !place.is_empty())
        .map(|place| {
            output
                .tokens()
                .partition_point(|token| token.span.start < place.end)
        })
        .collect()
}

/// The offset in the output after the counterpart of the nearest linked token before `token`; if there is none, the
/// offset before the counterpart of the first linked token.
pub(super) fn caret(output: &TokenisedText, links: &[AlignmentLink], token: usize) -> usize {
    let before = links
        .iter()
        .filter(|l| l.source < token)
        .max_by_key(|l| (l.source, l.output));
    let after = links
        .iter()
        .filter(|l| l.source > token)
        .min_by_key(|l| (l.source, l.output));

    match (before, after) {
        (Some(link), _) => output.tokens()[link.output].span.end,
        (None, Some(link)) => output.tokens()[link.output].span.start,
        (None, None) => 0,
    }
}

/// Removes an added sentence end from `links`, with the source tokens that have no other counterpart.
fn extract_split(
    end: AddedEnd,
    links: &mut Vec<AlignmentLink>,
    doubt: &MissProbabilities,
) -> TokenChange {
    let kind = EditKind::Split;
    match end {
        AddedEnd::Place(place) => TokenChange {
            kind,
            source: Vec::new(),
            output: Vec::new(),
            place: Some(place),
            confidence: 1.0,
        },
        AddedEnd::Token(token) => {
            let (own, rest): (Vec<AlignmentLink>, Vec<AlignmentLink>) =
                links.iter().partition(|link| link.output == token);

            let source = own
                .iter()
                .filter(|link| rest.iter().all(|other| other.source != link.source))
                .map(|link| link.source)
                .collect();
            let confidence = min_confidence(
                own.iter()
                    .map(|l| l.confidence)
                    .chain([1.0 - doubt.for_output(token)]),
            );
            *links = rest;

            TokenChange {
                kind,
                source,
                output: vec![token],
                place: None,
                confidence,
            }
        }
    }
}

/// The probability that a token without a link should have one.
struct MissProbabilities {
    source: BTreeMap<usize, f64>,
    output: BTreeMap<usize, f64>,
}

impl MissProbabilities {
    fn new(alignment: &Alignment) -> Self {
        let mut doubt = Self {
            source: BTreeMap::new(),
            output: BTreeMap::new(),
        };
        for miss in &alignment.near_misses {
            let source: &mut f64 = doubt.source.entry(miss.source).or_default();
            *source = source.max(miss.confidence);
            let output: &mut f64 = doubt.output.entry(miss.output).or_default();
            *output = output.max(miss.confidence);
        }
        doubt
    }

    fn for_source(&self, token: usize) -> f64 {
        self.source.get(&token).copied().unwrap_or_default()
    }

    fn for_output(&self, token: usize) -> f64 {
        self.output.get(&token).copied().unwrap_or_default()
    }
}

fn min_confidence(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(1.0, f64::min)
}

type TokenGroup = (Vec<usize>, Vec<usize>);

/// The connected components of tokens under the links; a token without links is a group of its
/// own.
fn group_tokens(sources: usize, outputs: usize, links: &[AlignmentLink]) -> Vec<TokenGroup> {
    let mut parent: Vec<usize> = (0..sources + outputs).collect();
    for link in links {
        let (a, b) = (
            find_root(&mut parent, link.source),
            find_root(&mut parent, sources + link.output),
        );
        parent[b.max(a)] = a.min(b);
    }

    let mut groups: BTreeMap<usize, TokenGroup> = BTreeMap::new();
    for node in 0..sources + outputs {
        let group = groups.entry(find_root(&mut parent, node)).or_default();
        match node.checked_sub(sources) {
            None => group.0.push(node),
            Some(output) => group.1.push(output),
        }
    }
    groups.into_values().collect()
}

fn find_root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// The differences within a group: none if both sides differ only in case and word boundaries,
/// otherwise all words that only one side has.
fn differing_tokens(
    source: &TokenisedText,
    output: &TokenisedText,
    (from, to): TokenGroup,
) -> TokenGroup {
    // Most words are unchanged.
    if let ([old], [new]) = (&from[..], &to[..])
        && source.word(*old) == output.word(*new)
    {
        return TokenGroup::default();
    }
    if !from.is_empty() && join_normalised(source, &from) == join_normalised(output, &to) {
        return TokenGroup::default();
    }

    // Each word of the source takes one equal word of the output with it.
    let mut unmatched: Vec<(usize, &String)> = to
        .iter()
        .map(|&at| (at, &output.normalised_words()[at]))
        .collect();
    let own = from.into_iter().filter(|&at| {
        let word = &source.normalised_words()[at];
        let twin = unmatched.iter().position(|(_, other)| *other == word);
        twin.map(|twin| unmatched.remove(twin)).is_none()
    });
    (
        own.collect(),
        unmatched.into_iter().map(|(at, _)| at).collect(),
    )
}

/// The tokens as one word, normalised.
fn join_normalised(text: &TokenisedText, tokens: &[usize]) -> String {
    match tokens {
        [token] => text.normalised_words()[*token].clone(),
        _ => normalise_token(&tokens.iter().map(|&at| text.word(at)).collect::<String>()),
    }
}

/// Contiguous runs of tokens, none across a cut.
fn split_runs(mut tokens: Vec<usize>, cuts: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    tokens.sort_unstable();
    tokens
        .chunk_by(|a, b| a + 1 == *b && !cuts.contains(b))
        .map(<[usize]>::to_vec)
        .collect()
}

/// Joins changed words that are neighbours in both texts, except across a cut.
fn join_phrases(mut changed: Vec<TokenGroup>, cuts: &BTreeSet<usize>) -> Vec<TokenGroup> {
    changed.sort_by_key(|(_, to)| to[0]);
    let mut joined: Vec<TokenGroup> = Vec::with_capacity(changed.len());
    for (from, to) in changed {
        match joined.last_mut() {
            Some((last_from, last_to))
                if follows(last_from, &from) && follows(last_to, &to) && !cuts.contains(&to[0]) =>
            {
                last_from.extend(from);
                last_to.extend(to);
            }
            _ => joined.push((from, to)),
        }
    }
    joined
}

fn follows(before: &[usize], after: &[usize]) -> bool {
    matches!((before.last(), after.first()), (Some(last), Some(first)) if last + 1 == *first)
}
