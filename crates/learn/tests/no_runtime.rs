//! Without ONNX Runtime there is a sentence, no panic. In a process of its own, since the library is
//! loaded once.

use std::fs;

use learn::encoder::{Encoder, EncoderDevice, EncoderOptions};

const CONFIG: &str = r#"{"model_type": "bert", "hidden_size": 2, "num_hidden_layers": 0,
    "num_attention_heads": 1, "intermediate_size": 2, "vocab_size": 1, "max_position_embeddings": 8,
    "type_vocab_size": 1, "layer_norm_eps": 1e-12, "hidden_act": "gelu"}"#;

/// A model of no layers, as a file.
fn weights() -> Vec<u8> {
    let header = r#"{"embeddings.word_embeddings.weight":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},
        "embeddings.position_embeddings.weight":{"dtype":"F32","shape":[8,2],"data_offsets":[8,72]},
        "embeddings.token_type_embeddings.weight":{"dtype":"F32","shape":[1,2],"data_offsets":[72,80]},
        "embeddings.LayerNorm.weight":{"dtype":"F32","shape":[2],"data_offsets":[80,88]},
        "embeddings.LayerNorm.bias":{"dtype":"F32","shape":[2],"data_offsets":[88,96]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend([0; 96]);
    bytes
}

#[test]
fn a_missing_library_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.json"), CONFIG).unwrap();
    fs::write(folder.path().join("model.safetensors"), weights()).unwrap();
    let tokenizer = r#"{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}"#;
    fs::write(folder.path().join("tokenizer.json"), tokenizer).unwrap();
    let no_library = folder.path().join("config.json");
    for runtime in ["libno-such-runtime.so".into(), no_library] {
        let settings = EncoderOptions {
            folder: folder.path().to_owned(),
            runtime: runtime.clone(),
            threads: 1,
            device: EncoderDevice::Cpu,
            cache_mib: 0,
        };
        let error = Encoder::open(&settings).unwrap_err().to_string();
        let expect = format!("ONNX Runtime cannot be loaded from {}", runtime.display());
        assert!(error.starts_with(&expect), "{error}");
    }
}
