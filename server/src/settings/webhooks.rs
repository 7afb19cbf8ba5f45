use service::webhooks::{AllowedAddresses, AllowedPrefix};

/// The addresses that notices of studies may be sent to.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Webhooks")]
pub(crate) struct WebhookSettings {
    /// An https address below which leads may have notices of their studies sent to other programs. It may be repeated,
    /// or name several with commas between. Without one, webhooks are switched off.
    #[arg(
        long = "webhooks-allow",
        env = "RANKRATE_WEBHOOKS_ALLOW",
        value_name = "URL",
        value_delimiter = ','
    )]
    allow: Vec<AllowedPrefix>,
}

impl WebhookSettings {
    /// The allowed addresses.
    pub(crate) fn allowed(&self) -> AllowedAddresses {
        AllowedAddresses::new(self.allow.clone())
    }
}
