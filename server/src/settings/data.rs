use std::path::PathBuf;

/// Where the platform keeps what it holds.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataSettings {
    /// The folder of the platform's files; made where it is missing.
    #[arg(
        long,
        env = "RANKRATE_DATA",
        default_value = "data",
        global = true,
        value_name = "DIR"
    )]
    pub(crate) data: PathBuf,
    /// The database: `sqlite:FILE` or `postgres://…`; by default a SQLite file in the data folder.
    #[arg(
        long,
        env = "DATABASE_URL",
        global = true,
        value_name = "URL",
        hide_env_values = true
    )]
    pub(crate) database_url: Option<String>,
}
