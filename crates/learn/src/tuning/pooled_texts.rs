//! Vectors that ONNX Runtime computes once, before training: each text's mean vector in every layer if a head looks at
//! all of them, and all piece vectors of the last frozen layer.

use tensor::Tensor;

use super::{
    TuningError,
    base_encoder::BaseEncoder,
    network::TokenBatch,
    plan::{TextPooling, TuningPlan},
    task::TaskNetworks,
};
use crate::encoder::{
    EncoderOptions,
    batches::make_batches,
    config::EncoderConfig,
    graph::{self, TokenTypes},
    session::{EncoderBatch, OnnxSession},
};

/// The largest number of pieces of a batch: more do not fit the processor's caches.
pub(super) const MAX_BATCH_PIECES: usize = 512;
/// The most memory for piece vectors, in bytes. If they need more, they are computed in every step.
const MAX_VECTOR_BYTES: usize = 2 << 30;

/// A text's word pieces and, if it has two segments, the segment of each piece.
pub(super) type TextPieces = (Vec<u32>, Vec<u32>);

/// Texts with their precomputed vectors.
#[derive(Debug, Default)]
pub(super) struct PooledTexts {
    /// The pieces of each text.
    pub pieces: Vec<TextPieces>,
    /// Whether a head looks at all layers rather than at the last one alone.
    looks_at_all: bool,
    /// The mean vector of each text in every layer, embeddings first, `[layers × width]`; empty if a head looks
    /// at the last layer alone.
    means: Vec<Vec<f32>>,
    /// The last frozen layer, and the piece vectors of each text in it,
    /// `[pieces × width]`; `None` if they would take too much memory.
    frozen_vectors: Option<(usize, Vec<Vec<f32>>)>,
    width: usize,
}

impl PooledTexts {
    /// Texts without precomputed vectors, for a head that looks at all layers.
    pub(super) fn for_all_layers(pieces: Vec<TextPieces>) -> Self {
        Self {
            looks_at_all: true,
            ..Self::for_last_layer(pieces)
        }
    }

    /// Texts without precomputed vectors, for a head that looks at the last layer.
    pub(super) fn for_last_layer(pieces: Vec<TextPieces>) -> Self {
        Self {
            pieces,
            ..Self::default()
        }
    }

    /// Computes the vectors that the plan needs; `on_progress` receives the number of texts done, and stops it by returning
    /// false.
    ///
    /// # Errors
    /// ONNX Runtime is missing or fails, or `on_progress` stopped the computation.
    pub(super) fn compute(
        &mut self,
        base: &BaseEncoder,
        plan: &TuningPlan,
        settings: &EncoderOptions,
        on_progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), TuningError> {
        let (config, width) = (&base.config, base.config.width);
        let lengths: Vec<usize> = self.pieces.iter().map(|(text, _)| text.len()).collect();
        let last_frozen = config.layers.saturating_sub(plan.tuned_layers);
        let memory = lengths.iter().sum::<usize>() * width * size_of::<f32>();
        let keep = plan.tuned_epochs > 0 && memory <= MAX_VECTOR_BYTES;

        if !self.looks_at_all && (last_frozen == 0 || !keep) {
            // Looking up embeddings of pieces takes no time.
            return Ok(());
        }

        let graph = graph::build_encoder_graph(config, &base.weights, TokenTypes::FromInput)?;
        let session = OnnxSession::open(&graph, &base.weights, settings)?;
        let size = match self.looks_at_all {
            true => (config.layers + 1) * width,
            false => 0,
        };

        let mut means = vec![vec![0.0; size]; lengths.len()];
        let mut below = vec![Vec::new(); lengths.len()];
        let mut texts_done = 0;
        for indices in make_batches(&lengths, MAX_BATCH_PIECES) {
            let batch = pad_batch(base, indices.iter().map(|&text| &self.pieces[text]), true);
            let length = batch.length;
            session.run(batch, |layer, vectors| {
                for (text, row) in indices.iter().zip(vectors.chunks_exact(length * width)) {
                    let pieces = &row[..lengths[*text] * width];
                    if self.looks_at_all {
                        add_mean(&mut means[*text][layer * width..][..width], pieces);
                    }
                    if keep && layer == last_frozen {
                        below[*text] = pieces.to_vec();
                    }
                }
            })?;
            texts_done += indices.len();
            if !on_progress(texts_done) {
                return Err(TuningError::Stopped);
            }
        }

        self.means = means;
        self.frozen_vectors = keep.then_some((last_frozen, below));
        self.width = width;
        Ok(())
    }

    /// The mean vectors of some texts in a layer, `[texts, width]`.
    pub(super) fn means(&self, texts: &[usize], layer: usize) -> Tensor {
        let means = texts
            .iter()
            .flat_map(|text| &self.means[*text][layer * self.width..][..self.width]);
        Tensor::new(
            [texts.len(), self.width],
            means.copied().collect::<Vec<f32>>(),
        )
    }

    /// The mean vectors of some texts in each layer, `[texts, width]`, from an encoder in training.
    pub(super) fn encode_means(
        &self,
        networks: TaskNetworks<'_>,
        texts: &[usize],
        config: &EncoderConfig,
    ) -> Vec<Tensor> {
        self.encode_in_parts(texts, |part| {
            let (first, tokens, above) = self.encode(networks, part, config);
            let below = (0..first).map(|layer| self.means(part, layer));
            below
                .chain(above.iter().map(|vectors| tokens.mean(vectors)))
                .collect()
        })
    }

    /// The vectors of some texts in the last layer, `[texts, width]`, from an encoder in training.
    pub(super) fn encode_last(
        &self,
        networks: TaskNetworks<'_>,
        texts: &[usize],
        pooling: TextPooling,
        config: &EncoderConfig,
    ) -> Tensor {
        let layers = self.encode_in_parts(texts, |part| {
            let (_, tokens, layers) = self.encode(networks, part, config);
            let last = layers.last().expect("an encoder has embeddings at least");
            vec![match pooling {
                TextPooling::Mean => tokens.mean(last),
                TextPooling::First => tokens.first(last),
            }]
        });
        layers.into_iter().next().expect("there are texts")
    }

    /// The vectors of some texts' pieces in each layer that is computed, and the number of the first such layer.
    fn encode(
        &self,
        networks: TaskNetworks<'_>,
        texts: &[usize],
        config: &EncoderConfig,
    ) -> (usize, TokenBatch, Vec<Tensor>) {
        let encoder = networks.encoder.expect("the encoder is trained");
        let tokens = TokenBatch::new(texts.iter().map(|&text| &self.pieces[text]), config);
        let Some((first, vectors)) = &self.frozen_vectors else {
            let layers = encoder.forward(&tokens, config, networks.masks);
            return (0, tokens, layers);
        };

        let values: Vec<f32> = texts
            .iter()
            .flat_map(|&text| &vectors[text])
            .copied()
            .collect();
        let pieces = values.len() / self.width;
        let hidden = Tensor::new([pieces, self.width], values);
        let above = encoder.forward_above(*first, &hidden, &tokens, config, networks.masks);
        (
            *first,
            tokens,
            std::iter::once(hidden).chain(above).collect(),
        )
    }

    /// Encodes as many texts at a time as fit the processor's caches. `encode` returns matrices `[texts, width]` for
    /// some texts; they are returned for all texts, in their order.
    fn encode_in_parts(
        &self,
        texts: &[usize],
        encode: impl Fn(&[usize]) -> Vec<Tensor>,
    ) -> Vec<Tensor> {
        let lengths: Vec<usize> = texts
            .iter()
            .map(|&text| self.pieces[text].0.len())
            .collect();
        let parts = make_batches(&lengths, MAX_BATCH_PIECES);

        let mut place = vec![0; texts.len()];
        for (at, row) in parts.iter().flatten().enumerate() {
            place[*row] = at;
        }

        let mut matrices: Vec<Vec<Tensor>> = Vec::new();
        for part in &parts {
            let part: Vec<usize> = part.iter().map(|&row| texts[row]).collect();
            for (at, matrix) in encode(&part).into_iter().enumerate() {
                if matrices.len() == at {
                    matrices.push(Vec::new());
                }
                matrices[at].push(matrix);
            }
        }

        matrices
            .iter()
            .map(|parts| Tensor::stack_rows(parts).select_rows(&place))
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "some hundred pieces at most")]
fn add_mean(sum: &mut [f32], vectors: &[f32]) {
    let share = sum.len() as f32 / vectors.len().max(1) as f32;
    for vector in vectors.chunks_exact(sum.len()) {
        for (sum, element) in sum.iter_mut().zip(vector) {
            *sum += element * share;
        }
    }
}

/// Texts padded to the longest; segment types are kept if the graph takes them.
pub(super) fn pad_batch<'a>(
    base: &BaseEncoder,
    texts: impl ExactSizeIterator<Item = &'a TextPieces> + Clone,
    typed: bool,
) -> EncoderBatch {
    let config = &base.config;
    let rows = texts.len();
    let length = texts.clone().map(|(pieces, _)| pieces.len()).max();
    let length = length.unwrap_or(0);

    let mut pieces = vec![i64::from(config.padding); rows * length];
    let mut types = vec![0; pieces.len()];
    let mut mask = vec![f32::MIN; pieces.len()];
    for (row, (text, kinds)) in texts.enumerate() {
        for (place, piece) in text.iter().enumerate() {
            let at = row * length + place;
            pieces[at] = i64::from(*piece);
            types[at] = config.clamp_type(kinds.get(place).copied());
            mask[at] = 0.0;
        }
    }

    EncoderBatch {
        rows,
        length,
        pieces,
        types: typed.then_some(types),
        mask,
        first_position: config.first_position,
    }
}
