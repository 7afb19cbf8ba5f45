//! Automatic metrics: one file a metric, pure, each score with a [`Signature`].
//!
//! What a metric needs of a source and its references is made once, in a [`SourceSide`], and serves all
//! outputs. Metrics of a corpus are made of counts that add up ([`SariCounts`], [`BleuCounts`],
//! [`ChrfCounts`], [`FkglCounts`]). Metrics of meaning take vectors ([`fn@bertscore`]), which an encoder
//! gives.

mod bertscore;
mod bleu;
mod chrf;
mod compression;
mod control;
mod copy_rate;
pub mod degenerate;
mod direction;
mod fkgl;
mod grams;
pub mod learned;
mod levenshtein;
pub mod meta;
mod sari;
mod sari_lens;
mod self_bleu;
mod signature;
mod source_side;
mod syllables;
mod text_metric;
pub mod tokens;

pub use bertscore::{BertScore, WordVectors, bertscore, best_bertscore, cosine};
pub use bleu::{Bleu, BleuCounts, bleu, bleu_signature, bleu_to_source};
pub use chrf::{ChrfCounts, chrf, chrf_signature};
pub use compression::{Length, compression, compression_signature};
pub use control::{word_rank_ratio, word_rank_signature};
pub use copy_rate::{copy_rate, copy_rate_signature};
pub use direction::{Direction, UnknownDirection};
pub use fkgl::{FkglCounts, fkgl, fkgl_signature};
pub use levenshtein::{
    edit_distance, edit_distance_signature, levenshtein_ratio, levenshtein_signature,
};
pub use sari::{Deletion, Sari, SariCounts, sari, sari_signature};
pub use sari_lens::{SourceCase, sari_lens, sari_lens_signature};
pub use self_bleu::{self_bleu, self_bleu_signature};
pub use signature::{Case, References, Signature};
pub use source_side::SourceSide;
pub use syllables::syllables;
pub use text_metric::TextMetric;
