//! A model from its folder: texts in, vectors of every layer out, batch by batch.

use super::{
    Device, Encoded, EncoderError, Settings,
    batches::batches,
    config::Config,
    graph::{self, Types},
    pieces::{Pieces, Window},
    session::{Batch, Session},
    weights::Weights,
};

/// The files of a folder, put together.
pub(super) struct Model {
    /// Kind, layers × width and the first digits of the SHA-256 of the weights.
    pub name: String,
    /// The model's shape.
    pub config: Config,
    device: Device,
    pieces: Pieces,
    session: Session,
}

impl Model {
    /// Reads the folder's files and loads the model.
    ///
    /// # Errors
    /// See [`Encoder::open`](super::Encoder::open).
    pub(super) fn open(settings: &Settings) -> Result<Self, EncoderError> {
        let config = Config::read(&settings.folder.join("config.json"))?;
        let weights = Weights::read(&settings.folder.join("model.safetensors"))?;
        let pieces = Pieces::read(
            &settings.folder.join("tokenizer.json"),
            config.longest(),
            config.vocabulary,
        )?;
        let graph = graph::build(&config, &weights, Types::First)?;
        let session = Session::open(&graph, &weights, settings)?;
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
            pieces,
            session,
        })
    }

    /// How many layers of vectors there are.
    pub(super) fn layers(&self) -> usize {
        self.config.layers + 1
    }

    /// The vectors of texts given as words.
    ///
    /// # Errors
    /// The tokenizer or the computation fails.
    pub(super) fn compute(&self, texts: &[&[&str]]) -> Result<Vec<Encoded>, EncoderError> {
        let empty = |words: &&[&str]| Encoded::new(words.len(), self.config.width, self.layers());
        let mut encoded: Vec<Encoded> = texts.iter().map(empty).collect();
        let windows = self.windows(texts)?;
        let lengths: Vec<usize> = windows
            .iter()
            .map(|(_, window)| window.pieces.len())
            .collect();
        for batch in batches(&lengths, self.device.pieces_at_once()) {
            let rows: Vec<&(usize, Window)> =
                batch.iter().map(|&window| &windows[window]).collect();
            self.session.run(self.batch(&rows), |layer, vectors| {
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
    fn windows(&self, texts: &[&[&str]]) -> Result<Vec<(usize, Window)>, EncoderError> {
        let mut windows = Vec::new();
        for (text, words) in texts.iter().enumerate() {
            windows.extend(
                self.pieces
                    .windows(words)?
                    .into_iter()
                    .map(|window| (text, window)),
            );
        }
        Ok(windows)
    }

    /// Takes the vectors of the window's words out of those of its pieces.
    fn pool(&self, encoded: &mut Encoded, layer: usize, window: &Window, vectors: &[f32]) {
        for (word, range) in &window.words {
            let pieces = range.start * self.config.width..range.end * self.config.width;
            encoded.set(layer, *word, &vectors[pieces]);
        }
    }

    /// The windows, each filled up to the longest.
    fn batch(&self, windows: &[&(usize, Window)]) -> Batch {
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
        Batch {
            rows: windows.len(),
            length,
            pieces,
            types: None,
            mask,
            first_position: self.config.first_position,
        }
    }
}
