//! Training an aligner on a study's checked edits, and taking it into use.

mod adopt_aligner;
mod cancel_aligner_training;
mod train_aligner;

pub use adopt_aligner::{AdoptAligner, adopt_aligner};
pub use cancel_aligner_training::{CancelAlignerTraining, cancel_aligner_training};
pub use train_aligner::{TrainAligner, train_aligner};
