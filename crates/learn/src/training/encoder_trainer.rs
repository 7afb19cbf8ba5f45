use std::path::Path;

use domain::{
    metrics::learned_quality::{LearnedMetricComparison, LearnedMetricQuality, LearningCurvePoint},
    statistics::bootstrap::ResamplingOptions,
};

use super::{
    HeldOutEvaluation, ModelFile, ProgressCallback, TrainedModel, Trainer, TrainingError,
    TrainingProgress,
};
use crate::{
    encoder::EncoderOptions,
    metric::{CrossValidationSettings, HybridPlan, MIN_OUTPUTS, TrainError, TrainingSource},
    tuning::{TunedScorer, TuningError, TuningPlan, TuningResources, cross_validate, train},
};

/// Trains an encoder's last layers and a head on it: `lens` or `cross-encoder`, by the plan's objective.
#[derive(Debug)]
pub struct EncoderTrainer {
    sources: Vec<TrainingSource>,
    held_out: Vec<TrainingSource>,
    plan: TuningPlan,
    resources: TuningResources,
}

impl EncoderTrainer {
    /// A trainer that holds out nothing but the plan's share for choosing the best epoch.
    #[must_use]
    pub const fn new(
        sources: Vec<TrainingSource>,
        plan: TuningPlan,
        resources: TuningResources,
    ) -> Self {
        Self {
            sources,
            held_out: Vec::new(),
            plan,
            resources,
        }
    }

    /// A trainer that holds out the same sources as a training of trees by `split`.
    ///
    /// # Errors
    /// [`TrainError::TooFew`] where too little is left to learn from.
    pub fn with_held_out(
        sources: Vec<TrainingSource>,
        plan: TuningPlan,
        resources: TuningResources,
        split: &HybridPlan,
    ) -> Result<Self, TrainingError> {
        let is_held_out = |source: &TrainingSource| split.holds_out(&source.fingerprint());
        let (held_out, learned): (Vec<_>, Vec<_>) = sources.into_iter().partition(is_held_out);
        let outputs = count_outputs(&learned);
        if outputs < MIN_OUTPUTS || learned.len() < 2 {
            let sources = learned.len();
            return Err(TrainError::TooFew { outputs, sources }.into());
        }
        Ok(Self {
            held_out,
            ..Self::new(learned, plan, resources)
        })
    }

    fn compare(
        &self,
        scorer: &TunedScorer,
        current: Result<ModelFile, String>,
    ) -> Result<LearnedMetricComparison, String> {
        let ModelFile::Tuned { path, .. } = current? else {
            return Err("the one in use sees outputs in another way".to_owned());
        };
        let current = open_scorer(&path, &self.resources.encoder)
            .map_err(|error| format!("the one in use was not read: {error}"))?;
        scorer
            .compare(&current, &self.held_out, ResamplingOptions::default())
            .map_err(|error| error.to_string())?
            .map_err(|reason| reason.to_string())
    }
}

impl Trainer for EncoderTrainer {
    fn cross_validate(
        &mut self,
        settings: CrossValidationSettings,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Vec<LearnedMetricQuality>, TrainingError> {
        let CrossValidationSettings {
            folds,
            repeats,
            seed,
        } = settings;
        let mut evaluations = Vec::with_capacity(repeats);
        for repeat in 0..repeats {
            let seed = seed.wrapping_add(repeat as u64);
            let mut on_step = |fold, step| {
                let models_before = repeat * folds + fold;
                let progress = TrainingProgress::Step {
                    step,
                    models_before,
                };
                on_progress(progress).is_continue()
            };
            let (sources, folds) = (&self.sources, (folds, seed));
            let cross_validation =
                cross_validate(sources, &self.plan, &self.resources, folds, &mut on_step)?;
            evaluations.push(LearnedMetricQuality {
                sources: sources.len(),
                ..cross_validation.figures.into()
            });
        }
        Ok(evaluations)
    }

    fn train(
        &mut self,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<TrainedModel, TrainingError> {
        let mut on_step = |step| {
            let models_before = 0;
            let progress = TrainingProgress::Step {
                step,
                models_before,
            };
            on_progress(progress).is_continue()
        };
        let model = train(&self.sources, &self.plan, &self.resources, &mut on_step)?;
        Ok(TrainedModel::Tuned(Box::new(model)))
    }

    fn evaluate(
        &mut self,
        _model: TrainedModel,
        saved: &Path,
        current: Option<Result<ModelFile, String>>,
        _on_progress: &mut ProgressCallback<'_>,
    ) -> Result<HeldOutEvaluation, TrainingError> {
        let scorer = open_scorer(saved, &self.resources.encoder)?;
        let quality = scorer.evaluate(&self.held_out)?;
        Ok(HeldOutEvaluation {
            quality,
            comparison: current.map(|current| self.compare(&scorer, current)),
            // To train on parts of the outputs, too, would take several times as long.
            curve: vec![LearningCurvePoint {
                outputs: count_outputs(&self.sources),
                figures: quality,
            }],
        })
    }
}

/// Opens a model, whose file holds its encoder.
fn open_scorer(path: &Path, options: &EncoderOptions) -> Result<TunedScorer, TuningError> {
    let options = EncoderOptions {
        folder: path.to_owned(),
        ..options.clone()
    };
    TunedScorer::open(path, &options)
}

fn count_outputs(sources: &[TrainingSource]) -> usize {
    sources.iter().map(|source| source.outputs.len()).sum()
}
