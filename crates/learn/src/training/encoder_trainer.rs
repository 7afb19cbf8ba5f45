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
    metric::{
        CrossValidationSettings, FEWEST_OUTPUTS, HybridPlan, MIN_OUTPUTS, TrainError,
        TrainingSource,
    },
    tuning::{
        TunedModel, TunedScorer, TuningError, TuningPlan, TuningResources, cross_validate, train,
        with_threads,
    },
};

/// Trains an encoder's last layers and a head on it: `lens` or `cross-encoder`, by the plan's objective.
#[derive(Debug)]
pub struct EncoderTrainer {
    sources: Vec<TrainingSource>,
    held_out: Vec<TrainingSource>,
    plan: TuningPlan,
    resources: TuningResources,
    /// The scores of a cross-validation with mean z-scores, which calibrate the model.
    judged: Option<Vec<[f64; 2]>>,
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
            judged: None,
        }
    }

    /// A trainer that holds out the same sources as a training of trees by `split`.
    ///
    /// # Errors
    /// [`TrainError::TooFew`] if too little is left to learn from.
    pub fn with_held_out(
        sources: Vec<TrainingSource>,
        plan: TuningPlan,
        resources: TuningResources,
        split: &HybridPlan,
    ) -> Result<Self, TrainingError> {
        let (held_out, learned): (Vec<_>, Vec<_>) = sources
            .into_iter()
            .partition(|source| split.holds_out(&source.fingerprint()));
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

    /// The scores of a model, with mean z-scores, of outputs that it did not learn from: the held-out ones or, if there
    /// are none, those by which its best epoch was chosen. Empty if they are too few to calibrate by.
    fn judge(&self, model: &TunedModel) -> Result<Vec<[f64; 2]>, TuningError> {
        let sources: Vec<TrainingSource> = if self.held_out.is_empty() {
            let validation = &model.card().split.validation;
            self.sources
                .iter()
                .filter(|source| validation.contains(&source.fingerprint()))
                .cloned()
                .collect()
        } else {
            self.held_out.clone()
        };
        if count_outputs(&sources) < FEWEST_OUTPUTS {
            return Ok(Vec::new());
        }

        let threads = self.resources.encoder.threads;
        let scores = with_threads(threads, || model.predict_z(&sources))?;
        Ok(pair_scores(&sources, &scores))
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
        let mut first_scores = Vec::new();
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
            // Each output counts once: repeats of it add no evidence.
            if repeat == 0 {
                first_scores = pair_scores(sources, &cross_validation.scores);
            }
            evaluations.push(LearnedMetricQuality {
                sources: sources.len(),
                ..cross_validation.figures.into()
            });
        }

        self.judged = Some(first_scores);
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
        let scores = match self.judged.take() {
            Some(scores) => scores,
            None => self.judge(&model)?,
        };

        let outputs = self.sources.iter().flat_map(|source| &source.outputs);
        let model = model.calibrated_by(scores, outputs.map(|output| output.z).collect());
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
            // Training on parts of the outputs, too, would take several times as long.
            curve: vec![LearningCurvePoint {
                outputs: count_outputs(&self.sources),
                figures: quality,
            }],
        })
    }
}

/// Opens a model, whose file holds its encoder.
pub(super) fn open_scorer(
    path: &Path,
    options: &EncoderOptions,
) -> Result<TunedScorer, TuningError> {
    let options = EncoderOptions {
        folder: path.to_owned(),
        ..options.clone()
    };
    TunedScorer::open(path, &options)
}

/// The scores of outputs with their mean z-scores.
fn pair_scores(sources: &[TrainingSource], scores: &[Vec<f64>]) -> Vec<[f64; 2]> {
    let outputs = sources.iter().flat_map(|source| &source.outputs);
    let scores = scores.iter().flatten();
    let pairs = scores.zip(outputs);
    pairs.map(|(score, output)| [*score, output.z]).collect()
}

fn count_outputs(sources: &[TrainingSource]) -> usize {
    sources.iter().map(|source| source.outputs.len()).sum()
}
