//! Rated sources that an encoder saw in its pre-training.

use std::{collections::BTreeSet, path::Path};

use formats::loose_key;
use learn::{
    metric::TrainingSource,
    training::TrainedModel,
    tuning::{PretrainedSources, TuningError},
};
use serde::Serialize;
use utoipa::ToSchema;

/// The number of rated sources that the encoder was pre-trained on. It saw their texts and no rating, which still can make its scores of
/// them look better than those of texts that it never saw.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct PretrainingOverlap {
    /// The number of sources that the encoder was pre-trained on; null where its file does not list them.
    pretrained_sources: Option<usize>,
    /// The number of rated sources.
    rated_sources: usize,
    /// The number of rated sources among those; null where it is not known.
    shared: Option<usize>,
    /// The number of development sources, by which the best epoch was chosen; null where no metric was trained.
    development_sources: Option<usize>,
    /// The number of development sources that the encoder was pre-trained on; null where it is not known.
    development_shared: Option<usize>,
}

/// The rated sources that a pre-trained encoder may have seen.
pub(super) struct SourceCheck {
    /// The sources of pre-training; `None` where the file of the encoder does not list them.
    listed: Option<PretrainedSources>,
    /// The fingerprint and the key of each rated source.
    rated: Vec<(String, String)>,
}

impl SourceCheck {
    /// Reads the list of sources that the encoder in the file at `path` was pre-trained on.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(path: &Path, rated: &[TrainingSource]) -> Result<Self, TuningError> {
        let name = |source: &TrainingSource| (source.fingerprint(), loose_key(&source.text));
        Ok(Self {
            listed: PretrainedSources::read(path)?,
            rated: rated.iter().map(name).collect(),
        })
    }

    /// Counts the overlap, also with the development sources of a metric that was trained.
    pub(super) fn count(&self, trained: Option<&TrainedModel>) -> PretrainingOverlap {
        let development: Option<&BTreeSet<String>> = trained.and_then(|model| match model {
            TrainedModel::Tuned(model) => Some(&model.card().split.validation),
            TrainedModel::Hybrid(_) => None,
        });

        let count_shared = |is_meant: &dyn Fn(&str) -> bool| {
            let listed = self.listed.as_ref()?;
            let meant = self.rated.iter().filter(|(name, _)| is_meant(name));
            Some(meant.filter(|(_, key)| listed.contains(key)).count())
        };

        PretrainingOverlap {
            pretrained_sources: self.listed.as_ref().map(PretrainedSources::len),
            rated_sources: self.rated.len(),
            shared: count_shared(&|_| true),
            development_sources: development.map(BTreeSet::len),
            development_shared: development
                .and_then(|development| count_shared(&|name| development.contains(name))),
        }
    }
}

impl PretrainingOverlap {
    /// Sentences on what the overlap means for figures. A cross-validation holds out each rated source once.
    pub(super) fn warnings(&self, is_cross_validated: bool) -> Vec<String> {
        let Some(shared) = self.shared else {
            return vec![
                "the file of the pre-trained encoder does not list the sources that it learned from: whether rated \
                 ones are among them is not known; `rankrate pretrain` of this version lists them"
                    .to_owned(),
            ];
        };

        let mut warnings = Vec::new();
        if shared > 0 && is_cross_validated {
            warnings.push(format!(
                "pre-training had {shared} of {} sources that were held out in the cross-validation, so that its figures may \
                 be too good: leave them out with `rankrate pretrain --leave-out`",
                self.rated_sources
            ));
        }

        if let (Some(all), Some(shared @ 1..)) = (self.development_sources, self.development_shared)
        {
            warnings.push(format!(
                "pre-training had {shared} of {all} development sources, by which the best epoch was chosen: leave them out \
                 with `rankrate pretrain --leave-out`"
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(shared: Option<usize>, development_shared: Option<usize>) -> PretrainingOverlap {
        PretrainingOverlap {
            pretrained_sources: shared.map(|_| 100),
            rated_sources: 12,
            shared,
            development_sources: development_shared.map(|_| 3),
            development_shared,
        }
    }

    #[test]
    fn warnings_have_the_numbers_and_come_where_figures_may_be_too_good() {
        let count = |overlap: &PretrainingOverlap, is_cross_validated| {
            overlap.warnings(is_cross_validated).len()
        };
        assert_eq!(count(&overlap(Some(0), Some(0)), true), 0);
        assert_eq!(count(&overlap(Some(4), Some(0)), false), 0);
        let [of_folds, of_development] = &overlap(Some(4), Some(2)).warnings(true)[..] else {
            panic!("two warnings")
        };
        assert!(of_folds.contains("4 of 12 sources"), "{of_folds}");
        assert!(
            of_development.contains("2 of 3 development sources"),
            "{of_development}"
        );

        let unknown = overlap(None, None).warnings(false);
        assert!(unknown[0].contains("does not list"), "{unknown:?}");
    }
}
