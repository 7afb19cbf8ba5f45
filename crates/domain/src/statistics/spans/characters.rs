//! Marks as characters.

use super::{JudgedMarks, MarkScope};
use crate::span::Span;

/// A rater's marks of one output, character by character: those of the source, then those of the output.
#[derive(Debug)]
pub(super) struct MarkedCharacters {
    /// The marks that cover each character, by number, ascending.
    covering: Vec<Vec<usize>>,
    /// The type of each mark.
    types: Vec<usize>,
    /// The number of characters of the source.
    source: usize,
}

impl MarkedCharacters {
    /// The characters of both texts; `type_number` numbers types by name.
    pub(super) fn new<R, U, O>(
        judged: &JudgedMarks<'_, R, U, O>,
        mut type_number: impl FnMut(&str) -> usize,
    ) -> Self {
        let cover = |text: &str, side: fn(&crate::span_marks::SpanMark) -> &[Span]| {
            let characters = text.char_indices().filter(|(_, c)| !c.is_whitespace());
            let cover = |(at, _)| {
                let covers = |span: &Span| (span.start..span.end).contains(&at);
                let marks = judged.marks.iter().enumerate();
                let covering = marks.filter(|(_, mark)| side(mark).iter().any(covers));
                covering.map(|(number, _)| number).collect::<Vec<_>>()
            };
            characters.map(cover).collect::<Vec<_>>()
        };
        let mut covering = cover(judged.texts.0, |mark| &mark.source);
        let source = covering.len();
        covering.extend(cover(judged.texts.1, |mark| &mark.output));
        let types = judged.marks.iter().map(|mark| type_number(&mark.kind));
        Self {
            covering,
            types: types.collect(),
            source,
        }
    }

    /// The types with which each character is marked: ascending, each once, empty where it is not marked.
    pub(super) fn values(&self, scope: MarkScope) -> Vec<Vec<usize>> {
        let value = |marks: &Vec<usize>| {
            let mut types: Vec<_> = self
                .in_scope(marks, scope)
                .map(|mark| self.types[mark])
                .collect();
            types.sort_unstable();
            types.dedup();
            types
        };
        self.covering.iter().map(value).collect()
    }

    /// The number of pairs of a character with a character of the same unit, itself included. Characters that the
    /// same marks cover and that follow each other in the same text are a unit; each one without a mark is a unit of
    /// its own.
    pub(super) fn pairs_within_units(&self, scope: MarkScope) -> f64 {
        let (source, output) = self.covering.split_at(self.source);
        let same =
            |a: &Vec<usize>, b: &Vec<usize>| self.in_scope(a, scope).eq(self.in_scope(b, scope));
        let pairs = |text: &[Vec<usize>]| -> f64 {
            let units = text.chunk_by(same);
            let pairs = units.map(|unit| {
                let length = unit.len() as f64;
                let is_marked = self.in_scope(&unit[0], scope).next().is_some();
                if is_marked { length * length } else { length }
            });
            pairs.sum()
        };
        pairs(source) + pairs(output)
    }

    fn in_scope<'a>(
        &'a self,
        marks: &'a [usize],
        scope: MarkScope,
    ) -> impl Iterator<Item = usize> + 'a {
        let marks = marks.iter().copied();
        marks.filter(move |mark| match scope {
            MarkScope::All => true,
            MarkScope::Type(number) => self.types[*mark] == number,
        })
    }
}
