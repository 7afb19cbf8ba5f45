//! Texts: tokens, sentences, categories, word alignment and the edits derived from it.
