//! Columns into types. An error about a value names its table, row and column.

use std::{borrow::Cow, fmt::Display, str::FromStr};

use domain::ids::IdText;
use serde::de::DeserializeOwned;
use sqlx::{
    Any, Decode, Row, Type,
    any::{AnyArguments, AnyRow},
    query::{Query, QueryAs, QueryScalar},
};

use crate::{Error, Result};

/// Binds ids to a statement.
pub(crate) trait BindId {
    /// Binds an id as text, or NULL where it is absent.
    fn bind_id(self, id: impl IdText) -> Self;
}

impl BindId for Query<'_, Any, AnyArguments> {
    fn bind_id(self, id: impl IdText) -> Self {
        self.bind(id.id_text())
    }
}

impl<T> BindId for QueryAs<'_, Any, T, AnyArguments> {
    fn bind_id(self, id: impl IdText) -> Self {
        self.bind(id.id_text())
    }
}

impl<T> BindId for QueryScalar<'_, Any, T, AnyArguments> {
    fn bind_id(self, id: impl IdText) -> Self {
        self.bind(id.id_text())
    }
}

/// Reads a TEXT column that holds an id, the name of a state or the like.
pub(crate) fn parse_text<T>(
    table: &'static str,
    row: impl Display,
    column: &'static str,
    text: &str,
) -> Result<T>
where
    T: FromStr<Err: Display>,
{
    text.parse()
        .map_err(|error: T::Err| bad_row(table, row, column, error))
}

/// Reads a TEXT column that holds JSON.
pub(crate) fn parse_json<T: DeserializeOwned>(
    table: &'static str,
    row: impl Display,
    column: &'static str,
    text: &str,
) -> Result<T> {
    serde_json::from_str(text).map_err(|error| bad_row(table, row, column, error))
}

/// Writes a value as JSON for a TEXT column.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("our own types have string keys and no failing serializer")
}

/// A row of a table. Errors in its columns name it by its id, or by the column that stands for it.
#[derive(Clone)]
pub(crate) struct TableRow<'r> {
    table: &'static str,
    id: Cow<'r, str>,
    row: &'r AnyRow,
}

impl<'r> TableRow<'r> {
    pub(crate) fn new(table: &'static str, row: &'r AnyRow) -> Result<Self> {
        Self::keyed(table, row, "id")
    }

    /// A row that errors name by another column.
    pub(crate) fn keyed(table: &'static str, row: &'r AnyRow, key: &str) -> Result<Self> {
        let id = Cow::Borrowed(row.try_get(key)?);
        Ok(Self { table, id, row })
    }

    /// A row that was asked for by its id, which need not be among its columns.
    pub(crate) fn named(table: &'static str, row: &'r AnyRow, id: impl Display) -> Self {
        let id = Cow::Owned(id.to_string());
        Self { table, id, row }
    }

    /// The same row for columns that a statement joins from another table.
    pub(crate) fn in_table(&self, table: &'static str) -> Self {
        Self {
            table,
            ..self.clone()
        }
    }

    /// The row's id.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// A column as the database has it.
    pub(crate) fn get<T>(&self, column: &str) -> Result<T>
    where
        T: Decode<'r, Any> + Type<Any>,
    {
        Ok(self.row.try_get(column)?)
    }

    /// A column that is 1 for true and 0 for false.
    pub(crate) fn flag(&self, column: &str) -> Result<bool> {
        Ok(self.get::<i64>(column)? != 0)
    }

    /// Whether a column with a time holds one.
    pub(crate) fn is_set(&self, column: &str) -> Result<bool> {
        Ok(self.get::<Option<i64>>(column)?.is_some())
    }

    /// A COUNT: never negative, and never near 2³².
    pub(crate) fn count(&self, column: &str) -> Result<u32> {
        parse_count(self.row, column)
    }

    /// A TEXT column that holds an id, the name of a state or the like.
    pub(crate) fn parse<T: FromStr<Err: Display>>(&self, column: &'static str) -> Result<T> {
        parse_text(self.table, &self.id, column, self.get(column)?)
    }

    /// Like [`Self::parse`]; `None` for NULL.
    pub(crate) fn parse_optional<T>(&self, column: &'static str) -> Result<Option<T>>
    where
        T: FromStr<Err: Display>,
    {
        let text: Option<&str> = self.get(column)?;
        text.map(|text| parse_text(self.table, &self.id, column, text))
            .transpose()
    }

    /// A TEXT column that holds JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, column: &'static str) -> Result<T> {
        parse_json(self.table, &self.id, column, self.get(column)?)
    }

    /// Like [`Self::json`]; `None` for NULL.
    pub(crate) fn json_optional<T>(&self, column: &'static str) -> Result<Option<T>>
    where
        T: DeserializeOwned,
    {
        let text: Option<&str> = self.get(column)?;
        text.map(|text| parse_json(self.table, &self.id, column, text))
            .transpose()
    }
}

/// Reads rows of a table with the column `id`.
pub(crate) fn read_rows<T, C: FromIterator<T>>(
    table: &'static str,
    rows: &[AnyRow],
    mut read: impl FnMut(&TableRow<'_>) -> Result<T>,
) -> Result<C> {
    rows.iter()
        .map(|row| read(&TableRow::new(table, row)?))
        .collect()
}

/// Reads the row that was found, of a table with the column `id`.
pub(crate) fn read_row<T>(
    table: &'static str,
    row: Option<AnyRow>,
    read: impl FnOnce(&TableRow<'_>) -> Result<T>,
) -> Result<Option<T>> {
    row.map(|row| read(&TableRow::new(table, &row)?))
        .transpose()
}

/// A COUNT: never negative, and never near 2³².
pub(crate) fn parse_count(row: &AnyRow, column: &str) -> Result<u32> {
    let count: i64 = row.try_get(column)?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

pub(crate) fn bad_row(
    table: &'static str,
    row: impl Display,
    column: &'static str,
    reason: impl Display,
) -> Error {
    Error::BadRow {
        table,
        row: row.to_string(),
        column,
        reason: reason.to_string(),
    }
}
