//! Training data: rated outputs, grouped by their source.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A source with its rated outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingSource {
    /// The text that was simplified.
    pub text: String,
    /// Human simplifications of it; may be empty.
    pub references: Vec<String>,
    /// Its rated outputs, each text once.
    pub outputs: Vec<TrainingOutput>,
}

/// An output with its ratings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingOutput {
    /// A system's simplification of the source.
    pub text: String,
    /// The mean z-score of its ratings, in standard deviations of a rater above that rater's mean.
    pub z: f64,
    /// The number of its ratings.
    pub ratings: usize,
}

/// A source with its references and its outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceGroup<'a> {
    /// The text that was simplified.
    pub source: &'a str,
    /// Human simplifications of it; a metric with references needs at least one.
    pub references: &'a [String],
    /// Systems' simplifications of it.
    pub outputs: Vec<&'a str>,
}

/// One rating, for [`TrainingSource::group_ratings`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingRating<'a> {
    /// The text that was simplified.
    pub source: &'a str,
    /// A system's simplification of it.
    pub output: &'a str,
    /// The z-score of the rating among its rater's.
    pub z: f64,
}

impl TrainingSource {
    /// Groups ratings: sources by their text, and outputs of a source by theirs, whichever systems wrote them. An
    /// output's z is the mean of all its ratings. Sources and outputs come in the order of their texts, so that the
    /// order of the rows does not change a model.
    #[must_use]
    pub fn group_ratings<'a>(ratings: impl IntoIterator<Item = TrainingRating<'a>>) -> Vec<Self> {
        let mut sources = BTreeMap::<&str, BTreeMap<&str, Vec<f64>>>::new();
        for rating in ratings {
            let outputs = sources.entry(rating.source).or_default();
            outputs.entry(rating.output).or_default().push(rating.z);
        }

        sources
            .into_iter()
            .map(|(text, outputs)| Self {
                text: text.to_owned(),
                references: Vec::new(),
                outputs: outputs
                    .into_iter()
                    .map(|(text, z)| TrainingOutput::new(text, z))
                    .collect(),
            })
            .collect()
    }

    /// The source and its outputs as a group to score.
    #[must_use]
    pub fn as_group(&self) -> SourceGroup<'_> {
        SourceGroup {
            source: &self.text,
            references: &self.references,
            outputs: self
                .outputs
                .iter()
                .map(|output| output.text.as_str())
                .collect(),
        }
    }

    /// The source's fingerprint, for lists of training data; see [`fingerprint`].
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.text)
    }
}

impl TrainingOutput {
    #[expect(clippy::cast_precision_loss, reason = "ratings stay far under 2⁵³")]
    fn new(text: &str, mut z: Vec<f64>) -> Self {
        // The order of the rows must not show in the last digit.
        z.sort_by(f64::total_cmp);
        Self {
            text: text.to_owned(),
            z: z.iter().sum::<f64>() / z.len() as f64,
            ratings: z.len(),
        }
    }
}

/// The letters and digits of a text in lower case. Texts that differ only in capitals, spaces and signs, as releases of
/// the same texts do, have the same ones.
#[must_use]
pub fn collect_letters(text: &str) -> String {
    let letters = text.chars().filter(|sign| sign.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The SHA-256 of a text or a file, in hexadecimal. Models list their training sources by it, so that figures can leave
/// a source out and the model reveals no text.
#[must_use]
pub fn fingerprint(text: impl AsRef<[u8]>) -> String {
    let digest = Sha256::digest(text.as_ref());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rating(source: &'static str, output: &'static str, z: f64) -> TrainingRating<'static> {
        TrainingRating { source, output, z }
    }

    #[test]
    fn a_repeated_output_is_one_with_the_mean_of_all_ratings() {
        let rows = [
            rating("b", "x", 1.0),
            rating("a", "x", -1.0),
            rating("b", "x", 2.0),
            rating("b", "w", 0.5),
        ];
        let sources = TrainingSource::group_ratings(rows);
        let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
        assert_eq!(texts, ["a", "b"]);
        assert_eq!(sources[1].outputs.len(), 2);
        let x = &sources[1].outputs[1];
        assert_eq!((x.text.as_str(), x.z, x.ratings), ("x", 1.5, 2));
    }

    #[test]
    fn capitals_spaces_and_punctuation_make_no_other_text() {
        assert_eq!(
            collect_letters("The voice of  America, 1942."),
            collect_letters("The Voice of America 1942")
        );
        assert_ne!(
            collect_letters("Voice of America"),
            collect_letters("Voices of America")
        );
    }

    #[test]
    fn fingerprint_of_abc_as_in_fips_180() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(fingerprint("abc"), expected);
    }

    proptest! {
        #[test]
        fn the_order_of_rows_changes_nothing(rows in prop::collection::vec((0..3usize, 0..3usize, -2.0..2.0f64), 1..20)) {
            const NAMES: [&str; 3] = ["a", "b", "c"];
            let group = |rows: &[(usize, usize, f64)]| {
                TrainingSource::group_ratings(rows.iter().map(|&(s, o, z)| rating(NAMES[s], NAMES[o], z)))
            };
            let mut turned = rows.clone();
            turned.reverse();
            prop_assert_eq!(group(&rows), group(&turned));
        }
    }
}
