//! Metrics whose encoder learns from ratings: LENS with references, a cross-encoder without.
//!
//! Training runs in burn, on the processor: an encoder's last layers and a head on it. What was learned
//! is one safetensors file; it is scored in ONNX Runtime, whose graph is made from the file's header, as
//! the [encoder](mod@crate::encoder)'s is. Texts are taken as they are; an uncased model's tokenizer puts
//! them in lower case.

mod base;
mod check;
mod checkpoint;
mod cross;
mod data;
mod error;
mod figures;
mod file;
mod fit;
mod graph;
mod judge;
mod lens;
mod model;
mod network;
mod plan;
mod pooled;
mod progress;
mod score;
mod task;
mod train;

pub use self::{
    check::{largest_difference, one_batch},
    checkpoint::Epoch,
    data::{Split, data_hash},
    error::TuningError,
    figures::Figures,
    model::{Card, Tuned},
    network::Features,
    plan::{Objective, Plan},
    progress::{Progress, Tell},
    score::{Case, Scorer},
    train::{Means, Validated, cross_validate, train},
};
