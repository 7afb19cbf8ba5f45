//! The machine learning of Rank & Rate: the sentence encoder, the word aligner's network and the learned metrics.

pub mod aligner;
pub mod embeddings;
pub mod encoder;
pub mod metric;
pub mod training;
pub mod tuning;
