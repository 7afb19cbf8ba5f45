//! Servers as processes of their own, which are killed and started again.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::{Instant, sleep, timeout},
};

use super::http::{self, HttpRequest};

/// How long a server may take to start; a debug build on a busy machine is slow.
const STARTING: Duration = Duration::from_secs(120);

/// The addresses of the running servers, as annotators see them.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerAddresses(Arc<Mutex<Vec<Option<SocketAddr>>>>);

impl ServerAddresses {
    pub(crate) fn running(&self) -> Vec<SocketAddr> {
        let addresses = self.0.lock().expect("no holder panics");
        addresses.iter().copied().flatten().collect()
    }

    fn set(&self, server: usize, address: Option<SocketAddr>) {
        let mut addresses = self.0.lock().expect("no holder panics");
        if addresses.len() <= server {
            addresses.resize(server + 1, None);
        }
        addresses[server] = address;
    }
}

/// The program and the database that it serves.
#[derive(Debug)]
pub(crate) struct ServerLaunch {
    pub(crate) program: PathBuf,
    pub(crate) database_url: String,
    /// Each server has a folder of its own in it.
    pub(crate) folder: PathBuf,
}

/// Servers on one database.
#[derive(Debug)]
pub(crate) struct ServerGroup {
    launch: ServerLaunch,
    processes: Vec<Option<ServerProcess>>,
    pub(crate) addresses: ServerAddresses,
    pub(crate) kills: usize,
    pub(crate) restarts: usize,
    pub(crate) longest_restart: Duration,
}

#[derive(Debug)]
struct ServerProcess {
    child: Child,
    /// Open for as long as it runs: it may still print something.
    _output: Lines<BufReader<ChildStdout>>,
}

impl ServerGroup {
    /// Starts servers on the database.
    ///
    /// # Errors
    /// Where one does not start.
    pub(crate) async fn start(launch: ServerLaunch, servers: usize) -> Result<Self, String> {
        let mut group = Self {
            launch,
            processes: Vec::new(),
            addresses: ServerAddresses::default(),
            kills: 0,
            restarts: 0,
            longest_restart: Duration::ZERO,
        };
        for server in 0..servers {
            group.processes.push(None);
            group.start_one(server).await?;
        }
        Ok(group)
    }

    /// The number of servers.
    pub(crate) const fn len(&self) -> usize {
        self.processes.len()
    }

    /// The ids of the running processes.
    pub(crate) fn process_ids(&self) -> Vec<u32> {
        let running = self.processes.iter().flatten();
        running.filter_map(|process| process.child.id()).collect()
    }

    /// Sends a server SIGKILL and waits until it is gone. New requests go elsewhere at once; those under way
    /// are cut off.
    ///
    /// # Errors
    /// Where the system refuses.
    pub(crate) async fn kill(&mut self, server: usize) -> Result<(), String> {
        self.addresses.set(server, None);
        if let Some(mut process) = self.processes[server].take() {
            let killed = process.child.kill().await;
            killed.map_err(|error| format!("a server cannot be killed: {error}"))?;
            self.kills += 1;
        }
        Ok(())
    }

    /// Starts a server again.
    ///
    /// # Errors
    /// Where it does not start.
    pub(crate) async fn restart(&mut self, server: usize) -> Result<(), String> {
        let begun = Instant::now();
        self.start_one(server).await?;
        self.restarts += 1;
        self.longest_restart = self.longest_restart.max(begun.elapsed());
        Ok(())
    }

    async fn start_one(&mut self, server: usize) -> Result<(), String> {
        let folder = self.launch.folder.join(format!("server-{server}"));
        fs::create_dir_all(&folder).map_err(|error| format!("no folder for a server: {error}"))?;
        let log = folder.join("log");

        let started = timeout(STARTING, start_process(&self.launch, &folder)).await;
        let started = started.unwrap_or_else(|_| Err("it takes too long".to_owned()));
        let (process, address) = started.map_err(|reason| {
            let log = fs::read_to_string(&log).unwrap_or_default();
            format!("a server does not start: {reason}; its log:\n{log}")
        })?;

        self.processes[server] = Some(process);
        self.addresses.set(server, Some(address));
        Ok(())
    }
}

/// Starts the program on a free port and waits until it answers and its database takes writes.
async fn start_process(
    launch: &ServerLaunch,
    folder: &Path,
) -> Result<(ServerProcess, SocketAddr), String> {
    let log = File::options()
        .create(true)
        .append(true)
        .open(folder.join("log"))
        .map_err(|error| format!("no log: {error}"))?;
    let mut child = Command::new(&launch.program)
        .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn"])
        .arg("--data")
        .arg(folder)
        // Without it a server is ready sooner; it has nothing to do with saving.
        .arg("--encoder")
        .arg(folder.join("no-encoder"))
        // No settings of the caller.
        .env_clear()
        .env("DATABASE_URL", &launch.database_url)
        // All simulated people come from one address.
        .env("RANKRATE_MAX_CONNECTIONS_PER_ADDRESS", "4000")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("{} does not run: {error}", launch.program.display()))?;

    let output = child.stdout.take().expect("it is piped");
    let mut output = BufReader::new(output).lines();
    let address = loop {
        let line = output.next_line().await;
        let line = line.map_err(|error| format!("its output cannot be read: {error}"))?;
        let line = line.ok_or("it ended before it printed its address")?;
        if let Some(address) = line.strip_prefix("Rank & Rate is at http://") {
            let address = address.trim_end_matches('/').parse::<SocketAddr>();
            break address.map_err(|error| format!("it printed “{line}”: {error}"))?;
        }
    };

    let health = HttpRequest::page("/health", "");
    while !matches!(http::send(address, &health).await, Ok(answer) if answer.status == 200) {
        sleep(Duration::from_millis(20)).await;
    }

    let process = ServerProcess {
        child,
        _output: output,
    };
    Ok((process, address))
}
