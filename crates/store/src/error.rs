//! Why the store could not do what it was asked.

/// What a method of the store can fail with. What was not found is `Ok(None)`, not an error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database cannot be had; the sentence says what to look at.
    #[error("{0}")]
    Unusable(String),
    /// The thing exists already.
    #[error("{0}")]
    Taken(String),
    /// What was asked does not fit what is there; the sentence is for people.
    #[error("{0}")]
    Refused(String),
    /// A stored row does not read: somebody else wrote it, or the program is older than the data.
    #[error("the row {row} of table {table} has an unreadable {column}: {reason}")]
    BadRow {
        /// The table.
        table: &'static str,
        /// The row's key.
        row: String,
        /// The column.
        column: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The migrations do not fit the database.
    #[error("the database does not fit this version of the program")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The database refused or broke off.
    #[error("the database did not answer as it should")]
    Database(#[from] sqlx::Error),
}

impl Error {
    /// Whether the same transaction may succeed when it is tried again: a serialisation failure, a
    /// deadlock, a writer that held the file for too long.
    pub(crate) fn is_transient(&self) -> bool {
        let Self::Database(sqlx::Error::Database(error)) = self else {
            return false;
        };
        // PostgreSQL's SQLSTATE, then SQLite's extended result codes (low byte 5: busy).
        matches!(
            error.code().as_deref(),
            Some("40001" | "40P01" | "5" | "261" | "517" | "773")
        )
    }

    /// Whether a row with the same key was there before.
    pub(crate) fn is_unique_violation(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.is_unique_violation())
    }
}
