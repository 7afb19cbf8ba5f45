//! The shape of a model, from its `config.json`.

use std::{fs, path::Path};

use serde::Deserialize;

use super::{EncoderError, families::FAMILIES};

/// The most word pieces computed together, even if the model can take more: attention's memory grows with
/// their square.
const MAX_PIECES: usize = 512;

/// The shape of a BERT-, RoBERTa- or MPNet-like encoder.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EncoderConfig {
    /// `bert`, `roberta`, `xlm-roberta`, `camembert` or `mpnet`.
    pub kind: String,
    /// Elements of a hidden vector.
    pub width: usize,
    /// Layers of attention; the embeddings come before them.
    pub layers: usize,
    /// Attention heads, a divisor of `width`.
    pub heads: usize,
    /// Elements between the two feed-forward maps.
    pub intermediate: usize,
    /// Rows of the word piece embeddings.
    pub vocabulary: usize,
    /// Rows of the position embeddings.
    pub positions: usize,
    /// The row of the first position: 0 for BERT; RoBERTa leaves rows up to the padding index free.
    pub first_position: usize,
    /// Rows of the segment type embeddings, of which the first is used; MPNet has none.
    pub types: usize,
    /// MPNet's number of classes of distances between pieces, each with an attention bias of its own.
    pub distance_buckets: Option<usize>,
    /// The epsilon of layer normalisation.
    pub epsilon: f32,
    /// The activation between the two feed-forward maps.
    pub activation: Activation,
    /// The word piece for padding.
    pub padding: u32,
}

/// The activation between the two feed-forward maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Activation {
    /// Gaussian error linear unit.
    #[serde(rename = "gelu")]
    Gelu,
    /// Its approximation by a hyperbolic tangent.
    #[serde(rename = "gelu_new", alias = "gelu_pytorch_tanh", alias = "gelu_fast")]
    GeluTanh,
    /// Rectified linear unit.
    #[serde(rename = "relu")]
    Relu,
}

/// The file, in its own names.
#[derive(Deserialize)]
struct EncoderConfigFile {
    model_type: String,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: Option<usize>,
    relative_attention_num_buckets: Option<usize>,
    layer_norm_eps: f32,
    hidden_act: Activation,
    pad_token_id: Option<u32>,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

impl EncoderConfig {
    /// Reads and checks the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, is not such JSON, or describes another kind of model.
    pub(crate) fn read(path: &Path) -> Result<Self, EncoderError> {
        let text = fs::read(path).map_err(|source| EncoderError::file(path, source))?;
        Self::parse(&text, path)
    }

    /// Parses and checks `text`, the contents of the file at `path`.
    ///
    /// # Errors
    /// It is not such JSON, or describes another kind of model.
    pub(crate) fn parse(text: &[u8], path: &Path) -> Result<Self, EncoderError> {
        let file: EncoderConfigFile = serde_json::from_slice(text).map_err(|source| {
            EncoderError::content(
                path,
                format!("{source}; take the file that came with the model"),
            )
        })?;
        file.check()
            .map_err(|reason| EncoderError::content(path, reason))
    }

    /// The segment type of a piece; a model with one type uses it for every segment.
    pub(crate) fn clamp_type(&self, part: Option<u32>) -> i64 {
        let last = i64::try_from(self.types).unwrap_or(i64::MAX) - 1;
        i64::from(part.unwrap_or(0)).min(last)
    }

    /// The most word pieces, special ones included, that are computed together.
    pub(crate) fn max_pieces(&self) -> usize {
        (self.positions - self.first_position).min(MAX_PIECES)
    }
}

impl EncoderConfigFile {
    fn check(self) -> Result<EncoderConfig, String> {
        let mpnet = self.model_type == "mpnet";
        let roberta = match self.model_type.as_str() {
            "bert" => false,
            "roberta" | "xlm-roberta" | "camembert" | "mpnet" => true,
            other => {
                return Err(format!(
                    "“{other}” models are not supported; use a model of {FAMILIES}"
                ));
            }
        };

        let types = match self.type_vocab_size {
            Some(types) if !mpnet => types,
            None if !mpnet => return Err("missing field `type_vocab_size`".to_owned()),
            _ => 0,
        };

        let distance_buckets = mpnet.then(|| self.relative_attention_num_buckets.unwrap_or(32));
        if distance_buckets.is_some_and(|buckets| buckets < 4) {
            return Err("relative_attention_num_buckets is too small".to_owned());
        }

        if self
            .position_embedding_type
            .as_deref()
            .is_some_and(|kind| kind != "absolute")
        {
            return Err(
                "only absolute position embeddings are supported; use another model".to_owned(),
            );
        }

        if self.num_attention_heads == 0
            || !self.hidden_size.is_multiple_of(self.num_attention_heads)
        {
            return Err(format!(
                "hidden_size {} is not a multiple of num_attention_heads {}",
                self.hidden_size, self.num_attention_heads
            ));
        }

        let padding = self.pad_token_id.unwrap_or(u32::from(roberta));
        let first_position = if roberta { padding as usize + 1 } else { 0 };
        // Below 8, hardly a word fits between the special pieces.
        if self.max_position_embeddings < first_position + 8 {
            return Err("max_position_embeddings is too small for texts".to_owned());
        }

        Ok(EncoderConfig {
            kind: self.model_type,
            width: self.hidden_size,
            layers: self.num_hidden_layers,
            heads: self.num_attention_heads,
            intermediate: self.intermediate_size,
            vocabulary: self.vocab_size,
            positions: self.max_position_embeddings,
            first_position,
            types,
            distance_buckets,
            epsilon: self.layer_norm_eps,
            activation: self.hidden_act,
            padding,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINI: &str = r#"{"model_type": "bert", "hidden_size": 384, "num_hidden_layers": 6,
        "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 30522,
        "max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
        "hidden_act": "gelu"}"#;

    fn read(text: &str) -> Result<EncoderConfig, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        fs::write(&path, text).unwrap();
        EncoderConfig::read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn roberta_leaves_the_first_positions_free() {
        let bert = read(MINI).unwrap();
        assert_eq!((bert.first_position, bert.max_pieces()), (0, 512));
        let roberta = read(&MINI.replace("bert\"", "roberta\"").replace("512", "514")).unwrap();
        assert_eq!(
            (
                roberta.first_position,
                roberta.max_pieces(),
                roberta.padding
            ),
            (2, 512, 1)
        );
    }

    #[test]
    fn mpnet_has_distances_in_place_of_segments() {
        let text = MINI.replace("bert\"", "mpnet\"");
        let text = text
            .replace("512", "514")
            .replace("\"type_vocab_size\": 2, ", "");
        let mpnet = read(&text).unwrap();
        assert_eq!((mpnet.types, mpnet.distance_buckets), (0, Some(32)));
        assert_eq!((mpnet.first_position, mpnet.max_pieces()), (2, 512));
        let error = read(&text.replace("mpnet", "bert")).unwrap_err();
        assert!(error.contains("missing field `type_vocab_size`"), "{error}");
        assert_eq!(read(MINI).unwrap().distance_buckets, None);
    }

    #[test]
    fn what_is_no_such_model_is_said() {
        let check = |from: &str, to: &str, expect: &str| {
            let error = read(&MINI.replace(from, to)).unwrap_err();
            assert!(error.contains(expect), "{error}");
        };
        check("\"bert\"", "\"gpt2\"", "“gpt2” models are not supported");
        check("\"gelu\"", "\"swish\"", "unknown variant `swish`");
        check("\"hidden_size\"", "\"size\"", "missing field `hidden_size`");
        check("384", "385", "not a multiple of num_attention_heads 12");
        check("512", "0", "too small");
        check("{", "", "config.json: ");
    }
}
