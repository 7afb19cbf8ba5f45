//! Many rows in few statements.

use std::{fmt::Write as _, sync::Arc};

use domain::ids::IdText;
use sqlx::{
    Any, AnyConnection, AssertSqlSafe,
    any::{AnyArguments, AnyRow},
    query::Query,
};

use crate::{Result, columns::BindId};

/// A statement that rows are bound to.
pub(crate) type BulkQuery = Query<'static, Any, AnyArguments>;

/// The largest number of rows per statement: with the widest table 1,100 values, far below the
/// limit of either database.
const ROWS_PER_STATEMENT: usize = 64;

/// Inserts `rows` into `table` (with its columns, as `name (a, b)`). `bind` binds one row's values
/// in the order of the columns.
///
/// A value must never be an absent `f64`: sqlx sends it to PostgreSQL as a narrower type, which
/// then holds for the whole prepared statement.
pub(crate) async fn insert<T>(
    tx: &mut AnyConnection,
    table: &'static str,
    rows: &[T],
    bind: impl Fn(BulkQuery, &T) -> BulkQuery,
) -> Result<()> {
    insert_on_conflict(tx, table, "", rows, bind).await
}

/// Like [`insert`], with a clause for rows that exist already: `ON CONFLICT …`, or nothing. No two
/// of `rows` may have the same key.
pub(crate) async fn insert_on_conflict<T>(
    tx: &mut AnyConnection,
    table: &'static str,
    conflict: &'static str,
    rows: &[T],
    bind: impl Fn(BulkQuery, &T) -> BulkQuery,
) -> Result<()> {
    let columns = table.split(',').count();
    let insertion = |numbered, rows| {
        let values = places(columns, rows, numbered, 1);
        format!("INSERT INTO {table} VALUES {values} {conflict}")
    };
    insert_in_chunks(tx, insertion, rows, |query| query, bind).await
}

/// Like [`insert`], for rows that have the same values in the first `shared` columns; `bind_shared`
/// binds these once per statement. Binding takes a seventh of the processor time of a long import.
pub(crate) async fn insert_sharing<T>(
    tx: &mut AnyConnection,
    table: &'static str,
    shared: usize,
    bind_shared: impl Fn(BulkQuery) -> BulkQuery,
    rows: &[T],
    bind: impl Fn(BulkQuery, &T) -> BulkQuery,
) -> Result<()> {
    let own = table.split(',').count() - shared;
    let insertion = |numbered, rows| {
        let first = places(shared, 1, numbered, 1);
        let first = first.trim_matches(['(', ')']);
        let values = places(own, rows, numbered, shared + 1);
        format!("INSERT INTO {table} SELECT {first}, own.* FROM (VALUES {values}) AS own")
    };
    insert_in_chunks(tx, insertion, rows, bind_shared, bind).await
}

/// Executes a statement for all of `rows`. `insertion` makes it, given whether its places are
/// numbered and its number of rows.
async fn insert_in_chunks<T>(
    tx: &mut AnyConnection,
    insertion: impl Fn(bool, usize) -> String,
    rows: &[T],
    bind_shared: impl Fn(BulkQuery) -> BulkQuery,
    bind: impl Fn(BulkQuery, &T) -> BulkQuery,
) -> Result<()> {
    let numbered = has_numbered_places(tx);
    let mut statement: (usize, Arc<str>) = (0, "".into());
    let mut rest = rows;
    while !rest.is_empty() {
        // The database keeps each statement that it has prepared, so there should be few.
        let count = (1 << rest.len().ilog2()).min(ROWS_PER_STATEMENT);
        let (chunk, later) = rest.split_at(count);
        rest = later;

        if statement.0 != count {
            statement = (count, insertion(numbered, count).into());
        }

        let query = bind_shared(sqlx::query(AssertSqlSafe(Arc::clone(&statement.1))));
        chunk.iter().fold(query, &bind).execute(&mut *tx).await?;
    }
    Ok(())
}

/// The number of keys per statement of [`select`].
const KEYS_PER_STATEMENT: usize = 64;

/// The rows of `query`, which joins the table `keys`. `bind` binds the values of its `columns`
/// (such as `id` or `rater, source`) for each of `keys`. A row may come more than once.
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
        let values = places(
            columns.split(',').count(),
            count,
            has_numbered_places(tx),
            1,
        );

        let sql = AssertSqlSafe(format!(
            "WITH keys ({columns}) AS (VALUES {values}) {query}"
        ));
        let bound = padded.fold(sqlx::query(sql), &bind);
        found.extend(bound.fetch_all(&mut *tx).await?);
    }

    Ok(found)
}

/// Executes `statement`, which ends in `IN `, for all of the ids. Returns the number of rows
/// changed.
pub(crate) async fn execute_for<T: IdText>(
    tx: &mut AnyConnection,
    statement: &'static str,
    ids: &[T],
) -> Result<u64> {
    let mut changed = 0;
    for chunk in ids.chunks(KEYS_PER_STATEMENT) {
        let (count, padded) = padded(chunk);
        let values = places(1, count, has_numbered_places(tx), 1);
        let sql = AssertSqlSafe(format!("{statement}(VALUES {values})"));
        let query = padded.fold(sqlx::query(sql), |query, id| query.bind_id(id));
        changed += query.execute(&mut *tx).await?.rows_affected();
    }
    Ok(changed)
}

/// The keys, with the last one repeated up to a power of two, so that there are few statements.
fn padded<T>(keys: &[T]) -> (usize, impl Iterator<Item = &T>) {
    let count = keys.len().next_power_of_two();
    let repeated = keys.last().into_iter().cycle();
    (count, keys.iter().chain(repeated).take(count))
}

/// Whether places for values have numbers. SQLite looks up a numbered place in a list for each
/// bound value, so the time would grow with the square of their number.
fn has_numbered_places(connection: &AnyConnection) -> bool {
    connection.backend_name() != "SQLite"
}

/// Places for the values of rows, numbered from `first` or not: `($1,$2),($3,$4)`.
fn places(columns: usize, rows: usize, numbered: bool, first: usize) -> String {
    let mut places = String::new();
    for place in 0..columns * rows {
        places.push_str(match (place % columns, place) {
            (0, 0) => "(",
            (0, _) => "),(",
            _ => ",",
        });
        match numbered {
            true => write!(places, "${}", first + place).expect("a text takes all that is written"),
            false => places.push('?'),
        }
    }

    places.push(')');
    places
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
        assert_eq!(super::places(2, 2, true, 1), "($1,$2),($3,$4)");
        assert_eq!(super::places(1, 2, true, 3), "($3),($4)");
        assert_eq!(super::places(2, 2, false, 3), "(?,?),(?,?)");
    }
}
