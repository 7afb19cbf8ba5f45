use std::{
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use domain::{metrics::learned_quality::LearnedMetricQuality, statistics::bootstrap};

use super::{
    HeldOutEvaluation, ModelFile, ProgressCallback, TrainedModel, Trainer, TrainingError,
    TrainingProgress, trained_model::replace_file,
};
use crate::metric::{
    CrossValidationSettings, FeatureResources, FeatureTable, HybridModel, HybridModelError,
    HybridPlan, HybridScorer, TrainError, TrainingSource, build_degenerate_features,
    build_feature_table, compute_training_key, cross_validate, merge_tables, train,
    trees::TreeEnsemble,
};

/// Trains trees and a ranker: `learned-free`, or `learned-ref` if the plan has references.
#[derive(Debug)]
pub struct HybridTrainer {
    sources: Vec<TrainingSource>,
    plan: HybridPlan,
    resources: FeatureResources,
    older: Option<HybridModel>,
    resume: Option<ResumeFolder>,
    /// The features of the sources, once they are computed.
    table: Option<FeatureTable>,
    /// The number of each source's dataset, if there are several.
    datasets: Option<Vec<usize>>,
    /// The scores of a cross-validation with mean z-scores, which calibrate the model.
    judged: Option<Vec<[f64; 2]>>,
}

/// The folder in which a training keeps finished work, so that the next process can continue it.
#[derive(Debug, Clone)]
pub struct ResumeFolder {
    /// The folder, which exists.
    pub folder: PathBuf,
    /// The key of the sources and the plan. Files of another training are ignored.
    pub key: String,
}

impl HybridTrainer {
    /// A trainer on these sources. Training continues from `older`, if any.
    #[must_use]
    pub const fn new(
        sources: Vec<TrainingSource>,
        plan: HybridPlan,
        resources: FeatureResources,
        older: Option<HybridModel>,
    ) -> Self {
        Self {
            sources,
            plan,
            resources,
            older,
            resume: None,
            table: None,
            datasets: None,
            judged: None,
        }
    }

    /// The same trainer, with the number of each source's dataset.
    #[must_use]
    pub fn of_datasets(mut self, datasets: Vec<usize>) -> Self {
        self.datasets = Some(datasets);
        self
    }

    /// The same trainer, which keeps features and trees in a folder and continues from them.
    #[must_use]
    pub fn resume_in(mut self, folder: ResumeFolder) -> Self {
        self.resume = Some(folder);
        self
    }

    /// The features of the sources: those computed before, those in the folder, or new ones.
    fn feature_table(
        &mut self,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<FeatureTable, TrainingError> {
        if let Some(table) = self.table.take() {
            return Ok(table);
        }

        let saved = self.resume.as_ref().map(|resume| {
            let path = resume.folder.join("features.safetensors");
            (path, resume.key.as_str())
        });
        if let Some((path, key)) = &saved
            && let Some(table) =
                load_saved(path, |file| FeatureTable::load(file, key, &self.sources))?
        {
            return Ok(table);
        }

        let total = self.sources.len();
        let table = build_feature_table(
            &self.sources,
            &self.resources,
            &self.plan.settings,
            |done| on_progress(TrainingProgress::Features { done, total }),
        )?;
        let table = match &self.datasets {
            Some(datasets) => table.with_datasets(datasets.clone()),
            None => table,
        };

        if let Some((path, key)) = &saved {
            write_file(path, &table.save(key))?;
        }
        Ok(table)
    }
}

impl Trainer for HybridTrainer {
    fn cross_validate(
        &mut self,
        settings: CrossValidationSettings,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Vec<LearnedMetricQuality>, TrainingError> {
        let table = self.feature_table(on_progress)?;
        let plan = &self.plan.settings;
        let total = self.sources.len();
        let degenerate =
            build_degenerate_features(&self.sources, &table, &self.resources, plan, |done| {
                on_progress(TrainingProgress::DegenerateFeatures { done, total })
            })?;

        // Repeats run in parallel, and each reports its folds.
        let progress = Mutex::new((0, on_progress));
        let on_fold = || {
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            progress.0 += 1;
            let finished = progress.0;
            let total = settings.folds * settings.repeats;
            (progress.1)(TrainingProgress::Fold {
                done: finished,
                total,
            })
        };

        let evaluations = cross_validate(&table, &degenerate, plan, settings, on_fold);
        self.table = Some(table);
        let evaluations = evaluations.ok_or(TrainError::Stopped)?;
        self.judged = Some(evaluations.judged);
        Ok(evaluations.repeats)
    }

    fn train(
        &mut self,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<TrainedModel, TrainingError> {
        let table = self.feature_table(on_progress)?;
        let older = self.older.as_ref();
        let table = match older {
            Some(older) => merge_tables(&table, older, &self.resources, &self.plan.settings)
                .map_err(TrainError::from)?,
            None => table,
        };

        let key = compute_training_key(&table, &self.plan);
        let saved = self.resume.as_ref();
        let saved = saved.map(|resume| resume.folder.join("trees.safetensors"));
        let columns = table.columns();
        let trees = match &saved {
            Some(path) => load_saved(path, |file| TreeEnsemble::load(file, &key, columns))?,
            None => None,
        };

        let mut unsaved = None;
        let model = train(table, &self.resources, &self.plan, older, trees, |step| {
            if let Some(path) = &saved
                && let Err(error) = write_file(path, &step.trees.save(&key))
            {
                unsaved = Some(error);
                return ControlFlow::Break(());
            }
            on_progress(TrainingProgress::Tree {
                done: step.trees.len(),
                total: step.total,
                loss: step.loss,
            })
        });

        match unsaved {
            Some(error) => Err(error),
            None => {
                let model = match self.judged.take() {
                    Some(judged) => model?.calibrated_by(judged),
                    None => model?,
                };
                Ok(TrainedModel::Hybrid(Box::new(model)))
            }
        }
    }

    fn evaluate(
        &mut self,
        model: TrainedModel,
        _saved: &Path,
        current: Option<Result<ModelFile, String>>,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<HeldOutEvaluation, TrainingError> {
        let TrainedModel::Hybrid(model) = model else {
            return Err(TrainError::from(OTHER_KIND).into());
        };
        let own_sources = self.sources.iter().map(TrainingSource::fingerprint);
        let own_sources = own_sources.collect();

        let mut stopped = false;
        let curve = model.learning_curve(&own_sources, |point| {
            let flow = on_progress(TrainingProgress::CurvePoint(*point));
            stopped |= flow.is_break();
            flow
        });
        if stopped {
            return Err(TrainError::Stopped.into());
        }

        let comparison = current.map(|current| match current? {
            ModelFile::Hybrid(current) if model.is_comparable_to(&current) => model
                .compare(
                    &current,
                    &own_sources,
                    bootstrap::ResamplingOptions::default(),
                )
                .map_err(|reason| reason.to_string()),
            _ => Err("the one in use sees outputs in another way".to_owned()),
        });

        let scorer = HybridScorer::new(*model, self.resources.clone()).map_err(TrainError::from)?;
        Ok(HeldOutEvaluation {
            // Figures on these sources alone; the model's card has those on all that it held out.
            quality: LearnedMetricQuality {
                degenerate: scorer.evaluate_guard(&self.sources, &self.plan)?,
                ..curve
                    .last()
                    .map_or_else(LearnedMetricQuality::default, |last| last.figures)
            },
            comparison,
            curve,
        })
    }
}

const OTHER_KIND: HybridModelError =
    HybridModelError::Kind("this model was trained by another trainer");

/// A file that an earlier process left. A damaged file, or one of another training, is ignored.
fn load_saved<T>(
    path: &Path,
    read: impl FnOnce(&[u8]) -> Result<T, HybridModelError>,
) -> Result<Option<T>, TrainingError> {
    match fs::read(path) {
        Ok(file) => Ok(read(&file).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TrainingError::unreadable(path, error)),
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), TrainingError> {
    replace_file(path, bytes).map_err(|error| TrainingError::unwritable(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_training_left_is_not_taken() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("trees");
        fs::write(&path, "something else").expect("written");
        let load = |path: &Path| load_saved(path, |file| TreeEnsemble::load(file, "a training", 3));
        assert!(load(&path).expect("readable").is_none());
        assert!(load(Path::new("nowhere")).expect("not there").is_none());
    }
}
