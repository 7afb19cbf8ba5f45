//! Opening a database and bringing it up to date.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use sqlx::{
    Any, AnyConnection, AnyPool, Connection, Executor, Transaction,
    any::{AnyConnectOptions, AnyPoolOptions, install_default_drivers},
};

use crate::{
    Error, Result,
    annotator_answers::SaveQueues,
    audit::NewAuditEntry,
    backup::newest_migration,
    import::LiveImports,
    migrations::{migrator, newest},
    transaction::{is_retryable, pause},
    unreadable_rows::UnreadableRows,
};

/// The database behind a [`Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseEngine {
    /// One file, one writer at a time.
    Sqlite,
    /// A server, any number of writers.
    Postgres,
}

/// The database. Cloning it is cheap: all clones share the connections.
#[derive(Debug, Clone)]
pub struct Store {
    engine: DatabaseEngine,
    readers: AnyPool,
    /// On SQLite a single connection, so that writers queue here and not at the file.
    writer: AnyPool,
    pub(crate) unreadable: UnreadableRows,
    /// The imports that this process began.
    live_imports: Arc<Mutex<LiveImports>>,
    /// The answers that wait to be stored.
    pub(crate) saves: SaveQueues,
    /// The entry of the log of changes that this handle's next transaction stores.
    pub(crate) audit_entry: Option<Arc<NewAuditEntry>>,
    /// Whether this handle's transactions survive a power cut once they are committed.
    is_durable: bool,
}

/// Settings of the connection that writes to a SQLite file. `secure_delete` overwrites erased data.
const SQLITE_WRITER: &str = "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; \
    PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; \
    PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON;";

/// Begins a transaction on SQLite that survives a power cut once it is committed, with all before
/// it. Each transaction sets this itself, because an earlier one may have set the opposite and been
/// interrupted.
const SQLITE_BEGIN_DURABLE: &str = "PRAGMA synchronous = FULL; BEGIN IMMEDIATE";

/// Begins a transaction that a power cut may undo until a durable one follows. The file stays
/// intact.
const SQLITE_BEGIN_NON_DURABLE: &str = "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE";

/// Settings of the connections that read; a write sent to them by mistake fails. They share the
/// kernel's copy of the file (`mmap_size`: the first 2 GiB, the maximum), so that each needs little
/// cache of its own.
const SQLITE_READER: &str = "PRAGMA busy_timeout = 10000; PRAGMA cache_size = -8192; \
    PRAGMA mmap_size = 2147418112; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON;";

impl Store {
    /// Opens the database at `url` (`sqlite:PATH` or `postgres://…`), creates it if it is a missing
    /// file, and applies the migrations that it lacks.
    ///
    /// # Errors
    /// When the address names no engine, or the database cannot be reached or was made by a newer
    /// version.
    pub async fn open(url: &str) -> Result<Self> {
        install_default_drivers();
        let mut attempt = 1;
        loop {
            match Self::open_once(url).await {
                // If two processes switch the same new file to WAL, SQLite refuses one of them at
                // once, whatever its busy timeout.
                Err(error) if is_retryable(&error, attempt) => {
                    pause(attempt, &error).await;
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    /// Opens a SQLite file that cannot be written, as it is; every write fails.
    ///
    /// # Errors
    /// When it cannot be read, or another version of the program made it.
    pub async fn open_read_only(file: &Path) -> Result<Self> {
        install_default_drivers();
        let mut log = file.as_os_str().to_owned();
        log.push("-wal");
        // A file without a log is complete. With `immutable`, SQLite makes no lock files next to
        // it.
        let has_log = fs::metadata(log).is_ok_and(|log| log.len() > 0);
        let lock = if has_log { "" } else { "&immutable=1" };
        let url = format!("{}?mode=ro{lock}", sqlite_url(file));

        let readers = pool(&url, 8, Some(SQLITE_READER)).await?;
        let found = newest_migration(&mut *readers.acquire().await?).await?;
        if found != newest() {
            return Err(Error::unusable(
                "The database was made by another version of the program: open it once with this one where it can be \
                 written.",
            ));
        }

        Ok(Self {
            engine: DatabaseEngine::Sqlite,
            writer: readers.clone(),
            readers,
            unreadable: UnreadableRows::default(),
            live_imports: Arc::default(),
            saves: SaveQueues::default(),
            audit_entry: None,
            is_durable: true,
        })
    }

    async fn open_once(url: &str) -> Result<Self> {
        let store = match url.split(':').next() {
            Some("sqlite") => Self::open_sqlite(url).await?,
            Some("postgres" | "postgresql") => {
                let pool = pool(url, 16, None).await?;
                Self {
                    engine: DatabaseEngine::Postgres,
                    readers: pool.clone(),
                    writer: pool,
                    unreadable: UnreadableRows::default(),
                    live_imports: Arc::default(),
                    saves: SaveQueues::default(),
                    audit_entry: None,
                    is_durable: true,
                }
            }
            _ => {
                return Err(Error::unusable(
                    "The address names no database: use sqlite:PATH or postgres://USER@HOST/NAME.",
                ));
            }
        };

        store.migrate().await?;
        Ok(store)
    }

    async fn open_sqlite(url: &str) -> Result<Self> {
        if url.contains(":memory:") {
            return Err(Error::unusable(
                "A database in memory would be lost with its connection: use sqlite:PATH.",
            ));
        }

        let url = if url.contains('?') {
            url.to_owned()
        } else {
            format!("{url}?mode=rwc")
        };

        // The writer first: it creates the file and puts it into WAL mode.
        let writer = pool(&url, 1, Some(SQLITE_WRITER)).await?;
        let readers = pool(&url, 8, Some(SQLITE_READER)).await?;
        Ok(Self {
            engine: DatabaseEngine::Sqlite,
            readers,
            writer,
            unreadable: UnreadableRows::default(),
            live_imports: Arc::default(),
            saves: SaveQueues::default(),
            audit_entry: None,
            is_durable: true,
        })
    }

    async fn migrate(&self) -> Result<()> {
        let migrations = migrator();
        match self.engine {
            // The driver's own lock is for PostgreSQL only; here the transaction keeps other
            // processes out.
            DatabaseEngine::Sqlite => {
                self.back_up_before_migration(newest().unwrap_or_default())
                    .await?;
                let mut tx = self.begin().await?;
                // Does what `run` does, whose future could not be spawned.
                migrations.run_direct(None, &mut *tx, false).await?;
                tx.commit().await?;
            }
            DatabaseEngine::Postgres => migrations.run(&self.writer).await?,
        }
        Ok(())
    }

    /// The engine of the database.
    #[must_use]
    pub const fn engine(&self) -> DatabaseEngine {
        self.engine
    }

    /// Checks that the database takes writes, by writing a row and committing.
    ///
    /// # Errors
    /// When it does not; the error says why.
    pub async fn check_writing(&self, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query("UPDATE write_check SET checked_at = $1")
                .bind(now_ms)
                .execute(&mut *tx)
                .await?;
        })
    }

    /// Waits for work under way and closes all connections.
    pub async fn close(&self) {
        self.writer.close().await;
        self.readers.close().await;
    }

    /// The pool for single reads.
    pub(crate) const fn reader(&self) -> &AnyPool {
        &self.readers
    }

    /// The imports that this process began.
    pub(crate) fn live_imports(&self) -> MutexGuard<'_, LiveImports> {
        let imports = self.live_imports.lock();
        imports.unwrap_or_else(PoisonError::into_inner)
    }

    /// A handle for rows that nobody sees until another transaction makes them visible. On SQLite
    /// its transactions do not wait for the disk: the one that makes the rows visible waits for all
    /// of them.
    pub(crate) fn non_durable(&self) -> Self {
        Self {
            is_durable: false,
            ..self.clone()
        }
    }

    /// Begins a transaction that will write. On SQLite it takes the write lock at once: a read that
    /// later turns into a write could not be retried.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Any>> {
        let begin = match (self.engine, self.is_durable) {
            (DatabaseEngine::Sqlite, true) => SQLITE_BEGIN_DURABLE,
            (DatabaseEngine::Sqlite, false) => SQLITE_BEGIN_NON_DURABLE,
            (DatabaseEngine::Postgres, _) => "BEGIN",
        };
        Ok(self.writer.begin_with(begin).await?)
    }
}

/// The address of a SQLite file, whatever characters its path contains.
#[must_use]
pub fn sqlite_url(path: &Path) -> String {
    let mut url = "sqlite:".to_owned();
    for c in path.to_string_lossy().chars() {
        match c {
            '%' | '?' | '#' => url.push_str(&format!("%{:02X}", u32::from(c))),
            _ => url.push(c),
        }
    }
    url
}

async fn pool(url: &str, connections: u32, settings: Option<&'static str>) -> Result<AnyPool> {
    let options: AnyConnectOptions = url.parse().map_err(|error: sqlx::Error| {
        Error::unusable(format!("The database's address does not read: {error}."))
    })?;

    // Tried outside the pool, which would retry for half a minute and then not say why.
    let mut first = AnyConnection::connect_with(&options).await?;
    if let Some(settings) = settings {
        first.execute(settings).await?;
    }
    first.close().await?;

    Ok(AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_secs(30))
        // SQLite itself ends a transaction when the disk is full, and then refuses the driver's
        // rollback. The driver would still count the transaction as open and begin no other on this
        // connection.
        .before_acquire(|connection, _| {
            Box::pin(async move { Ok(!connection.is_in_transaction()) })
        })
        .after_connect(move |connection, _| {
            Box::pin(async move {
                if let Some(settings) = settings {
                    connection.execute(settings).await?;
                }
                Ok(())
            })
        })
        .connect_with(options)
        .await?)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use sqlx::Row;

    use super::*;

    /// A setting of a connection.
    async fn setting(pool: &AnyPool, pragma: &'static str) -> i64 {
        let row = sqlx::query(pragma).fetch_one(pool).await.unwrap();
        row.try_get(0).unwrap()
    }

    /// Without the first two, what was acknowledged may be lost or point to nothing.
    #[tokio::test]
    async fn the_writer_is_durable_and_readers_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let url = sqlite_url(&folder.path().join("a.sqlite"));
        let store = Store::open(&url).await.unwrap();
        assert_eq!(setting(&store.writer, "PRAGMA synchronous").await, 2);
        assert_eq!(setting(&store.writer, "PRAGMA foreign_keys").await, 1);
        assert_eq!(setting(&store.writer, "PRAGMA secure_delete").await, 1);
        assert_eq!(setting(&store.writer, "PRAGMA busy_timeout").await, 10_000);
        let mode = sqlx::query("PRAGMA journal_mode").fetch_one(&store.readers);
        assert_eq!(mode.await.unwrap().get::<&str, _>(0), "wal");
        let write = sqlx::query("DELETE FROM person").execute(&store.readers);
        assert!(write.await.is_err());
        store.close().await;
    }

    /// A transaction that need not survive a power cut leaves the next one as durable as ever, however it ends.
    #[tokio::test]
    async fn only_transactions_that_say_so_are_not_durable() {
        async fn synchronous(store: &Store) -> i64 {
            let mut tx = store.begin().await.unwrap();
            let row = sqlx::query("PRAGMA synchronous").fetch_one(&mut *tx).await;
            row.unwrap().try_get(0).unwrap()
        }
        let (full, normal) = (2, 1);
        let folder = tempfile::tempdir().unwrap();
        let url = sqlite_url(&folder.path().join("a.sqlite"));
        let store = Store::open(&url).await.unwrap();
        assert_eq!(synchronous(&store).await, full);
        assert_eq!(synchronous(&store.non_durable()).await, normal);

        // Begun, and given up before the connection answers: another process holds the file's lock.
        let other = Store::open(&url).await.unwrap();
        let lock = other.begin().await.unwrap();
        let mut connection = store.writer.acquire().await.unwrap();
        let begun = connection.begin_with(SQLITE_BEGIN_NON_DURABLE);
        assert!(begun.now_or_never().is_none());
        drop(connection);
        lock.rollback().await.unwrap();
        assert_eq!(synchronous(&store).await, full);

        // Committed.
        let tx = store.non_durable().begin().await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(synchronous(&store).await, full);
        other.close().await;
        store.close().await;
    }

    /// As after a disk was full: SQLite has ended the transaction by itself.
    #[tokio::test]
    async fn the_writer_heals_after_a_rollback_that_failed() {
        let folder = tempfile::tempdir().unwrap();
        let url = sqlite_url(&folder.path().join("a.sqlite"));
        let store = Store::open(&url).await.unwrap();
        for _ in 0..3 {
            let mut tx = store.begin().await.unwrap();
            tx.execute("UPDATE write_check SET checked_at = 7")
                .await
                .unwrap();
            tx.execute("ROLLBACK").await.unwrap();
            assert!(tx.rollback().await.is_err());
            store.check_writing(1).await.unwrap();
        }
        let at = setting(&store.readers, "SELECT checked_at FROM write_check").await;
        assert_eq!(at, 1);
        store.close().await;
    }

    /// SQLite's own limit simulates a full disk: the sentence says so, and writes come back with
    /// room.
    #[tokio::test]
    async fn a_full_disk_is_named_and_forgotten_when_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let url = sqlite_url(&folder.path().join("a.sqlite"));
        let store = Store::open(&url).await.unwrap();
        let pages = setting(&store.writer, "PRAGMA page_count").await;
        let limit = |pages: i64| format!("PRAGMA max_page_count = {pages}");
        let fill = async || -> Result<()> {
            in_transaction!(store, |tx| {
                let text = "x".repeat(100_000);
                sqlx::query("INSERT INTO aligner (version, seen_at) VALUES ($1, 1)")
                    .bind(text)
                    .execute(&mut *tx)
                    .await?;
            })
        };
        let set_limit = async |pages: i64| {
            let pragma = sqlx::AssertSqlSafe(limit(pages));
            sqlx::query(pragma).execute(&store.writer).await.unwrap();
        };
        set_limit(pages).await;
        let error = fill().await.unwrap_err();
        assert!(error.to_string().contains("full"), "{error}");
        set_limit(pages + 1_000).await;
        fill().await.unwrap();
        store.check_writing(1).await.unwrap();
        store.close().await;
    }

    /// A second process that opens the file while it is turned to WAL is refused at once, and tries again.
    #[tokio::test(flavor = "multi_thread", worker_threads = 8)]
    async fn eight_open_the_same_new_file_at_once() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let url = sqlite_url(&folder.path().join("a.sqlite"));
            let mut opening = tokio::task::JoinSet::new();
            for _ in 0..8 {
                let url = url.clone();
                opening.spawn(async move { Store::open(&url).await });
            }
            for opened in opening.join_all().await {
                opened.unwrap().close().await;
            }
        }
    }
}
