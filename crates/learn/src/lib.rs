//! What Rank & Rate has learned: the sentence encoder.

pub mod encoder;
