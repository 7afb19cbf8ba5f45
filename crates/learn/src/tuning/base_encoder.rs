//! The encoder that training starts from: shape, word pieces and weights, from its folder or from the
//! file of a trained model.

use std::{fs, path::Path};

use burn::tensor::Device;
use safetensors::{Dtype, SafeTensors};

use super::{
    TuningError,
    network::{Bert, named_weights, named_weights::WeightTensor},
};
use crate::encoder::{
    config::EncoderConfig, weights::WeightsHeader, word_pieces::WordPieceTokenizer,
};

/// The most word pieces of a text, or of two that are encoded together.
const MAX_PIECES: usize = 256;

/// The files of an encoder.
pub(crate) struct BaseEncoder {
    /// Its shape.
    pub config: EncoderConfig,
    /// The text of its `config.json`.
    pub config_text: String,
    /// The text of its `tokenizer.json`.
    pub tokenizer_text: String,
    /// The tokenizer.
    pub tokenizer: WordPieceTokenizer,
    /// The header of its weights.
    pub weights: WeightsHeader,
}

impl BaseEncoder {
    /// Reads an encoder's folder.
    ///
    /// # Errors
    /// A file is missing or invalid.
    pub(crate) fn read(folder: &Path) -> Result<Self, TuningError> {
        let text = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).map_err(|source| TuningError::file(&path, source))
        };
        let (config, tokenizer) = (text("config.json")?, text("tokenizer.json")?);
        let weights = WeightsHeader::read(&folder.join("model.safetensors"))?;
        Self::new(config, tokenizer, weights)
    }

    /// Parses the contents of the files.
    ///
    /// # Errors
    /// A file is invalid.
    pub(crate) fn new(
        config_text: String,
        tokenizer_text: String,
        weights: WeightsHeader,
    ) -> Result<Self, TuningError> {
        let config = EncoderConfig::parse(config_text.as_bytes(), weights.path())?;
        let longest = config.max_pieces().min(MAX_PIECES);
        let tokenizer = WordPieceTokenizer::parse(
            tokenizer_text.as_bytes(),
            weights.path(),
            longest,
            config.vocabulary,
        )?;
        Ok(Self {
            config,
            config_text,
            tokenizer_text,
            tokenizer,
            weights,
        })
    }

    /// Kind, layers × width and the first twelve digits of the SHA-256 of the weights.
    ///
    /// # Errors
    /// The weights cannot be read.
    pub(crate) fn name(&self) -> Result<String, TuningError> {
        let EncoderConfig {
            kind,
            layers,
            width,
            ..
        } = &self.config;
        let hash = self.weights.sha256()?;
        Ok(format!("{kind}-{layers}x{width}-{hash:.12}"))
    }

    /// The encoder as a network with the file's weights; parameters are numbered from 1.
    ///
    /// # Errors
    /// The weights cannot be read, or one is missing.
    pub(crate) fn network(&self, device: &Device) -> Result<Bert, TuningError> {
        let path = self.weights.path();
        let bytes = fs::read(path).map_err(|source| TuningError::file(path, source))?;
        let file = SafeTensors::deserialize(&bytes)?;
        let find = |name: &str| read_weight(&file, self.weights.name(name)?);
        named_weights::load_weights(Bert::new(&self.config, device), 1, device, &find)
            .map_err(TuningError::Weight)
    }
}

/// A tensor of a file, in single precision.
pub(crate) fn read_weight(file: &SafeTensors<'_>, name: &str) -> Option<WeightTensor> {
    let view = file.tensor(name).ok()?;
    let of_two = |widen: fn(u16) -> f32| {
        let (numbers, _) = view.data().as_chunks();
        let bits = numbers.iter().copied().map(u16::from_le_bytes);
        bits.map(widen).collect()
    };
    let values: Vec<f32> = match view.dtype() {
        Dtype::F32 => {
            let (numbers, _) = view.data().as_chunks();
            numbers.iter().copied().map(f32::from_le_bytes).collect()
        }
        Dtype::F16 => of_two(|bits| half::f16::from_bits(bits).to_f32()),
        Dtype::BF16 => of_two(|bits| half::bf16::from_bits(bits).to_f32()),
        _ => return None,
    };
    values
        .iter()
        .all(|value| value.is_finite())
        .then(|| WeightTensor {
            shape: view.shape().to_vec(),
            values,
        })
}
