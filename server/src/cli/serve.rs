use std::io::Write as _;

use anyhow::Context as _;
use app::Services;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

use crate::{
    clock,
    settings::{DataSettings, WebSettings},
    shutdown::Shutdown,
    web,
};

/// Serves the platform on the web.
#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    web: WebSettings,
}

impl Serve {
    pub(crate) fn run(self, data: &DataSettings) -> anyhow::Result<()> {
        std::fs::create_dir_all(&data.data)
            .with_context(|| format!("the data folder {} cannot be made", data.data.display()))?;
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .context("the runtime does not start")?
            .block_on(serve(self.web))
    }
}

async fn serve(settings: WebSettings) -> anyhow::Result<()> {
    let services = Services {
        now_ms: clock::now_ms,
        new_id: clock::new_id,
        secure_cookies: settings.is_https(),
    };
    let site = web::site(&settings, services);
    let listener = TcpListener::bind(settings.listen)
        .await
        .with_context(|| format!("{} cannot be listened on", settings.listen))?;
    let address = match &settings.public_url {
        Some(url) => url.to_string(),
        None => format!("http://{}{}/", listener.local_addr()?, settings.base_path()),
    };
    writeln!(std::io::stdout(), "Rank & Rate is at {address}")?;

    let shutdown = Shutdown::listen();
    // Small answers go out at once instead of waiting for more to fill a packet.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was not set");
        }
    });
    let served =
        axum::serve(listener, site).with_graceful_shutdown(shutdown.soft.cancelled_owned());
    tokio::select! {
        result = served => result.context("serving failed"),
        () = shutdown.hard.cancelled() => Ok(()),
    }
}
