//! An encoder of two layers that knows a dozen words, with random weights.

use std::{collections::HashMap, fs};

use domain::random::SeededRandom;
use safetensors::{Dtype, tensor::TensorView};
use tempfile::TempDir;

const WORDS: [&str; 12] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "dog", "sat", "ran", "big", "red", "mat", "sun",
];

const CONFIG: &str = r#"{"model_type": "bert", "hidden_size": 16, "num_hidden_layers": 2,
    "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 12,
    "max_position_embeddings": 64, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
    "hidden_act": "gelu", "pad_token_id": 0}"#;

/// A folder that holds it.
pub(crate) fn encoder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("written");
    write("config.json", CONFIG.as_bytes());
    write("tokenizer.json", tokenizer().as_bytes());
    write("model.safetensors", &weights());
    folder
}

fn tokenizer() -> String {
    let words: HashMap<&str, usize> = WORDS
        .iter()
        .enumerate()
        .map(|(at, word)| (*word, at))
        .collect();
    let special = |name: &str| serde_json::json!({"SpecialToken": {"id": name, "type_id": 0}});
    let end = serde_json::json!({"SpecialToken": {"id": "[SEP]", "type_id": 1}});
    let text =
        |name: &str, kind: u8| serde_json::json!({"Sequence": {"id": name, "type_id": kind}});
    let special_token =
        |name: &str| serde_json::json!({"id": name, "ids": [words[name]], "tokens": [name]});
    serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing",
            "single": [special("[CLS]"), text("A", 0), special("[SEP]")],
            "pair": [special("[CLS]"), text("A", 0), special("[SEP]"), text("B", 1), end],
            "special_tokens": {"[CLS]": special_token("[CLS]"), "[SEP]": special_token("[SEP]")}},
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": words},
    })
    .to_string()
}

fn weights() -> Vec<u8> {
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![12, 16]),
        (
            "embeddings.position_embeddings.weight".to_owned(),
            vec![64, 16],
        ),
        (
            "embeddings.token_type_embeddings.weight".to_owned(),
            vec![2, 16],
        ),
    ];
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in 0..2 {
        let part = |name: &str| format!("encoder.layer.{layer}.{name}");
        let maps = [
            ("attention.self.query", 16, 16),
            ("attention.self.key", 16, 16),
            ("attention.self.value", 16, 16),
            ("attention.output.dense", 16, 16),
            ("intermediate.dense", 32, 16),
            ("output.dense", 16, 32),
        ];
        for (name, to, from) in maps {
            shapes.push((part(&format!("{name}.weight")), vec![to, from]));
            shapes.push((part(&format!("{name}.bias")), vec![to]));
        }
        norms.extend([part("attention.output.LayerNorm"), part("output.LayerNorm")]);
    }
    for norm in norms {
        shapes.extend(["weight", "bias"].map(|kind| (format!("{norm}.{kind}"), vec![16])));
    }
    let mut random = SeededRandom::new(3);
    let mut draw = |name: &str, count: usize| -> Vec<u8> {
        let centre = if name.ends_with("LayerNorm.weight") {
            1.0
        } else {
            0.0
        };
        let number = |_| centre + (random.below(2_001) as f32 - 1_000.0) / 2_500.0;
        (0..count).map(number).flat_map(f32::to_le_bytes).collect()
    };
    let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = shapes
        .into_iter()
        .map(|(name, shape)| {
            let bytes = draw(&name, shape.iter().product());
            (name, shape, bytes)
        })
        .collect();
    let views = tensors.iter().map(|(name, shape, bytes)| {
        (
            name,
            TensorView::new(Dtype::F32, shape.clone(), bytes).expect("shapes fit"),
        )
    });
    safetensors::serialize(views, None).expect("names are plain")
}
