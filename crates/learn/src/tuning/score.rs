//! Scores of a trained model, computed by ONNX Runtime.

use std::{collections::HashMap, fmt, path::Path};

use super::{
    Card, Objective, TuningError,
    base::Base,
    graph::{self, TRIPLE},
    lens::counting,
    model,
    pooled::{AT_ONCE, Pieces, batch},
};
use crate::encoder::{Settings, batches::batches, session::Session};

/// The most triples that the regressor sees in one go.
const TRIPLES: usize = 1024;

/// A trained model, ready to score.
pub struct Scorer {
    card: Card,
    base: Base,
    networks: Networks,
}

enum Networks {
    Lens {
        sentence: Session,
        regressor: Session,
    },
    Cross(Session),
}

/// What is to be scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case<'a> {
    /// The text that was simplified.
    pub source: &'a str,
    /// What a system made of it.
    pub output: &'a str,
    /// Simplifications by people; a model without references does not look at them.
    pub references: &'a [String],
}

impl Scorer {
    /// Opens the model in the file at `path`. Of the settings, the folder and the cache are not used.
    ///
    /// # Errors
    /// The file is none of this program's or damaged, or there is no ONNX Runtime.
    pub fn open(path: &Path, settings: &Settings) -> Result<Self, TuningError> {
        let (card, base) = model::read(path)?;
        let session = |graph: Vec<u8>| Session::open(&graph, &base.weights, settings);
        let networks = match card.lens_size(&base) {
            Some(size) => Networks::Lens {
                sentence: session(graph::sentence(&base.config, &base.weights)?)?,
                regressor: session(graph::regressor(&base.config, size, &base.weights)?)?,
            },
            None => Networks::Cross(session(graph::cross(&base.config, &base.weights)?)?),
        };
        Ok(Self {
            card,
            base,
            networks,
        })
    }

    /// What is to be known of the model.
    #[must_use]
    pub const fn card(&self) -> &Card {
        &self.card
    }

    /// Whether it scores by references.
    #[must_use]
    pub const fn needs_references(&self) -> bool {
        matches!(self.networks, Networks::Lens { .. })
    }

    /// The predicted z-score of each case: by references, the greatest over them, those left out that say
    /// the same as the output, unless all do or the model was trained to count them.
    ///
    /// # Errors
    /// A case lacks the references that the model needs, or the computation fails.
    pub fn z(&self, cases: &[Case<'_>]) -> Result<Vec<f64>, TuningError> {
        match &self.networks {
            Networks::Lens {
                sentence,
                regressor,
            } => self.by_references(cases, sentence, regressor),
            Networks::Cross(session) => self.by_source(cases, session),
        }
    }

    fn by_references(
        &self,
        cases: &[Case<'_>],
        sentence: &Session,
        regressor: &Session,
    ) -> Result<Vec<f64>, TuningError> {
        if let Some(case) = cases.iter().find(|case| case.references.is_empty()) {
            return Err(TuningError::Data(format!(
                "there is no reference for the source “{}”: this model scores by references",
                case.source
            )));
        }
        let Objective::Lens { identical, .. } = self.card.plan.objective else {
            return Err(TuningError::Plan("this is no plan for LENS".to_owned()));
        };
        let mut known = HashMap::new();
        let mut texts = Vec::new();
        let mut number = |text: &'_ str| {
            *known.entry(text.to_owned()).or_insert_with(|| {
                texts.push(text.to_owned());
                texts.len() - 1
            })
        };
        let mut triples = Vec::new();
        for (at, case) in cases.iter().enumerate() {
            let (source, output) = (number(case.source), number(case.output));
            let counts = counting(case.output, case.references, identical);
            for (reference, _) in case.references.iter().zip(counts).filter(|it| it.1) {
                triples.push((at, [source, output, number(reference)]));
            }
        }
        let vectors = self.embeddings(&texts, sentence)?;
        let mut best = vec![f64::NEG_INFINITY; cases.len()];
        for part in triples.chunks(TRIPLES) {
            let matrix = |of: usize| {
                let rows = part.iter().flat_map(|(_, triple)| &vectors[triple[of]]);
                rows.copied().collect::<Vec<f32>>()
            };
            let inputs = (0..3).map(|of| (TRIPLE[of], part.len(), matrix(of)));
            regressor.run_matrices(inputs.collect(), |_, values| {
                for ((at, _), value) in part.iter().zip(values) {
                    best[*at] = best[*at].max((*value).into());
                }
            })?;
        }
        Ok(best)
    }

    fn embeddings(
        &self,
        texts: &[String],
        sentence: &Session,
    ) -> Result<Vec<Vec<f32>>, TuningError> {
        let whole = |text: &String| Ok((self.base.pieces.text(text)?, Vec::new()));
        let pieces = texts.iter().map(whole);
        let pieces = pieces.collect::<Result<Vec<Pieces>, TuningError>>()?;
        let lengths: Vec<usize> = pieces.iter().map(|(text, _)| text.len()).collect();
        let mut vectors = vec![Vec::new(); texts.len()];
        for which in batches(&lengths, AT_ONCE) {
            let batch = batch(&self.base, which.iter().map(|&text| &pieces[text]), false);
            sentence.run(batch, |_, values| {
                let rows = values.chunks_exact(self.base.config.width);
                for (text, row) in which.iter().zip(rows) {
                    vectors[*text] = row.to_vec();
                }
            })?;
        }
        Ok(vectors)
    }

    fn by_source(&self, cases: &[Case<'_>], session: &Session) -> Result<Vec<f64>, TuningError> {
        let pairs = cases
            .iter()
            .map(|case| self.base.pieces.pair(case.source, case.output));
        let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        let lengths: Vec<usize> = pairs.iter().map(|(pieces, _)| pieces.len()).collect();
        let mut scores = vec![0.0; cases.len()];
        for which in batches(&lengths, AT_ONCE) {
            let batch = batch(&self.base, which.iter().map(|&case| &pairs[case]), true);
            session.run(batch, |_, values| {
                for (case, figures) in which.iter().zip(values.chunks_exact(2)) {
                    let [quality, order] = [figures[0], figures[1]].map(f64::from);
                    scores[*case] = quality + self.card.order_share * order;
                }
            })?;
        }
        Ok(scores)
    }
}

impl fmt::Debug for Scorer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let card = self.card.signature();
        out.debug_tuple("Scorer").field(&card).finish()
    }
}
