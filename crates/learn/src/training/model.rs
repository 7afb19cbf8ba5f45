//! Models of every kind: just trained, in a file, and ready to score.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use domain::metrics::{LearnedMetricKind, learned_quality::LearnedMetricQuality};
use serde::Serialize;

use super::{ScoringError, TrainingError};
use crate::{
    encoder::{EncoderError, weights::read_texts},
    metric::{HybridModel, HybridModelError, HybridScorer, SourceGroup, load_shipped_model},
    tuning::{
        CARD_KEY as TUNED_CARD_KEY, ScoringCase, TunedModel, TunedModelCard, TunedScorer,
        TuningAgreement, TuningError,
    },
};

/// Outputs that a model with its own encoder scores between two reports of progress.
const BATCH_SIZE: usize = 64;

/// A model that was just trained.
pub enum TrainedModel {
    /// Trees and a ranker.
    Hybrid(Box<HybridModel>),
    /// An encoder with a head.
    Tuned(Box<TunedModel>),
}

/// A model's figures on the sources that it did not learn from, as its card has them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum HeldOutFigures {
    /// Those of trees; `None` where no source was held out.
    Hybrid(Option<LearnedMetricQuality>),
    /// Those of a fine-tuned encoder, which also chose its best epoch.
    Tuned(TuningAgreement),
}

impl TrainedModel {
    /// The signature of its scores: kind, settings and data.
    #[must_use]
    pub fn signature(&self) -> String {
        match self {
            Self::Hybrid(model) => model.signature(),
            Self::Tuned(model) => model.card().signature(),
        }
    }

    /// The fingerprints of the sources that it learned from.
    #[must_use]
    pub fn trained_on(&self) -> Vec<String> {
        match self {
            Self::Hybrid(model) => model.trained_on(),
            Self::Tuned(model) => model.card().trained_on(),
        }
    }

    /// The same model with the figures of a cross-validation on its card.
    #[must_use]
    pub fn with_cross_validation(self, figures: LearnedMetricQuality) -> Self {
        match self {
            Self::Hybrid(model) => Self::Hybrid(Box::new(model.with_cross_validation(figures))),
            Self::Tuned(model) => {
                Self::Tuned(Box::new(model.with_cross_validation(figures.into())))
            }
        }
    }

    /// The figures on its card of the sources that it did not learn from.
    #[must_use]
    pub fn held_out(&self) -> HeldOutFigures {
        match self {
            Self::Hybrid(model) => HeldOutFigures::Hybrid(model.card().held_out),
            Self::Tuned(model) => HeldOutFigures::Tuned(model.card().validation()),
        }
    }

    /// Writes the model to the file at `path`, in place of what is there.
    ///
    /// # Errors
    /// The file cannot be written, or the encoder that training began with cannot be read.
    pub fn save(&self, path: &Path) -> Result<(), TrainingError> {
        match self {
            Self::Hybrid(model) => replace_file(path, &model.write())
                .map_err(|error| TrainingError::unwritable(path, error)),
            Self::Tuned(model) => Ok(model.save(path)?),
        }
    }
}

/// Writes a file beside its place and moves it there, so that no reader sees half of it.
pub(super) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, bytes)?;
    fs::rename(&new, path)
}

/// Figures as they are laid out where an encoder learned: in its card and in reports.
impl From<LearnedMetricQuality> for TuningAgreement {
    fn from(quality: LearnedMetricQuality) -> Self {
        Self {
            pearson: quality.r,
            tau: quality.tau,
            hard: quality.hard,
            outputs: quality.outputs,
        }
    }
}

/// The number of sources, and degenerate outputs, are not known.
impl From<TuningAgreement> for LearnedMetricQuality {
    fn from(agreement: TuningAgreement) -> Self {
        Self {
            r: agreement.pearson,
            tau: agreement.tau,
            hard: agreement.hard,
            degenerate: None,
            outputs: agreement.outputs,
            sources: 0,
        }
    }
}

/// A model in a file, or the one that is part of the program.
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

/// Why a file is not taken as a model.
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
    /// It holds no model of trees, or a damaged one; nor is it a model with an encoder.
    #[error("{} was not taken", path.display())]
    Hybrid {
        /// The file.
        path: PathBuf,
        /// The fault.
        #[source]
        source: HybridModelError,
    },
    /// It holds a model with an encoder that is damaged or of another version.
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
    /// Reads the model at `path`; the texts in the file's header say of which kind it is. No code of the
    /// file runs.
    ///
    /// # Errors
    /// The file cannot be read, or is no model of this program.
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
        let file = match fs::read(&path) {
            Ok(file) => file,
            Err(source) => return Err(ModelFileError::File { path, source }),
        };
        match HybridModel::read(&file) {
            Ok(model) => Ok(Self::Hybrid(Box::new(model))),
            Err(source) => Err(ModelFileError::Hybrid { path, source }),
        }
    }

    /// The model that is part of the program, of the kind [`LearnedMetricKind::SHIPPED`].
    #[must_use]
    pub fn shipped() -> Self {
        Self::Hybrid(Box::new(load_shipped_model()))
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

/// A learned metric with all that it needs to score.
#[derive(Debug)]
pub enum LearnedScorer {
    /// Trees and a ranker.
    Hybrid(Box<HybridScorer>),
    /// An encoder with a head.
    Tuned(Box<TunedScorer>),
}

impl LearnedScorer {
    /// Whether it scores by references.
    #[must_use]
    pub const fn needs_references(&self) -> bool {
        match self {
            Self::Hybrid(scorer) => scorer.model().needs_references(),
            Self::Tuned(scorer) => scorer.needs_references(),
        }
    }

    /// The signature of its scores: kind, settings and data.
    #[must_use]
    pub fn signature(&self) -> String {
        match self {
            Self::Hybrid(scorer) => scorer.model().signature(),
            Self::Tuned(scorer) => scorer.card().signature(),
        }
    }

    /// The fingerprints of the sources that it learned from.
    #[must_use]
    pub fn trained_on(&self) -> Vec<String> {
        match self {
            Self::Hybrid(scorer) => scorer.model().trained_on(),
            Self::Tuned(scorer) => scorer.card().trained_on(),
        }
    }

    /// The scores of some outputs, in their order: predicted mean z-scores, larger for better. Outputs
    /// without the references that the metric needs have none. `on_progress` receives how many more are
    /// done. It takes some milliseconds an output: call it from a blocking thread.
    ///
    /// # Errors
    /// The encoder fails.
    pub fn scores(
        &self,
        cases: &[ScoringCase<'_>],
        on_progress: impl Fn(u64),
    ) -> Result<Vec<Option<f64>>, ScoringError> {
        let needs_references = self.needs_references();
        let can_be_scored =
            |case: &ScoringCase<'_>| !(needs_references && case.references.is_empty());
        let scorable: Vec<(usize, ScoringCase<'_>)> = cases
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, case)| can_be_scored(case))
            .collect();
        let mut scores = vec![None; cases.len()];
        match self {
            Self::Hybrid(scorer) => score_groups(scorer, &scorable, on_progress, &mut scores)?,
            Self::Tuned(scorer) => {
                for batch in scorable.chunks(BATCH_SIZE) {
                    let texts: Vec<ScoringCase<'_>> = batch.iter().map(|(_, case)| *case).collect();
                    for ((place, _), score) in batch.iter().zip(scorer.predict_z(&texts)?) {
                        scores[*place] = Some(score);
                    }
                    on_progress(batch.len() as u64);
                }
            }
        }
        Ok(scores)
    }

    /// The scores of candidates for a source by minimum Bayes risk: a metric with references compares each
    /// with the others, so that the best is the one most like all others; a metric without references
    /// scores each by itself.
    ///
    /// # Errors
    /// The encoder fails, or there is one candidate alone and the metric has to compare it.
    pub fn rerank(&self, source: &str, candidates: &[String]) -> Result<Vec<f64>, ScoringError> {
        let scorer = match self {
            Self::Hybrid(scorer) => return Ok(scorer.rerank(source, candidates)?),
            Self::Tuned(scorer) => scorer,
        };
        let needs_references = scorer.needs_references();
        if needs_references && candidates.len() < 2 {
            let reason =
                "this metric compares candidates with one another: one alone cannot be scored";
            return Err(TuningError::Data(reason.to_owned()).into());
        }
        let others = |own: usize| -> Vec<String> {
            let others = candidates.iter().enumerate();
            let others = others.filter(|(at, _)| needs_references && *at != own);
            others.map(|(_, text)| text.clone()).collect()
        };
        let references: Vec<Vec<String>> = (0..candidates.len()).map(others).collect();
        let cases = candidates.iter().zip(&references);
        let cases = cases.map(|(output, references)| ScoringCase {
            source,
            output,
            references,
        });
        Ok(scorer.predict_z(&cases.collect::<Vec<_>>())?)
    }
}

/// Scores the outputs of each source together, so that a source's features are computed once, and puts
/// the scores at the places of the cases.
fn score_groups(
    scorer: &HybridScorer,
    cases: &[(usize, ScoringCase<'_>)],
    on_progress: impl Fn(u64),
    scores: &mut [Option<f64>],
) -> Result<(), EncoderError> {
    let mut group_of = HashMap::new();
    let mut groups: Vec<SourceGroup<'_>> = Vec::new();
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (place, case) in cases {
        let group = *group_of
            .entry((case.source, case.references))
            .or_insert_with(|| {
                groups.push(SourceGroup {
                    source: case.source,
                    references: case.references,
                    outputs: Vec::new(),
                });
                places.push(Vec::new());
                groups.len() - 1
            });
        groups[group].outputs.push(case.output);
        places[group].push(*place);
    }
    let mut reported = 0;
    let group_scores = scorer.scores(&groups, |done| {
        let outputs = groups[reported..done].iter();
        on_progress(outputs.map(|group| group.outputs.len() as u64).sum());
        reported = done;
        true
    })?;
    let places = places.into_iter().flatten();
    for (place, score) in places.zip(group_scores.into_iter().flatten()) {
        scores[place] = Some(score);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_opened_as_the_kind_that_its_header_names() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("model");
        let model = TrainedModel::Hybrid(Box::new(load_shipped_model()));
        model.save(&path).expect("written");
        let opened = ModelFile::open(&path).expect("a model");
        assert_eq!(opened.kind(), LearnedMetricKind::SHIPPED);
        let ModelFile::Hybrid(opened) = opened else {
            panic!("trees and a ranker")
        };
        assert_eq!(opened.signature(), model.signature());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
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
