//! Metrics score a study's outputs.

mod cancel_scoring;
mod remove_metric;
mod score_outputs;

pub use cancel_scoring::{CancelScoring, cancel_scoring};
pub use remove_metric::{RemoveMetric, remove_metric};
pub use score_outputs::{ScoreOutputs, score_outputs};
