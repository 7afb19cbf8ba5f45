use std::{fs, io, path::Path};

use clap::{Arg, Command};
use toml::{Table, Value};

/// The reason why the settings file was rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsFileError {
    #[error("the settings file {path} cannot be read")]
    Read { path: String, source: io::Error },
    #[error("the settings file {path} is not TOML")]
    Toml {
        path: String,
        source: Box<toml::de::Error>,
    },
    #[error("the settings file {path} names [{section}] {key}, which no setting is called")]
    Unknown {
        path: String,
        section: String,
        key: String,
    },
    #[error(
        "in the settings file {path}, [{section}] {key} is not a text, a number, a truth value or a list of these"
    )]
    NotPlain {
        path: String,
        section: String,
        key: String,
    },
}

/// Sets the file's values as defaults of the command's arguments.
///
/// Flags and environment therefore override the file, and every value is parsed and refused in one place.
pub(crate) fn with_file(command: Command, path: &Path) -> Result<Command, SettingsFileError> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|source| SettingsFileError::Read {
        path: name.clone(),
        source,
    })?;
    let table = text
        .parse::<Table>()
        .map_err(|source| SettingsFileError::Toml {
            path: name.clone(),
            source: Box::new(source),
        })?;
    with_table(command, &table, &name)
}

fn with_table(
    mut command: Command,
    table: &Table,
    path: &str,
) -> Result<Command, SettingsFileError> {
    for (section, keys) in table {
        let Value::Table(keys) = keys else {
            return Err(SettingsFileError::Unknown {
                path: path.to_owned(),
                section: String::new(),
                key: section.clone(),
            });
        };

        for (key, value) in keys {
            let fault = || (path.to_owned(), section.clone(), key.clone());
            let texts = match value {
                Value::Array(values) => values.iter().map(plain_text).collect(),
                value => plain_text(value).map(|text| vec![text]),
            };

            let Some(texts) = texts else {
                let (path, section, key) = fault();
                return Err(SettingsFileError::NotPlain { path, section, key });
            };

            let (with_default, known) = set_default(command, section, key, &texts);
            command = with_default;
            if !known {
                let (path, section, key) = fault();
                return Err(SettingsFileError::Unknown { path, section, key });
            }
        }
    }
    Ok(command)
}

/// A value that can be written on a command line.
fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}

/// Sets the default wherever the command or a subcommand has this setting, and returns whether any has it.
/// The flag is named after the key, or after the section and the key: `[webhooks] allow` is
/// `--webhooks-allow`.
fn set_default(command: Command, section: &str, key: &str, texts: &[String]) -> (Command, bool) {
    let is_it = |arg: &Arg| {
        arg.get_long()
            .is_some_and(|long| long == key || long == format!("{section}-{key}"))
            && arg
                .get_help_heading()
                .is_some_and(|heading| heading.eq_ignore_ascii_case(section))
    };

    let mut is_known = false;
    let command = command.mut_args(|arg| {
        if is_it(&arg) {
            is_known = true;
            arg.default_values(texts.to_vec())
        } else {
            arg
        }
    });

    let command = command.mut_subcommands(|subcommand| {
        let (subcommand, found) = set_default(subcommand, section, key, texts);
        is_known |= found;
        subcommand
    });

    (command, is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        Command::new("rankrate").subcommand(
            Command::new("serve").arg(
                Arg::new("listen")
                    .long("listen")
                    .help_heading("Web")
                    .default_value("127.0.0.1:3000"),
            ),
        )
    }

    fn listen_address(file: &str, flags: &[&str]) -> String {
        let table = file.parse().expect("TOML");
        let command = with_table(command(), &table, "test.toml").expect("known settings");
        let matches = command.get_matches_from([&["rankrate", "serve"], flags].concat());
        let (_, serve) = matches.subcommand().expect("serve");
        serve
            .get_one::<String>("listen")
            .expect("has a default")
            .clone()
    }

    #[test]
    fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
        assert_eq!(listen_address("", &[]), "127.0.0.1:3000");
        assert_eq!(listen_address("[web]\nlisten = '[::]:80'", &[]), "[::]:80");
        assert_eq!(
            listen_address("[web]\nlisten = '[::]:80'", &["--listen", "a:1"]),
            "a:1"
        );
    }

    #[test]
    fn a_list_is_several_values_and_a_flag_takes_their_place() {
        let parse = |file: &str, flags: &[&str]| {
            let allow = Arg::new("allow")
                .long("webhooks-allow")
                .help_heading("Webhooks")
                .action(clap::ArgAction::Append)
                .value_delimiter(',');
            let command = Command::new("rankrate").arg(allow);
            let table = file.parse().expect("TOML");
            let command = with_table(command, &table, "test.toml").expect("known settings");
            let matches = command.get_matches_from([&["rankrate"], flags].concat());
            let values = matches.get_many::<String>("allow").unwrap_or_default();
            values.cloned().collect::<Vec<_>>()
        };

        let none: [&str; 0] = [];
        assert_eq!(parse("", &[]), none);
        assert_eq!(parse("[webhooks]\nallow = []", &[]), none);
        assert_eq!(parse("[webhooks]\nallow = ['a', 'b']", &[]), ["a", "b"]);
        assert_eq!(parse("[webhooks]\nallow = 'a,b'", &[]), ["a", "b"]);

        let flag = ["--webhooks-allow", "c"];
        assert_eq!(parse("[webhooks]\nallow = ['a', 'b']", &flag), ["c"]);

        let nested = "[webhooks]\nallow = [['a']]".parse().expect("TOML");
        let error = with_table(command(), &nested, "test.toml").expect_err("nested");
        assert!(
            matches!(error, SettingsFileError::NotPlain { .. }),
            "{error}"
        );
    }

    #[test]
    fn an_unknown_setting_is_named() {
        for file in ["[web]\nlistn = 'x'", "[log]\nlisten = 'x'", "listen = 'x'"] {
            let table = file.parse().expect("TOML");
            let error = with_table(command(), &table, "test.toml").expect_err("unknown");
            assert!(
                matches!(error, SettingsFileError::Unknown { .. }),
                "{error}"
            );
        }
    }
}
