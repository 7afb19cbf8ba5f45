//! The marks that a lead expects annotators to make, and how those of an annotator differ from them.
//!
//! Levels are not compared.

use std::{collections::BTreeSet, fmt::Write as _};

use crate::{
    span::Span,
    span_marks::{
        MOST_MARKS, SpanMark, sort_marks,
        taxonomy::{MarkedSides, SpanTaxonomy, SpanType},
    },
};

/// The line that says that nothing should be marked.
pub const NO_MARKS: &str = "none";

/// The sign between the words of the source and those of the output.
const ARROW: &str = "->";

/// The sign between two stretches of one mark.
const GAP: &str = " … ";

/// How marks of an output differ from the expected ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MarkDifferences {
    /// The expected marks that no mark of their type overlaps.
    pub missing: Vec<SpanMark>,
    /// The marks that overlap no expected one of their type.
    pub extra: Vec<SpanMark>,
    /// For each type that is expected or marked, in the order in which they come: F1 of the characters that are marked with
    /// it and those that are expected to be, from 0 to 1. White space does not count.
    pub overlaps: Vec<(String, f64)>,
}

impl MarkDifferences {
    /// Compares marks of an output with the expected ones.
    #[must_use]
    pub fn new(expected: &[SpanMark], marks: &[SpanMark], (source, output): (&str, &str)) -> Self {
        let unmatched = |of: &[SpanMark], among: &[SpanMark]| {
            let is_alone = |mark: &&SpanMark| !among.iter().any(|other| overlap(mark, other));
            of.iter().filter(is_alone).cloned().collect()
        };
        let mut overlaps: Vec<(String, f64)> = vec![];
        for mark in expected.iter().chain(marks) {
            if overlaps.iter().any(|(kind, _)| *kind == mark.kind) {
                continue;
            }
            let characters = |marks: &[SpanMark]| characters(marks, &mark.kind, (source, output));
            let (wanted, given) = (characters(expected), characters(marks));
            let total = wanted.len() + given.len();
            #[expect(clippy::cast_precision_loss, reason = "a text has few characters")]
            let f1 = 2.0 * wanted.intersection(&given).count() as f64 / total.max(1) as f64;
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

/// Whether marks hold what is expected, leniently: each expected mark is overlapped by a mark of its type. More marks are
/// fine, except where none is expected.
#[must_use]
pub fn has_expected_marks(expected: &[SpanMark], marks: &[SpanMark]) -> bool {
    let is_met = |wanted: &SpanMark| marks.iter().any(|mark| overlap(wanted, mark));
    match expected {
        [] => marks.is_empty(),
        _ => expected.iter().all(is_met),
    }
}

/// Whether two marks of one type share words.
fn overlap(a: &SpanMark, b: &SpanMark) -> bool {
    let meet = |a: &[Span], b: &[Span]| {
        a.iter()
            .any(|a| b.iter().any(|b| a.start < b.end && b.start < a.end))
    };
    a.kind == b.kind && (meet(&a.source, &b.source) || meet(&a.output, &b.output))
}

/// The offsets of the characters that are marked with a type: whether they are in the output, and where.
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

fn stretches(spans: &[Span], text: &str) -> String {
    let words: Vec<_> = spans.iter().filter_map(|span| span.slice(text)).collect();
    words.join(GAP)
}

/// The reason why lines are no expected marks. Lines are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadExpectedMark {
    /// A line does not begin with a type of the study.
    #[error(
        "Line {line} of the marks does not begin with a type and a colon. The types are {types}."
    )]
    Type {
        /// The line.
        line: usize,
        /// The types, with commas between them.
        types: String,
    },
    /// A line has words that the text does not have, or has only where earlier lines mark it already.
    #[error(
        "Line {line} of the marks: “{words}” is not in the {side}, or marked by a line above already. Copy the words from there."
    )]
    Words {
        /// The line.
        line: usize,
        /// The words.
        words: String,
        /// The text in which they should be.
        side: &'static str,
    },
    /// A line has no words, or lacks those of one text.
    #[error("Line {line} of the marks: “{kind}” needs {needs}.")]
    Sides {
        /// The line.
        line: usize,
        /// The type.
        kind: String,
        /// The words that it needs, and where.
        needs: &'static str,
    },
    /// There are too many lines.
    #[error("There are more than {MOST_MARKS} lines of marks.")]
    TooMany,
}

/// Reads the marks that are expected of an output: one a line, as its type, a colon and the words of its text, with an
/// arrow (`->`) between words of the source and the output where the type has both. “none” alone says that nothing should
/// be marked; without a line, nothing is expected.
///
/// # Errors
/// [`BadExpectedMark`] names the first faulty line.
pub fn read_expected_marks(
    lines: &str,
    taxonomy: &SpanTaxonomy,
    (source, output): (&str, &str),
) -> Result<Option<Vec<SpanMark>>, BadExpectedMark> {
    let text = lines.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let mut marks = vec![];
    if text.eq_ignore_ascii_case(NO_MARKS) {
        return Ok(Some(marks));
    }
    for (line, text) in (1..).zip(lines.lines()) {
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        if marks.len() == MOST_MARKS {
            return Err(BadExpectedMark::TooMany);
        }
        let (kind, words) = split_type(text, taxonomy).ok_or_else(|| {
            let names = taxonomy.types.iter().map(|kind| format!("“{}”", kind.name));
            let types = names.collect::<Vec<_>>().join(", ");
            BadExpectedMark::Type { line, types }
        })?;
        let (in_source, in_output) = split_sides(kind, words).map_err(|needs| {
            let kind = kind.name.clone();
            BadExpectedMark::Sides { line, kind, needs }
        })?;
        let mut mark = SpanMark {
            kind: kind.name.clone(),
            ..SpanMark::default()
        };
        for (words, text, side) in [(in_source, source, "source"), (in_output, output, "output")] {
            let taken = |mark: &SpanMark| match side {
                "source" => mark.source.clone(),
                _ => mark.output.clone(),
            };
            let same_type = marks
                .iter()
                .filter(|mark: &&SpanMark| mark.kind == kind.name);
            let mut taken: Vec<Span> = same_type.flat_map(taken).collect();
            let mut spans = vec![];
            for stretch in words
                .split(GAP)
                .map(str::trim)
                .filter(|words| !words.is_empty())
            {
                let span = find_stretch(stretch, text, &taken);
                let span = span.ok_or_else(|| BadExpectedMark::Words {
                    line,
                    words: stretch.to_owned(),
                    side,
                })?;
                taken.push(span);
                spans.push(span);
            }
            spans.sort_unstable_by_key(|span| span.start);
            match side {
                "source" => mark.source = spans,
                _ => mark.output = spans,
            }
        }
        marks.push(mark);
    }
    sort_marks(&mut marks);
    Ok(Some(marks))
}

/// Writes expected marks as lines that [`read_expected_marks`] reads.
#[must_use]
pub fn write_expected_marks(marks: Option<&[SpanMark]>, (source, output): (&str, &str)) -> String {
    let mut lines = String::new();
    match marks {
        None => {}
        Some([]) => lines.push_str(NO_MARKS),
        Some(marks) => {
            for mark in marks {
                let in_source = stretches(&mark.source, source);
                let in_output = stretches(&mark.output, output);
                let arrow = match in_source.is_empty() || in_output.is_empty() {
                    true => "",
                    false => " -> ",
                };
                let kind = &mark.kind;
                writeln!(lines, "{kind}: {in_source}{arrow}{in_output}")
                    .expect("a string takes all");
            }
        }
    }
    lines
}

/// The type with which a line begins, and the words after the colon.
fn split_type<'a, 'b>(
    line: &'a str,
    taxonomy: &'b SpanTaxonomy,
) -> Option<(&'b SpanType, &'a str)> {
    let words = |kind: &'b SpanType| {
        let rest = line.strip_prefix(kind.name.as_str())?.trim_start();
        Some((kind, rest.strip_prefix(':')?.trim()))
    };
    let found = taxonomy.types.iter().filter_map(words);
    // The name of a type may begin with that of another one and a colon.
    found.max_by_key(|(kind, _)| kind.name.len())
}

/// The words in the source and in the output, either of which is empty where the type has none there.
fn split_sides<'a>(kind: &SpanType, words: &'a str) -> Result<(&'a str, &'a str), &'static str> {
    match kind.sides {
        MarkedSides::Source if words.is_empty() => Err("words of the source after the colon"),
        MarkedSides::Source => Ok((words, "")),
        MarkedSides::Output if words.is_empty() => Err("words of the output after the colon"),
        MarkedSides::Output => Ok(("", words)),
        MarkedSides::Both => {
            let both = words.split_once(ARROW);
            let both = both.map(|(source, output)| (source.trim(), output.trim()));
            both.filter(|(source, output)| !source.is_empty() && !output.is_empty())
                .ok_or("words of the source, an arrow (->) and words of the output")
        }
    }
}

/// The first place of some words in a text that is not taken; one that begins and ends between words where there is one.
fn find_stretch(words: &str, text: &str, taken: &[Span]) -> Option<Span> {
    let places = text
        .match_indices(words)
        .map(|(start, _)| Span::new(start, start + words.len()));
    let is_free = |span: &Span| {
        !taken
            .iter()
            .any(|other| span.start < other.end && other.start < span.end)
    };
    let free: Vec<_> = places.filter(is_free).collect();
    let is_whole = |span: &&Span| {
        let before = text[..span.start].chars().next_back();
        let after = text[span.end..].chars().next();
        ![before, after]
            .into_iter()
            .flatten()
            .any(char::is_alphanumeric)
    };
    let whole = free.iter().find(is_whole);
    whole.or(free.first()).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SOURCE: &str = "In June the boats sank.";
    const OUTPUT: &str = "The the boats went down.";

    fn taxonomy() -> SpanTaxonomy {
        let kind = |name: &str, sides| SpanType {
            name: name.to_owned(),
            sides,
            ..SpanType::default()
        };
        SpanTaxonomy {
            types: vec![
                kind("Omission", MarkedSides::Source),
                kind("Grammar", MarkedSides::Output),
                kind("Grammar: article", MarkedSides::Output),
                kind("Change", MarkedSides::Both),
            ],
            ..SpanTaxonomy::default()
        }
    }

    fn read(lines: &str) -> Result<Option<Vec<SpanMark>>, String> {
        read_expected_marks(lines, &taxonomy(), (SOURCE, OUTPUT)).map_err(|bad| bad.to_string())
    }

    fn marks(lines: &str) -> Vec<SpanMark> {
        read(lines).expect("marks").expect("some")
    }

    #[test]
    fn lines_become_marks_and_lines_again() {
        assert_eq!(read(" \r\n"), Ok(None));
        assert_eq!(read("None\n"), Ok(Some(vec![])));
        let lines = "Omission: In June\r\n\r\nGrammar: the\r\nGrammar: article: The … the\r\nChange: sank -> went down\r\n";
        let marks = marks(lines);
        let find = |kind: &str| marks.iter().find(|mark| mark.kind == kind).expect(kind);
        assert_eq!(find("Omission").source, [Span::new(0, 7)]);
        assert_eq!(find("Grammar").output, [Span::new(4, 7)]);
        assert_eq!(
            find("Grammar: article").output,
            [Span::new(0, 3), Span::new(4, 7)]
        );
        assert_eq!(find("Change").source, [Span::new(18, 22)]);
        assert_eq!(find("Change").output, [Span::new(14, 23)]);
        let written = write_expected_marks(Some(&marks), (SOURCE, OUTPUT));
        assert_eq!(read(&written), Ok(Some(marks)));
        assert_eq!(write_expected_marks(Some(&[]), (SOURCE, OUTPUT)), "none");
        assert_eq!(write_expected_marks(None, (SOURCE, OUTPUT)), "");
    }

    #[test]
    fn faulty_lines_are_named() {
        for (lines, expect) in [
            (
                "Grammar: the\nSpelling: boats",
                "Line 2 of the marks does not begin with a type and a colon. The types are “Omission”, “Grammar”, \
                 “Grammar: article”, “Change”.",
            ),
            (
                "Grammar: ships",
                "Line 1 of the marks: “ships” is not in the output, or marked by a line above already. Copy the words \
                 from there.",
            ),
            (
                "Grammar: boats\nGrammar: boats",
                "Line 2 of the marks: “boats” is not in the output, or marked by a line above already. Copy the words \
                 from there.",
            ),
            (
                "Omission: went down",
                "Line 1 of the marks: “went down” is not in the source, or marked by a line above already. Copy the \
                 words from there.",
            ),
            (
                "Omission:",
                "Line 1 of the marks: “Omission” needs words of the source after the colon.",
            ),
            (
                "Change: sank",
                "Line 1 of the marks: “Change” needs words of the source, an arrow (->) and words of the output.",
            ),
        ] {
            assert_eq!(read(lines), Err(expect.to_owned()), "{lines}");
        }
        let many = "Grammar: e\n".repeat(MOST_MARKS + 1);
        assert!(read(&many).is_err());
    }

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
