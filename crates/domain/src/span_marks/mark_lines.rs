//! Marks as lines of text, in which a lead or raters write them.

use std::fmt::Write as _;

use super::{
    MOST_MARKS, SpanMark, sort_marks,
    taxonomy::{MarkedSides, SpanTaxonomy, SpanType},
};
use crate::span::Span;

/// The line that says that nothing should be marked.
pub const NO_MARKS: &str = "none";

/// The sign between the words of the source and those of the output.
const ARROW: &str = "->";

/// The sign between two stretches of one mark.
const GAP: &str = " … ";

/// The reason why lines cannot be read as marks. Lines are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMarkLine {
    /// A line does not begin with a type of the study.
    #[error("Line {line} does not begin with a type and a colon. The types are {types}.")]
    Type {
        /// The line.
        line: usize,
        /// The types, with commas between them.
        types: String,
    },
    /// A line has words that the text does not have, or has only where earlier lines mark it already.
    #[error(
        "Line {line}: “{words}” is not in the {side}, or marked with this type already. Copy the words from there."
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
    #[error("Line {line}: “{kind}” needs {needs}.")]
    Sides {
        /// The line.
        line: usize,
        /// The type.
        kind: String,
        /// The words that it needs, and where.
        needs: &'static str,
    },
    /// There are too many lines.
    #[error("There are more than {MOST_MARKS} lines.")]
    TooMany,
}

/// Reads marks of an output: one a line, as its type, a colon and the words of its text, with an arrow (`->`) between
/// words of the source and the output where the type has both. “none” alone says that nothing should be marked;
/// without a line, there is no answer. Words that an earlier line or a `known` mark has with the same type are not
/// matched again.
///
/// # Errors
/// [`BadMarkLine`] names the first faulty line.
pub fn read_mark_lines(
    lines: &str,
    taxonomy: &SpanTaxonomy,
    (source, output): (&str, &str),
    known: &[SpanMark],
) -> Result<Option<Vec<SpanMark>>, BadMarkLine> {
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
            return Err(BadMarkLine::TooMany);
        }

        let (kind, words) = split_type(text, taxonomy).ok_or_else(|| {
            let names = taxonomy.types.iter().map(|kind| format!("“{}”", kind.name));
            let types = names.collect::<Vec<_>>().join(", ");
            BadMarkLine::Type { line, types }
        })?;
        let (in_source, in_output) = split_sides(kind, words).map_err(|needs| {
            let kind = kind.name.clone();
            BadMarkLine::Sides { line, kind, needs }
        })?;

        let mut mark = SpanMark {
            kind: kind.name.clone(),
            ..SpanMark::default()
        };
        for (words, text, side) in [(in_source, source, "source"), (in_output, output, "output")] {
            let same_type = marks
                .iter()
                .chain(known)
                .filter(|mark: &&SpanMark| mark.kind == kind.name);
            let mut taken_spans: Vec<Span> = same_type
                .flat_map(|mark| match side {
                    "source" => mark.source.clone(),
                    _ => mark.output.clone(),
                })
                .collect();

            let mut spans = vec![];
            for stretch in words
                .split(GAP)
                .map(str::trim)
                .filter(|words| !words.is_empty())
            {
                let span = find_stretch(stretch, text, &taken_spans);
                let span = span.ok_or_else(|| BadMarkLine::Words {
                    line,
                    words: stretch.to_owned(),
                    side,
                })?;
                taken_spans.push(span);
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

/// Writes marks as lines that [`read_mark_lines`] reads.
#[must_use]
pub fn write_mark_lines(marks: Option<&[SpanMark]>, (source, output): (&str, &str)) -> String {
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
    let matching_types = taxonomy.types.iter().filter_map(|kind| {
        let rest = line.strip_prefix(kind.name.as_str())?.trim_start();
        Some((kind, rest.strip_prefix(':')?.trim()))
    });

    // The name of a type may begin with that of another one and a colon.
    matching_types.max_by_key(|(kind, _)| kind.name.len())
}

/// The words in the source and in the output; empty in a text that the type has no words of.
fn split_sides<'a>(kind: &SpanType, words: &'a str) -> Result<(&'a str, &'a str), &'static str> {
    match kind.sides {
        MarkedSides::Source if words.is_empty() => Err("words of the source after the colon"),
        MarkedSides::Source => Ok((words, "")),
        MarkedSides::Output if words.is_empty() => Err("words of the output after the colon"),
        MarkedSides::Output => Ok(("", words)),
        MarkedSides::Both => {
            let pair = words.split_once(ARROW);
            let pair = pair.map(|(source, output)| (source.trim(), output.trim()));
            pair.filter(|(source, output)| !source.is_empty() && !output.is_empty())
                .ok_or("words of the source, an arrow (->) and words of the output")
        }
    }
}

/// The first place of some words in a text that does not overlap `taken`, preferably one that begins and ends between
/// words.
fn find_stretch(words: &str, text: &str, taken: &[Span]) -> Option<Span> {
    let places = text
        .match_indices(words)
        .map(|(start, _)| Span::new(start, start + words.len()));
    let free_places: Vec<_> = places
        .filter(|span| {
            !taken
                .iter()
                .any(|other| span.start < other.end && other.start < span.end)
        })
        .collect();

    let between_words = free_places.iter().find(|span| {
        let before = text[..span.start].chars().next_back();
        let after = text[span.end..].chars().next();
        ![before, after]
            .into_iter()
            .flatten()
            .any(char::is_alphanumeric)
    });
    between_words.or(free_places.first()).copied()
}

/// The words of stretches.
pub(crate) fn stretches(spans: &[Span], text: &str) -> String {
    let words: Vec<_> = spans.iter().filter_map(|span| span.slice(text)).collect();
    words.join(GAP)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const SOURCE: &str = "In June the boats sank.";
    pub(crate) const OUTPUT: &str = "The the boats went down.";

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
        read_mark_lines(lines, &taxonomy(), (SOURCE, OUTPUT), &[]).map_err(|bad| bad.to_string())
    }

    /// The marks of lines about [`SOURCE`] and [`OUTPUT`].
    pub(crate) fn marks(lines: &str) -> Vec<SpanMark> {
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
        let written = write_mark_lines(Some(&marks), (SOURCE, OUTPUT));
        assert_eq!(read(&written), Ok(Some(marks)));
        assert_eq!(write_mark_lines(Some(&[]), (SOURCE, OUTPUT)), "none");
        assert_eq!(write_mark_lines(None, (SOURCE, OUTPUT)), "");
    }

    #[test]
    fn faulty_lines_are_named() {
        for (lines, expect) in [
            (
                "Grammar: the\nSpelling: boats",
                "Line 2 does not begin with a type and a colon. The types are “Omission”, “Grammar”, \
                 “Grammar: article”, “Change”.",
            ),
            (
                "Grammar: ships",
                "Line 1: “ships” is not in the output, or marked with this type already. Copy the words \
                 from there.",
            ),
            (
                "Grammar: boats\nGrammar: boats",
                "Line 2: “boats” is not in the output, or marked with this type already. Copy the words \
                 from there.",
            ),
            (
                "Omission: went down",
                "Line 1: “went down” is not in the source, or marked with this type already. Copy the \
                 words from there.",
            ),
            (
                "Omission:",
                "Line 1: “Omission” needs words of the source after the colon.",
            ),
            (
                "Change: sank",
                "Line 1: “Change” needs words of the source, an arrow (->) and words of the output.",
            ),
        ] {
            assert_eq!(read(lines), Err(expect.to_owned()), "{lines}");
        }
        let many = "Grammar: e\n".repeat(MOST_MARKS + 1);
        assert!(read(&many).is_err());
    }
}
