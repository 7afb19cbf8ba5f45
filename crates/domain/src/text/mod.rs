//! Texts: tokens, sentences, categories, word alignment and the edits derived from it.

pub mod abbreviations;
pub mod align;
pub mod categorise;
pub mod display;
pub mod edits;
#[cfg(test)]
pub(crate) mod hostile;
pub mod limits;
pub mod perturb;
pub mod sentences;
pub mod tokenise;
pub mod tokenised;
