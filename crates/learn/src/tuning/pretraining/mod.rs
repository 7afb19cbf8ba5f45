//! Pre-training of a cross-encoder on synthetic signals, before it learns from ratings.
//!
//! Huang and Kochmar 2024, “REFeREE: A REference-FREE Model-Based Metric for Text Simplification”, sections 3.1 and
//! 3.2. The first stage takes any text, the second takes texts with references. The third is the training of a
//! cross-encoder on ratings (`train`), which starts from the encoder that the last stage leaves.

mod ablation;
mod candidates;
mod language_model;
mod model;
mod perplexity;
mod plan;
mod run;
mod signals;
mod sources;
mod task;

pub(crate) use self::model::PRETRAINED_KEY;
pub(super) use self::task::SignalTask;
pub use self::{
    ablation::{
        AblationProgress, AblationRequest, AblationRow, PretrainingVariant, ablate, list_variants,
    },
    candidates::PretrainingText,
    model::{LearnedSignal, PretrainedCard, PretrainingEpoch, StageCard},
    perplexity::LanguageModelCard,
    plan::{PretrainingPlan, PretrainingStage},
    run::{
        PretrainedEncoder, PretrainingData, PretrainingProgress, PretrainingResources, pretrain,
    },
    signals::{PretrainingSignal, SignalKind, SignalScale},
    sources::PretrainedSources,
};
