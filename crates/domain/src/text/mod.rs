//! Texts: tokens, sentences, categories, word alignment and the edits derived from it.

pub mod abbreviations;
pub mod categorise;
pub mod sentences;
pub mod tokenise;
