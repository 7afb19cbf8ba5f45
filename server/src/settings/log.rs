/// The log's content and form.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Log")]
pub(crate) struct LogSettings {
    /// The messages to log: a level (error, warn, info, debug, trace), or levels by module; by default `info` for the
    /// server and `warn` for other commands.
    #[arg(long, env = "RANKRATE_LOG", global = true, value_name = "FILTER")]
    pub(crate) log: Option<String>,
    /// How a log line is written.
    #[arg(
        long,
        env = "RANKRATE_LOG_FORMAT",
        default_value = "human",
        global = true
    )]
    pub(crate) log_format: LogFormat,
}

/// How a log line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line, for machines.
    Json,
}
