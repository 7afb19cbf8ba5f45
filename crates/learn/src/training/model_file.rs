//! Models in files, and those that are shipped.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use domain::metrics::LearnedMetricKind;

use crate::{
    encoder::weights::read_texts,
    metric::{HybridModel, HybridModelError, ShippedModel},
    tuning::{CARD_KEY as TUNED_CARD_KEY, PRETRAINED_KEY, TunedModelCard, TuningError},
};

/// A model in a file, or one that is part of the program.
#[derive(Debug)]
pub enum ModelFile {
    /// Trees and a ranker, read as a whole.
    Hybrid(Box<HybridModel>),
    /// An encoder with a head: its card. The weights, which are large, stay in the file.
    Tuned {
        /// The description in the file's header.
        card: Box<TunedModelCard>,
        /// The file.
        path: PathBuf,
    },
}

/// Reasons why a file is not taken as a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// The file cannot be read.
    #[error("{} cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The file holds neither an intact model of trees nor a model with an encoder.
    #[error("{} was not taken", path.display())]
    Hybrid {
        /// The file.
        path: PathBuf,
        /// The fault.
        #[source]
        source: HybridModelError,
    },
    /// The file holds a model with an encoder that is damaged or of another version.
    #[error("{} was not taken", path.display())]
    Tuned {
        /// The file.
        path: PathBuf,
        /// The fault.
        #[source]
        source: TuningError,
    },
}

impl ModelFileError {
    /// The fault without the name of the file.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::File { source, .. } => source.to_string(),
            Self::Hybrid { source, .. } => source.to_string(),
            Self::Tuned { source, .. } => source.to_string(),
        }
    }
}

impl ModelFile {
    /// Reads the model at `path`, whose kind the texts in the file's header state. No code of the
    /// file runs.
    ///
    /// # Errors
    /// The file cannot be read, or is not a model of this program.
    pub fn open(path: &Path) -> Result<Self, ModelFileError> {
        let texts = read_texts(path).unwrap_or_default();
        let path = path.to_owned();

        if texts.contains_key(TUNED_CARD_KEY) {
            return match TunedModelCard::read(&path) {
                Ok(card) => Ok(Self::Tuned {
                    card: Box::new(card),
                    path,
                }),
                Err(source) => Err(ModelFileError::Tuned { path, source }),
            };
        }
        if texts.contains_key(PRETRAINED_KEY) {
            let reason = "it is a pre-trained encoder, which does not score yet: train it on ratings with \
                          `rankrate train --trainer cross-encoder --from FILE`";
            let source = TuningError::content(&path, reason);
            return Err(ModelFileError::Tuned { path, source });
        }

        let file = match fs::read(&path) {
            Ok(file) => file,
            Err(source) => return Err(ModelFileError::File { path, source }),
        };
        match HybridModel::read(&file) {
            Ok(model) => Ok(Self::Hybrid(Box::new(model))),
            Err(source) => Err(ModelFileError::Hybrid { path, source }),
        }
    }

    /// The model that is part of the program for the encoder of this name, of the kind
    /// [`LearnedMetricKind::SHIPPED`].
    ///
    /// # Errors
    /// No model is shipped for the encoder, or `encoder` is `None`.
    pub fn shipped(encoder: Option<&str>) -> Result<Self, HybridModelError> {
        let model = ShippedModel::find(encoder)?;
        Ok(Self::Hybrid(Box::new(model.load())))
    }

    /// The kind of metric that the model is.
    #[must_use]
    pub fn kind(&self) -> LearnedMetricKind {
        match self {
            Self::Hybrid(model) => model.kind(),
            Self::Tuned { card, .. } => card.plan.objective.kind(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::TrainedModel;

    #[test]
    fn a_file_is_opened_as_the_kind_that_its_header_names() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("model");
        for shipped in ShippedModel::ALL {
            let model = TrainedModel::Hybrid(Box::new(shipped.load()));
            model.save(&path).expect("written");
            let opened = ModelFile::open(&path).expect("a model");
            assert_eq!(opened.kind(), LearnedMetricKind::SHIPPED);
            let ModelFile::Hybrid(opened) = opened else {
                panic!("trees and a ranker")
            };
            assert_eq!(opened.signature(), model.signature());
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        }
    }

    #[test]
    fn files_that_are_no_models_are_refused() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), "no model").expect("written");
        let error = ModelFile::open(file.path()).expect_err("refused");
        assert!(matches!(error, ModelFileError::Hybrid { .. }), "{error:?}");
        let error = ModelFile::open(Path::new("/nowhere")).expect_err("not there");
        assert!(matches!(error, ModelFileError::File { .. }), "{error:?}");
    }
}
