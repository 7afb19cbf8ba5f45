//! Command lines that name standard input for two files, though it can be read for one only.

use std::{any::TypeId, path::PathBuf};

use clap::{Arg, ArgMatches, Command, error::ErrorKind};

use super::ratings::StudyOrFile;

/// Refuses a command line that names standard input more than once.
///
/// # Errors
/// A usage error that names the arguments.
pub(super) fn refuse_repeated_input(
    command: &mut Command,
    matches: &ArgMatches,
) -> Result<(), clap::Error> {
    if let Some((name, matches)) = matches.subcommand()
        && let Some(subcommand) = command.find_subcommand_mut(name)
    {
        return refuse_repeated_input(subcommand, matches);
    }

    let uses = |arg: &Arg| {
        let values = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
        let count = values.filter(|value| *value == "-").count();
        vec![arg.to_string(); count]
    };
    let uses: Vec<_> = command
        .get_arguments()
        .filter(|arg| reads_file(arg))
        .flat_map(uses)
        .collect();

    match uses.len() {
        0 | 1 => Ok(()),
        _ => Err(command.error(
            ErrorKind::ArgumentConflict,
            format!(
                "standard input (-) can be read for one of {}: name a file for the others",
                uses.join(" and ")
            ),
        )),
    }
}

/// Whether the argument names a file to read.
fn reads_file(arg: &Arg) -> bool {
    let kind = arg.get_value_parser().type_id();
    let names_file = kind == TypeId::of::<PathBuf>() || kind == TypeId::of::<StudyOrFile>();
    names_file && arg.get_id() != "output"
}
