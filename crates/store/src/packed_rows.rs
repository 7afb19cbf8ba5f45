//! Many small rows in one. A driver's row costs more than what is in it, so statements that read a
//! whole study return one row per source, with the rows below it joined into one text.

use std::{
    fmt::Display,
    str::{FromStr, Split},
};

use crate::{
    Error, Result,
    columns::{bad_row, parse_json, parse_text},
};

/// The text between two columns of a packed row. Statements take it as a parameter.
///
/// It is a control character, which no id, number or JSON holds; statements replace it in other texts.
pub(crate) const COLUMN_END: &str = "\u{1f}";

/// The text between two packed rows.
pub(crate) const ROW_END: &str = "\u{1e}";

/// The same as characters, for which a search is several times as fast as for texts.
const COLUMN_END_CHAR: char = '\u{1f}';
const ROW_END_CHAR: char = '\u{1e}';

/// One of the packed rows. Its first column is its id; the others are taken one after another.
pub(crate) struct PackedRow<'t> {
    table: &'static str,
    id: &'t str,
    columns: Split<'t, char>,
}

/// The rows in a text as `string_agg` joined them; none if there is no text.
pub(crate) fn packed_rows<'t>(
    table: &'static str,
    text: Option<&'t str>,
) -> impl Iterator<Item = PackedRow<'t>> {
    let rows = text
        .into_iter()
        .flat_map(|text| text.split_terminator(ROW_END_CHAR));
    rows.map(move |row| {
        let mut columns = row.split(COLUMN_END_CHAR);
        let id = columns.next().unwrap_or_default();
        PackedRow { table, id, columns }
    })
}

impl<'t> PackedRow<'t> {
    /// The id, parsed.
    pub(crate) fn id<T: FromStr<Err: Display>>(&self) -> Result<T> {
        parse_text(self.table, self.id, "id", self.id)
    }

    /// The next column as text; empty where the statement wrote nothing for NULL.
    pub(crate) fn text(&mut self, column: &'static str) -> Result<&'t str> {
        let next = self.columns.next();
        next.ok_or_else(|| bad_row(self.table, self.id, column, "the row ends before it"))
    }

    /// An error about a column of the row.
    pub(crate) fn bad(&self, column: &'static str, reason: &str) -> Error {
        bad_row(self.table, self.id, column, reason)
    }

    /// The next column, parsed.
    pub(crate) fn parse<T: FromStr<Err: Display>>(&mut self, column: &'static str) -> Result<T> {
        let text = self.text(column)?;
        parse_text(self.table, self.id, column, text)
    }

    /// Like [`Self::parse`]; `None` if the column is empty.
    pub(crate) fn parse_optional<T: FromStr<Err: Display>>(
        &mut self,
        column: &'static str,
    ) -> Result<Option<T>> {
        match self.text(column)? {
            "" => Ok(None),
            text => parse_text(self.table, self.id, column, text).map(Some),
        }
    }

    /// The next column, which holds JSON.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(
        &mut self,
        column: &'static str,
    ) -> Result<T> {
        let text = self.text(column)?;
        parse_json(self.table, self.id, column, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_the_same_as_texts_and_characters() {
        assert_eq!(COLUMN_END, COLUMN_END_CHAR.to_string());
        assert_eq!(ROW_END, ROW_END_CHAR.to_string());
    }

    #[test]
    fn columns_are_read_in_their_order_and_a_bad_one_is_named() {
        let text = "a\u{1f}1\u{1f}\u{1f}[2]\u{1e}b\u{1f}x";
        let mut rows = packed_rows("output", Some(text));
        let mut first = rows.next().unwrap();
        assert_eq!(first.id::<String>().unwrap(), "a");
        assert_eq!(first.parse::<i64>("position").unwrap(), 1);
        assert_eq!(first.parse_optional::<i64>("twin_of").unwrap(), None);
        assert_eq!(first.json::<Vec<u8>>("edits").unwrap(), [2]);
        let mut second = rows.next().unwrap();
        let error = second.parse::<i64>("position").unwrap_err().to_string();
        assert!(error.contains("output") && error.contains('b'), "{error}");
        assert!(second.parse::<i64>("edits").is_err());
        assert!(rows.next().is_none());
        assert_eq!(packed_rows("output", None).count(), 0);
        assert_eq!(packed_rows("output", Some("")).count(), 0);
    }
}
