//! The progress of a training.

use super::TuningAgreement;

/// The progress of a training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TuningProgress {
    /// The epoch, from 0, of [`Self::epochs`].
    pub epoch: usize,
    /// The number of epochs; training may end earlier.
    pub epochs: usize,
    /// Steps done in the epoch, of [`Self::steps`].
    pub step: usize,
    /// Steps of an epoch.
    pub steps: usize,
    /// Whether the encoder's last layers are tuned.
    pub tuned: bool,
    /// The loss of the last step, or of all steps at the end of an epoch; `None` while texts are prepared.
    pub loss: Option<f64>,
    /// At the end of an epoch, the agreement with people on the validation sources.
    pub validation: Option<TuningAgreement>,
}

/// Receives the progress, and stops the training by returning false.
pub type TuningCallback<'a> = dyn FnMut(TuningProgress) -> bool + Send + 'a;
