//! The learned metric of trees and a ranker: predicts people's ratings of an output.
//!
//! Some hundred and thirty features of an output, its source and perhaps references go to two parts: boosted
//! trees learn its mean z-score, and a logistic ranker learns which of two outputs of a source is
//! better. [`build_feature_table`] computes the features of rated [`TrainingSource`]s, [`train()`] makes a
//! [`HybridModel`] of them, and a [`HybridScorer`] scores with it. `models/METRIC.md` says what the shipped models were
//! trained on and how well they agree with people.
//!
//! *Architecture invariant*: a model file holds numbers and a description, and no code runs when it is
//! read. It names its sources by [`fingerprint`]s and holds no text.

mod calibration;
mod evaluation;
mod feature_table;
mod features;
mod hybrid;
mod leave_one_out;
mod left_out_figures;
mod model;
pub mod ranker;
mod ranker_pairs;
mod rated_dataset;
mod scorer;
mod shipped;
mod tensors;
mod train;
mod training_data;
pub mod trees;
mod validate;
mod word_frequencies;

pub use domain::metrics::learned_quality::{
    LearnedMetricComparison, LearnedMetricQuality, LearningCurvePoint,
};

pub(crate) use self::calibration::FEWEST_OUTPUTS;
pub(crate) use self::evaluation::{compare_pair_counts, compute_outranked_share};
pub(crate) use self::leave_one_out::{check_left_out, list_left_out, place_sources};
pub use self::{
    calibration::{ScoreCalibration, ScoreMeaning, ScorePart},
    feature_table::FeatureTable,
    features::FeatureResources,
    hybrid::{GainSettings, HybridSettings},
    leave_one_out::{
        LeaveOneOutProgress, LeaveOneOutSettings, count_left_out, make_dataset_probes,
        score_left_out,
    },
    left_out_figures::{
        DatasetProbe, DatasetScores, FigureEstimate, LeftOutFigures, evaluate_scores,
    },
    model::{FeatureSpec, HybridModel, HybridModelCard, KnownSource},
    rated_dataset::{
        DatasetComparison, DatasetRating, DatasetSource, OutputPreference, RatedDataset,
    },
    scorer::{AssessedScore, HybridScorer},
    shipped::ShippedModel,
    tensors::HybridModelError,
    train::{
        HybridPlan, MIN_OUTPUTS, TrainError, TreeStep, build_degenerate_features,
        build_feature_table, compute_training_key, merge_tables, train,
    },
    training_data::{
        SourceGroup, TrainingOutput, TrainingRating, TrainingSource, collect_letters, fingerprint,
    },
    validate::{
        CrossValidationScores, CrossValidationSettings, DegenerateFeatures, cross_validate,
    },
    word_frequencies::{FILE as FREQUENCIES_FILE, WordFrequencies, WordFrequenciesError},
};
