//! The marks in doubt: those that people check first.

use std::cmp::Reverse;

use super::Edit;

/// One mark in this many is in doubt, at most.
///
/// The threshold alone left 39 of the 90 marks of a source in doubt. Where almost every line has one, people stop
/// looking; a few that are worth a look are looked at.
pub const MARKS_PER_UNSURE: usize = 10;

/// An output's text with its automatic edits.
pub type OutputMarks<'a> = (&'a str, &'a [Edit]);

/// The edits in doubt among those of all `outputs` of a source, as indices into the edits of each output.
///
/// They carry a mark, the aligner is unsure of them ([`Edit::is_unsure`]), and they are at most one in
/// [`MARKS_PER_UNSURE`] of the source's marks: the least sure ones. Of equally sure ones, which are many with the
/// string aligner, those with most words come first, as more of them can be wrong; then the order of the texts
/// decides, so that each annotator gets the same ones however the outputs are shuffled.
#[must_use]
pub fn choose_unsure(source: &str, outputs: &[OutputMarks<'_>]) -> Vec<Vec<usize>> {
    let mut marks = 0;
    let mut candidates: Vec<UnsureCandidate<'_>> = Vec::new();
    for (place, (text, edits)) in outputs.iter().enumerate() {
        for (index, edit) in edits.iter().enumerate() {
            if !edit.is_silent(source, text) {
                marks += 1;
                if edit.is_unsure() {
                    candidates.push((place, index, edit));
                }
            }
        }
    }

    candidates.sort_by(|one, other| {
        let by_confidence = confidence(one).total_cmp(&confidence(other));
        by_confidence.then_with(|| tie_key(one, outputs).cmp(&tie_key(other, outputs)))
    });

    let mut unsure = vec![Vec::new(); outputs.len()];
    for (place, index, _) in candidates.into_iter().take(marks / MARKS_PER_UNSURE) {
        unsure[place].push(index);
    }
    unsure
        .iter_mut()
        .for_each(|indices| indices.sort_unstable());
    unsure
}

/// The number of an output, the index of one of its edits, and that edit.
type UnsureCandidate<'a> = (usize, usize, &'a Edit);

fn confidence((_, _, edit): &UnsureCandidate<'_>) -> f64 {
    edit.confidence.unwrap_or(1.0)
}

/// The order of equally sure edits.
fn tie_key<'a>(
    (place, index, edit): &UnsureCandidate<'_>,
    outputs: &[OutputMarks<'a>],
) -> (Reverse<usize>, &'a str, usize) {
    (Reverse(extent(edit)), outputs[*place].0, *index)
}

/// The bytes of both texts that an edit covers.
fn extent(edit: &Edit) -> usize {
    let stretches = edit.source.iter().chain(&edit.output);
    stretches
        .map(|span| span.end.saturating_sub(span.start))
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{edit::EditKind, span::Span};

    const TEXT: &str = "abcdefghijklmnopqrstuvwxyz";

    /// An edit of new words, as long as given.
    fn edit(confidence: f64, length: usize) -> Edit {
        Edit {
            kind: EditKind::Paraphrase,
            source: vec![],
            output: vec![Span::new(0, length)],
            confidence: Some(confidence),
        }
    }

    #[test]
    fn the_least_sure_tenth_is_in_doubt() {
        let mut edits: Vec<Edit> = (0..30).map(|_| edit(0.9, 3)).collect();
        for (index, confidence) in [(4, 0.69), (7, 0.2), (9, 0.6), (21, 0.5)] {
            edits[index] = edit(confidence, 3);
        }
        assert_eq!(choose_unsure("", &[(TEXT, &edits)]), [vec![7, 9, 21]]);
        // Sure edits are not in doubt, although there would be room for them.
        let sure: Vec<Edit> = (0..30).map(|_| edit(0.7, 3)).collect();
        assert_eq!(choose_unsure("", &[(TEXT, &sure)]), [Vec::<usize>::new()]);
        // Nine marks have no tenth.
        assert_eq!(
            choose_unsure("", &[(TEXT, &edits[..9])]),
            [Vec::<usize>::new()]
        );
    }

    #[test]
    fn marks_without_words_neither_count_nor_are_in_doubt() {
        let comma = Edit {
            output: vec![Span::new(0, 1)],
            ..edit(0.1, 1)
        };
        let commas = vec![comma; 20];
        assert_eq!(
            choose_unsure("", &[(",bcdefg", &commas)]),
            [Vec::<usize>::new()]
        );
    }

    #[test]
    fn of_equally_sure_edits_the_longest_are_in_doubt() {
        let edits: Vec<Edit> = (1..=10).map(|length| edit(0.6, length)).collect();
        assert_eq!(choose_unsure("", &[(TEXT, &edits)]), [vec![9]]);
    }

    proptest! {
        #[test]
        fn at_most_one_in_ten_is_in_doubt_and_no_surer_one_before_a_less_sure_one(
            outputs in prop::collection::vec(
                prop::collection::vec((0.0..1.0_f64, 1..9_usize), 0..20),
                0..6,
            ),
        ) {
            let edits: Vec<(String, Vec<Edit>)> = outputs
                .iter()
                .enumerate()
                .map(|(place, edits)| {
                    let edits = edits.iter().map(|(sure, length)| edit((sure * 10.0).round() / 10.0, *length));
                    (format!("{TEXT}{place}"), edits.collect())
                })
                .collect();
            let marks: Vec<OutputMarks<'_>> =
                edits.iter().map(|(text, edits)| (text.as_str(), edits.as_slice())).collect();
            let chosen = choose_unsure("", &marks);
            let number: usize = chosen.iter().map(Vec::len).sum();
            let all: usize = edits.iter().map(|(_, edits)| edits.len()).sum();
            prop_assert!(number * MARKS_PER_UNSURE <= all);
            let (mut least_sure, mut rest) = (0.0_f64, Vec::new());
            for (chosen, (_, edits)) in chosen.iter().zip(&edits) {
                for (index, edit) in edits.iter().enumerate() {
                    let sure = edit.confidence.expect("an automatic edit");
                    if chosen.contains(&index) {
                        prop_assert!(edit.is_unsure());
                        least_sure = least_sure.max(sure);
                    } else if edit.is_unsure() {
                        rest.push(sure);
                    }
                }
            }
            prop_assert!(rest.iter().all(|sure| *sure >= least_sure));
            // Nothing is left out while there is room.
            prop_assert!(rest.is_empty() || number == all / MARKS_PER_UNSURE);
            // The order of the outputs does not matter.
            let backwards: Vec<OutputMarks<'_>> = marks.iter().rev().copied().collect();
            let mut again = choose_unsure("", &backwards);
            again.reverse();
            prop_assert_eq!(again, chosen);
        }
    }
}
