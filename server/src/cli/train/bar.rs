use std::ops::ControlFlow::{self, Continue};

use indicatif::ProgressBar;
use learn::training::TrainingProgress;

use crate::metrics::progress_bar;

/// The progress of a training or a cross-validation on standard error: a bar for each of its stages.
pub(in crate::cli) struct TrainingBar {
    stage: &'static str,
    bar: ProgressBar,
    /// The models that are trained one after the other.
    models: usize,
}

impl TrainingBar {
    pub(in crate::cli) fn new(models: usize) -> Self {
        Self {
            stage: "",
            bar: ProgressBar::hidden(),
            models,
        }
    }

    /// Shows the progress, and lets the work continue.
    pub(in crate::cli) fn show(&mut self, progress: TrainingProgress) -> ControlFlow<()> {
        match progress {
            TrainingProgress::Features { done, total } => {
                self.set_position("sources looked at", done, total);
            }
            TrainingProgress::DegenerateFeatures { done, total } => {
                self.set_position("sources made worse", done, total);
            }
            TrainingProgress::Tree { done, total, .. } => self.set_position("trees", done, total),
            TrainingProgress::Fold { done, total } => {
                self.set_position("metrics trained", done, total);
            }
            TrainingProgress::Step {
                step,
                models_before,
            } => {
                let epochs_done = step.epoch + usize::from(step.validation.is_some());
                let (done, total) = (
                    models_before * step.epochs + epochs_done,
                    self.models * step.epochs,
                );
                self.set_position("epochs", done, total);
                let stage = match (step.loss, step.tuned) {
                    (None, _) => "text",
                    (Some(_), false) => "step (frozen)",
                    (Some(_), true) => "step (tuned)",
                };
                let (step, steps) = (step.step, step.steps);
                let message = format!("epochs, {stage} {step} of {steps}");
                self.bar.set_message(message);
            }
            TrainingProgress::CurvePoint(_) => {}
        }
        Continue(())
    }

    fn set_position(&mut self, stage: &'static str, done: usize, total: usize) {
        if self.stage != stage {
            self.bar.finish_and_clear();
            self.bar = progress_bar(total, stage);
            self.stage = stage;
        }
        self.bar.set_position(done as u64);
    }
}

impl Drop for TrainingBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
