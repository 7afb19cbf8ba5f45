use std::ops::ControlFlow::{self, Continue};

use learn::training::TrainingProgress;

use crate::progress::{ProgressDisplay, ProgressMeter};

/// The progress of a training or a cross-validation: a bar for each of its stages.
pub(in crate::cli) struct TrainingBar<'a> {
    display: ProgressDisplay<'a>,
    /// The stage under way.
    stage: Option<ProgressMeter<'a>>,
    /// The models that are trained one after the other.
    models: usize,
}

impl<'a> TrainingBar<'a> {
    pub(in crate::cli) const fn new(models: usize, display: ProgressDisplay<'a>) -> Self {
        Self {
            display,
            stage: None,
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
            TrainingProgress::Tree { done, total, .. } => {
                self.set_position("trees", done, total);
            }
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
                let meter = self.set_position("epochs", done, total);

                let stage = match (step.loss, step.tuned) {
                    (None, _) => "text",
                    (Some(_), false) => "step (frozen)",
                    (Some(_), true) => "step (tuned)",
                };
                let (step, steps) = (step.step, step.steps);
                meter.describe(format!("epochs, {stage} {step} of {steps}"));
            }
            TrainingProgress::CurvePoint(_) => {}
        }

        Continue(())
    }

    fn set_position(&mut self, of: &'static str, done: usize, total: usize) -> &ProgressMeter<'a> {
        // The previous stage's bar disappears before the next one is drawn.
        self.stage.take_if(|stage| stage.name_steps() != of);
        let stage = self
            .stage
            .get_or_insert_with(|| self.display.begin(of, total));
        stage.set(done);
        stage
    }
}
