//! The corrections of annotators: the automatic edits of an output compared with those that an
//! annotator left.

use std::{cmp::Reverse, iter::Sum, ops::AddAssign};

use super::{Edit, EditKind};
use crate::{span::Span, undefined::UndefinedReason};

/// The fate of the edits of one kind, counted over outputs and their annotators.
///
/// An edit counts under the kind that the aligner gave it; an added edit, under the annotator's kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CorrectionCounts {
    /// Automatic edits left unchanged.
    pub unchanged: u64,
    /// Automatic edits whose words or kind were changed.
    pub changed: u64,
    /// Automatic edits that were deleted, so that no edit of the annotator is their changed form.
    pub removed: u64,
    /// Edits of annotators without an automatic counterpart.
    pub added: u64,
}

impl CorrectionCounts {
    /// The number of automatic edits.
    #[must_use]
    pub const fn automatic(self) -> u64 {
        self.unchanged + self.changed + self.removed
    }

    /// The correction rate: (changed + removed + added) / (automatic + added), from 0, everything
    /// was left unchanged, to 1, nothing was.
    ///
    /// # Errors
    /// [`UndefinedReason::NoEdit`] where there was neither an automatic edit nor an added one.
    pub fn correction_rate(self) -> Result<f64, UndefinedReason> {
        let all = self.automatic() + self.added;
        match all {
            0 => Err(UndefinedReason::NoEdit),
            _ => Ok((all - self.unchanged) as f64 / all as f64),
        }
    }
}

impl AddAssign for CorrectionCounts {
    fn add_assign(&mut self, other: Self) {
        self.unchanged += other.unchanged;
        self.changed += other.changed;
        self.removed += other.removed;
        self.added += other.added;
    }
}

/// The [`CorrectionCounts`] of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EditCorrections([CorrectionCounts; 3]);

impl EditCorrections {
    /// Compares the edits that an annotator left, `given`, with the automatic ones of the same texts.
    ///
    /// - An automatic edit is *unchanged* if the annotator left one of its kind with the same words;
    ///   confidences, white space and the caret of a deletion are ignored.
    /// - The others are paired if they share words, those that share most first (by bytes of
    ///   both texts, ties by their order), each once: a pair is one *changed* edit.
    /// - The rest was *removed*, or *added*.
    #[must_use]
    pub fn from_edits(automatic: &[Edit], given: &[Edit], source: &str, output: &str) -> Self {
        let mut automatic = edit_shapes(automatic, source, output);
        let mut corrected = edit_shapes(given, source, output);

        let mut counts = Self::default();
        automatic.retain(
            |shape| match corrected.iter().position(|candidate| candidate == shape) {
                Some(same) => {
                    corrected.remove(same);
                    counts.kind_mut(shape.kind).unchanged += 1;
                    false
                }
                None => true,
            },
        );

        let (changed, replacements) = pair_shapes(&automatic, &corrected);
        for (at, shape) in automatic.iter().enumerate() {
            let counts = counts.kind_mut(shape.kind);
            match changed.contains(&at) {
                true => counts.changed += 1,
                false => counts.removed += 1,
            }
        }
        for (at, shape) in corrected.iter().enumerate() {
            counts.kind_mut(shape.kind).added += u64::from(!replacements.contains(&at));
        }
        counts
    }

    /// The counts if an annotator left all automatic edits unchanged.
    #[must_use]
    pub fn from_uncorrected(automatic: &[Edit]) -> Self {
        let mut counts = Self::default();
        for edit in automatic {
            counts.kind_mut(edit.kind).unchanged += 1;
        }
        counts
    }

    /// The counts of a kind.
    #[must_use]
    pub const fn of_kind(&self, kind: EditKind) -> CorrectionCounts {
        self.0[kind as usize]
    }

    /// The counts of all kinds together.
    #[must_use]
    pub fn total(&self) -> CorrectionCounts {
        let mut total = CorrectionCounts::default();
        for counts in self.0 {
            total += counts;
        }
        total
    }

    /// Whether anything was corrected.
    #[must_use]
    pub fn has_corrections(&self) -> bool {
        self.0
            .iter()
            .any(|counts| counts.changed + counts.removed + counts.added > 0)
    }

    const fn kind_mut(&mut self, kind: EditKind) -> &mut CorrectionCounts {
        &mut self.0[kind as usize]
    }
}

impl AddAssign for EditCorrections {
    fn add_assign(&mut self, other: Self) {
        for (counts, more) in self.0.iter_mut().zip(other.0) {
            *counts += more;
        }
    }
}

impl Sum for EditCorrections {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |mut sum, counts| {
            sum += counts;
            sum
        })
    }
}

/// For each edit of `given`, whether it is one of `automatic`, compared as [`EditCorrections`] does; each automatic edit
/// counts once.
#[must_use]
pub fn find_unchanged(automatic: &[Edit], given: &[Edit], source: &str, output: &str) -> Vec<bool> {
    let mut unmatched = edit_shapes(automatic, source, output);
    let are_unchanged = edit_shapes(given, source, output).into_iter().map(|shape| {
        let same = unmatched.iter().position(|candidate| *candidate == shape);
        same.map(|at| unmatched.remove(at)).is_some()
    });
    are_unchanged.collect()
}

fn edit_shapes(edits: &[Edit], source: &str, output: &str) -> Vec<EditShape> {
    edits
        .iter()
        .map(|edit| EditShape::from_edit(edit, source, output))
        .collect()
}

/// The parts of an edit that decide whether it was corrected.
#[derive(Debug, PartialEq, Eq)]
struct EditShape {
    kind: EditKind,
    source: Vec<Span>,
    output: Vec<Span>,
}

impl EditShape {
    fn from_edit(edit: &Edit, source: &str, output: &str) -> Self {
        let kind = edit.kind;
        Self {
            kind,
            source: join_blank_gaps(&edit.source, source),
            // A caret follows from the surrounding words, so it is not compared.
            output: match kind {
                EditKind::Deletion => Vec::new(),
                EditKind::Paraphrase | EditKind::Split => join_blank_gaps(&edit.output, output),
            },
        }
    }

    /// The number of bytes in both.
    fn shared_bytes(&self, other: &Self) -> usize {
        overlap_bytes(&self.source, &other.source) + overlap_bytes(&self.output, &other.output)
    }
}

/// Merges stretches with only white space between them.
fn join_blank_gaps(spans: &[Span], text: &str) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if is_blank_between(*last, *span, text) => last.end = span.end,
            _ => joined.push(*span),
        }
    }
    joined
}

fn is_blank_between(before: Span, after: Span, text: &str) -> bool {
    let gap = text.get(before.end..after.start);
    gap.is_some_and(|gap| gap.trim().is_empty())
}

fn overlap_bytes(a: &[Span], b: &[Span]) -> usize {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    pairs
        .map(|(a, b)| a.end.min(b.end).saturating_sub(a.start.max(b.start)))
        .sum()
}

/// The indices of edits with a counterpart on the other side, for each side.
fn pair_shapes(automatic: &[EditShape], given: &[EditShape]) -> (Vec<usize>, Vec<usize>) {
    let mut pairs = Vec::new();
    for (a, shape) in automatic.iter().enumerate() {
        let candidates = given.iter().enumerate();
        let candidates =
            candidates.map(|(b, candidate)| (Reverse(shape.shared_bytes(candidate)), a, b));
        pairs.extend(candidates.filter(|(Reverse(bytes), ..)| *bytes > 0));
    }
    pairs.sort_unstable();

    let (mut paired_automatic, mut paired_given) = (Vec::new(), Vec::new());
    for (_, a, b) in pairs {
        if !paired_automatic.contains(&a) && !paired_given.contains(&b) {
            paired_automatic.push(a);
            paired_given.push(b);
        }
    }
    (paired_automatic, paired_given)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        edit::ops,
        text::{align::align, edits::derive_edits, tokenised_text::TokenisedText},
    };

    const SOURCE: &str = "The very old boat sank in the harbour, and burned.";
    const OUTPUT: &str = "The boat went down in the port. It burned.";

    fn automatic(source: &str, output: &str) -> Vec<Edit> {
        let (from, to) = (TokenisedText::new(source), TokenisedText::new(output));
        derive_edits(&from, &to, &align(&from, &to))
    }

    /// Unchanged, changed, removed, added.
    fn counts(given: &[Edit], kind: EditKind) -> [u64; 4] {
        let corrections =
            EditCorrections::from_edits(&automatic(SOURCE, OUTPUT), given, SOURCE, OUTPUT);
        let kind_counts = corrections.of_kind(kind);
        [
            kind_counts.unchanged,
            kind_counts.changed,
            kind_counts.removed,
            kind_counts.added,
        ]
    }

    fn at(edits: &[Edit], words: &str) -> usize {
        let holds = |edit: &Edit| {
            let (old, new) = (edit.source.first(), edit.output.first());
            old.and_then(|span| span.slice(SOURCE)) == Some(words)
                || new.and_then(|span| span.slice(OUTPUT)) == Some(words)
        };
        edits.iter().position(holds).expect("there is such an edit")
    }

    #[test]
    fn each_correction_counts_once_by_its_kind() {
        use EditKind::{Deletion, Paraphrase, Split};
        let edits = automatic(SOURCE, OUTPUT);
        let count = |kind| edits.iter().filter(|edit| edit.kind == kind).count() as u64;
        let (deletions, splits) = (count(Deletion), count(Split));
        assert!(deletions > 0 && splits > 0 && count(Paraphrase) > 0);
        for kind in EditKind::ALL {
            assert_eq!(counts(&edits, kind), [count(kind), 0, 0, 0]);
            assert_eq!(counts(&[], kind), [0, 0, count(kind), 0]);
        }
        let without = ops::remove(edits.clone(), at(&edits, "very old"));
        assert_eq!(counts(&without, Deletion), [deletions - 1, 0, 1, 0]);
        let old = Span::new(9, 12);
        let shorter = ops::set_source(edits.clone(), at(&edits, "very old"), &[old], SOURCE);
        assert_eq!(counts(&shorter, Deletion), [deletions - 1, 1, 0, 0]);
        let retyped = ops::retype(edits.clone(), at(&edits, "."), Paraphrase);
        assert_eq!(counts(&retyped, Split), [splits - 1, 1, 0, 0]);
        assert_eq!(counts(&retyped, Paraphrase)[3], 0);
        let more = ops::add_word(edits.clone(), Span::new(0, 3), OUTPUT);
        assert_eq!(counts(&more, Paraphrase), [count(Paraphrase), 0, 0, 1]);
    }

    #[test]
    fn two_edits_joined_are_one_changed_and_one_taken_away() {
        let edits = automatic("It is old and red", "It is old");
        let text = "It is old and red";
        let halves: Vec<Edit> = [(10, 13), (14, 17)]
            .map(|(start, end)| Edit {
                source: vec![Span::new(start, end)],
                ..edits[0].clone()
            })
            .into();
        let corrections = EditCorrections::from_edits(&halves, &edits, text, "It is old");
        let deletions = corrections.of_kind(EditKind::Deletion);
        assert_eq!(
            (deletions.changed, deletions.removed, deletions.added),
            (1, 1, 0)
        );
        // Stretches separated by a space equal a single stretch.
        let apart = Edit {
            source: vec![Span::new(10, 13), Span::new(14, 17)],
            ..edits[0].clone()
        };
        assert!(
            !EditCorrections::from_edits(&edits, &[apart], text, "It is old").has_corrections()
        );
    }

    #[test]
    fn a_rate_is_a_share_and_undefined_of_nothing() {
        let counts = CorrectionCounts {
            unchanged: 6,
            changed: 1,
            removed: 1,
            added: 2,
        };
        assert_eq!(counts.automatic(), 8);
        assert_eq!(counts.correction_rate(), Ok(0.4));
        assert_eq!(
            CorrectionCounts::default().correction_rate(),
            Err(UndefinedReason::NoEdit)
        );
    }

    proptest! {
        #[test]
        fn every_edit_is_counted_once(
            source in "([a-d]{1,2}|[,.;])( ([a-d]{1,2}|[,.;])){0,10}",
            one in "([a-d]{1,2}|[,.;])( ([a-d]{1,2}|[,.;])){0,10}|\\PC{0,20}",
            steps in prop::collection::vec((0..5, 0..9_usize), 0..6),
        ) {
            let automatic_edits = automatic(&source, &one);
            let corrected_edits = steps.iter().fold(automatic_edits.clone(), |edits, (operation, at)| match operation {
                0 => ops::remove(edits, *at),
                1 => ops::join(edits, *at, at + 1),
                2 => ops::retype(edits, *at, EditKind::ALL[at % 3]),
                3 => ops::confirm(edits, *at),
                _ => match TokenisedText::new(&one).tokens().get(*at) {
                    Some(token) => ops::add_word(edits, token.span, &one),
                    None => edits,
                },
            });
            let count = |edits: &[Edit], kind| edits.iter().filter(|edit| edit.kind == kind).count() as u64;
            let forward = EditCorrections::from_edits(&automatic_edits, &corrected_edits, &source, &one);
            let back = EditCorrections::from_edits(&corrected_edits, &automatic_edits, &source, &one);
            let (mut kept, mut stood) = (0, 0);
            for kind in EditKind::ALL {
                let kind_counts = forward.of_kind(kind);
                prop_assert_eq!(kind_counts.automatic(), count(&automatic_edits, kind));
                prop_assert_eq!(kind_counts.unchanged, back.of_kind(kind).unchanged);
                prop_assert!(kind_counts.correction_rate().is_ok_and(|rate| (0.0..=1.0).contains(&rate)) || kind_counts == CorrectionCounts::default());
                kept += kind_counts.unchanged + kind_counts.changed + kind_counts.added;
                stood += kind_counts.unchanged;
            }
            prop_assert_eq!(kept, corrected_edits.len() as u64);
            prop_assert_eq!(forward.total().automatic(), automatic_edits.len() as u64);
            prop_assert_eq!(forward.has_corrections(), stood < automatic_edits.len().max(corrected_edits.len()) as u64);
            // To confirm an edit is not to correct it.
            let confirmed = (0..automatic_edits.len()).fold(automatic_edits.clone(), ops::confirm);
            prop_assert!(!EditCorrections::from_edits(&automatic_edits, &confirmed, &source, &one).has_corrections());
            prop_assert_eq!(EditCorrections::from_edits(&automatic_edits, &automatic_edits, &source, &one), EditCorrections::from_uncorrected(&automatic_edits));
        }
    }
}
