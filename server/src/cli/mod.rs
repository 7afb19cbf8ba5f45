//! The command line: one file a command.
//!
//! Exit codes: 0, 1 where the command failed (the reason is on standard error), 2 for usage.

mod agreement;
mod align;
mod annotators;
mod backup;
mod backup_digest;
#[cfg(test)]
mod command_tests;
mod compare;
mod comprehension;
mod demo;
mod experiment;
mod export;
mod import;
mod imports;
mod input_args;
mod input_file;
mod meta_eval;
mod output;
mod pairwise;
mod pretrain;
mod protocols;
mod raters;
mod ratings;
mod references;
mod repeated_input;
mod rerank;
mod schemas;
mod scope_args;
mod score;
mod serve;
mod server_models;
mod shell_help;
mod spans;
mod stdio;
mod study;
mod study_file;
mod system;
mod systems;
mod token;
mod train;
mod train_aligner;
mod user;
mod webhook;
mod whole_file;

use std::{env, ffi::OsString, io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::{
    settings::{DataSettings, EncoderSettings, LogSettings, with_file},
    telemetry,
};

use self::{output::CommandOutput, repeated_input::refuse_repeated_input};

/// Collects people's judgements of text simplifications and turns them into reliable figures.
#[derive(Debug, Parser)]
#[command(name = "rankrate", version, propagate_version = true)]
struct CliArgs {
    #[command(subcommand)]
    command: CliCommand,
    /// The settings file (TOML); by default `rankrate.toml` where there is one.
    #[arg(long, env = "RANKRATE_CONFIG", global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print one JSON object on standard output; messages go to standard error.
    #[arg(long, global = true)]
    json: bool,
    /// Tell on standard error how far a long command has come, as one JSON object a line, in place of a bar.
    #[arg(long, global = true)]
    json_progress: bool,
    #[command(flatten)]
    log: LogSettings,
    #[command(flatten)]
    data: DataSettings,
    #[command(flatten)]
    encoder: EncoderSettings,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Serve the platform on the web.
    Serve(serve::ServeArgs),
    /// List, show and create studies.
    #[command(subcommand)]
    Study(study::StudyCommand),
    /// Add, list and manage user accounts.
    #[command(subcommand)]
    User(user::UserCommand),
    /// Make, list and revoke the tokens by which programs use the HTTP API.
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Add, list, remove and try the addresses that are told of what happens in a study.
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Import files into a study.
    Import(import::ImportArgs),
    /// Export a study's dataset.
    Export(export::ExportArgs),
    /// Krippendorff's alpha (interval) of a study or of a file.
    Agreement(agreement::AgreementArgs),
    /// How each rater rated: scores, rounding, flat sources, pace, agreement with the others.
    ///
    /// Raters with most concerns come first. A file has only the figures from scores. JSON holds fractions
    /// from 0 to 1, points of the scale, and milliseconds where a name ends in `_ms`; an undefined figure
    /// is null, with the reason beside it.
    Raters(raters::RatersArgs),
    /// Mean z-score and rating of each system, with intervals and ranks, of a study or a file.
    Systems(systems::SystemsArgs),
    /// List the systems of a study with their kinds, or rename one, set its kind, hide or show it.
    System(system::SystemArgs),
    /// Test whether one system is better than another, in a study or a file.
    Compare(compare::CompareArgs),
    /// Scores of systems from pairwise or best-worst comparisons, with intervals and tests, of a study or a file.
    Pairwise(pairwise::PairwiseArgs),
    /// Agreement on marked spans, marks by type and level of each system, and tests, of a study or a file.
    Spans(spans::SpansArgs),
    /// Compare protocols: several studies or files of ratings, on the sources that all of them have.
    Protocols(protocols::ProtocolsArgs),
    /// Reading comprehension: how well readers understood each condition, of a file or a study.
    ///
    /// Files are OneStopQA's, ATS-EVAL's, or CSV and JSONL with one answer a row. Percentages are 0 to
    /// 100; n counts answered questions; ranks are by accuracy, and ties share the smallest.
    Rc(comprehension::ComprehensionArgs),
    /// Score outputs by automatic metrics: SARI, BLEU, chrF, FKGL, BERTScore and more.
    Score(score::ScoreArgs),
    /// How well automatic metrics agree with people's ratings.
    MetaEval(meta_eval::MetaEvalArgs),
    /// Align words of sources and outputs; train and measure the aligner.
    Align(align::AlignArgs),
    /// Train the learned metric on rated outputs, and report how well it agrees with people.
    Train(train::TrainCommand),
    /// Pre-train a cross-encoder on texts that nobody rated, or compare ways of doing so.
    Pretrain(pretrain::PretrainArgs),
    /// Train for the server, as a process of its own.
    #[command(hide = true)]
    TrainWorker(train::TrainWorkerCommand),
    /// Train an aligner for the server, as a process of its own.
    #[command(hide = true)]
    TrainAlignerWorker(train_aligner::TrainAlignerWorkerArgs),
    /// Pick among candidates by the learned metric.
    Rerank(rerank::RerankArgs),
    /// The JSON Schema of a report that a command prints with `--json`, or of an export; without a name, their list.
    Schema(schemas::SchemaArgs),
    /// Answer a program's requests: a JSON object a line on standard input, an answer a line on standard output.
    #[command(after_help = stdio::HELP)]
    Stdio(stdio::StdioArgs),
    /// Copy the database, while the server runs, to a file that is checked.
    Backup(backup::BackupArgs),
    /// Put a backup in place of the database, which is kept under another name. The server must not run.
    Restore(backup::RestoreArgs),
    /// Check the database: its file, the events of each study and the history of each answer.
    Check,
    /// Load the demonstration study, with simulated annotators, unless it exists.
    Demo {
        /// Select no metrics: choose yourself which ones to compute.
        #[arg(long)]
        no_metrics: bool,
    },
    /// Print what completes commands and flags in a shell: for bash, `source <(rankrate completions bash)`.
    Completions(shell_help::CompletionsArgs),
    /// Write a manual page of each command to a folder, for `man -l FILE` or a folder of the manual's path.
    Man(shell_help::ManArgs),
}

/// Runs the command of the command line.
pub(crate) fn run() -> ExitCode {
    let outcome = parse(env::args_os().collect()).and_then(|cli| {
        telemetry::start(&cli.log, cli.command.log_filter())?;
        let output = match cli.json_progress {
            true => CommandOutput::stdout(cli.json).with_progress_lines(),
            false => CommandOutput::stdout(cli.json),
        };
        print_to_reader(cli, output)
    });

    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed; the message is lost then.
            let _ = writeln!(std::io::stderr(), "rankrate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the command. It is done when the reader closes the output, as `head` does after ten lines.
fn print_to_reader(cli: CliArgs, output: CommandOutput) -> anyhow::Result<()> {
    let reader = output.reader();
    match dispatch(cli, output) {
        Err(_) if reader.is_gone() => Ok(()),
        outcome => outcome,
    }
}

impl CliCommand {
    /// The messages that are logged by default. At a terminal, results are not mixed with messages of success.
    const fn log_filter(&self) -> &'static str {
        match self {
            Self::Serve(_) | Self::TrainWorker(_) | Self::TrainAlignerWorker(_) => "info",
            _ => "warn",
        }
    }
}

fn dispatch(cli: CliArgs, output: CommandOutput) -> anyhow::Result<()> {
    match cli.command {
        CliCommand::Serve(serve) => serve.run(&cli.data, &cli.encoder),
        CliCommand::Study(study) => block_on(study.run(output, &cli.data)),
        CliCommand::User(user) => block_on(user.run(output, &cli.data)),
        CliCommand::Token(token) => block_on(token.run(output, &cli.data)),
        CliCommand::Webhook(webhook) => block_on(webhook.run(output, &cli.data)),
        CliCommand::Import(import) => block_on(import.run(output, &cli.data)),
        CliCommand::Export(export) => block_on(export.run(output, &cli.data, &cli.encoder)),
        CliCommand::Agreement(agreement) => block_on(agreement.run(output, &cli.data)),
        CliCommand::Raters(raters) => block_on(raters.run(output, &cli.data)),
        CliCommand::Systems(systems) => block_on(systems.run(output, &cli.data)),
        CliCommand::System(system) => block_on(system.run(output, &cli.data)),
        CliCommand::Compare(compare) => block_on(compare.run(output, &cli.data)),
        CliCommand::Pairwise(pairwise) => block_on(pairwise.run(output, &cli.data)),
        CliCommand::Spans(spans) => block_on(spans.run(output, &cli.data)),
        CliCommand::Protocols(protocols) => block_on(protocols.run(output, &cli.data)),
        CliCommand::Rc(rc) => block_on(rc.run(output, &cli.data)),
        CliCommand::Score(score) => score.run(output, &cli.encoder),
        CliCommand::MetaEval(meta_eval) => block_on(meta_eval.run(output, &cli.data, &cli.encoder)),
        CliCommand::Align(align) => align.run(output, &cli.encoder),
        CliCommand::Train(train) => train.run(output, &cli.encoder),
        CliCommand::Pretrain(pretrain) => pretrain.run(output, &cli.encoder),
        CliCommand::TrainWorker(worker) => worker.run(&cli.encoder),
        CliCommand::TrainAlignerWorker(worker) => worker.run(&cli.encoder),
        CliCommand::Rerank(rerank) => rerank.run(output, &cli.encoder),
        CliCommand::Schema(schema) => schema.run(output),
        CliCommand::Stdio(stdio) => stdio::run(&stdio, output, &cli.encoder),
        CliCommand::Backup(backup) => block_on(backup.run(output, &cli.data)),
        CliCommand::Restore(restore) => block_on(restore.run(output, &cli.data)),
        CliCommand::Check => block_on(backup::check(output, &cli.data)),
        CliCommand::Demo { no_metrics } => block_on(demo::run(output, &cli.data, !no_metrics)),
        CliCommand::Completions(completions) => completions.run(output, CliArgs::command()),
        CliCommand::Man(man) => man.run(output, CliArgs::command()),
    }
}

/// Runs an asynchronous command to its end.
fn block_on<T>(command: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime does not start")?
        .block_on(command)
}

/// Reads the command line, with the settings file as defaults. Exits the process on a usage error.
fn parse(arguments: Vec<OsString>) -> anyhow::Result<CliArgs> {
    let command = match settings_file(&arguments) {
        Some(path) => with_file(CliArgs::command(), &path)?,
        None => CliArgs::command(),
    };
    Ok(parse_with(command, arguments).unwrap_or_else(|error| error.exit()))
}

/// Reads the command line by a definition whose defaults may come from a settings file.
fn parse_with(mut command: Command, arguments: Vec<OsString>) -> clap::error::Result<CliArgs> {
    let matches = command.try_get_matches_from_mut(arguments)?;
    refuse_repeated_input(&mut command, &matches)?;
    CliArgs::from_arg_matches(&matches)
}

/// The settings file that the arguments or the environment name, or the usual one.
fn settings_file(arguments: &[OsString]) -> Option<PathBuf> {
    let named = CliArgs::command()
        .ignore_errors(true)
        .try_get_matches_from(arguments)
        .ok()
        .and_then(|matches| matches.get_one::<PathBuf>("config").cloned());
    named.or_else(|| Some(PathBuf::from("rankrate.toml")).filter(|path| path.exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        CliArgs::command().debug_assert();
    }

    #[test]
    fn settings_are_global_or_of_a_command() {
        let cli = CliArgs::try_parse_from(["rankrate", "serve", "--data", "d", "--log", "debug"])
            .expect("valid");
        assert_eq!(cli.data.data, PathBuf::from("d"));
        assert_eq!(cli.log.log.as_deref(), Some("debug"));
    }

    #[test]
    fn only_a_server_logs_what_goes_well() {
        for (command, expect) in [
            ("serve", "info"),
            ("study list", "warn"),
            ("agreement a-study", "warn"),
            ("check", "warn"),
        ] {
            let arguments = ["rankrate"].into_iter().chain(command.split(' '));
            let cli = CliArgs::try_parse_from(arguments).expect("valid");
            assert_eq!(cli.command.log_filter(), expect, "{command}");
        }
    }

    /// The example file with every setting taken out of its comment.
    fn example_settings() -> String {
        let example = include_str!("../../../rankrate.example.toml");
        let lines = example.lines().map(|line| {
            let setting = line.strip_prefix("# ").filter(|rest| {
                let key = rest.split_once(" = ").map(|(key, _)| key);
                key.is_some_and(|key| key.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
            });
            setting.unwrap_or(line)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Section, key and defaults of the settings of a command and its subcommands.
    fn settings_of(command: &clap::Command) -> Vec<(String, String, Vec<String>)> {
        let sections = ["Web", "Accounts", "Webhooks", "Data", "Encoder", "Log"];
        let own = command.get_arguments().filter_map(|arg| {
            let section = arg
                .get_help_heading()
                .filter(|heading| sections.contains(heading))?;
            let defaults = arg.get_default_values().iter();
            let defaults = defaults.map(|text| text.to_string_lossy().into_owned());
            let key = arg.get_long()?.to_owned();
            Some((section.to_lowercase(), key, defaults.collect()))
        });
        let below = command.get_subcommands().flat_map(settings_of);
        own.chain(below).collect()
    }

    #[test]
    fn the_example_file_names_every_setting_with_its_default() {
        let text = example_settings();
        let example: toml::Table = text.parse().expect("TOML");
        let settings = settings_of(&CliArgs::command());
        assert!(settings.len() > 15, "{settings:?}");
        for (section, key, defaults) in &settings {
            let short = key.strip_prefix(&format!("{section}-")).unwrap_or(key);
            let value = example.get(section);
            let value = value.and_then(|keys| keys.get(key).or_else(|| keys.get(short)));
            let value = value.unwrap_or_else(|| panic!("[{section}] {key} is not in the example"));
            if let [default] = &defaults[..] {
                let actual = value.as_str().map_or(value.to_string(), str::to_owned);
                assert_eq!(actual, *default, "[{section}] {key}");
            }
        }

        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("rankrate.toml");
        std::fs::write(&path, &text).expect("written");
        let command = with_file(CliArgs::command(), &path).expect("known settings");
        let parsed = command.try_get_matches_from(["rankrate", "serve"]);
        parsed.unwrap_or_else(|error| panic!("{error}"));
    }
}
