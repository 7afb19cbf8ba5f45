//! Columns into types: a row that does not read names table, row and column.

use std::{fmt::Display, str::FromStr};

use serde::de::DeserializeOwned;
use sqlx::{Row, any::AnyRow};

use crate::{Error, Result};

/// Reads a TEXT column that holds an id, a name of a state and the like.
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
