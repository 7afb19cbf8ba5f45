//! A model from its folder: texts in, vectors of every layer out, batch by batch.

use super::{
    EncodedText, EncoderDevice, EncoderError, EncoderOptions,
    batches::make_batches,
    config::EncoderConfig,
    graph::{self, TokenTypes},
    session::{EncoderBatch, OnnxSession},
    weights::WeightsHeader,
    word_pieces::{WordPieceTokenizer, WordPieceWindow},
};

/// A loaded model.
pub(super) struct EncoderModel {
    /// Kind, layers × width and the first digits of the SHA-256 of the weights.
    pub name: String,
    /// The model's shape.
    pub config: EncoderConfig,
    device: EncoderDevice,
    tokenizer: WordPieceTokenizer,
    session: OnnxSession,
}

impl EncoderModel {
    /// Reads the folder's files and loads the model.
    ///
    /// # Errors
    /// See [`Encoder::open`](super::Encoder::open).
    pub(super) fn open(settings: &EncoderOptions) -> Result<Self, EncoderError> {
        let config = EncoderConfig::read(&settings.folder.join("config.json"))?;
        let weights = WeightsHeader::read(&settings.folder.join("model.safetensors"))?;
        let pieces = WordPieceTokenizer::read(
            &settings.folder.join("tokenizer.json"),
            config.max_pieces(),
            config.vocabulary,
        )?;

        let graph = graph::build_encoder_graph(&config, &weights, TokenTypes::First)?;
        let session = OnnxSession::open(&graph, &weights, settings)?;

        Ok(Self {
            name: format!(
                "{}-{}x{}-{:.12}",
                config.kind,
                config.layers,
                config.width,
                weights.sha256()?
            ),
            config,
            device: settings.device,
            tokenizer: pieces,
            session,
        })
    }

    /// The number of layers of vectors.
    pub(super) fn layers(&self) -> usize {
        self.config.layers + 1
    }

    /// The vectors of texts given as words.
    ///
    /// # Errors
    /// The tokenizer or the computation fails.
    pub(super) fn compute(&self, texts: &[&[&str]]) -> Result<Vec<EncodedText>, EncoderError> {
        let mut encoded: Vec<EncodedText> = texts
            .iter()
            .map(|words| EncodedText::new(words.len(), self.config.width, self.layers()))
            .collect();

        let windows = self.split_windows(texts)?;
        let lengths: Vec<usize> = windows
            .iter()
            .map(|(_, window)| window.pieces.len())
            .collect();

        for batch in make_batches(&lengths, self.device.pieces_at_once()) {
            let rows: Vec<&(usize, WordPieceWindow)> =
                batch.iter().map(|&window| &windows[window]).collect();
            self.session.run(self.pad_batch(&rows), |layer, vectors| {
                for ((text, window), row) in rows
                    .iter()
                    .zip(vectors.chunks_exact(vectors.len() / rows.len()))
                {
                    self.pool(&mut encoded[*text], layer, window, row);
                }
            })?;
        }

        Ok(encoded)
    }

    /// The windows of all texts, each with the number of its text.
    fn split_windows(
        &self,
        texts: &[&[&str]],
    ) -> Result<Vec<(usize, WordPieceWindow)>, EncoderError> {
        let mut windows = Vec::new();
        for (text, words) in texts.iter().enumerate() {
            windows.extend(
                self.tokenizer
                    .encode_windows(words)?
                    .into_iter()
                    .map(|window| (text, window)),
            );
        }
        Ok(windows)
    }

    /// Sets the vectors of the window's words from those of its pieces.
    fn pool(
        &self,
        encoded: &mut EncodedText,
        layer: usize,
        window: &WordPieceWindow,
        vectors: &[f32],
    ) {
        for (word, range) in &window.words {
            let pieces = range.start * self.config.width..range.end * self.config.width;
            encoded.set(layer, *word, &vectors[pieces]);
        }
    }

    /// The windows, each padded to the longest.
    fn pad_batch(&self, windows: &[&(usize, WordPieceWindow)]) -> EncoderBatch {
        let length = windows
            .iter()
            .map(|(_, window)| window.pieces.len())
            .max()
            .unwrap_or(0);

        let mut pieces = vec![i64::from(self.config.padding); windows.len() * length];
        let mut mask = vec![f32::MIN; pieces.len()];
        for (row, (_, window)) in windows.iter().enumerate() {
            for (place, piece) in (row * length..).zip(&window.pieces) {
                pieces[place] = i64::from(*piece);
                mask[place] = 0.0;
            }
        }

        EncoderBatch {
            rows: windows.len(),
            length,
            pieces,
            types: None,
            mask,
            first_position: self.config.first_position,
        }
    }
}
