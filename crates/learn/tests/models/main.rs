//! The models: encoder, word aligner and learned metrics, on released data and where their tools are fetched.

mod aligner;
mod available;
mod encoder;
mod meaning;
mod metric;
mod pretraining;
mod tiny_encoder;
mod tuning;
