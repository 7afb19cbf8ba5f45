//! Adversarial texts for property tests.

use proptest::prelude::*;

/// Any string of words, punctuation and white space of all kinds, including the empty one and
/// strings without spaces.
pub(crate) fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "the",
        "boat",
        "sank",
        "old",
        "th",
        "e",
        "U.S.",
        "Mr.",
        "£5000.",
        "don't",
        "It",
        ".",
        ",",
        ";",
        ":",
        "?",
        "…",
        "\"",
        "'",
        "(",
        "-",
        "||",
        " ",
        " ",
        " ",
        " ",
        "  ",
        "\t",
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        "\n- ",
        "\n* ",
        "\n2. ",
        "\r",
        "\u{a0}",
        "\u{2028}",
        "\u{85}",
        "\u{200b}",
        "\u{200d}",
        "\u{feff}",
        "\u{ad}",
        "\u{301}",
        "é",
        "e\u{301}",
        "👩\u{200d}👩\u{200d}👧",
        "🇬🇧",
        "שלום",
        "\u{202e}",
        "مرحبا؟",
        "他走了。",
        "ǅ",
        "ß",
        "İ",
        "\u{0}",
    ]);
    let long = (1_usize..200).prop_map(|times| "ab".repeat(times));
    let text = prop_oneof![30 => piece.prop_map(str::to_owned), 1 => long];
    prop::collection::vec(text, 0..24).prop_map(|pieces| pieces.concat())
}
