//! The marks that a lead expects annotators to make, and how those of an annotator differ from them.
//!
//! Levels are not compared.

use std::collections::BTreeSet;

use crate::{
    span::Span,
    span_marks::{SpanMark, mark_lines::stretches},
};

/// The differences between the marks of an output and the expected ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MarkDifferences {
    /// The expected marks that no mark of their type overlaps.
    pub missing: Vec<SpanMark>,
    /// The marks that overlap no expected one of their type.
    pub extra: Vec<SpanMark>,
    /// F1 of the marked and the expected characters for each type that is expected or marked, in the order in which
    /// they come, from 0 to 1. White space does not count.
    pub overlaps: Vec<(String, f64)>,
}

impl MarkDifferences {
    /// Compares marks of an output with the expected ones.
    #[must_use]
    pub fn new(expected: &[SpanMark], marks: &[SpanMark], texts: (&str, &str)) -> Self {
        let mut overlaps: Vec<(String, f64)> = vec![];
        for mark in expected.iter().chain(marks) {
            if overlaps.iter().any(|(kind, _)| *kind == mark.kind) {
                continue;
            }

            let expected_characters = characters(expected, &mark.kind, texts);
            let marked_characters = characters(marks, &mark.kind, texts);
            let shared = expected_characters.intersection(&marked_characters).count();
            let total = expected_characters.len() + marked_characters.len();
            #[expect(clippy::cast_precision_loss, reason = "a text has few characters")]
            let f1 = 2.0 * shared as f64 / total.max(1) as f64;
            overlaps.push((mark.kind.clone(), f1));
        }

        Self {
            missing: unmatched(expected, marks),
            extra: unmatched(marks, expected),
            overlaps,
        }
    }

    /// Whether each mark overlaps an expected one of its type, and none of these is missing.
    #[must_use]
    pub const fn is_right(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty()
    }
}

/// F1 of the characters that two lists of marks mark with the same types, from 0 to 1; 1 where both mark nothing. White
/// space does not count.
#[must_use]
pub fn marks_f1(a: &[SpanMark], b: &[SpanMark], texts: (&str, &str)) -> f64 {
    let kinds: BTreeSet<_> = a.iter().chain(b).map(|mark| mark.kind.as_str()).collect();
    let (mut shared, mut total) = (0, 0);
    for kind in kinds {
        let (a, b) = (characters(a, kind, texts), characters(b, kind, texts));
        shared += a.intersection(&b).count();
        total += a.len() + b.len();
    }

    #[expect(clippy::cast_precision_loss, reason = "a text has few characters")]
    match total {
        0 => 1.0,
        total => 2.0 * shared as f64 / total as f64,
    }
}

/// Whether marks hold what is expected, leniently: each expected mark is overlapped by a mark of its type. More marks are
/// fine, except where none is expected.
#[must_use]
pub fn has_expected_marks(expected: &[SpanMark], marks: &[SpanMark]) -> bool {
    match expected {
        [] => marks.is_empty(),
        _ => expected
            .iter()
            .all(|expected| marks.iter().any(|mark| overlap(expected, mark))),
    }
}

/// The marks that no other mark of their type overlaps.
fn unmatched(marks: &[SpanMark], others: &[SpanMark]) -> Vec<SpanMark> {
    let marks = marks.iter();
    let unmatched = marks.filter(|mark| !others.iter().any(|other| overlap(mark, other)));
    unmatched.cloned().collect()
}

/// Whether two marks of one type share words.
fn overlap(a: &SpanMark, b: &SpanMark) -> bool {
    a.kind == b.kind && (spans_meet(&a.source, &b.source) || spans_meet(&a.output, &b.output))
}

fn spans_meet(a: &[Span], b: &[Span]) -> bool {
    a.iter()
        .any(|a| b.iter().any(|b| a.start < b.end && b.start < a.end))
}

/// The characters that are marked with a type, each as whether it is in the output and its offset in bytes. White
/// space is left out.
fn characters(
    marks: &[SpanMark],
    kind: &str,
    (source, output): (&str, &str),
) -> BTreeSet<(bool, usize)> {
    let mut all = BTreeSet::new();
    for mark in marks.iter().filter(|mark| mark.kind == kind) {
        for (is_output, spans, text) in
            [(false, &mark.source, source), (true, &mark.output, output)]
        {
            for span in spans {
                let words = span.slice(text).unwrap_or_default().char_indices();
                let visible = words.filter(|(_, character)| !character.is_whitespace());
                all.extend(visible.map(|(at, _)| (is_output, span.start + at)));
            }
        }
    }
    all
}

/// The words of a mark, in quotation marks: those of the output, else those of the source.
#[must_use]
pub fn quote_mark(mark: &SpanMark, (source, output): (&str, &str)) -> String {
    let (spans, text) = match mark.output.is_empty() {
        true => (&mark.source, source),
        false => (&mark.output, output),
    };
    format!("“{}”", stretches(spans, text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::span_marks::mark_lines::tests::{OUTPUT, SOURCE, marks};

    #[test]
    fn marks_are_compared_by_the_words_that_they_share() {
        let expected = marks("Omission: In June\nGrammar: boats went");
        let compare =
            |given: &str| MarkDifferences::new(&expected, &marks(given), (SOURCE, OUTPUT));
        let same = compare("Omission: In June\nGrammar: boats went");
        assert!(same.is_right());
        let f1 = |kind: &str, value| (kind.to_owned(), value);
        assert_eq!(same.overlaps, [f1("Omission", 1.0), f1("Grammar", 1.0)]);
        // Of nine characters, five are marked: 2 × 5 / (9 + 5).
        let part = compare("Omission: June\nGrammar: boats");
        assert!(part.is_right());
        assert_eq!(
            part.overlaps,
            [f1("Omission", 0.8), f1("Grammar", 10.0 / 14.0)]
        );
        let other = compare("Grammar: down\nChange: sank -> went down");
        assert_eq!(other.missing, expected);
        assert_eq!(other.extra.len(), 2);
        assert_eq!(quote_mark(&other.missing[0], (SOURCE, OUTPUT)), "“In June”");
    }

    #[test]
    fn an_expected_mark_is_met_by_any_overlap_with_its_type() {
        let expected = marks("Omission: In June\nGrammar: boats went");
        for (given, passes) in [
            ("Omission: June\nGrammar: went down", true),
            ("Omission: June\nGrammar: went down\nGrammar: The", true),
            ("Omission: June", false),
            ("Omission: June\nGrammar: article: boats went", false),
            ("none", false),
        ] {
            assert_eq!(
                has_expected_marks(&expected, &marks(given)),
                passes,
                "{given}"
            );
        }
        assert!(has_expected_marks(&[], &[]));
        assert!(!has_expected_marks(&[], &expected));
    }

    proptest! {
        #[test]
        fn overlaps_are_symmetric_and_between_0_and_1(
            places in prop::collection::vec((0_usize..20, 1_usize..6, any::<bool>()), 0..5),
            others in prop::collection::vec((0_usize..20, 1_usize..6, any::<bool>()), 0..5),
        ) {
            let marks = |places: &[(usize, usize, bool)]| -> Vec<SpanMark> {
                let mark = |(start, length, is_article): &(usize, usize, bool)| SpanMark {
                    kind: if *is_article { "Grammar: article" } else { "Grammar" }.to_owned(),
                    output: vec![Span::new(*start, (start + length).min(OUTPUT.len()))],
                    ..SpanMark::default()
                };
                places.iter().map(mark).collect()
            };
            let (a, b) = (marks(&places), marks(&others));
            let texts = (SOURCE, OUTPUT);
            let one = MarkDifferences::new(&a, &b, texts);
            let other = MarkDifferences::new(&b, &a, texts);
            prop_assert_eq!(&one.missing, &other.extra);
            prop_assert_eq!(one.is_right(), other.is_right());
            for (kind, f1) in &one.overlaps {
                prop_assert!((0.0..=1.0).contains(f1));
                let mirrored = other.overlaps.iter().find(|(other, _)| other == kind);
                prop_assert_eq!(mirrored.map(|(_, f1)| *f1), Some(*f1));
            }
            prop_assert!(MarkDifferences::new(&a, &a, texts).is_right());
        }
    }
}
