use std::time::Duration;

/// Sessions, and the addresses behind proxies.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Accounts")]
pub(crate) struct AccountSettings {
    /// How long a session lasts after its last use: 14d, 12h, 90min. 30 days after it began it ends
    /// in any case.
    #[arg(
        long,
        env = "RANKRATE_SESSION_LIFETIME",
        default_value = "14d",
        value_name = "TIME",
        value_parser = humantime::parse_duration,
    )]
    session_lifetime: Duration,
    /// How many proxies are in front of the server, each adding to X-Forwarded-For: log-in attempts
    /// are counted by the address that the outermost of them saw. With 0 the header is ignored.
    #[arg(
        long,
        env = "RANKRATE_PROXIES",
        default_value_t = 0,
        value_name = "NUMBER"
    )]
    pub(crate) proxies: u8,
}

impl AccountSettings {
    /// The lifetime of a session after its last use, in milliseconds.
    pub(crate) fn session_ms(&self) -> i64 {
        i64::try_from(self.session_lifetime.as_millis()).unwrap_or(i64::MAX / 2)
    }
}
