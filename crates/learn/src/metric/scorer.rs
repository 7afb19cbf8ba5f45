//! Scores by a model.

use super::{
    FeatureResources, HybridModel, ScoreMeaning, ShippedModel, SourceGroup,
    features::GroupFeatures, tensors::HybridModelError,
};
use crate::encoder::EncoderError;

/// A model with the resources that it needs to score.
#[derive(Debug, Clone)]
pub struct HybridScorer {
    model: HybridModel,
    resources: FeatureResources,
}

/// A score and its meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssessedScore {
    /// About the mean z-score that people would give, larger for better, unbounded.
    pub score: f64,
    /// The meaning; `None` if the model is not calibrated.
    pub meaning: Option<ScoreMeaning>,
}

impl From<f64> for AssessedScore {
    /// A score without a meaning.
    fn from(score: f64) -> Self {
        Self {
            score,
            meaning: None,
        }
    }
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

    /// The metric that is shipped for the encoder of these resources; it needs no references.
    ///
    /// # Errors
    /// No metric is shipped for it, or the other resources are not those that the metric was trained with.
    pub fn with_shipped_model(resources: FeatureResources) -> Result<Self, HybridModelError> {
        let model = ShippedModel::find(resources.encoder_name())?;
        Self::new(model.load(), resources)
    }

    /// The model.
    #[must_use]
    pub const fn model(&self) -> &HybridModel {
        &self.model
    }

    /// The scores of each group's outputs: about the mean z-score that people would give, larger for better, unbounded.
    /// A metric with references uses the best ones of each output. Computation takes some milliseconds an output: call
    /// it from a blocking thread. `on_progress` receives the number of groups done, and stops by returning false; then
    /// there are fewer groups.
    ///
    /// # Errors
    /// If the encoder fails.
    ///
    /// # Panics
    /// If the metric needs references and a group has none.
    pub fn scores(
        &self,
        groups: &[SourceGroup<'_>],
        on_progress: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<f64>>, EncoderError> {
        let rows = self.rows(groups, on_progress)?;
        let scores = rows
            .into_iter()
            .map(|group| group.into_iter().map(|rows| self.score(&rows)).collect());
        Ok(scores.collect())
    }

    /// The scores as of [`Self::scores`], each with its meaning.
    ///
    /// # Errors
    /// If the encoder fails.
    ///
    /// # Panics
    /// If the metric needs references and a group has none.
    pub fn assess(
        &self,
        groups: &[SourceGroup<'_>],
        on_progress: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<AssessedScore>>, EncoderError> {
        let rows = self.rows(groups, on_progress)?;
        let calibration = self.model.card().calibration.as_ref();
        let calibration = calibration.map(|calibration| (calibration, self.model.domain()));

        let assess = |rows: Vec<Vec<f32>>| {
            let score = self.score(&rows);
            let meaning = calibration.as_ref().map(|(calibration, domain)| {
                let distance = domain.distance(rows.iter().map(Vec::as_slice));
                calibration.meaning(score, Some(distance))
            });
            AssessedScore { score, meaning }
        };
        let scores = rows
            .into_iter()
            .map(|group| group.into_iter().map(assess).collect());
        Ok(scores.collect())
    }

    fn score(&self, rows: &[Vec<f32>]) -> f64 {
        self.model.hybrid.score(rows.iter().map(Vec::as_slice))
    }

    /// The features of each group's outputs.
    fn rows(
        &self,
        groups: &[SourceGroup<'_>],
        on_progress: impl FnMut(usize) -> bool,
    ) -> Result<Vec<GroupFeatures>, EncoderError> {
        let with_references = self.model.needs_references();
        let groups: Vec<SourceGroup<'_>> = groups
            .iter()
            .map(|group| SourceGroup {
                references: if with_references {
                    group.references
                } else {
                    &[]
                },
                ..group.clone()
            })
            .collect();

        assert!(
            !with_references || groups.iter().all(|group| !group.references.is_empty()),
            "a metric with references is given some"
        );
        self.resources.compute_rows(&groups, on_progress)
    }
}
