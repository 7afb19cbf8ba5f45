//! Checked copies of a SQLite database, and the check of any database's contents.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use sqlx::{
    Any, AnyConnection, Connection, Executor, Row, any::AnyConnectOptions, pool::PoolConnection,
};

use crate::{DatabaseEngine, Error, Result, Store, migrations, sqlite_url};

/// The contents of a database, and its faults.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct DatabaseCheck {
    /// How many studies there are.
    pub studies: i64,
    /// How many answers there are, those that were superseded included.
    pub annotations: i64,
    /// How many events there are.
    pub events: i64,
    /// A sentence for each fault; none in a sound database.
    pub faults: Vec<String>,
}

impl Store {
    /// Copies the SQLite database to `file`, as of one moment, and checks the copy. Saving goes on
    /// meanwhile.
    ///
    /// # Errors
    /// Where the database is not SQLite's, the file is there already or cannot be written, or the copy is
    /// not sound; then nothing is left of it.
    pub async fn back_up(&self, file: &Path) -> Result<DatabaseCheck> {
        if self.engine() != DatabaseEngine::Sqlite {
            return Err(Error::unusable(
                "A PostgreSQL database is copied by its own program, while the server runs: \
                 pg_dump --format=custom --file FILE URL, and pg_restore puts it back.",
            ));
        }

        if file.exists() {
            let name = file.display();
            return Err(Error::unusable(format!(
                "{name} is there already: name a new file."
            )));
        }

        // The pool's connections refuse to write, even to other files.
        let connection = self.reader().acquire().await?;
        copy_to(connection, file).await?;
        let mut copy = open_copy(file).await?;
        let found = check(&mut copy, DatabaseEngine::Sqlite).await?;
        copy.close().await?;

        if let Some(fault) = found.faults.first() {
            drop(fs::remove_file(file));
            return Err(unsound(fault));
        }
        Ok(found)
    }

    /// Checks the database: its file (SQLite), the events of each study, and the history of each answer.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn check_integrity(&self) -> Result<DatabaseCheck> {
        check(&mut *self.reader().acquire().await?, self.engine()).await
    }

    /// Copies a SQLite database that lacks one of the migrations up to `newest`, and was in use before.
    pub(crate) async fn back_up_before_migration(&self, newest: i64) -> Result<()> {
        let mut connection = self.reader().acquire().await?;
        let is_new = sqlx::query("SELECT 1 FROM sqlite_master WHERE name = '_sqlx_migrations'")
            .fetch_optional(&mut *connection)
            .await?
            .is_none();
        if is_new {
            return Ok(());
        }

        let applied = newest_migration(&mut connection).await?;
        let Some(applied) = applied.filter(|applied| *applied < newest) else {
            return Ok(());
        };

        let database: String =
            sqlx::query_scalar("SELECT file FROM pragma_database_list WHERE name = 'main'")
                .fetch_one(&mut *connection)
                .await?;

        let copy = PathBuf::from(format!("{database}.before-{newest:04}"));
        let fresh = copy.with_added_extension(format!("new-{}", std::process::id()));
        copy_to(connection, &fresh).await?;
        let mut made = open_copy(&fresh).await?;
        let still_old = newest_migration(&mut made).await? == Some(applied);
        made.close().await?;

        // Another process may have migrated meanwhile; then it kept a copy from before.
        if !still_old {
            return fs::remove_file(&fresh).map_err(|error| unwritable(&fresh, &error));
        }

        fs::rename(&fresh, &copy).map_err(|error| unwritable(&copy, &error))?;
        let copy = copy.display();
        tracing::info!(
            applied,
            newest,
            "the database was copied to {copy} before it is changed"
        );
        Ok(())
    }
}

/// Checks a file that is to replace a SQLite database: its pages, and that this version of the
/// program can continue from it.
///
/// # Errors
/// Where it is damaged, not a database of this program, or one of a newer version.
pub async fn check_backup(file: &Path) -> Result<()> {
    let name = file.display();
    let unusable = |fault: &str| Error::unusable(format!("{name} cannot be restored: {fault}"));
    let mut copy = open_copy(file)
        .await
        .map_err(|error| unusable(&format!("{error}.")))?;

    let faults = find_damage(&mut copy)
        .await
        .map_err(|_| unusable("it is not a SQLite database, or it is damaged."))?;
    if let Some(fault) = faults.first() {
        return Err(unusable(fault));
    }

    let newest = newest_migration(&mut copy)
        .await
        .map_err(|_| unusable("it is not a database of this program."))?;
    copy.close().await?;

    if newest > migrations::newest() {
        return Err(unusable(
            "a newer version of the program made it: install that version first.",
        ));
    }
    Ok(())
}

/// Writes a SQLite database's write-ahead log into its file and removes the log, so that the file
/// alone holds everything. Returns false if the file does not open or cannot be written; then its
/// log stays next to it.
///
/// # Errors
/// Where another process has the database open.
pub async fn settle_file(file: &Path) -> Result<bool> {
    sqlx::any::install_default_drivers();
    match take_log_away(file).await {
        Ok(()) => Ok(true),
        Err(error) if error.is_transient() => Err(in_use(file)),
        Err(error @ Error::Unusable { source: None, .. }) => Err(error),
        Err(error) => {
            tracing::warn!(%error, file = %file.display(), "a database does not open");
            Ok(false)
        }
    }
}

fn in_use(file: &Path) -> Error {
    Error::unusable(format!(
        "{} is in use: wait until every other command on it has ended, and try again.",
        file.display()
    ))
}

async fn take_log_away(file: &Path) -> Result<()> {
    let options: AnyConnectOptions = format!("{}?mode=rw", sqlite_url(file)).parse()?;
    let mut connection = AnyConnection::connect_with(&options).await?;

    connection.execute("PRAGMA busy_timeout = 2000").await?;
    // Reads the log first, and needs the file for itself.
    let mode = sqlx::query("PRAGMA journal_mode = DELETE")
        .fetch_one(&mut connection)
        .await;
    let mode: String = mode?.try_get(0)?;

    connection.close().await?;
    if mode == "delete" {
        Ok(())
    } else {
        Err(in_use(file))
    }
}

/// Copies the database of `connection` to `file` and checks the copy's pages. Closes the
/// connection.
async fn copy_to(connection: PoolConnection<Any>, file: &Path) -> Result<()> {
    let part = file.with_added_extension(format!("part-{}", std::process::id()));
    let result = copy_and_check(connection, &part).await;
    let result = result.and_then(|()| keep(&part, file).map_err(|error| unwritable(file, &error)));
    if result.is_err() {
        drop(fs::remove_file(&part));
    }
    result
}

async fn copy_and_check(connection: PoolConnection<Any>, part: &Path) -> Result<()> {
    create_private(part).map_err(|error| unwritable(part, &error))?;
    let mut connection = connection.detach();
    connection.execute("PRAGMA query_only = OFF").await?;
    sqlx::query("VACUUM INTO $1")
        .bind(part.to_string_lossy().into_owned())
        .execute(&mut connection)
        .await?;
    connection.close().await?;

    let mut copy = open_copy(part).await?;
    let faults = find_damage(&mut copy).await?;
    copy.close().await?;
    faults.first().map_or(Ok(()), |fault| Err(unsound(fault)))
}

fn unsound(fault: &str) -> Error {
    Error::unusable(format!(
        "The copy is not sound, and was deleted: {fault} `rankrate check` tells more."
    ))
}

async fn open_copy(file: &Path) -> Result<AnyConnection> {
    // `rankrate restore` opens its file before any database.
    sqlx::any::install_default_drivers();
    let options: AnyConnectOptions = format!("{}?mode=ro", sqlite_url(file)).parse()?;
    Ok(AnyConnection::connect_with(&options).await?)
}

/// The newest migration that the database has, if any.
pub(crate) async fn newest_migration(connection: &mut AnyConnection) -> Result<Option<i64>> {
    Ok(
        sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations")
            .fetch_one(connection)
            .await?,
    )
}

/// Makes an empty file that only its owner may read; SQLite writes into it.
fn create_private(file: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map(drop)
}

/// Gives the file its final name once it is on the disk.
fn keep(part: &Path, file: &Path) -> io::Result<()> {
    File::options().write(true).open(part)?.sync_all()?;
    fs::rename(part, file)
}

fn unwritable(file: &Path, error: &io::Error) -> Error {
    Error::unusable(format!("{} cannot be written: {error}.", file.display()))
}

/// Studies whose event counter differs from the number of their events, except those whose rows are
/// being deleted.
const STUDIES_WITH_GAPS: &str = "SELECT s.slug FROM study s
    LEFT JOIN (SELECT study_id, COUNT(*) AS events, MAX(number) AS newest FROM event GROUP BY study_id) e
        ON e.study_id = s.id
    WHERE s.erased_at IS NULL
      AND (s.events <> COALESCE(e.newest, 0) OR s.events <> COALESCE(e.events, 0))
    ORDER BY s.slug";

/// Answers that supersede one that does not exist or that still counts, except those that are being
/// deleted.
const BROKEN_HISTORIES: &str = "SELECT a.id FROM stored_annotation a
    LEFT JOIN stored_annotation b ON b.id = a.supersedes
    WHERE a.supersedes IS NOT NULL AND (b.id IS NULL OR b.current = 1)
      AND a.study_id NOT IN (SELECT id FROM study WHERE erased_at IS NOT NULL)
      AND a.rater_id NOT IN (SELECT id FROM stored_rater WHERE erased_at IS NOT NULL)
    ORDER BY a.id";

/// Damage to the pages of a SQLite file, one sentence each.
async fn find_damage(connection: &mut AnyConnection) -> Result<Vec<String>> {
    let rows = sqlx::query("SELECT integrity_check FROM pragma_integrity_check")
        .fetch_all(connection)
        .await?;

    let mut faults = vec![];
    for row in rows {
        let line: String = row.try_get(0)?;
        if line != "ok" {
            faults.push(format!("The file is damaged: {line}."));
        }
    }
    Ok(faults)
}

async fn check(connection: &mut AnyConnection, engine: DatabaseEngine) -> Result<DatabaseCheck> {
    let mut faults = vec![];
    if engine == DatabaseEngine::Sqlite {
        faults = find_damage(connection).await?;
        let rows = sqlx::query(
            "SELECT \"table\" || ' row ' || COALESCE(rowid, 0) FROM pragma_foreign_key_check",
        )
        .fetch_all(&mut *connection)
        .await?;
        for row in rows {
            let row: String = row.try_get(0)?;
            faults.push(format!("A row points to one that is not there: {row}."));
        }
    }

    for (sql, fault) in [
        (STUDIES_WITH_GAPS, "The events of a study have a gap"),
        (BROKEN_HISTORIES, "The history of an answer is broken"),
    ] {
        for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
            let name: String = row.try_get(0)?;
            faults.push(format!("{fault}: {name}."));
        }
    }

    let mut count = async |sql: &'static str| -> Result<i64> {
        Ok(sqlx::query_scalar(sql).fetch_one(&mut *connection).await?)
    };
    Ok(DatabaseCheck {
        studies: count("SELECT COUNT(*) FROM study").await?,
        annotations: count("SELECT COUNT(*) FROM stored_annotation").await?,
        events: count("SELECT COUNT(*) FROM event").await?,
        faults,
    })
}
