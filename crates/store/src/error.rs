//! Errors of the store.

/// Failures of the store's methods. Something that was not found is `Ok(None)`, not an error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database cannot be reached or written; the sentence says what to check.
    #[error("{sentence}")]
    Unusable {
        /// The sentence, for people.
        sentence: String,
        /// The driver's error, for the log.
        #[source]
        source: Option<sqlx::Error>,
    },
    /// The thing exists already; the sentence is for people.
    #[error("{0}")]
    Taken(String),
    /// The request does not fit the stored data; the sentence is for people.
    #[error("{0}")]
    Refused(String),
    /// Too many attempts lately; the sentence, for people, says how long to wait.
    #[error("{0}")]
    TooMany(String),
    /// Another import is under way in the study.
    #[error("An import is under way in this study: try again when it is over.")]
    ImportUnderWay,
    /// A stored row cannot be read: another program wrote it, or this one is older than the data.
    #[error("The row {row} of table {table} has an unreadable {column}: {reason}.")]
    BadRow {
        /// The table.
        table: &'static str,
        /// The row's key.
        row: String,
        /// The column.
        column: &'static str,
        /// The reason.
        reason: String,
    },
    /// The migrations do not fit the database.
    #[error(
        "The database was made by another version of the program: use that version, or a copy of \
         the database from before it."
    )]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// The database refused or aborted for a reason that people can do nothing about.
    #[error("The database did not answer as it should.")]
    Database(#[source] sqlx::Error),
}

impl Error {
    /// An unusable database, for a reason of our own.
    pub(crate) fn unusable(sentence: impl Into<String>) -> Self {
        Self::Unusable {
            sentence: sentence.into(),
            source: None,
        }
    }

    /// Whether the same transaction may succeed if it is retried: after a serialisation failure, a
    /// deadlock, or a writer that held the file for too long.
    pub(crate) fn is_transient(&self) -> bool {
        self.code().is_some_and(|code| match code {
            DatabaseErrorCode::Postgres(state) => matches!(state.as_str(), "40001" | "40P01"),
            DatabaseErrorCode::Sqlite(primary) => primary == SQLITE_BUSY,
        })
    }

    /// Whether the same request may succeed later: the connection was lost, or the database
    /// restarts, is busy, or has no room at the moment.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        let Self::Unusable {
            source: Some(source),
            ..
        } = self
        else {
            return false;
        };

        match source {
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) => true,
            error => match DatabaseErrorCode::from_error(error) {
                Some(DatabaseErrorCode::Sqlite(primary)) => {
                    matches!(primary, SQLITE_BUSY | SQLITE_LOCKED | SQLITE_FULL)
                }
                Some(DatabaseErrorCode::Postgres(state)) => {
                    matches!(state.as_str(), "40001" | "40P01" | "55P03")
                        || ["08", "53", "57P"]
                            .iter()
                            .any(|class| state.starts_with(class))
                }
                None => false,
            },
        }
    }

    /// Whether it concerns the contents of one row, so that others may still be readable.
    pub(crate) const fn concerns_row(&self) -> bool {
        matches!(
            self,
            Self::BadRow { .. } | Self::Database(sqlx::Error::ColumnDecode { .. })
        )
    }

    /// The sentence and its cause, for the log.
    pub(crate) fn chain(&self) -> String {
        let cause = std::error::Error::source(self);
        cause.map_or_else(|| self.to_string(), |cause| format!("{self} {cause}"))
    }

    /// Whether a row with the same key existed.
    pub(crate) fn is_unique_violation(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.is_unique_violation())
    }

    fn code(&self) -> Option<DatabaseErrorCode> {
        match self {
            Self::Database(error)
            | Self::Unusable {
                source: Some(error),
                ..
            } => DatabaseErrorCode::from_error(error),
            _ => None,
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match remedy(&error) {
            Some(sentence) => Self::Unusable {
                sentence: sentence.to_owned(),
                source: Some(error),
            },
            None => Self::Database(error),
        }
    }
}

impl From<sqlx::migrate::MigrateError> for Error {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        use sqlx::migrate::MigrateError::{Execute, ExecuteMigration};
        match error {
            Execute(error) | ExecuteMigration(error, _) => error.into(),
            error => Self::Migration(error),
        }
    }
}

const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;
const SQLITE_FULL: u32 = 13;

/// The engine's code for the failure.
enum DatabaseErrorCode {
    /// SQLSTATE, five characters.
    Postgres(String),
    /// The primary result code: the low byte of the extended one.
    Sqlite(u32),
}

impl DatabaseErrorCode {
    fn from_error(error: &sqlx::Error) -> Option<Self> {
        let code = error.as_database_error()?.code()?;
        // SQLite's extended codes are decimal and stay below 10,000.
        if code.len() == 5 {
            Some(Self::Postgres(code.into_owned()))
        } else {
            code.parse::<u32>()
                .ok()
                .map(|code| Self::Sqlite(code & 0xff))
        }
    }
}

const BUSY: &str = "The database is busy: another program has been writing to it for too long; try \
    again in a moment.";
const FULL: &str = "The disk that holds the database is full: nothing was saved; make room and try \
    again.";
const READ_ONLY: &str = "The database may not be written: check the permissions of its file and \
    folder, or whether its server is a read-only copy.";
const UNREACHABLE: &str = "The database cannot be reached: check that its server runs and that the \
    address is right.";

/// The remedy for a failure, where people can do something about it.
fn remedy(error: &sqlx::Error) -> Option<&'static str> {
    match error {
        sqlx::Error::PoolTimedOut => return Some(BUSY),
        sqlx::Error::PoolClosed => return Some("The program is shutting down; try again later."),
        sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::StorageFull => {
            return Some(FULL);
        }
        sqlx::Error::Io(_) => return Some(UNREACHABLE),
        _ => {}
    }

    match DatabaseErrorCode::from_error(error)? {
        DatabaseErrorCode::Sqlite(primary) => match primary {
            SQLITE_BUSY | SQLITE_LOCKED => Some(BUSY),
            8 => Some(READ_ONLY),
            10 => Some("The disk that holds the database fails to read or write: check it."),
            11 => Some("The database file is damaged: restore it from a copy."),
            SQLITE_FULL => Some(FULL),
            14 => Some(
                "The database file cannot be opened: check that its folder exists and may be \
                 written.",
            ),
            26 => Some("The file is not a SQLite database: check the address."),
            _ => None,
        },
        DatabaseErrorCode::Postgres(state) => match state.as_str() {
            "40001" | "40P01" | "55P03" => Some(BUSY),
            "53100" => Some(FULL),
            "53200" => Some("The database server has no memory left: stop other programs there."),
            "53300" => Some(
                "The database server has no connection left: raise its max_connections or stop \
                 other programs.",
            ),
            "25006" => Some(READ_ONLY),
            "3D000" => Some("The database server has no database of that name: create it first."),
            "42501" => Some("The database user lacks a right: grant it, or use the owner."),
            state if state.starts_with("28") => {
                Some("The database server refuses the user or password of the address.")
            }
            state if state.starts_with("08") || state.starts_with("57P") => Some(UNREACHABLE),
            _ => None,
        },
    }
}
