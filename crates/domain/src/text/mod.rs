//! Texts: tokens, sentences, categories, word alignment and the edits derived from it.

pub mod abbreviations;
pub mod align;
pub mod categorise;
pub mod degrade;
pub mod display;
pub mod edits;
pub mod limits;
pub mod moved_words;
mod ordinals;
pub mod perturb;
pub mod rewrite;
pub mod sentences;
#[cfg(test)]
pub(crate) mod test_texts;
pub mod tokenise;
pub mod tokenised_text;
