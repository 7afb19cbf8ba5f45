//! Processor time and memory of processes.

use std::{fs, time::Duration};

/// The processor time of processes and of children that they waited for, in steps of 10 ms; zero where there is no
/// `/proc`.
pub(crate) fn processor_time(processes: &[u32]) -> Duration {
    let ticks = |process: &u32| -> u64 {
        let times = stat_fields(*process).skip(11).take(4);
        times.sum()
    };
    Duration::from_millis(10 * processes.iter().map(ticks).sum::<u64>())
}

/// Processes with all of their descendants that still run.
pub(crate) fn with_descendants(processes: &[u32]) -> Vec<u32> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    let running = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    let parents: Vec<(u32, u64)> = running
        .filter_map(|process| Some((process, stat_fields(process).nth(1)?)))
        .collect();

    let mut found = processes.to_vec();
    let mut at = 0;
    while at < found.len() {
        let parent = u64::from(found[at]);
        let children = parents.iter().filter(|(_, of)| *of == parent);
        found.extend(children.map(|(process, _)| process));
        at += 1;
    }
    found
}

/// The fields that `/proc` has for a process after the program's name, which may have spaces and is in parentheses.
/// The first of them, the state, and others that are not numbers read as 0.
fn stat_fields(process: u32) -> impl Iterator<Item = u64> {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = status.rsplit(')').next().unwrap_or_default();
    let fields: Vec<u64> = fields
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    fields.into_iter()
}

/// The memory that a process holds, in KiB; zero where there is no `/proc`.
pub(crate) fn memory_kib(process: u32) -> u64 {
    status_kib(process, "VmRSS:")
}

/// The process's own memory, in KiB: without pages that the kernel maps from files, such as the program and, on
/// SQLite, the database.
pub(crate) fn own_memory_kib(process: u32) -> u64 {
    status_kib(process, "RssAnon:")
}

fn status_kib(process: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use tokio::{
        io::{AsyncBufReadExt as _, BufReader},
        process::Command,
    };

    use super::*;

    #[tokio::test]
    async fn a_process_counts_with_what_it_started() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 60 & echo started; wait"])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let output = shell.stdout.take().unwrap();
        BufReader::new(output).lines().next_line().await.unwrap();

        let root = shell.id().unwrap();
        let found = with_descendants(&[root]);
        assert_eq!((found[0], found.len()), (root, 2));
        drop(
            std::process::Command::new("kill")
                .arg(found[1].to_string())
                .status(),
        );
    }
}
