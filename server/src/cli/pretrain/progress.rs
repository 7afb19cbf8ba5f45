use learn::{
    training::TrainingProgress,
    tuning::{AblationProgress, PretrainingProgress, PretrainingStage},
};

use crate::{cli::train::TrainingBar, progress::ProgressDisplay};

/// The progress of pre-training: a bar for each part of it.
pub(super) struct PretrainingBar<'a> {
    part: Option<ShownPart>,
    bar: TrainingBar<'a>,
    display: ProgressDisplay<'a>,
}

/// A part of the work, with the index of its variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownPart {
    Stage(usize, PretrainingStage),
    Fold(usize, usize),
}

impl<'a> PretrainingBar<'a> {
    pub(super) fn new(display: ProgressDisplay<'a>) -> Self {
        Self {
            part: None,
            bar: TrainingBar::new(1, display),
            display,
        }
    }

    /// Shows the progress, and lets the work continue.
    pub(super) fn show(&mut self, progress: PretrainingProgress) -> bool {
        self.show_ablation(AblationProgress::Pretraining {
            variant: 0,
            progress,
        })
    }

    /// Shows the progress of an ablation, and lets the work continue.
    pub(super) fn show_ablation(&mut self, progress: AblationProgress) -> bool {
        let (part, progress) = match progress {
            AblationProgress::Pretraining { variant, progress } => match progress {
                PretrainingProgress::Signals { stage, done, total } => (
                    ShownPart::Stage(variant, stage),
                    TrainingProgress::Features { done, total },
                ),
                PretrainingProgress::Step { stage, step } => (
                    ShownPart::Stage(variant, stage),
                    TrainingProgress::first(step),
                ),
            },
            AblationProgress::CrossValidation {
                variant,
                fold,
                step,
            } => (
                ShownPart::Fold(variant, fold),
                TrainingProgress::first(step),
            ),
        };

        if self.part != Some(part) {
            self.part = Some(part);
            self.bar = TrainingBar::new(1, self.display);
        }
        self.bar.show(progress).is_continue()
    }
}
