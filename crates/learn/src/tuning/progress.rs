//! How far a training is.

use super::TuningAgreement;

/// Where a training stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TuningProgress {
    /// The epoch, from 0, of [`Progress::epochs`].
    pub epoch: usize,
    /// All epochs; it may end sooner.
    pub epochs: usize,
    /// Steps done in the epoch, of [`Progress::steps`].
    pub step: usize,
    /// Steps of an epoch.
    pub steps: usize,
    /// Whether the encoder's last layers learn.
    pub tuned: bool,
    /// The last step's loss, at the end of an epoch the mean of its steps; none while texts are prepared.
    pub loss: Option<f64>,
    /// At the end of an epoch, how well its scores agree with people on the sources held back.
    pub validation: Option<TuningAgreement>,
}

/// Who hears of the progress, and stops it by answering false.
pub type TuningCallback<'a> = dyn FnMut(TuningProgress) -> bool + Send + 'a;
