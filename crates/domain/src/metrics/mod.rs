//! Automatic metrics: one file each, pure functions, each score with a [`MetricSignature`].
//!
//! The data that metrics need of a source and its references is computed once, in a [`PreparedSource`], and
//! serves all outputs; of an output, in a [`PreparedOutput`], which serves several of these. Corpus metrics are computed from counts that add up ([`SariCounts`], [`BleuCounts`],
//! [`ChrfCounts`], [`FkglCounts`], and [`CorpusCounts`] of any of these). Embedding metrics take the vectors of an encoder
//! ([`fn@bertscore`]).

mod bertscore;
mod bleu;
mod chrf;
mod compression;
mod copy_rate;
mod corpus_counts;
pub mod degenerate;
mod direction;
mod fkgl;
mod grams;
mod learned_metric;
pub mod learned_quality;
mod levenshtein;
pub mod meta;
mod prepared_source;
mod sari;
mod sari_lens;
mod score_scale;
mod signature;
mod syllables;
mod text_metric;
mod tokenisation;
pub mod tokens;
mod word_rank;

pub use bertscore::{BertScore, WordVectors, bertscore, cosine};
pub use bleu::{BleuCounts, BleuScore, bleu, bleu_signature, bleu_to_source};
pub use chrf::{ChrfCounts, chrf, chrf_signature};
pub use compression::{LengthUnit, compression, compression_signature};
pub use copy_rate::{copy_rate, copy_rate_signature};
pub use corpus_counts::CorpusCounts;
pub use direction::{ScoreDirection, UnknownDirection};
pub use fkgl::{FkglCounts, fkgl, fkgl_signature};
pub use learned_metric::{LearnedMetricKind, MetricTrainer, UnknownLearnedMetric, UnknownTrainer};
pub use levenshtein::{
    IndexedCharacters, edit_distance, edit_distance_signature, levenshtein_ratio,
    levenshtein_signature,
};
pub use prepared_source::{PreparedOutput, PreparedSource};
pub use sari::{DeletionMeasure, SariCounts, SariScore, sari, sari_signature};
pub use sari_lens::{SourceCase, sari_lens, sari_lens_signature};
pub use score_scale::{ScaleMark, ScoreScale};
pub use signature::{LetterCase, MetricSignature, ReferenceCount};
pub use syllables::syllables;
pub use text_metric::TextMetric;
pub use tokenisation::{Tokenisation, WordTokeniser};
pub use word_rank::{word_rank_ratio, word_rank_signature};
