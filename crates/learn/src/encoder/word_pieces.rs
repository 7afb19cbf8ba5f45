//! Tokenisation of words into word pieces, in windows that the model can take.

use std::{fs, ops::Range, path::Path};

use serde_json::Value;
use tokenizers::{
    Encoding, PostProcessor, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy,
};

use super::EncoderError;

/// Windows overlap by one part in this many. In windows of 512 pieces, each word
/// then sees at least 64 to either side, for a third more computation.
const OVERLAP: usize = 4;

/// A model's tokenizer. It gets words of our own rather than a text, so that pieces know theirs.
pub(crate) struct WordPieceTokenizer(Tokenizer);

/// A word and the range of its pieces.
pub(crate) type WordPieceSpan = (usize, Range<usize>);

/// Neighbouring pieces of a text that are computed together, and the words whose vectors come from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WordPieceWindow {
    /// Numbers of the pieces, special ones included.
    pub pieces: Vec<u32>,
    /// Words, ascending, and their places in `pieces`.
    pub words: Vec<WordPieceSpan>,
}

impl WordPieceTokenizer {
    /// Reads the `tokenizer.json` at `path` for windows of at most `longest` pieces and a model that
    /// knows `vocabulary` of them.
    ///
    /// # Errors
    /// The file cannot be read, or is not a tokenizer for such a model.
    pub(crate) fn read(
        path: &Path,
        longest: usize,
        vocabulary: usize,
    ) -> Result<Self, EncoderError> {
        let text = fs::read(path).map_err(|source| EncoderError::file(path, source))?;
        Self::parse(&text, path, longest, vocabulary)
    }

    /// The tokenizer in `text`, the contents of the file at `path`; see [`WordPieceTokenizer::read`].
    ///
    /// # Errors
    /// The text is not a tokenizer for such a model.
    pub(crate) fn parse(
        text: &[u8],
        path: &Path,
        longest: usize,
        vocabulary: usize,
    ) -> Result<Self, EncoderError> {
        let tokenizer =
            parse(text, longest).map_err(|error| tokenizer_fault(path, &error.to_string()))?;

        let piece_count = tokenizer.get_vocab_size(true);
        if piece_count > vocabulary {
            let reason = format!(
                "for the model: it has {piece_count} word pieces, config.json {vocabulary}"
            );
            return Err(tokenizer_fault(path, &reason));
        }

        Ok(Self(tokenizer))
    }

    /// A text's pieces, special ones included, truncated to a window.
    ///
    /// # Errors
    /// The tokenizer fails, as some do on letters that they do not know.
    pub(crate) fn encode_text(&self, text: &str) -> Result<Vec<u32>, EncoderError> {
        let encoding = self.0.encode_fast(text, true);
        Ok(encoding.map_err(tokenizer_error)?.get_ids().to_vec())
    }

    /// The pieces of two texts in one sequence, special ones included, and the segment type of each. If they
    /// do not fit a window, the longer text is truncated first.
    ///
    /// # Errors
    /// As for [`Self::encode_text`].
    pub(crate) fn encode_pair(
        &self,
        first: &str,
        second: &str,
    ) -> Result<(Vec<u32>, Vec<u32>), EncoderError> {
        let encoding = self
            .0
            .encode_fast((first, second), true)
            .map_err(tokenizer_error)?;
        Ok((
            encoding.get_ids().to_vec(),
            encoding.get_type_ids().to_vec(),
        ))
    }

    /// The windows of a text given as words; none for a text without pieces.
    ///
    /// Windows overlap by a quarter, and each word is in the one where it is most central. A word without pieces
    /// (blanks, say) is in no window. Text that looks like one of the model's special pieces is treated as an ordinary
    /// word.
    ///
    /// # Errors
    /// The tokenizer fails, as some do on letters that they do not know.
    pub(crate) fn encode_windows(
        &self,
        words: &[&str],
    ) -> Result<Vec<WordPieceWindow>, EncoderError> {
        // `encode_fast` would lose the word of each piece.
        let mut first = self.0.encode(words, true).map_err(tokenizer_error)?;
        let mut all = first.take_overflowing();
        all.insert(0, first);
        let ranges: Vec<_> = all
            .iter()
            .map(|encoding| (find_word_spans(encoding.get_word_ids()), encoding.len()))
            .collect();
        let windows = all.iter().zip(assign_words(words.len(), &ranges));
        Ok(windows
            .filter(|(_, words)| !words.is_empty())
            .map(make_window)
            .collect())
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what `map_err` hands over"
)]
fn tokenizer_error(error: tokenizers::Error) -> EncoderError {
    EncoderError::Pieces(error.to_string())
}

fn tokenizer_fault(path: &Path, reason: &str) -> EncoderError {
    EncoderError::content(
        path,
        format!("this is not a tokenizer ({reason}); take the file that came with the model"),
    )
}

fn make_window((encoding, words): (&Encoding, Vec<WordPieceSpan>)) -> WordPieceWindow {
    WordPieceWindow {
        pieces: encoding.get_ids().to_vec(),
        words,
    }
}

fn parse(text: &[u8], longest: usize) -> Result<Tokenizer, tokenizers::Error> {
    let mut json: Value = serde_json::from_slice(text)?;
    if let Some(step) = json.get_mut("pre_tokenizer") {
        add_prefix_space(step);
    }
    let mut tokenizer = Tokenizer::from_bytes(json.to_string())?;

    let special = tokenizer
        .get_post_processor()
        .map_or(0, |processor| processor.added_tokens(false));
    if longest <= special {
        return Err(
            format!("it adds {special} pieces to a text, the model takes {longest}").into(),
        );
    }

    tokenizer.set_encode_special_tokens(true);
    tokenizer.with_padding(None);
    tokenizer.with_truncation(Some(TruncationParams {
        direction: TruncationDirection::Right,
        max_length: longest,
        strategy: TruncationStrategy::LongestFirst,
        stride: (longest - special) / OVERLAP,
    }))?;
    Ok(tokenizer)
}

/// Makes a byte-level tokenizer treat each word as if it followed a space: the model has seen nearly all words so, and
/// this program hands over single words.
fn add_prefix_space(step: &mut Value) {
    if step["type"] == "ByteLevel" {
        step["add_prefix_space"] = Value::Bool(true);
    }
    if let Some(steps) = step.get_mut("pretokenizers").and_then(Value::as_array_mut) {
        steps.iter_mut().for_each(add_prefix_space);
    }
}

/// The places of each word's pieces, from the word of each piece.
fn find_word_spans(words: &[Option<u32>]) -> Vec<WordPieceSpan> {
    let mut ranges: Vec<WordPieceSpan> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let Some(word) = word.map(|word| word as usize) else {
            continue;
        };
        match ranges.last_mut() {
            Some((last, range)) if *last == word => range.end = place + 1,
            _ => ranges.push((word, place..place + 1)),
        }
    }
    ranges
}

/// Gives each word to one window: the one with the most of its pieces; on a tie, the one in which it is farthest from
/// an edge; then the first. `windows` holds the words and the length of each window.
fn assign_words(words: usize, windows: &[(Vec<WordPieceSpan>, usize)]) -> Vec<Vec<WordPieceSpan>> {
    let mut best = vec![None; words];
    for (index, (spans, length)) in windows.iter().enumerate() {
        for (word, range) in spans {
            let grade = (range.len(), range.start.min(length - range.end));
            if best[*word].is_none_or(|(other, _)| other < grade) {
                best[*word] = Some((grade, index));
            }
        }
    }

    windows
        .iter()
        .enumerate()
        .map(|(index, (spans, _))| {
            spans
                .iter()
                .filter(|(word, _)| best[*word].is_some_and(|(_, window)| window == index))
                .cloned()
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A tokenizer of two words and an ending, with `[CLS]` before and `[SEP]` after.
    const TOKENIZER: &str = r###"{"version": "1.0", "truncation": {"direction": "Right", "max_length": 4,
        "strategy": "LongestFirst", "stride": 0}, "padding": null, "added_tokens": [
        {"id": 0, "content": "[SEP]", "special": true, "single_word": false, "lstrip": false,
         "rstrip": false, "normalized": false}],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
         "strip_accents": null, "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 0], "cls": ["[CLS]", 1]},
        "decoder": null, "model": {"type": "WordPiece", "unk_token": "[UNK]",
         "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
         "vocab": {"[SEP]": 0, "[CLS]": 1, "[UNK]": 2, "cat": 3, "##s": 4, "sat": 5}}}"###;

    fn tokenizer(longest: usize) -> WordPieceTokenizer {
        WordPieceTokenizer(parse(TOKENIZER.as_bytes(), longest).unwrap())
    }

    #[test]
    fn pieces_know_their_words() {
        let windows = tokenizer(9)
            .encode_windows(&["Cats", " ", "sat", "[SEP]", "\u{200d}"])
            .unwrap();
        let [window] = windows.as_slice() else {
            panic!("{windows:?}")
        };
        assert_eq!(window.pieces, [1, 3, 4, 5, 2, 2, 2, 0]);
        assert_eq!(window.words, [(0, 1..3), (2, 3..4), (3, 4..7)]);
    }

    #[test]
    fn a_text_without_pieces_has_no_window() {
        assert_eq!(tokenizer(9).encode_windows(&[]).unwrap(), []);
        assert_eq!(tokenizer(9).encode_windows(&["", "\t"]).unwrap(), []);
    }

    #[test]
    fn a_long_text_is_cut_into_overlapping_windows() {
        let windows = tokenizer(6).encode_windows(&["sat"; 8]).unwrap();
        let words: Vec<Vec<_>> = windows
            .iter()
            .map(|w| w.words.iter().map(|(word, _)| *word).collect())
            .collect();
        assert_eq!(words, [vec![0, 1, 2, 3], vec![4, 5, 6], vec![7]]);
        assert_eq!(windows[1].pieces, [1, 5, 5, 5, 5, 0]);
        assert_eq!(windows[2].words, [(7, 2..3)]);
    }

    #[test]
    fn a_word_beyond_a_window_has_what_fits_of_it() {
        let long = format!("cat{}", "s".repeat(20));
        let windows = tokenizer(6).encode_windows(&["sat", &long, "sat"]).unwrap();
        let words: Vec<_> = windows
            .iter()
            .flat_map(|window| &window.words)
            .cloned()
            .collect();
        assert_eq!(words, [(0, 1..2), (1, 1..5), (2, 2..3)]);
    }

    #[test]
    fn what_is_no_tokenizer_for_the_model_is_said() {
        let check = |text: &str, expect: &str| {
            let file = tempfile::NamedTempFile::new().unwrap();
            fs::write(file.path(), text).unwrap();
            let error = WordPieceTokenizer::read(file.path(), 9, 5)
                .err()
                .unwrap()
                .to_string();
            assert!(error.contains(expect), "{error}");
        };
        check("[1]", "this is not a tokenizer (");
        check("{}", "this is not a tokenizer (");
        check(TOKENIZER, "it has 6 word pieces, config.json 5");
    }

    #[test]
    fn byte_level_words_follow_a_space() {
        let mut step = serde_json::json!({"type": "Sequence", "pretokenizers": [
            {"type": "Digits"}, {"type": "ByteLevel", "add_prefix_space": false}]});
        add_prefix_space(&mut step);
        assert_eq!(step["pretokenizers"][1]["add_prefix_space"], true);
        let mut none = Value::Null;
        add_prefix_space(&mut none);
        assert_eq!(none, Value::Null);
    }

    proptest! {
        #[test]
        fn every_word_with_pieces_is_in_one_window(words in prop::collection::vec("\\PC{0,6}|cats?|sat", 0..40)) {
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            let whole = tokenizer(1000).encode_windows(&words).unwrap();
            let cut = tokenizer(8).encode_windows(&words).unwrap();
            let named = |windows: &[WordPieceWindow]| {
                let mut named: Vec<_> = windows.iter().flat_map(|w| &w.words).map(|(word, _)| *word).collect();
                named.sort_unstable();
                named
            };
            prop_assert_eq!(named(&whole), named(&cut));
            for window in &cut {
                prop_assert!(window.pieces.len() <= 8);
                prop_assert!(window.words.iter().all(|(_, range)| range.end < window.pieces.len() && range.start > 0));
            }
        }
    }
}
