//! Two ways to stop: gently at the first signal, at once at the second.

use std::time::Duration;

use tokio::signal;
use tokio_util::sync::CancellationToken;

/// How long open requests may take to finish after the first signal.
const GRACE: Duration = Duration::from_secs(20);

/// Listens for the signals of this process.
///
/// `soft` is cancelled at the first: new connections are refused, open requests finish, streams and jobs end by
/// themselves. `hard` is cancelled at the second, or when the grace period is over.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shutdown {
    pub(crate) soft: CancellationToken,
    pub(crate) hard: CancellationToken,
}

impl Shutdown {
    /// Starts listening. Must be called within the runtime.
    pub(crate) fn listen() -> Self {
        let shutdown = Self::default();
        let tokens = shutdown.clone();
        tokio::spawn(async move {
            wait_for_signal().await;
            tracing::info!("stopping; open requests may finish (a second signal stops at once)");
            tokens.soft.cancel();
            tokio::select! {
                () = wait_for_signal() => tracing::warn!("stopped at once"),
                () = tokio::time::sleep(GRACE) => tracing::warn!("stopped with requests open"),
            }
            tokens.hard.cancel();
        });
        shutdown
    }
}

/// Waits for the next interrupt from the keyboard or request to terminate.
async fn wait_for_signal() {
    #[cfg(unix)]
    {
        let Ok(mut terminate) = signal::unix::signal(signal::unix::SignalKind::terminate()) else {
            return wait_for_interrupt_key().await;
        };
        tokio::select! {
            () = wait_for_interrupt_key() => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    wait_for_interrupt_key().await;
}

async fn wait_for_interrupt_key() {
    if let Err(error) = signal::ctrl_c().await {
        tracing::error!(%error, "the interrupt key cannot be listened to");
        std::future::pending::<()>().await;
    }
}
