//! Snapshots of every command's output, for people and for programs: `--json` is a contract.
//!
//! Commands run in process, from their arguments to their output, on files of our own writing and on a
//! study in a database of its own.

mod align;
mod compare;
mod comprehension;
mod datasets;
mod exchange;
mod experiments;
mod figures;
mod flags;
mod management;
mod meta_eval;
mod pairwise;
mod protocols;
mod reading;
mod rerank;
mod round_trips;
mod rows;
mod score;
mod spans;

use std::{
    fs, io,
    sync::{Arc, Mutex},
};

use clap::CommandFactory as _;
use serde_json::{Number, Value};
use tempfile::TempDir;

use super::{CliArgs, CommandOutput, dispatch, parse_with};

/// Three raters on three sources of two systems, in two dimensions.
const RATINGS: &str = "\
WorkerId,Input.original,Input.simplified,Input.system,Answer.simplicity,Answer.fluency
1,The vessel sank near the coast.,The boat sank.,A,2,5
1,The vessel sank near the coast.,Sank the vessel of boats.,B,-1,1
1,Rain fell on the roof all night.,It rained all night.,A,1,4
1,Rain fell on the roof all night.,Rain the roof.,B,0,2
1,The council withdrew its plan.,The council dropped its plan.,A,2,5
1,The council withdrew its plan.,Council plan withdrew.,B,-2,1
2,The vessel sank near the coast.,The boat sank.,A,1,4
2,The vessel sank near the coast.,Sank the vessel of boats.,B,0,2
2,Rain fell on the roof all night.,It rained all night.,A,1,4
2,Rain fell on the roof all night.,Rain the roof.,B,-1,1
2,The council withdrew its plan.,The council dropped its plan.,A,2,5
2,The council withdrew its plan.,Council plan withdrew.,B,-1,2
3,The vessel sank near the coast.,The boat sank.,A,2,5
3,The vessel sank near the coast.,Sank the vessel of boats.,B,-2,1
3,Rain fell on the roof all night.,It rained all night.,A,0,3
3,Rain fell on the roof all night.,Rain the roof.,B,-1,2
3,The council withdrew its plan.,The council dropped its plan.,A,1,4
3,The council withdrew its plan.,Council plan withdrew.,B,0,3
";

/// The shapes of times, to the second and to the millisecond.
const TIMES: [&str; 2] = ["xxxx-xx-xxTxx:xx:xxZ", "xxxx-xx-xxTxx:xx:xx.xxxZ"];

/// A folder with files and a database.
struct Workspace {
    folder: TempDir,
}

impl Workspace {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let workspace = Self { folder };
        workspace.write("ratings.csv", RATINGS);
        workspace
    }

    /// A workspace whose database has the ratings in the study `river`.
    fn with_study() -> Self {
        let workspace = Self::new();
        workspace.run("import river @ratings.csv --create");
        workspace
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("a file can be written");
    }

    fn write_bytes(&self, name: &str, bytes: &[u8]) {
        fs::write(self.folder.path().join(name), bytes).expect("a file can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).expect("the file is there")
    }

    /// The output for people.
    fn run(&self, command: &str) -> String {
        self.try_run(command, false)
            .unwrap_or_else(|error| panic!("{command}: {error:#}"))
    }

    /// The output for programs, laid out for reading.
    fn json(&self, command: &str) -> String {
        let text = self
            .try_run(command, true)
            .unwrap_or_else(|error| panic!("{command}: {error:#}"));
        format_json_lines(&text)
    }

    /// The output for programs of a command that prints one line.
    fn value(&self, command: &str) -> Value {
        serde_json::from_str(&self.json(command)).expect("the command prints one line of JSON")
    }

    /// The message with which the command fails.
    fn error(&self, command: &str) -> String {
        let error = self.try_run(command, false).expect_err("the command fails");
        self.mask(&format!("{error:#}"))
    }

    /// Runs a command and masks its output.
    fn try_run(&self, command: &str, json: bool) -> anyhow::Result<String> {
        let text = self.try_run_unmasked(command, json)?;
        Ok(self.mask(&text))
    }

    /// As [`Self::try_run`], without masking. `@NAME` is a path in the folder.
    fn try_run_unmasked(&self, command: &str, json: bool) -> anyhow::Result<String> {
        let folder = self.folder.path().display().to_string();
        let path = |word: &str| match word.strip_prefix('@') {
            Some(name) => format!("{folder}/{name}"),
            None => word.to_owned(),
        };

        let mut arguments = vec!["rankrate".to_owned()];
        arguments.extend(command.split_whitespace().map(path));
        arguments.push(format!("--data={folder}"));
        let database = store::sqlite_url(&self.folder.path().join("test.sqlite"));
        arguments.push(format!("--database-url={database}"));
        let arguments = arguments.into_iter().map(Into::into).collect();

        let cli = parse_with(CliArgs::command(), arguments)?;
        let buffer = SharedBuffer::default();
        dispatch(cli, CommandOutput::to_writer(json, buffer.clone()))?;
        let bytes = buffer.0.lock().expect("no test panicked here").clone();
        Ok(String::from_utf8(bytes)?)
    }

    /// Masks what differs from one run to the next: the folder, ids and times.
    fn mask(&self, text: &str) -> String {
        let folder = format!("{}/", self.folder.path().display());
        let mut rest = &text.replace(&folder, "@")[..];
        let mut masked = String::new();

        while let Some(next) = rest.chars().next() {
            if starts_with_shape(rest, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") {
                masked += "[id]";
                rest = &rest[36..];
            } else if let Some(shape) = TIMES.iter().find(|shape| starts_with_shape(rest, shape)) {
                masked += "[time]";
                rest = &rest[shape.len()..];
            } else {
                masked.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }

        masked
    }
}

/// Whether the text begins like `shape`, in which `x` is any hexadecimal digit.
fn starts_with_shape(text: &str, shape: &str) -> bool {
    text.len() >= shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, expected)| {
            if expected == b'x' {
                byte.is_ascii_hexdigit()
            } else {
                byte == expected
            }
        })
}

/// A command's output, shared between the command and its test.
#[derive(Debug, Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .expect("no test panicked here")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Each line's JSON, its keys in alphabetical order and its numbers to six decimals.
fn format_json_lines(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let value: Value = serde_json::from_str(line).expect("a line is JSON");
        format_json(&round(value), 0)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The entries of `longer` that `plain` lacks. Entries in both must be equal.
fn find_additions(longer: &Value, plain: &Value) -> Value {
    match (longer, plain) {
        (Value::Object(longer), Value::Object(plain)) => {
            let missing = plain.keys().find(|key| !longer.contains_key(*key));
            assert_eq!(missing, None);

            let additions = longer.iter().filter_map(|(key, value)| {
                let added = match plain.get(key) {
                    None => return Some((key.clone(), value.clone())),
                    Some(same) if same == value => return None,
                    Some(other) => find_additions(value, other),
                };
                Some((key.clone(), added))
            });
            Value::Object(additions.collect())
        }
        (Value::Array(longer), Value::Array(plain)) => {
            assert_eq!(longer.len(), plain.len());
            let pairs = longer.iter().zip(plain);
            pairs
                .map(|(longer, plain)| find_additions(longer, plain))
                .collect()
        }
        _ => {
            assert_eq!(longer, plain);
            Value::Null
        }
    }
}

fn round(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().expect("it is a float");
            let rounded = (number * 1e6).round() / 1e6;
            Number::from_f64(rounded).map_or(Value::Null, Value::Number)
        }
        Value::Array(items) => items.into_iter().map(round).collect(),
        Value::Object(entries) => {
            let entries = entries.into_iter();
            Value::Object(entries.map(|(key, value)| (key, round(value))).collect())
        }
        other => other,
    }
}

/// Lays JSON out: a value that fits a line stays on it; otherwise each entry has its own.
fn format_json(value: &Value, indent: usize) -> String {
    const WIDTH: usize = 100;
    let line = value.to_string();
    if indent + line.chars().count() <= WIDTH {
        return line;
    }

    let inner = indent + 2;
    let (open, entries, close) = match value {
        Value::Array(items) => {
            let items = items.iter().map(|item| format_json(item, inner));
            ('[', items.collect::<Vec<_>>(), ']')
        }
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                let key = Value::from(key.as_str());
                format!("{key}: {}", format_json(value, inner))
            });
            ('{', entries.collect::<Vec<_>>(), '}')
        }
        _ => return line,
    };

    let space = " ".repeat(inner);
    let entries = entries.join(&format!(",\n{space}"));
    format!("{open}\n{space}{entries}\n{}{close}", " ".repeat(indent))
}
