//! Marks as characters.

use super::{JudgedMarks, MarkScope};
use crate::{span::Span, span_marks::SpanMark};

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
        let mut covering = covering_marks(judged.texts.0, judged.marks, |mark| &mark.source);
        let source = covering.len();
        covering.extend(covering_marks(judged.texts.1, judged.marks, |mark| {
            &mark.output
        }));

        let types = judged.marks.iter().map(|mark| type_number(&mark.kind));
        Self {
            covering,
            types: types.collect(),
            source,
        }
    }

    /// The types with which each character is marked: ascending, each once, empty where it is not marked.
    pub(super) fn values(&self, scope: MarkScope) -> Vec<Vec<usize>> {
        let values = self.covering.iter().map(|marks| {
            let mut types: Vec<_> = self
                .in_scope(marks, scope)
                .map(|mark| self.types[mark])
                .collect();
            types.sort_unstable();
            types.dedup();
            types
        });
        values.collect()
    }

    /// The number of pairs of a character with a character of the same unit, itself included. Characters that the
    /// same marks cover and that follow each other in the same text are a unit; each one without a mark is a unit of
    /// its own.
    pub(super) fn pairs_within_units(&self, scope: MarkScope) -> f64 {
        let (source, output) = self.covering.split_at(self.source);
        self.pairs_in_text(source, scope) + self.pairs_in_text(output, scope)
    }

    fn pairs_in_text(&self, text: &[Vec<usize>], scope: MarkScope) -> f64 {
        let units = text.chunk_by(|a, b| self.in_scope(a, scope).eq(self.in_scope(b, scope)));
        let pairs = units.map(|unit| {
            let length = unit.len() as f64;
            let is_marked = self.in_scope(&unit[0], scope).next().is_some();
            if is_marked { length * length } else { length }
        });
        pairs.sum()
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

/// The marks that cover each character of one of the texts, by number, ascending.
fn covering_marks(
    text: &str,
    marks: &[SpanMark],
    side: fn(&SpanMark) -> &[Span],
) -> Vec<Vec<usize>> {
    let characters = text.char_indices().filter(|(_, c)| !c.is_whitespace());
    let covering = characters.map(|(at, _)| {
        let covers = |span: &Span| (span.start..span.end).contains(&at);
        let marks = marks.iter().enumerate();
        let marks = marks.filter(|(_, mark)| side(mark).iter().any(covers));
        marks.map(|(number, _)| number).collect()
    });
    covering.collect()
}
