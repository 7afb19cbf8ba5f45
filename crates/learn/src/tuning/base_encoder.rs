//! The encoder that training starts from: shape, word pieces and weights, from its folder, or from the
//! file of a pre-trained or a trained one.

use std::{fs, path::Path};

use safetensors::{Dtype, SafeTensors};
use tensor::{Tensor, Weights};

use super::{PretrainedCard, TuningError, network::Bert};
use crate::{
    encoder::{
        config::EncoderConfig, families::TRAINED_FAMILIES, weights::WeightsHeader,
        word_pieces::WordPieceTokenizer,
    },
    metric::fingerprint,
};

/// The largest number of word pieces of a text, or of two that are encoded together.
const MAX_PIECES: usize = 256;

/// Keys of the files' texts in the header of a model's file.
pub(super) const CONFIG_KEY: &str = "config.json";
pub(super) const TOKENIZER_KEY: &str = "tokenizer.json";

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
    /// Its pre-training, if any.
    pub pretraining: Option<PretrainingRecord>,
}

/// The pre-training of an encoder.
pub(crate) struct PretrainingRecord {
    /// Its description.
    pub card: PretrainedCard,
    /// The SHA-256 of the card's text, in hexadecimal. The losses in it identify the training. A hash of the file would
    /// not, because texts come in any order in its header.
    pub sha256: String,
}

impl BaseEncoder {
    /// Reads an encoder's folder, or the file of a pre-trained one.
    ///
    /// # Errors
    /// A file is missing or invalid.
    pub(crate) fn read(folder: &Path) -> Result<Self, TuningError> {
        if folder.is_file() {
            return Self::read_pretrained(folder);
        }
        let config = read_file(&folder.join("config.json"))?;
        let tokenizer = read_file(&folder.join("tokenizer.json"))?;
        let weights = WeightsHeader::read(&folder.join("model.safetensors"))?;
        Self::new(config, tokenizer, weights)
    }

    fn read_pretrained(path: &Path) -> Result<Self, TuningError> {
        let card_text = PretrainedCard::read_text(path)?;
        let header = WeightsHeader::read(path)?;
        let config = find_text(&header, CONFIG_KEY, path)?;
        let tokenizer = find_text(&header, TOKENIZER_KEY, path)?;

        Ok(Self {
            pretraining: Some(PretrainingRecord {
                card: PretrainedCard::parse(&card_text, path)?,
                sha256: fingerprint(&card_text),
            }),
            ..Self::new(config, tokenizer, header)?
        })
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
        if config.distance_buckets.is_some() {
            let reason = format!(
                "“{}” models compute features but cannot be trained; take a model of {TRAINED_FAMILIES}",
                config.kind
            );
            return Err(TuningError::content(weights.path(), reason));
        }

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
            pretraining: None,
        })
    }

    /// Kind, layers × width and the first twelve digits of the SHA-256 of the weights, or of the card of a pre-trained
    /// encoder.
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
        let hash = match &self.pretraining {
            Some(pretraining) => pretraining.sha256.clone(),
            None => self.weights.sha256()?,
        };
        Ok(format!("{kind}-{layers}x{width}-{hash:.12}"))
    }

    /// The encoder as a network with the file's weights.
    ///
    /// # Errors
    /// The weights cannot be read, or one is missing.
    pub(crate) fn network(&self) -> Result<Bert, TuningError> {
        let path = self.weights.path();
        let bytes = fs::read(path).map_err(|source| TuningError::file(path, source))?;
        let file = SafeTensors::deserialize(&bytes)?;
        let weights = Weights::find(Bert::weights(&self.config), |name| {
            read_weight(&file, self.weights.name(name)?)
        });
        let weights = weights.map_err(TuningError::Weight)?;
        Ok(Bert::new(&self.config, weights))
    }
}

fn read_file(path: &Path) -> Result<String, TuningError> {
    fs::read_to_string(path).map_err(|source| TuningError::file(path, source))
}

fn find_text(header: &WeightsHeader, name: &str, path: &Path) -> Result<String, TuningError> {
    let text = header.text(name).map(str::to_owned);
    text.ok_or_else(|| {
        let reason = format!("there is no {name} in it; make it again with `rankrate pretrain`");
        TuningError::content(path, reason)
    })
}

/// A tensor of a file, in single precision.
pub(crate) fn read_weight(file: &SafeTensors<'_>, name: &str) -> Option<Tensor> {
    let view = file.tensor(name).ok()?;
    let values: Vec<f32> = match view.dtype() {
        Dtype::F32 => {
            let (numbers, _) = view.data().as_chunks();
            numbers.iter().copied().map(f32::from_le_bytes).collect()
        }
        Dtype::F16 => widen_halves(view.data(), |bits| half::f16::from_bits(bits).to_f32()),
        Dtype::BF16 => widen_halves(view.data(), |bits| half::bf16::from_bits(bits).to_f32()),
        _ => return None,
    };
    let finite = values.iter().all(|value| value.is_finite());
    finite.then(|| Tensor::new(view.shape(), values))
}

fn widen_halves(data: &[u8], widen: fn(u16) -> f32) -> Vec<f32> {
    let (numbers, _) = data.as_chunks();
    let bits = numbers.iter().copied().map(u16::from_le_bytes);
    bits.map(widen).collect()
}
