//! A PostgreSQL cluster of our own: one per test process, on a socket, which ends with the process.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use store::Store;
use tokio::sync::OnceCell;

#[derive(Debug)]
struct PostgresCluster {
    /// The folder of `initdb` and the other programs.
    programs: PathBuf,
    /// The folder of the socket.
    socket: String,
    /// It stops when its standard input closes, which is when this process ends.
    supervisor: Child,
}

/// A database that nothing else has used. It is dropped with the value, so that the disk holds only
/// those in use.
#[derive(Debug)]
pub(crate) struct ClusterDatabase {
    pub(crate) url: String,
    cluster: &'static PostgresCluster,
    name: String,
}

/// Makes a new database with our schema, as a copy of one that is migrated once. `Err` says why there is none.
pub(crate) async fn fresh_database() -> Result<ClusterDatabase, String> {
    static DATABASES: AtomicU32 = AtomicU32::new(1);
    static MIGRATED: OnceCell<ClusterDatabase> = OnceCell::const_new();

    let migrated = MIGRATED.get_or_try_init(migrated_database).await?;
    let name = format!("story_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    create_database(&migrated.name, name)
}

async fn migrated_database() -> Result<ClusterDatabase, String> {
    let database = create_database("template0", "migrated".to_owned())?;
    let store = Store::open(&database.url)
        .await
        .map_err(|error| format!("a new database cannot be migrated: {error}"))?;
    store.close().await;

    Ok(database)
}

fn create_database(template: &str, name: String) -> Result<ClusterDatabase, String> {
    static CLUSTER: OnceLock<Result<PostgresCluster, String>> = OnceLock::new();

    let cluster = CLUSTER
        .get_or_init(start_cluster)
        .as_ref()
        .map_err(Clone::clone)?;
    cluster.run("createdb", &["--template", template, &name])?;

    let socket = &cluster.socket;
    Ok(ClusterDatabase {
        url: format!("postgres://postgres@localhost/{name}?host={socket}"),
        cluster,
        name,
    })
}

impl ClusterDatabase {
    /// The process from which the server and all its connections descend.
    pub(crate) fn server_process(&self) -> u32 {
        self.cluster.supervisor.id()
    }
}

impl Drop for ClusterDatabase {
    fn drop(&mut self) {
        // By force, since a story that failed leaves its connections open.
        if let Err(reason) = self.cluster.run("dropdb", &["--force", &self.name]) {
            eprintln!("{reason}");
        }
    }
}

impl PostgresCluster {
    fn run(&self, program: &str, arguments: &[&str]) -> Result<(), String> {
        let output = Command::new(self.programs.join(program))
            .args(["--host", &self.socket, "--username=postgres"])
            .args(arguments)
            .output()
            .map_err(|error| format!("{program} does not run: {error}"))?;

        if output.status.success() {
            return Ok(());
        }

        let reason = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "{program}: {}: {}",
            output.status,
            reason.trim_end()
        ))
    }
}

fn start_cluster() -> Result<PostgresCluster, String> {
    let programs = programs().ok_or("no initdb on PATH and none below /usr/lib/postgresql")?;

    let mut supervisor = as_unprivileged_user()
        .args(["sh", "-c", include_str!("cluster.sh"), "cluster.sh"])
        .arg(&programs)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("PostgreSQL cannot be started: {error}"))?;

    let mut output = BufReader::new(supervisor.stdout.take().expect("it was piped"));
    let (mut socket, mut reason) = (String::new(), String::new());
    output
        .read_line(&mut socket)
        .map_err(|error| format!("PostgreSQL's answer cannot be read: {error}"))?;
    if socket.trim_end().is_empty() {
        drop(output.read_to_string(&mut reason));
        return Err(format!("PostgreSQL did not start: {}", reason.trim_end()));
    }

    Ok(PostgresCluster {
        programs,
        socket: socket.trim_end().to_owned(),
        supervisor,
    })
}

/// The folder of the server's programs: that of the `initdb` on PATH, which may be a link to it,
/// else the newest of Debian's packages.
fn programs() -> Option<PathBuf> {
    let of_initdb = |folder: PathBuf| {
        Some(
            fs::canonicalize(folder.join("initdb"))
                .ok()?
                .parent()?
                .to_owned(),
        )
    };

    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut on_path = std::env::split_paths(&path);
    on_path.find_map(of_initdb).or_else(|| {
        let version = |programs: &PathBuf| -> Option<u32> {
            programs.parent()?.file_name()?.to_str()?.parse().ok()
        };
        fs::read_dir("/usr/lib/postgresql")
            .ok()?
            .filter_map(|entry| of_initdb(entry.ok()?.path().join("bin")))
            .max_by_key(version)
    })
}

/// A command as another user if this one is root, as whom PostgreSQL refuses to run.
fn as_unprivileged_user() -> Command {
    let says = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        output.status.success().then_some(output.stdout)
    };

    if says("id", &["-u"]).is_some_and(|id| id == b"0\n") && Path::new("/etc/passwd").exists() {
        let user = match says("id", &["-u", "postgres"]) {
            Some(_) => "postgres",
            None => "nobody",
        };
        let mut command = Command::new("runuser");
        command.args(["-u", user, "--"]);
        command
    } else {
        Command::new("env")
    }
}
