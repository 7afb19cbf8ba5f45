//! Metrics whose encoder is fine-tuned on ratings: LENS with references, and a cross-encoder without, which can be
//! pre-trained on synthetic signals.
//!
//! Training runs in [`tensor`], on the CPU: an encoder's last layers and a head on it. The model is one safetensors
//! file. ONNX Runtime scores with a graph that is built from the file's header, as that of the
//! [encoder](mod@crate::encoder) is. Texts are used unchanged; an uncased model's tokenizer lower-cases them.

mod agreement;
mod base_encoder;
mod batch_check;
mod checkpoint;
mod cross;
mod error;
mod evaluation;
mod fit;
mod graph;
mod lens;
mod model;
mod network;
mod plan;
mod pooled_texts;
mod pretraining;
mod progress;
mod scorer;
mod split;
mod task;
mod train;
mod weights_file;

use self::plan::DEFAULT_ORDER_SHARE;
pub use self::{
    agreement::TuningAgreement,
    batch_check::{export_batch, export_signal_batch, find_largest_difference},
    checkpoint::EpochResult,
    error::TuningError,
    model::{TunedModel, TunedModelCard},
    network::FeatureBlocks,
    plan::{TextPooling, TuningObjective, TuningPlan},
    pretraining::{
        AblationProgress, AblationRequest, AblationRow, LanguageModelCard, LearnedSignal,
        PretrainedCard, PretrainedEncoder, PretrainedSources, PretrainingData, PretrainingEpoch,
        PretrainingPlan, PretrainingProgress, PretrainingResources, PretrainingSignal,
        PretrainingStage, PretrainingText, PretrainingVariant, SignalKind, SignalScale, StageCard,
        ablate, list_variants, pretrain,
    },
    progress::{TuningCallback, TuningProgress},
    scorer::{ScoringCase, TunedScorer},
    split::{TuningSplit, hash_sources},
    train::{TuningCrossValidation, TuningResources, cross_validate, train},
};
pub(crate) use self::{model::CARD_KEY, pretraining::PRETRAINED_KEY, train::with_threads};
