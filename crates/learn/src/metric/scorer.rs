//! Scores by a model.

use super::{FeatureResources, HybridModel, SourceGroup, tensors::HybridModelError};
use crate::encoder::EncoderError;

/// A model with the resources that it needs to score.
#[derive(Debug, Clone)]
pub struct HybridScorer {
    model: HybridModel,
    resources: FeatureResources,
}

impl HybridScorer {
    /// Combines a model with its resources.
    ///
    /// # Errors
    /// The resources are not those that the model was trained with.
    pub fn new(model: HybridModel, resources: FeatureResources) -> Result<Self, HybridModelError> {
        model.check_resources(&resources)?;
        Ok(Self { model, resources })
    }

    /// The shipped metric, which needs no references.
    ///
    /// # Errors
    /// The resources are not those that it was trained with.
    pub fn with_shipped_model(resources: FeatureResources) -> Result<Self, HybridModelError> {
        Self::new(load_shipped_model(), resources)
    }

    /// The model.
    #[must_use]
    pub const fn model(&self) -> &HybridModel {
        &self.model
    }

    /// The scores of each group's outputs: about the mean z-score that people would give, larger for
    /// better, with no limits. Of a metric with references the best references count. It computes for
    /// a while, some milliseconds an output: call it from a blocking thread. `on_progress` receives the
    /// number of groups done, and stops by returning false: then there are fewer.
    ///
    /// # Errors
    /// When the encoder fails.
    ///
    /// # Panics
    /// If the metric needs references and a group has none.
    pub fn scores(
        &self,
        groups: &[SourceGroup<'_>],
        on_progress: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<f64>>, EncoderError> {
        let with = self.model.needs_references();
        let groups: Vec<SourceGroup<'_>> = groups
            .iter()
            .map(|group| SourceGroup {
                references: if with { group.references } else { &[] },
                ..group.clone()
            })
            .collect();
        assert!(
            !with || groups.iter().all(|group| !group.references.is_empty()),
            "a metric with references is given some"
        );
        let rows = self.resources.compute_rows(&groups, on_progress)?;
        let score = |rows: Vec<Vec<f32>>| self.model.hybrid.score(rows.iter().map(Vec::as_slice));
        let scores = rows
            .into_iter()
            .map(|rows| rows.into_iter().map(score).collect());
        Ok(scores.collect())
    }
}

/// The model that is shipped: reference-free, trained on `simpeval_past`; the folder `models` says
/// more.
///
/// # Panics
/// Never: a test reads it.
#[must_use]
pub fn load_shipped_model() -> HybridModel {
    let file = include_bytes!("../../models/metric.safetensors");
    HybridModel::read(file).expect("the shipped metric is whole")
}
