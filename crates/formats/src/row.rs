//! What a file says, in one shape for all formats.

use std::{str::FromStr, sync::Arc};

use domain::{category::Category, score::RatingScale, study::SystemKind};
use serde::Serialize;

use crate::error::clip;

/// One row of a file: a source, mostly with an output of it and ratings of that output.
///
/// Rows repeat: an output rated by five workers may come as five rows that differ in nothing but
/// the rating. Whoever stores rows brings those of one source (same key, else same text), one
/// system and one text together.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRow {
    /// The line on which the row begins, from 1, the header included.
    pub line: u64,
    /// What was simplified.
    pub source: FileSource,
    /// What a system made of it; `None` where the file only brings sources.
    pub output: Option<FileOutput>,
    /// What the file says beyond the fields above, as it stands there: column (or JSON key) and
    /// text (or JSON). Past rows keep `id` and `generation` here.
    pub verbatim: Vec<(Arc<str>, String)>,
}

/// A text that was simplified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSource {
    /// The file's own name for it; `None` where the text is its name. Not empty.
    pub key: Option<String>,
    /// Not empty.
    pub text: String,
    /// Human simplifications to compare with, none of them empty.
    pub references: Vec<String>,
}

/// What one system made of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct FileOutput {
    /// What is shown, categorised and scored; may be empty.
    pub text: String,
    /// Who wrote it; `None` where the file does not say. Not empty.
    pub system: Option<String>,
    /// What kind of writer that is, where the file says.
    pub kind: Option<SystemKind>,
    /// The group that the file puts it in, where it does.
    pub category: Option<Category>,
    /// The ratings of this row, in the order of the file.
    pub ratings: Vec<FileRating>,
}

/// A number that a rater gave an output.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRating {
    /// Who gave it; `None` for a score of which the file does not say who gave it.
    pub rater: Option<String>,
    /// The column or key that it stood in.
    pub column: Arc<str>,
    /// On what: `overall` where the file names nothing.
    pub dimension: Arc<str>,
    /// The numbers that it could have been; `None` where nothing states them.
    pub scale: Option<RatingScale>,
    /// The number, on the scale where one is stated; decimal or whole.
    pub value: WrittenNumber,
    /// The file's own z-score of it.
    pub z: Option<WrittenNumber>,
}

/// A finite number with the text that it was written as, so that it can be written so again.
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

    /// Spaces around it are kept in the text; infinities and `nan` are no numbers here.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Self {
                value,
                text: text.to_owned(),
            }),
            _ => Err(InvalidNumber(clip(text))),
        }
    }
}

/// A text that is no number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” is no number: write it in digits with a decimal point, or leave it out where there is none"
)]
pub struct InvalidNumber(pub String);
