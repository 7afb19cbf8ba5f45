//! Figures from marked spans: how far raters agree on them, and how systems differ in them.
//!
//! All agreement is counted in characters: Unicode scalar values of a source and of an output of it, without white
//! space, so that it does not matter whether a rater marked the space next to a word. [`SpanTable`] holds them, and gives
//! the F1 of overlap and Krippendorff's unitised α. [`summarise_systems`] counts marks by system.
//!
//! ```
//! use domain::{
//!     span::Span,
//!     span_marks::SpanMark,
//!     statistics::spans::{MarkScope, JudgedMarks, SpanTable},
//! };
//!
//! let removal = |start, end| vec![SpanMark {
//!     kind: "Removal".to_owned(),
//!     source: vec![Span::new(start, end)],
//!     ..SpanMark::default()
//! }];
//! let marks = [("expert 1", removal(0, 4)), ("expert 2", removal(0, 8))];
//! let judged = marks.iter().map(|(rater, marks)| JudgedMarks {
//!     rater,
//!     source: 1,
//!     output: 1,
//!     texts: ("Yes, he left.", "He left."),
//!     marks,
//! });
//! let table = SpanTable::new(&["Removal"], judged);
//! // Both marked 4 characters, and together 4 + 6; a space does not count.
//! assert_eq!(table.f1(MarkScope::Type(0)), Ok(2.0 * 4.0 / 10.0));
//! ```

mod characters;
mod overlap;
mod systems;
mod table;
mod unitised;

pub use systems::{
    LevelledMarks, MarkMeasure, SystemMarks, compare_marks, is_unchanged, summarise_systems,
};
pub use table::{SPAN_AGREEMENT_DESCRIPTION, SpanTable};

use crate::span_marks::SpanMark;

/// One rater's marks of one output; an empty list says that the rater found nothing to mark.
#[derive(Debug, Clone)]
pub struct JudgedMarks<'a, R, U, O> {
    /// The rater.
    pub rater: R,
    /// The source.
    pub source: U,
    /// The output.
    pub output: O,
    /// The texts of the source and of the output.
    pub texts: (&'a str, &'a str),
    /// The marks.
    pub marks: &'a [SpanMark],
}

/// The marks that a figure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkScope {
    /// Marks of all types, told apart by their type.
    All,
    /// Marks of one type, by its number in the list of types, from 0.
    Type(usize),
}
