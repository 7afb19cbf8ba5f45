//! Many rows in few statements.

use sqlx::{Any, AnyConnection, AssertSqlSafe, any::AnyArguments, query::Query};

use crate::Result;

/// A statement that rows are bound to.
pub(crate) type BulkQuery = Query<'static, Any, AnyArguments>;

/// Rows a statement: with the widest table 1,600 values, far below what either database takes.
const ROWS_PER_STATEMENT: usize = 100;

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
    for chunk in rows.chunks(ROWS_PER_STATEMENT) {
        let statement = statement(table, columns, chunk.len());
        let sql = AssertSqlSafe(format!("{statement} {conflict}"));
        chunk
            .iter()
            .fold(sqlx::query(sql), &bind)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

fn statement(table: &str, columns: usize, rows: usize) -> String {
    let row = |at: usize| {
        let places: Vec<_> = (1..=columns)
            .map(|n| format!("${}", at * columns + n))
            .collect();
        format!("({})", places.join(", "))
    };
    let rows: Vec<_> = (0..rows).map(row).collect();
    format!("INSERT INTO {table} VALUES {}", rows.join(", "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_statement_for_two_rows() {
        assert_eq!(
            super::statement("t (a, b)", 2, 2),
            "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)"
        );
    }
}
