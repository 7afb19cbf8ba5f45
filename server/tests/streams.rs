//! Standard input and standard output in the place of files: `-`.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
    thread,
};

use tempfile::TempDir;

/// A folder in which the program runs.
struct ProgramFolder(TempDir);

impl ProgramFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The outcome of a command that is given `input`.
    fn try_run(&self, command: &str, input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rankrate"))
            .args(command.split_whitespace())
            .current_dir(self.0.path())
            .env_remove("DATABASE_URL")
            .env("RANKRATE_DATA", "data")
            .env("RANKRATE_LOG", "info")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut pipe, input) = (child.stdin.take().unwrap(), input.to_vec());
        // A command that refuses its arguments reads nothing.
        let writer = thread::spawn(move || drop(pipe.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    /// The standard output of a command that succeeds.
    fn run(&self, command: &str, input: &[u8]) -> Vec<u8> {
        let output = self.try_run(command, input);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {messages}");
        output.stdout
    }

    /// The exit code and the message of a command that fails.
    fn error(&self, command: &str, input: &[u8]) -> (Option<i32>, String) {
        let output = self.try_run(command, input);
        assert!(output.stdout.is_empty(), "{command} printed something");
        let message = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), message)
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.0.path().join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap()
    }
}

/// A file of the manual.
fn sample(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/samples");
    fs::read(folder.join(name)).unwrap()
}

/// Each command reads the same from standard input as from a file.
#[test]
fn a_file_can_come_from_standard_input() {
    let folder = ProgramFolder::new();
    for (name, command) in [
        ("ratings.csv", "agreement FILE --json"),
        ("ratings.csv", "systems FILE --json"),
        ("ratings.csv", "raters FILE --json"),
        ("ratings.csv", "compare human rewriter FILE --json"),
        (
            "ratings.csv",
            "meta-eval --ratings FILE --metrics compression --json",
        ),
        ("comparisons.csv", "pairwise FILE --json"),
        ("spans.jsonl", "spans FILE --json"),
        ("answers.csv", "rc FILE --json"),
        ("outputs.csv", "score FILE --metrics compression"),
        ("candidates.jsonl", "rerank FILE --metrics bleu"),
        ("pairs.tsv", "align FILE --grade string"),
    ] {
        let content = sample(name);
        folder.write(name, &content);
        let of_file = folder.run(&command.replace("FILE", name), b"");
        let of_pipe = folder.run(&command.replace("FILE", "-"), &content);
        assert!(!of_file.is_empty(), "{command}");
        assert!(of_file == of_pipe, "{command} differs");
    }
}

#[test]
fn a_workbook_can_come_from_standard_input() {
    let folder = ProgramFolder::new();
    let rows: &[&[&str]] = &[
        &["source", "system", "output", "rater", "rating"],
        &["Rain fell.", "a", "It rained.", "r1", "80"],
        &["Rain fell.", "a", "It rained.", "r2", "70"],
        &["Rain fell.", "b", "Fell rain.", "r1", "20"],
        &["Rain fell.", "b", "Fell rain.", "r2", "30"],
    ];
    let workbook = testdata::workbook(&[("ratings", rows)]);
    folder.write("ratings.xlsx", &workbook);
    let of_pipe = folder.run("agreement - --json", &workbook);
    assert!(of_pipe == folder.run("agreement ratings.xlsx --json", b""));
}

#[test]
fn a_study_is_imported_and_exported_through_pipes() {
    let folder = ProgramFolder::new();
    folder.run("import river - --create", &sample("ratings.csv"));
    folder.run("import river --references -", &sample("references.csv"));

    let table = folder.run("export river --format tidy -o -", b"");
    assert!(!table.is_empty());
    assert!(table == folder.run("export river --format tidy", b""));
    assert!(!folder.0.path().join("-").exists());

    // Parquet is read from its end.
    folder.run("export river --format dataset -o dataset", b"");
    let of_pipe = folder.run(
        "agreement - --json",
        &folder.read("dataset/ratings.parquet"),
    );
    assert!(of_pipe == folder.run("agreement dataset --json", b""));

    let study = folder.run("study export river -o -", b"");
    folder.run("study import - --slug lake", &study);
    assert!(
        String::from_utf8(folder.run("study list", b""))
            .unwrap()
            .contains("lake")
    );
}

#[test]
fn scores_on_standard_output_stand_alone() {
    let folder = ProgramFolder::new();
    let outputs = sample("outputs.csv");
    let scores = folder.run("score - --metrics compression -o -", &outputs);
    assert!(scores.starts_with(b"id,source"), "{scores:?}");

    let (code, message) = folder.error("score - --metrics compression -o - --json", &outputs);
    assert_eq!(code, Some(1));
    assert!(message.contains("name a file with -o"), "{message}");
}

/// They are beside the scores, of which a program reads every line.
#[test]
fn repeated_warnings_about_scored_rows_are_folded() {
    let folder = ProgramFolder::new();
    let mut rows = "source,system,output\nRain fell.,a,It rained.\n".to_owned();
    rows += &",a,It rained.\n".repeat(100);
    let output = folder.try_run("score - --metrics compression", rows.as_bytes());
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(messages.matches("! left out: ").count(), 5, "{messages}");
    assert!(
        messages.contains("! and 95 more of this kind\n"),
        "{messages}"
    );
    assert_eq!(output.stdout.split(|byte| *byte == b'\n').count(), 3);
}

#[test]
fn standard_input_is_named_in_messages() {
    let folder = ProgramFolder::new();
    let (code, message) = folder.error("agreement -", b"");
    assert_eq!(code, Some(1));
    assert!(message.contains("standard input was not read"), "{message}");
}

#[test]
fn standard_input_is_one_file() {
    let folder = ProgramFolder::new();
    for command in [
        "score - --references -",
        "score - -",
        "agreement - --raters -",
        "protocols - -",
        "align - --source -",
    ] {
        let (code, message) = folder.error(command, b"");
        assert_eq!(code, Some(2), "{command}: {message}");
        assert!(message.contains("standard input (-)"), "{message}");
    }
}

#[test]
fn what_is_no_text_needs_a_file() {
    let folder = ProgramFolder::new();
    for command in [
        "train ratings.csv -o -",
        "pretrain texts.txt -o -",
        "align train gold.tsv -o -",
        "backup -o -",
        "man -o -",
        "export river --format dataset -o -",
    ] {
        let (code, message) = folder.error(command, b"");
        assert_eq!(code, Some(2), "{command}: {message}");
        assert!(message.contains("name a"), "{command}: {message}");
    }
}
