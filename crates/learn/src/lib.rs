//! What Rank & Rate has learned: the sentence encoder and the word aligner's network.

pub mod aligner;
pub mod encoder;
pub mod meaning;
