//! Many rows in few statements.

use std::sync::Arc;

use sqlx::{
    Any, AnyConnection, AssertSqlSafe,
    any::{AnyArguments, AnyRow},
    query::Query,
};

use crate::{
    Result,
    columns::{BindId, StoredId},
};

/// A statement that rows are bound to.
pub(crate) type BulkQuery = Query<'static, Any, AnyArguments>;

/// The most rows a statement: with the widest table 1,100 values, far below what either database takes.
const ROWS_PER_STATEMENT: usize = 64;

/// Inserts `rows` into `table` (with its columns, as `name (a, b)`). `bind` binds one row's values
/// in the order of the columns.
///
/// A value must never be an absent number of type `f64`: sqlx sends it to PostgreSQL as a narrower
/// one, whose type then holds for the prepared statement as a whole.
pub(crate) async fn insert<T>(
    tx: &mut AnyConnection,
    table: &'static str,
    rows: &[T],
    bind: impl Fn(BulkQuery, &T) -> BulkQuery,
) -> Result<()> {
    insert_on_conflict(tx, table, "", rows, bind).await
}

/// As [`insert`], with the handling of rows that exist already: `ON CONFLICT …`, or nothing. No
/// two of `rows` may have the same key.
pub(crate) async fn insert_on_conflict<T>(
    tx: &mut AnyConnection,
    table: &'static str,
    conflict: &'static str,
    rows: &[T],
    bind: impl Fn(BulkQuery, &T) -> BulkQuery,
) -> Result<()> {
    let columns = table.split(',').count();
    let mut statement: (usize, Arc<str>) = (0, "".into());
    let mut rest = rows;
    while !rest.is_empty() {
        // The database keeps each statement that it has prepared, so there should be few of them.
        let count = (1 << rest.len().ilog2()).min(ROWS_PER_STATEMENT);
        let (chunk, later) = rest.split_at(count);
        rest = later;
        if statement.0 != count {
            let values = values(tx, columns, count);
            let sql = format!("INSERT INTO {table} VALUES {values} {conflict}");
            statement = (count, sql.into());
        }
        let sql = AssertSqlSafe(Arc::clone(&statement.1));
        chunk
            .iter()
            .fold(sqlx::query(sql), &bind)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// Keys a statement of [`select`].
const KEYS_PER_STATEMENT: usize = 64;

/// The rows of `query`, which joins the table `keys`: its `columns`, as `id` or `rater, source`, have the values
/// that `bind` binds for each of `keys`. A row may come more than once.
pub(crate) async fn select<T>(
    tx: &mut AnyConnection,
    columns: &'static str,
    query: &'static str,
    keys: &[T],
    bind: impl Fn(BulkQuery, &T) -> BulkQuery,
) -> Result<Vec<AnyRow>> {
    let mut found = Vec::new();
    for chunk in keys.chunks(KEYS_PER_STATEMENT) {
        let (count, padded) = padded(chunk);
        let values = values(tx, columns.split(',').count(), count);
        let sql = AssertSqlSafe(format!(
            "WITH keys ({columns}) AS (VALUES {values}) {query}"
        ));
        let bound = padded.fold(sqlx::query(sql), &bind);
        found.extend(bound.fetch_all(&mut *tx).await?);
    }
    Ok(found)
}

/// Executes `statement`, which ends in `IN `, for all of the ids, and tells how many rows it changed.
pub(crate) async fn execute_for<T: StoredId>(
    tx: &mut AnyConnection,
    statement: &'static str,
    ids: &[T],
) -> Result<u64> {
    let mut changed = 0;
    for chunk in ids.chunks(KEYS_PER_STATEMENT) {
        let (count, padded) = padded(chunk);
        let sql = AssertSqlSafe(format!("{statement}(VALUES {})", values(tx, 1, count)));
        let query = padded.fold(sqlx::query(sql), |query, id| query.bind_id(id));
        changed += query.execute(&mut *tx).await?.rows_affected();
    }
    Ok(changed)
}

/// The keys, the last one repeated up to a power of two, for few statements as well.
fn padded<T>(keys: &[T]) -> (usize, impl Iterator<Item = &T>) {
    let count = keys.len().next_power_of_two();
    let repeated = keys.last().into_iter().cycle();
    (count, keys.iter().chain(repeated).take(count))
}

/// Places for the values of rows: `($1, $2), ($3, $4)`.
fn values(connection: &AnyConnection, columns: usize, rows: usize) -> String {
    // SQLite looks a numbered place up in a list, again for each value that is bound: the time would grow with the
    // square of their number.
    places(columns, rows, connection.backend_name() != "SQLite")
}

fn places(columns: usize, rows: usize, numbered: bool) -> String {
    let place = |number: usize| match numbered {
        true => format!("${number}"),
        false => "?".to_owned(),
    };
    let row = |at: usize| {
        let places: Vec<_> = (1..=columns).map(|n| place(at * columns + n)).collect();
        format!("({})", places.join(", "))
    };
    let rows: Vec<_> = (0..rows).map(row).collect();
    rows.join(", ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_are_padded_to_a_power_of_two() {
        let (count, keys) = super::padded(&[1, 2, 3]);
        assert_eq!((count, keys.copied().collect()), (4, vec![1, 2, 3, 3]));
    }

    #[test]
    fn places_for_two_rows() {
        assert_eq!(super::places(2, 2, true), "($1, $2), ($3, $4)");
        assert_eq!(super::places(2, 2, false), "(?, ?), (?, ?)");
    }
}
