//! Spans that annotators mark in a source and an output of it, each with a type and, where the study asks for one, a
//! level.

pub mod edit_marks;
pub mod mark_lines;
pub mod taxonomy;

use serde::{Deserialize, Serialize};

use self::taxonomy::{EditForm, MarkedSides, SpanTaxonomy, SpanType};
use crate::{
    edit::{Edit, EditKind, shown_edits},
    span::Span,
    text::tokenise::tokenise,
};

/// Words of a source, of an output, or of both, with their type and level.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct SpanMark {
    /// The name of its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name of its level; `None` while none is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Stretches of the source, in order, without overlaps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<Span>,
    /// Stretches of the output, in order, without overlaps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<Span>,
}

/// The largest number of marks of an output.
pub const MOST_MARKS: usize = 200;

/// A part that a mark still needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkGap {
    /// A type that the study has.
    Type,
    /// Words of the source.
    Source,
    /// Words of the output.
    Output,
    /// A level that the study has.
    Level,
}

/// The reason why marks do not fit their texts. Marks are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMark {
    /// There are more than [`MOST_MARKS`].
    #[error("there are {0} marks, more than {MOST_MARKS}")]
    TooMany(usize),
    /// A name of a type or level is too long to be one.
    #[error("mark {0} has a type or level with a name that is too long")]
    Name(usize),
    /// A stretch is empty, not in its text, or begins or ends within a character.
    #[error("mark {0} names a place that is not in its text")]
    Outside(usize),
    /// Stretches of one mark overlap or are not in order.
    #[error("the stretches of mark {0} overlap or are out of order")]
    Stretches(usize),
    /// It has no words at all.
    #[error("mark {0} has no words")]
    Empty(usize),
}

impl SpanMark {
    /// The part that it still needs; `None` where it is complete. After the lead changed types or levels, that may be
    /// another type or level.
    #[must_use]
    pub fn gap(&self, taxonomy: &SpanTaxonomy) -> Option<MarkGap> {
        let Some(SpanType { sides, .. }) = taxonomy.find_type(&self.kind) else {
            return Some(MarkGap::Type);
        };

        let level = self.level.as_ref();
        let has_level = level.is_some_and(|level| taxonomy.find_level(level).is_some());

        if *sides != MarkedSides::Source && self.output.is_empty() {
            Some(MarkGap::Output)
        } else if *sides != MarkedSides::Output && self.source.is_empty() {
            Some(MarkGap::Source)
        } else if !taxonomy.levels.is_empty() && !has_level {
            Some(MarkGap::Level)
        } else {
            None
        }
    }

    /// Whether it can become a mark of another type: it has words where that type has some, or can get them. Words of
    /// the output come with the mark, those of the source can be chosen later.
    #[must_use]
    pub fn can_become(&self, kind: &SpanType) -> bool {
        match kind.sides {
            MarkedSides::Source => !self.source.is_empty(),
            MarkedSides::Output | MarkedSides::Both => !self.output.is_empty(),
        }
    }

    /// Changes its type, and drops the words of a text in which the type has none.
    pub fn retype(&mut self, kind: &SpanType) {
        kind.name.clone_into(&mut self.kind);
        match kind.sides {
            MarkedSides::Source => self.output.clear(),
            MarkedSides::Output => self.source.clear(),
            MarkedSides::Both => {}
        }
    }

    /// The key by which marks of an output are in order: by their first words in the output, then in the source.
    fn sort_key(&self) -> (Option<Span>, Option<Span>) {
        (self.output.first().copied(), self.source.first().copied())
    }

    fn check(&self, number: usize, (source, output): (&str, &str)) -> Result<(), BadMark> {
        let names = std::iter::once(&self.kind).chain(&self.level);
        if names
            .map(|name| name.chars().count())
            .any(|count| count > SpanTaxonomy::LONGEST_NAME)
        {
            return Err(BadMark::Name(number));
        }

        for (spans, text) in [(&self.source, source), (&self.output, output)] {
            if !spans
                .iter()
                .all(|span| !span.is_empty() && span.slice(text).is_some())
            {
                return Err(BadMark::Outside(number));
            }
            if !spans.windows(2).all(|pair| pair[0].end <= pair[1].start) {
                return Err(BadMark::Stretches(number));
            }
        }

        if self.source.is_empty() && self.output.is_empty() {
            return Err(BadMark::Empty(number));
        }
        Ok(())
    }
}

/// Checks the marks of an output that a browser sends, except types and levels: the lead may have changed these since
/// a mark was made, which must not keep the annotator from changing another mark. A source is submitted only once
/// every mark is complete ([`SpanMark::gap`]).
///
/// # Errors
/// The first mark that does not fit the texts, with the reason.
pub fn validate_marks(marks: &[SpanMark], source: &str, output: &str) -> Result<(), BadMark> {
    if marks.len() > MOST_MARKS {
        return Err(BadMark::TooMany(marks.len()));
    }
    let mut numbered = (1..).zip(marks);
    numbered.try_for_each(|(number, mark)| mark.check(number, (source, output)))
}

/// Sorts marks by their place in the output; those of the source alone come first.
pub fn sort_marks(marks: &mut [SpanMark]) {
    marks.sort_by_key(SpanMark::sort_key);
}

/// The marks that an output begins with: its automatic edits, each as the type that edits of its form become, except
/// changes of punctuation alone. A mark has no level yet.
#[must_use]
pub fn prefill_marks(
    taxonomy: &SpanTaxonomy,
    edits: &[Edit],
    source: &str,
    output: &str,
) -> Vec<SpanMark> {
    let mut marks: Vec<_> = shown_edits(edits.to_vec(), source, output)
        .iter()
        .filter(|edit| edit.is_shown())
        .filter_map(|edit| {
            let marked = taxonomy.find_prefilled(EditForm::from_edit(edit, source, output))?;
            let mut mark = SpanMark {
                kind: marked.name.clone(),
                level: None,
                source: match marked.sides {
                    MarkedSides::Output => vec![],
                    MarkedSides::Source | MarkedSides::Both => without_empty(&edit.source),
                },
                output: match marked.sides {
                    MarkedSides::Source => vec![],
                    MarkedSides::Output | MarkedSides::Both => without_empty(&edit.output),
                },
            };

            // A split without words of its own is marked at a word next to it.
            if let (EditKind::Split, [place]) = (edit.kind, edit.output.as_slice())
                && place.is_empty()
            {
                mark.output.extend(find_word_at(output, place.start));
            }
            (!mark.source.is_empty() || !mark.output.is_empty()).then_some(mark)
        })
        .collect();
    sort_marks(&mut marks);
    marks
}

fn without_empty(spans: &[Span]) -> Vec<Span> {
    let spans = spans.iter().copied();
    spans.filter(|span| !span.is_empty()).collect()
}

/// The word that ends at an offset, else the first one after it: a split without words of its own is marked there.
fn find_word_at(text: &str, offset: usize) -> Option<Span> {
    let words: Vec<_> = tokenise(text).into_iter().map(|token| token.span).collect();
    let before = words.iter().rev().find(|word| word.end <= offset);
    let after = words.iter().find(|word| offset <= word.start);
    before.filter(|word| word.end == offset).or(after).copied()
}

#[cfg(test)]
mod tests;
