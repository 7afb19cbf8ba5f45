//! The rows of a file, in one shape for all formats.

use std::{str::FromStr, sync::Arc};

use domain::{
    category::Category,
    score::{LARGEST_NUMBER, RatingScale},
    source_context::SourceContext,
    study::SystemKind,
};
use serde::Serialize;

use crate::{archived_answers::ArchivedAnswers, error::clip};

/// One row of a file: a source, usually with an output and ratings of that output.
///
/// Rows repeat: an output rated by five workers may come as five rows that differ only in the rating.
/// A store joins the rows of one source (same key, else same text), one system and one text.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRow {
    /// The line on which the row begins, from 1, the header included.
    pub line: u64,
    /// The source.
    pub source: FileSource,
    /// A system's output of it; `None` where the file has sources only.
    pub output: Option<FileOutput>,
    /// All other cells as they are written: column (or JSON key) and text (or JSON). Past rows keep
    /// `id` and `generation` here.
    pub verbatim: Vec<(Arc<str>, String)>,
}

/// A text that was simplified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSource {
    /// The file's own name for it, in its visible form; `None` where the text is its name. Not empty.
    pub key: Option<String>,
    /// Not empty.
    pub text: String,
    /// The text around it, as far as the file has it.
    pub context: SourceContext,
    /// Human simplifications to compare with, none of them empty.
    pub references: Vec<String>,
}

/// A system's output of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct FileOutput {
    /// The text that is shown, categorised and scored; may be empty.
    pub text: String,
    /// The system that wrote it, in the visible form of the name; `None` where the file names none. Not empty.
    pub system: Option<String>,
    /// The kind of the system, where the file states it.
    pub kind: Option<SystemKind>,
    /// The category, where the file has one.
    pub category: Option<Category>,
    /// The ratings of this row, in the order of the file.
    pub ratings: Vec<FileRating>,
    /// The other answers about it, if the row comes from a study that was exported as JSONL.
    pub archived: Option<Box<ArchivedAnswers>>,
}

/// A rating of an output.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRating {
    /// The rater, in the visible form of the name; `None` for a score whose rater the file does not name.
    pub rater: Option<String>,
    /// Its column or key.
    pub column: Arc<str>,
    /// The dimension: `overall` where the file names none.
    pub dimension: Arc<str>,
    /// The scale; `None` where nothing states it.
    pub scale: Option<RatingScale>,
    /// The number, on the scale where one is stated; decimal or whole.
    pub value: WrittenNumber,
    /// The file's own z-score.
    pub z: Option<WrittenNumber>,
    /// Whether it was given to an identical output, which was judged in place of this one. It then counts for the
    /// system and is not a rating of its own.
    pub shared: bool,
    /// When it was given, as the file writes it, if the row comes from an exported study.
    pub recorded_at: Option<String>,
}

/// A finite number with its text in the file, so that it can be written in the same way; a decimal comma is written as a
/// point.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(into = "String")]
pub struct WrittenNumber {
    value: f64,
    text: String,
}

impl WrittenNumber {
    /// The number.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// The text in the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl From<WrittenNumber> for String {
    fn from(number: WrittenNumber) -> Self {
        number.text
    }
}

impl FromStr for WrittenNumber {
    type Err = InvalidNumber;

    /// Keeps spaces around the number in the text; infinities, `nan` and numbers beyond [`LARGEST_NUMBER`] are refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        NumberView::parse(text).map(Into::into)
    }
}

/// A [`WrittenNumber`] that borrows its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberView<'a> {
    pub(crate) value: f64,
    pub(crate) text: &'a str,
}

impl<'a> NumberView<'a> {
    /// Keeps spaces around the number in the text; infinities, `nan` and numbers beyond [`LARGEST_NUMBER`] are refused.
    pub(crate) fn parse(text: &'a str) -> Result<Self, InvalidNumber> {
        let value = text.trim().parse();
        Self::new(value.unwrap_or(f64::NAN), text)
    }

    /// A number with its text. Infinities, NaN and numbers beyond [`LARGEST_NUMBER`] are refused.
    pub(crate) fn new(value: f64, text: &'a str) -> Result<Self, InvalidNumber> {
        match value {
            _ if value.abs() <= LARGEST_NUMBER => Ok(Self { value, text }),
            _ if value.is_finite() => Err(InvalidNumber::TooLarge(clip(text))),
            _ => Err(InvalidNumber::NoNumber(clip(text))),
        }
    }
}

impl<'a> From<&'a WrittenNumber> for NumberView<'a> {
    fn from(number: &'a WrittenNumber) -> Self {
        Self {
            value: number.value(),
            text: number.text(),
        }
    }
}

impl From<NumberView<'_>> for WrittenNumber {
    fn from(number: NumberView<'_>) -> Self {
        Self {
            value: number.value,
            text: number.text.replace(',', "."),
        }
    }
}

/// The fault of a text that is not a number fit for figures.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidNumber {
    /// It is not a number.
    #[error(
        "“{0}” is not a number: write it in digits with a decimal point, or leave it out where there is none"
    )]
    NoNumber(String),
    /// It is beyond [`LARGEST_NUMBER`].
    #[error(
        "“{0}” is beyond 1e15, which no rating and no score reaches: correct it, or leave it out where there is none"
    )]
    TooLarge(String),
}
