//! Files of a study's earlier models, for the training process.

use std::path::{Path, PathBuf};

use domain::{
    ids::{ModelId, StudyId},
    metrics::LearnedMetricKind,
};
use service::metric_training::{TrainingStart, adopted_model};
use store::{Store, metrics::StudyModel};

use super::error::TrainingJobError;

/// The study's earlier models, written to files for the training process.
pub(super) struct ModelFiles<'a> {
    pub(super) store: &'a Store,
    pub(super) study: StudyId,
    pub(super) models: &'a [StudyModel],
    pub(super) folder: &'a Path,
}

impl ModelFiles<'_> {
    /// Writes the model that training continues from, if any, and returns its path and its name for people.
    pub(super) async fn start(
        &self,
        kind: LearnedMetricKind,
        start: TrainingStart,
    ) -> Result<(Option<PathBuf>, String), TrainingJobError> {
        let (path, name) = match start {
            TrainingStart::Own(id) => {
                let version = self.models.iter().find(|model| model.id == id);
                let version = version.map_or(0, |model| model.version);
                let path = self.write(id, "from").await?;
                (Some(path), format!("version {version}"))
            }
            TrainingStart::Shipped => (Some("shipped".into()), "the built-in metric".to_owned()),
            TrainingStart::Nothing => (None, "nothing but this study".to_owned()),
        };

        Ok(match kind.trainer().tunes_encoder() {
            true => (path, "the encoder".to_owned()),
            false => (path, name),
        })
    }

    /// Writes the model of this kind that is in use, if any, and returns its path and its name for people. A
    /// study without one of its own uses the shipped one, if that is of this kind.
    pub(super) async fn in_use(
        &self,
        kind: LearnedMetricKind,
    ) -> Result<Option<(PathBuf, String)>, TrainingJobError> {
        Ok(match adopted_model(self.models, kind) {
            Some(model) => {
                let path = self.write(model.id, "against").await?;
                Some((path, format!("version {}", model.version)))
            }
            None if kind == LearnedMetricKind::SHIPPED => {
                Some(("shipped".into(), "the built-in metric".to_owned()))
            }
            None => None,
        })
    }

    async fn write(&self, id: ModelId, name: &str) -> Result<PathBuf, TrainingJobError> {
        let path = self.folder.join(name);
        let file = self.store.model_file(self.study, id).await?;
        let file = file.ok_or_else(|| {
            TrainingJobError::Message("the model to continue from no longer exists".to_owned())
        })?;
        tokio::fs::write(&path, file).await?;
        Ok(path)
    }
}
