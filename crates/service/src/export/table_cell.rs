//! The cells and columns of tables, before a format decides how to write them.

use std::borrow::Cow;

use super::format_timestamp;

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TableCell<'a> {
    /// No value.
    Missing,
    Text(Cow<'a, str>),
    Number(f64),
    /// A number that a table of text writes with three decimals.
    Thousandths(f64),
    /// A number that a table of text writes with six decimals.
    Millionths(f64),
    Whole(i64),
    Truth(bool),
    /// A time, in milliseconds since 1970.
    Time(i64),
    Texts(Vec<&'a str>),
    Wholes(Vec<i64>),
}

impl<'a> TableCell<'a> {
    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// A text; missing if there is none or it is empty.
    pub(super) fn text_or_missing(text: Option<&'a str>) -> Self {
        let text = text.filter(|text| !text.is_empty());
        text.map_or(Self::Missing, Self::text)
    }

    pub(super) fn number_or_missing(number: Option<f64>) -> Self {
        number.map_or(Self::Missing, Self::Number)
    }

    /// The cell in a table of text, where a missing value is an empty cell.
    pub(super) fn as_text(&self) -> Cow<'_, str> {
        match self {
            Self::Missing => "".into(),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Number(number) => number.to_string().into(),
            Self::Thousandths(number) => format!("{number:.3}").into(),
            Self::Millionths(number) => format!("{number:.6}").into(),
            Self::Whole(number) => number.to_string().into(),
            Self::Truth(truth) => truth.to_string().into(),
            Self::Time(ms) => format_timestamp(*ms).into(),
            Self::Texts(texts) => texts.join(" ").into(),
            Self::Wholes(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(i64::to_string).collect();
                numbers.join(" ").into()
            }
        }
    }
}

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Text,
    Number,
    Whole,
    Truth,
    Time,
    Texts,
    Wholes,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableColumn {
    pub(super) name: Cow<'static, str>,
    pub(super) kind: ColumnKind,
    /// Whether values can be missing.
    pub(super) is_optional: bool,
}

impl TableColumn {
    /// A column without missing values.
    pub(super) const fn required(name: &'static str, kind: ColumnKind) -> Self {
        Self {
            name: Cow::Borrowed(name),
            kind,
            is_optional: false,
        }
    }

    pub(super) const fn optional(name: &'static str, kind: ColumnKind) -> Self {
        Self {
            name: Cow::Borrowed(name),
            kind,
            is_optional: true,
        }
    }
}
