//! The encoder against its reference implementation, on any text, and without its files.
//!
//! Needs the library and the model, which `source scripts/tools.sh && runtime && encoder` fetches.

use std::{error::Error, thread};

use learn::encoder::{Encoder, EncoderDevice, EncoderOptions};
use proptest::prelude::*;

use crate::available::{available, encoder};

/// Whether this is the model that the typed figures are of.
fn is_default(encoder: &Encoder) -> bool {
    let default = encoder.name() == "bert-6x384-53aa51172d14";
    if !default {
        eprintln!(
            "skipped: the figures are of all-MiniLM-L6-v2, not of {}",
            encoder.name()
        );
    }
    default
}

const SENTENCE: [&str; 8] = [
    "Unhurriedly",
    ",",
    "the",
    "glassblower",
    "cooled",
    "her",
    "vase",
    ".",
];

/// The first three elements of the vectors of “Unhurriedly” (4 pieces), “glassblower” (3) and “.”.
#[rustfmt::skip]
const TRANSFORMERS_5_23: [[[f32; 3]; 3]; 7] = [
    [[-0.549_227, 0.133_13, -0.475_59], [0.305_078, -0.324_845, 0.274_07], [0.333_577, 0.475_423, -1.159_979]],
    [[-0.555_351, 0.403_354, -0.215_202], [0.096_887, 0.071_872, 0.290_066], [0.157_308, 0.544_946, -0.865_06]],
    [[-0.288_563, 0.258_37, -0.111_561], [0.067_032, 0.437_608, 0.272_303], [0.333_582, 0.418_45, -0.898_632]],
    [[0.304_626, 0.143_032, -0.179_893], [0.060_129, 0.573_878, 0.269_251], [0.319_69, 0.689_599, -0.742_165]],
    [[0.249_23, 0.084_828, -0.212_371], [0.143_356, 0.589_787, 0.245_555], [0.412_503, 0.664_729, -0.263_721]],
    [[0.252_914, 0.291_578, -0.001_852], [0.223_269, 0.525_218, -0.102_107], [0.077_623, 0.437_616, -0.288_557]],
    [[0.105_741, -0.068_125, 0.188_71], [0.313_105, 0.448_126, 0.241_913], [0.012_938, 0.556_84, 0.126_019]],
];

#[test]
fn hidden_layers_of_transformers_5_23() {
    let Some(encoder) = encoder().filter(is_default) else {
        return;
    };
    assert_eq!((encoder.layers(), encoder.width()), (7, 384));
    // Beside a longer text, so that the sentence is padded.
    let longer = [&SENTENCE[..], &SENTENCE].concat();
    let encoded = encoder.encode(&[&SENTENCE, &longer]).unwrap();
    for (layer, words) in TRANSFORMERS_5_23.iter().enumerate() {
        for (word, expect) in [0, 3, 7].into_iter().zip(words) {
            for (found, expect) in encoded[0].vector(layer, word).iter().zip(expect) {
                assert!(
                    (found - expect).abs() < 1e-4,
                    "layer {layer}, word {word}: {found} for {expect}"
                );
            }
        }
    }
}

#[test]
fn a_text_is_the_same_in_any_company() {
    let Some(encoder) = encoder() else { return };
    let long: Vec<&str> = SENTENCE.iter().copied().cycle().take(400).collect();
    let together = encoder.encode(&[&SENTENCE, &[], &long, &SENTENCE]).unwrap();
    let alone = encoder.encode(&[&SENTENCE]).unwrap();
    assert_eq!(together[0], together[3]);
    assert_eq!(together[1].words(), 0);
    for layer in 0..encoder.layers() {
        for word in 0..SENTENCE.len() {
            assert!(close(
                together[0].vector(layer, word),
                alone[0].vector(layer, word)
            ));
        }
    }
}

#[test]
fn threads_share_an_encoder() {
    let Some(encoder) = encoder() else { return };
    let encode = || encoder.encode(&[&SENTENCE]).unwrap();
    let (one, other) = thread::scope(|scope| {
        let one = scope.spawn(encode);
        (encode(), one.join().unwrap())
    });
    assert_eq!(one, other);
}

#[test]
fn what_was_encoded_is_remembered_within_the_bound() {
    let Some(settings) = available() else { return };
    let encoder = Encoder::open(&EncoderOptions {
        cache_mib: 1,
        ..settings
    })
    .unwrap();
    let first = encoder.encode(&[&SENTENCE]).unwrap();
    let again = encoder.clone().encode(&[&SENTENCE]).unwrap();
    assert!(std::sync::Arc::ptr_eq(&first[0], &again[0]));
    let others: Vec<[&str; 8]> = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "thirteen",
    ]
    .into_iter()
    .map(|word| [word; 8])
    .collect();
    encoder
        .encode(&others.iter().map(|words| &words[..]).collect::<Vec<_>>())
        .unwrap();
    let forgotten = encoder.encode(&[&SENTENCE]).unwrap();
    assert!(!std::sync::Arc::ptr_eq(&first[0], &forgotten[0]));
}

#[test]
fn words_without_pieces_have_zeros() {
    let Some(encoder) = encoder() else { return };
    let encoded = encoder
        .encode(&[&["", "cat", "\u{200d}", " "], &["", ""]])
        .unwrap();
    let last = encoder.layers() - 1;
    let is_zero = |text: usize, word| {
        encoded[text]
            .vector(last, word)
            .iter()
            .all(|element| *element == 0.0)
    };
    assert!(is_zero(0, 0) && !is_zero(0, 1) && is_zero(1, 0) && is_zero(1, 1));
}

#[test]
fn ten_thousand_words_all_have_vectors() {
    let Some(encoder) = encoder() else { return };
    let words: Vec<&str> = SENTENCE.iter().copied().cycle().take(10_000).collect();
    let encoded = encoder.encode(&[&words]).unwrap();
    for word in 0..words.len() {
        let vector = encoded[0].vector(encoder.layers() - 1, word);
        assert!(vector.iter().all(|element| element.is_finite()));
        assert!(vector.iter().any(|element| *element != 0.0), "word {word}");
    }
}

#[test]
fn what_is_missing_is_said() {
    let Some(settings) = available() else { return };
    let check = |settings: EncoderOptions, expect: &str| {
        let error = Encoder::open(&settings).unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
        error
    };
    let nowhere = EncoderOptions {
        folder: "/nowhere".into(),
        ..settings.clone()
    };
    check(
        nowhere,
        "/nowhere/config.json cannot be read; the encoder's folder must hold",
    );
    let error = check(
        EncoderOptions {
            device: EncoderDevice::Cuda(99),
            ..settings
        },
        "CUDA device 99 cannot be used",
    );
    assert!(error.source().is_some());
}

#[test]
fn any_text_has_a_vector_for_each_word() {
    let Some(encoder) = encoder() else { return };
    let word = prop_oneof![
        "\\PC{0,8}",
        "[a-z]{1,12}",
        "[\\u{0300}-\\u{036F}]{1,4}",
        "[\\u{0590}-\\u{06FF}]{1,8}",
        "[\\u{1F300}-\\u{1FAFF}]{1,4}",
        "[\\u{0}-\\u{20}\\u{200B}-\\u{200F}\\u{FEFF}]{0,4}",
        Just("[CLS]".to_owned()),
    ];
    let texts = prop::collection::vec(prop::collection::vec(word, 0..12), 0..6);
    let config = ProptestConfig {
        cases: 48,
        ..ProptestConfig::default()
    };
    proptest!(config, |(texts in texts)| {
        let texts: Vec<Vec<&str>> = texts.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
        let encoded = encoder.encode(&texts.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
        for (words, encoded) in texts.iter().zip(&encoded) {
            prop_assert_eq!((encoded.words(), encoded.layers()), (words.len(), encoder.layers()));
            for word in 0..words.len() {
                prop_assert!(encoded.vector(1, word).iter().all(|element| element.is_finite()));
            }
        }
    });
}

fn close(one: &[f32], other: &[f32]) -> bool {
    one.iter()
        .zip(other)
        .all(|(one, other)| (one - other).abs() < 1e-4)
}
