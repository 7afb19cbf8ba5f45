//! One meaning has one flag, whatever the command.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, Command, CommandFactory as _, Parser as _};

use super::{CliArgs, Workspace};

/// The flag of each meaning, and other words for it, which no command may show.
const SHARED_FLAGS: [(&str, &[&str]); 10] = [
    ("output", &["out", "out-file", "output-file", "output-to"]),
    ("bootstrap", &["draws", "replicates", "resamples"]),
    ("seed", &["random-seed"]),
    ("ties", &["threshold", "tie-threshold"]),
    ("dimension", &["dimensions"]),
    ("metrics", &["metric"]),
    (
        "in-work",
        &["in-progress", "with-in-work", "with-work-in-progress"],
    ),
    ("aligner", &["network"]),
    ("overlap", &["annotators", "number"]),
    ("name", &["title"]),
];

/// Flags whose help begins with the same sentence on each command.
const SAME_HELP: [&str; 8] = [
    "seed",
    "in-work",
    "consensus",
    "raters",
    "encoding",
    "separator",
    "sheet",
    "yes",
];

/// Flags that take other values, or none, on some commands, and why.
const OTHER_VALUES: [&str; 4] = [
    "output",  // A file, or a folder.
    "from",    // `none` is for metrics only.
    "kind",    // One system's kind, or one of many systems in a file.
    "ratings", // Where people are erased, their ratings go or stay.
];

/// The visible flags of a command and its subcommands, with the command of each.
fn visible_flags(command: &Command, path: &str) -> Vec<(String, Arg)> {
    let arguments = command.get_arguments();
    let shown = arguments.filter(|arg| arg.get_long().is_some() && !arg.is_hide_set());
    let mut flags: Vec<_> = shown.map(|arg| (path.to_owned(), arg.clone())).collect();
    for subcommand in command.get_subcommands() {
        flags.extend(visible_flags(
            subcommand,
            &format!("{path} {}", subcommand.get_name()),
        ));
    }
    flags
}

/// The visible flags of all commands, by their long names.
fn flags_by_name() -> BTreeMap<String, Vec<(String, Arg)>> {
    let mut flags = BTreeMap::<String, Vec<_>>::new();
    for (command, arg) in visible_flags(&CliArgs::command(), "rankrate") {
        let name = arg.get_long().expect("flags have one").to_owned();
        flags.entry(name).or_default().push((command, arg));
    }
    flags
}

/// The first sentence of a flag's help.
fn first_sentence(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let end = help.find(['.', ';']).unwrap_or(help.len());
    help[..end].to_owned()
}

#[test]
fn one_meaning_has_one_flag() {
    let flags = flags_by_name();
    for (name, others) in SHARED_FLAGS {
        let commands = flags.get(name).map_or(0, Vec::len);
        assert!(commands > 1, "--{name} is on {commands} commands");
        for other in others {
            let shown = flags.get(*other).into_iter().flatten();
            let shown: Vec<_> = shown.map(|(command, _)| command).collect();
            assert!(
                shown.is_empty(),
                "--{other} of {shown:?} is called --{name}"
            );
        }
    }
}

#[test]
fn a_flag_takes_the_same_values_and_has_the_same_help_on_all_commands() {
    for (name, uses) in flags_by_name() {
        let (first_command, first) = &uses[0];
        for (command, arg) in &uses[1..] {
            let place = format!("--{name} of {first_command} and {command}");
            if !OTHER_VALUES.contains(&&*name) {
                assert_eq!(first.get_value_names(), arg.get_value_names(), "{place}");
                let is_switch = |arg: &Arg| matches!(arg.get_action(), ArgAction::SetTrue);
                assert_eq!(is_switch(first), is_switch(arg), "{place}");
            }
            if SAME_HELP.contains(&&*name) {
                assert_eq!(first_sentence(first), first_sentence(arg), "{place}");
            }
        }
    }
}

#[test]
fn every_place_to_write_to_has_the_short_flag() {
    for (command, arg) in &flags_by_name()["output"] {
        assert_eq!(arg.get_short(), Some('o'), "{command}");
    }
}

#[test]
fn earlier_names_of_flags_still_work() {
    for command in [
        "score outputs.csv --output-to scores.csv",
        "align pairs.tsv --output-to links.txt --network own",
        "align train gold.tsv --out folder",
        "align eval gold.tsv --network own",
        "train ratings.csv --out metric --dimensions fluency,meaning",
        "train --datasets list.toml --leave-one-dataset-out --scores scores.jsonl",
        "pretrain texts.txt --out encoder",
        "backup copy.sqlite",
        "man pages",
        "export demo --format tidy --with-work-in-progress",
        "meta-eval --ratings ratings.csv --threshold 5%",
        "rc answers.csv --stability 5 --draws 50 --original a --references b",
        "rerank candidates.jsonl --metric sari",
        "study annotators river --number 10 --keys keys.txt",
        "study import study.json --title River",
        "study clone river --slug lake --title Lake",
    ] {
        let arguments = ["rankrate"].into_iter().chain(command.split(' '));
        let parsed = CliArgs::try_parse_from(arguments);
        parsed.unwrap_or_else(|error| panic!("{command}: {error}"));
    }
}

/// `--output` used to name the outputs to read, which must not be overwritten.
#[test]
fn sources_and_outputs_are_named_as_for_scores() {
    let workspace = Workspace::new();
    workspace.write("sources", "The vessel sank.\nRain fell.\n");
    workspace.write("outputs", "The boat sank.\nIt rained.\n");
    workspace.write(
        "pairs",
        "The vessel sank.\tThe boat sank.\nRain fell.\tIt rained.\n",
    );

    let links = workspace.run("align @outputs --source @sources --grade string");
    assert_eq!(links, workspace.run("align @pairs --grade string"));
    let error = workspace.error("align --source @sources --output @outputs --grade string");
    assert!(error.contains("<FILE>"), "{error}");
    assert_eq!(workspace.read("outputs"), "The boat sank.\nIt rained.\n");
}
