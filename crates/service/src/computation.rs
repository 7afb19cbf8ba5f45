//! Figures computed apart from those who ask for them, so that a defect in one costs that figure alone.

use std::any::Any;

use tokio::task::spawn_blocking;

/// Why there is no figure.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] store::Error),
    /// The computation panicked, with this message.
    #[error("this figure cannot be computed, which is a defect of the program: {0}")]
    Panicked(String),
}

/// Returns what `figure` computes, on a thread that may block.
///
/// # Errors
/// [`FigureError::Panicked`] where `figure` panics.
pub async fn compute<T: Send + 'static>(
    figure: impl FnOnce() -> T + Send + 'static,
) -> Result<T, FigureError> {
    let computed = spawn_blocking(figure).await;
    computed.map_err(|error| match error.try_into_panic() {
        Ok(panic) => FigureError::Panicked(panic_message(&*panic).to_owned()),
        // The program ends.
        Err(error) => FigureError::Panicked(error.to_string()),
    })
}

/// The message of a panic.
#[must_use]
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
