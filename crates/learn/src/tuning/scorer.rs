//! Scores of a trained model, computed by ONNX Runtime.

use std::{collections::HashMap, fmt, path::Path};

use super::{
    TunedModelCard, TuningError, TuningObjective,
    base_encoder::BaseEncoder,
    graph::{self, TRIPLE_INPUTS},
    lens::select_references,
    model,
    network::LensSize,
    pooled_texts::{MAX_BATCH_PIECES, TextPieces, pad_batch},
};
use crate::encoder::{EncoderOptions, batches::make_batches, session::OnnxSession};

/// The largest number of triples in a batch of the regressor.
const MAX_BATCH_TRIPLES: usize = 1024;

/// A trained model with its ONNX sessions.
pub struct TunedScorer {
    card: TunedModelCard,
    base: BaseEncoder,
    sessions: ScoringSessions,
}

enum ScoringSessions {
    Lens {
        sentence: OnnxSession,
        regressor: OnnxSession,
    },
    Cross(OnnxSession),
}

/// An output to score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoringCase<'a> {
    /// The text that was simplified.
    pub source: &'a str,
    /// A system's simplification of it.
    pub output: &'a str,
    /// Human simplifications of it; a model without references ignores them.
    pub references: &'a [String],
}

impl TunedScorer {
    /// Opens the model in the file at `path`. The folder and the cache of the settings are not used.
    ///
    /// # Errors
    /// The file is not a model of this program or is damaged, or ONNX Runtime is missing.
    pub fn open(path: &Path, settings: &EncoderOptions) -> Result<Self, TuningError> {
        let (card, base) = model::read_model(path)?;
        let session = |graph: Vec<u8>| OnnxSession::open(&graph, &base.weights, settings);
        let networks = match card.plan.objective {
            TuningObjective::Lens {
                features, hidden, ..
            } => {
                let size = LensSize::new(&base, features, hidden);
                ScoringSessions::Lens {
                    sentence: session(graph::build_sentence_graph(&base.config, &base.weights)?)?,
                    regressor: session(graph::build_regressor_graph(
                        &base.config,
                        size,
                        &base.weights,
                    )?)?,
                }
            }
            TuningObjective::Cross { pooling, .. } => ScoringSessions::Cross(session(
                graph::build_cross_graph(&base.config, pooling, &base.weights)?,
            )?),
        };

        Ok(Self {
            card,
            base,
            sessions: networks,
        })
    }

    /// The description of the model.
    #[must_use]
    pub const fn card(&self) -> &TunedModelCard {
        &self.card
    }

    /// Whether it scores by references.
    #[must_use]
    pub const fn needs_references(&self) -> bool {
        matches!(self.sessions, ScoringSessions::Lens { .. })
    }

    /// The predicted z-score of each case. For a model with references it is the greatest over them, leaving out those
    /// identical to the output, unless all are or the model was trained to count them.
    ///
    /// # Errors
    /// A case lacks the references that the model needs, or the computation fails.
    pub fn predict_z(&self, cases: &[ScoringCase<'_>]) -> Result<Vec<f64>, TuningError> {
        match &self.sessions {
            ScoringSessions::Lens {
                sentence,
                regressor,
            } => self.score_by_references(cases, sentence, regressor),
            ScoringSessions::Cross(session) => self.score_by_source(cases, session),
        }
    }

    fn score_by_references(
        &self,
        cases: &[ScoringCase<'_>],
        sentence: &OnnxSession,
        regressor: &OnnxSession,
    ) -> Result<Vec<f64>, TuningError> {
        if let Some(case) = cases.iter().find(|case| case.references.is_empty()) {
            return Err(TuningError::Data(format!(
                "there is no reference for the source “{}”: this model scores by references",
                case.source
            )));
        }
        let TuningObjective::Lens { identical, .. } = self.card.plan.objective else {
            return Err(TuningError::Plan("this is not a plan for LENS".to_owned()));
        };

        let mut text_numbers = HashMap::new();
        let mut texts = Vec::new();
        let mut number_text = |text: &'_ str| {
            *text_numbers.entry(text.to_owned()).or_insert_with(|| {
                texts.push(text.to_owned());
                texts.len() - 1
            })
        };

        let mut triples = Vec::new();
        for (at, case) in cases.iter().enumerate() {
            let (source, output) = (number_text(case.source), number_text(case.output));
            let counts = select_references(case.output, case.references, identical);
            for (reference, _) in case.references.iter().zip(counts).filter(|pair| pair.1) {
                triples.push((at, [source, output, number_text(reference)]));
            }
        }

        let vectors = self.embed_texts(&texts, sentence)?;
        let mut best = vec![f64::NEG_INFINITY; cases.len()];
        for part in triples.chunks(MAX_BATCH_TRIPLES) {
            let inputs = (0..3).map(|slot| {
                let rows = part.iter().flat_map(|(_, triple)| &vectors[triple[slot]]);
                (TRIPLE_INPUTS[slot], part.len(), rows.copied().collect())
            });
            regressor.run_matrices(inputs.collect(), |_, values| {
                for ((at, _), value) in part.iter().zip(values) {
                    best[*at] = best[*at].max((*value).into());
                }
            })?;
        }
        Ok(best)
    }

    fn embed_texts(
        &self,
        texts: &[String],
        sentence: &OnnxSession,
    ) -> Result<Vec<Vec<f32>>, TuningError> {
        let pieces = texts
            .iter()
            .map(|text| Ok((self.base.tokenizer.encode_text(text)?, Vec::new())));
        let pieces = pieces.collect::<Result<Vec<TextPieces>, TuningError>>()?;
        let lengths: Vec<usize> = pieces.iter().map(|(text, _)| text.len()).collect();

        let mut vectors = vec![Vec::new(); texts.len()];
        for indices in make_batches(&lengths, MAX_BATCH_PIECES) {
            let batch = pad_batch(&self.base, indices.iter().map(|&text| &pieces[text]), false);
            sentence.run(batch, |_, values| {
                let rows = values.chunks_exact(self.base.config.width);
                for (text, row) in indices.iter().zip(rows) {
                    vectors[*text] = row.to_vec();
                }
            })?;
        }
        Ok(vectors)
    }

    fn score_by_source(
        &self,
        cases: &[ScoringCase<'_>],
        session: &OnnxSession,
    ) -> Result<Vec<f64>, TuningError> {
        let pairs = cases
            .iter()
            .map(|case| self.base.tokenizer.encode_pair(case.source, case.output));
        let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        let lengths: Vec<usize> = pairs.iter().map(|(pieces, _)| pieces.len()).collect();

        let mut scores = vec![0.0; cases.len()];
        for indices in make_batches(&lengths, MAX_BATCH_PIECES) {
            let batch = pad_batch(&self.base, indices.iter().map(|&case| &pairs[case]), true);
            session.run(batch, |_, values| {
                for (case, figures) in indices.iter().zip(values.as_chunks().0) {
                    let [quality, order] = figures.map(f64::from);
                    scores[*case] = quality + self.card.order_share * order;
                }
            })?;
        }
        Ok(scores)
    }
}

impl fmt::Debug for TunedScorer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let card = self.card.signature();
        out.debug_tuple("TunedScorer").field(&card).finish()
    }
}
