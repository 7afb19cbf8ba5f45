use std::path::{Path, PathBuf};

use store::sqlite_url;

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
    database_url: Option<String>,
}

impl DataSettings {
    /// The address of the database.
    pub(crate) fn database_url(&self) -> String {
        let url = self.database_url.clone();
        url.unwrap_or_else(|| sqlite_url(&self.data.join("rankrate.sqlite")))
    }

    /// The file of a SQLite database; `None` for other databases.
    pub(crate) fn database_file(&self) -> Option<PathBuf> {
        let url = self.database_url();
        let path = url
            .strip_prefix("sqlite://")
            .or_else(|| url.strip_prefix("sqlite:"))?;
        let path = path.split('?').next().unwrap_or(path);
        let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        Some(Path::new(path.as_ref()).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_is_a_file_in_the_data_folder_unless_named() {
        for (data, url, expect_url, expect_file) in [
            (
                "d",
                None,
                "sqlite:d/rankrate.sqlite",
                Some("d/rankrate.sqlite"),
            ),
            (
                "/a b%?",
                None,
                "sqlite:/a b%25%3F/rankrate.sqlite",
                Some("/a b%?/rankrate.sqlite"),
            ),
            (
                "d",
                Some("sqlite://x.db?mode=rwc"),
                "sqlite://x.db?mode=rwc",
                Some("x.db"),
            ),
            ("d", Some("postgres://h/n"), "postgres://h/n", None),
        ] {
            let settings = DataSettings {
                data: data.into(),
                database_url: url.map(str::to_owned),
            };
            assert_eq!(settings.database_url(), expect_url);
            assert_eq!(settings.database_file(), expect_file.map(PathBuf::from));
        }
    }
}
