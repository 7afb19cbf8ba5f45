//! The features of an output: some hundred and thirty numbers, each with its name.

mod compared_text;
mod edits;
mod gains;
mod overlap;
mod readability;
mod reference_edits;
mod similarity;
mod syntax;
mod text;
mod word_context;

use std::{fmt, sync::Arc};

use domain::text::tokenised_text::TokenisedText;

use self::{
    compared_text::{ComparedReference, ComparedText, WordNumbers},
    reference_edits::{EditedText, EditedWords},
    similarity::TextMatches,
    text::FeatureText,
};
use super::{SourceGroup, WordFrequencies};
use crate::encoder::{EncodedText, Encoder, EncoderError};

/// The version of the features, raised with every change of their meaning.
pub(super) const VERSION: u32 = 2;

/// The column of the difference in grade level between output and source.
pub(super) const GRADE_DIFFERENCE: usize = 11;
/// The column of the ratio of characters.
pub(super) const CHARACTER_RATIO: usize = 27;

/// The number of groups whose texts are encoded together.
const GROUPS_PER_BATCH: usize = 8;

/// The resources that features are computed with.
#[derive(Debug, Clone)]
pub struct FeatureResources {
    /// The frequencies of words.
    pub frequencies: WordFrequencies,
    /// The encoder. Without one a metric sees letters, words and edits only, and agrees less
    /// with people.
    pub encoder: Option<Encoder>,
}

/// Rows of features of one group. Each output has a row for each reference that differs from it in letters; one row
/// without references.
pub(super) type GroupFeatures = Vec<Vec<Vec<f32>>>;

/// A row that is being built.
#[derive(Debug, Clone, Default)]
pub(super) struct FeatureRow {
    prefix: &'static str,
    /// The names of its features, if they are asked for; they are the same in all rows.
    names: Option<Vec<String>>,
    values: Vec<f32>,
}

impl FeatureRow {
    /// An empty row that keeps the names of its features.
    fn named() -> Self {
        Self {
            names: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Adds a feature; undefined values become 0.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "features have single precision"
    )]
    fn add(&mut self, name: impl fmt::Display, value: f64) {
        if let Some(names) = &mut self.names {
            names.push(format!("{}{name}", self.prefix));
        }
        self.values
            .push(if value.is_finite() { value as f32 } else { 0.0 });
    }

    /// The name of the feature at `at`; empty if names are not kept.
    fn name(&self, at: usize) -> &str {
        self.names.as_ref().map_or("", |names| &names[at])
    }
}

impl FeatureResources {
    /// The name of the encoder, if any.
    #[must_use]
    pub fn encoder_name(&self) -> Option<&str> {
        self.encoder.as_ref().map(Encoder::name)
    }

    /// The names of the features, in order.
    pub(super) fn feature_names(&self, references: bool) -> Result<Vec<String>, EncoderError> {
        let reference = ["A reference.".to_owned()];
        let group = SourceGroup {
            source: "A source.",
            references: if references { &reference } else { &[] },
            outputs: vec!["An output."],
        };
        let texts = vec![tokenise_group(&group)];
        let vectors = self.encode_groups(&texts)?;
        let [texts] = texts.try_into().expect("one group");
        let empty = FeatureRow::named();
        let row = self
            .compute_group_rows(&group, texts, &vectors, &empty)
            .remove(0)
            .remove(0);
        Ok(row.names.unwrap_or_default())
    }

    /// The features of each group's outputs. `on_progress` receives the number of groups done, and stops by returning
    /// false; then there are fewer.
    pub(super) fn compute_rows(
        &self,
        groups: &[SourceGroup<'_>],
        mut on_progress: impl FnMut(usize) -> bool,
    ) -> Result<Vec<GroupFeatures>, EncoderError> {
        let mut all = Vec::with_capacity(groups.len());
        for batch in groups.chunks(GROUPS_PER_BATCH) {
            let texts: Vec<Vec<TokenisedText>> = batch.iter().map(tokenise_group).collect();
            let vectors = self.encode_groups(&texts)?;
            let mut vectors = vectors.as_slice();
            for (group, texts) in batch.iter().zip(texts) {
                let (group_vectors, rest) = vectors.split_at(texts.len().min(vectors.len()));
                vectors = rest;
                let empty = FeatureRow::default();
                let rows = self.compute_group_rows(group, texts, group_vectors, &empty);
                let rows = rows.into_iter();
                all.push(
                    rows.map(|rows| rows.into_iter().map(|row| row.values).collect())
                        .collect(),
                );
            }

            if !on_progress(all.len()) {
                break;
            }
        }
        Ok(all)
    }

    /// The vectors of each group's texts, in their order; empty without an encoder.
    fn encode_groups(
        &self,
        groups: &[Vec<TokenisedText>],
    ) -> Result<Vec<Arc<EncodedText>>, EncoderError> {
        let Some(encoder) = &self.encoder else {
            return Ok(Vec::new());
        };
        let texts = groups.iter().flatten();
        let words: Vec<Vec<&str>> = texts.map(|text| text.words().collect()).collect();
        let words: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
        encoder.encode(&words)
    }

    /// The rows of each output of a group, each starting from `empty`.
    fn compute_group_rows(
        &self,
        group: &SourceGroup<'_>,
        texts: Vec<TokenisedText>,
        vectors: &[Arc<EncodedText>],
        empty: &FeatureRow,
    ) -> Vec<Vec<FeatureRow>> {
        let texts: Vec<FeatureText> = texts
            .into_iter()
            .enumerate()
            .map(|(at, text)| {
                let vectors = vectors.get(at).map(AsRef::as_ref);
                FeatureText::new(text, &self.frequencies, vectors)
            })
            .collect();
        let mut numbers = WordNumbers::default();
        let texts: Vec<ComparedText<'_>> = texts
            .iter()
            .map(|text| ComparedText::new(text, &mut numbers))
            .collect();

        let (source, rest) = texts.split_first().expect("the first text is the source");
        let (references, outputs) = rest.split_at(group.references.len());
        let source = ComparedReference::new(source.text, source);
        let references: Vec<ReferenceFeatures<'_>> = references
            .iter()
            .map(|text| ReferenceFeatures::new(source.text, text, empty))
            .collect();

        outputs
            .iter()
            .map(|output| self.compute_output_rows(&source, &references, output, empty))
            .collect()
    }

    fn compute_output_rows(
        &self,
        source: &ComparedReference<'_>,
        references: &[ReferenceFeatures<'_>],
        output: &ComparedText<'_>,
        empty: &FeatureRow,
    ) -> Vec<FeatureRow> {
        let mut free = empty.clone();
        let (from, to) = (source.text.text, output.text);
        readability::add(&mut free, from, to);
        overlap::add(&mut free, source, output);
        edits::add(&mut free, from, to, &self.frequencies);
        let matches = similarity::match_texts(from, to);
        let matches = matches.as_ref();
        similarity::add(&mut free, from, to, matches);
        gains::add(&mut free, from, to, matches.map(|layers| &layers[0]));
        syntax::add(&mut free, from, to);
        word_context::add(&mut free, from, to, matches.map(|layers| &layers[..]));

        // A reference that equals the output would make the output perfect.
        let mut compared: Vec<_> = references
            .iter()
            .filter(|reference| reference.text().letters() != to.letters())
            .collect();
        if compared.is_empty() {
            compared.extend(references);
        }
        if compared.is_empty() {
            return vec![free];
        }

        let edited = EditedText {
            text: output,
            words: &EditedWords::new(source.text, output),
            matches,
        };
        let likeness = overlap::compute_likeness(from, to);

        let add_reference = |reference: &ReferenceFeatures<'_>| {
            let mut row = FeatureRow {
                prefix: "reference ",
                ..free.clone()
            };

            let (gained, matches) = compute_closeness(&reference.compared, output, empty);
            let of_source = &reference.of_source;
            for (at, of_output) in gained.values.iter().enumerate() {
                let name = of_source.name(at);
                row.add(name, f64::from(*of_output));
                let gained = of_output - of_source.values[at];
                row.add(format_args!("{name}, gained"), f64::from(gained));
            }

            let likeness = [likeness, reference.likeness];
            overlap::add_sari(&mut row, &reference.compared, output, likeness);
            readability::add_differences(&mut row, reference.text(), to);

            let of_reference = reference.edited();
            reference_edits::add(
                &mut row,
                source.text,
                of_reference,
                edited,
                matches.as_ref(),
            );
            row
        };
        compared.into_iter().map(add_reference).collect()
    }
}

/// A reference, with the closeness of the source itself to it.
struct ReferenceFeatures<'a> {
    compared: ComparedReference<'a>,
    of_source: FeatureRow,
    /// The closest words of reference and source; `None` without an encoder.
    source_matches: Option<TextMatches>,
    words: EditedWords,
    /// Its likeness to the source, by letters.
    likeness: f64,
}

impl<'a> ReferenceFeatures<'a> {
    fn new(source: &ComparedText<'_>, text: &'a ComparedText<'a>, empty: &FeatureRow) -> Self {
        let compared = ComparedReference::new(source.text, text);
        let (of_source, source_matches) = compute_closeness(&compared, source, empty);
        Self {
            compared,
            of_source,
            source_matches,
            words: EditedWords::new(source, text),
            likeness: overlap::compute_likeness(source.text, text.text),
        }
    }

    fn text(&self) -> &FeatureText {
        self.compared.text.text
    }

    fn edited(&self) -> EditedText<'_> {
        EditedText {
            text: self.compared.text,
            words: &self.words,
            matches: self.source_matches.as_ref(),
        }
    }
}

/// The features of a text's closeness to a reference, and the closest words of both.
fn compute_closeness(
    reference: &ComparedReference<'_>,
    text: &ComparedText<'_>,
    empty: &FeatureRow,
) -> (FeatureRow, Option<TextMatches>) {
    let mut row = empty.clone();
    overlap::add(&mut row, reference, text);
    let from = reference.text.text;
    let matches = similarity::match_texts(from, text.text);
    similarity::add(&mut row, from, text.text, matches.as_ref());
    (row, matches)
}

/// A group's texts: its source, its references, its outputs.
fn tokenise_group(group: &SourceGroup<'_>) -> Vec<TokenisedText> {
    let references = group.references.iter().map(String::as_str);
    let outputs = group.outputs.iter().copied();
    let texts = std::iter::once(group.source)
        .chain(references)
        .chain(outputs);
    texts.map(TokenisedText::new).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use domain::metrics::{
        DeletionMeasure, LetterCase, PreparedSource, bleu, chrf, edit_distance, fkgl,
        levenshtein_ratio, sari,
    };

    use super::*;

    /// A text whose words have these Zipf values, without an encoder.
    pub(super) fn text(text: &str, zipf: &[(&str, f32)]) -> FeatureText {
        let text = TokenisedText::new(text);
        FeatureText::new(text, &WordFrequencies::from_words(zipf), None)
    }

    const SOURCE: &str =
        "The ship, which carried grain, foundered in the sea near the old harbour.";
    const REFERENCES: [&str; 3] = [
        "The ship carried grain. It sank in the sea.",
        "The ship sank near the old harbour!",
        "A ship with grain sank in the sea near the harbour.",
    ];
    const OUTPUTS: [&str; 4] = [
        "The ship sank in the sea near the harbour.",
        "The ship, the ship foundered.",
        "",
        "Grain sank. The Old harbour was near.",
    ];

    fn compute(references: &[&str], outputs: &[&str]) -> Vec<Vec<FeatureRow>> {
        let words = [("the", 7.7), ("ship", 5.0), ("in", 7.2), ("sank", 4.4)];
        let resources = FeatureResources {
            frequencies: WordFrequencies::from_words(&words),
            encoder: None,
        };
        let references: Vec<String> = references.iter().map(|&text| text.to_owned()).collect();
        let group = SourceGroup {
            source: SOURCE,
            references: &references,
            outputs: outputs.to_vec(),
        };
        let texts = tokenise_group(&group);
        resources.compute_group_rows(&group, texts, &[], &FeatureRow::named())
    }

    #[test]
    fn a_row_is_the_same_in_any_group() {
        let bits = |row: &FeatureRow| -> Vec<u32> {
            row.values.iter().map(|value| value.to_bits()).collect()
        };
        for (output, rows) in OUTPUTS.iter().zip(compute(&REFERENCES, &OUTPUTS)) {
            for (reference, row) in REFERENCES.iter().zip(rows) {
                let alone = compute(&[reference], &[output]);
                assert_eq!(bits(&row), bits(&alone[0][0]), "{reference} {output}");
                assert_eq!(row.names, alone[0][0].names);
            }
        }
    }

    #[test]
    fn rows_have_the_figures_of_each_pair_of_texts() {
        for (output, rows) in OUTPUTS.iter().zip(compute(&REFERENCES, &OUTPUTS)) {
            for (reference, row) in REFERENCES.iter().zip(rows) {
                let side = PreparedSource::new(SOURCE, &[reference]);
                let (from, to) = (reference.to_lowercase(), output.to_lowercase());
                let sari = sari(&side, output, DeletionMeasure::F1);
                let similar =
                    levenshtein_ratio(SOURCE, output) - levenshtein_ratio(SOURCE, reference);
                for (name, expected) in [
                    ("BLEU", bleu(&side, output, LetterCase::Lower).score),
                    ("chrF", chrf(&side, output)),
                    ("Levenshtein ratio", levenshtein_ratio(&from, &to)),
                    ("edit distance", edit_distance(&from, &to)),
                    ("SARI", sari.score),
                    ("SARI, delete", sari.delete),
                    ("likeness to the source beside the reference's", similar),
                    ("grade level, difference", fkgl(output) - fkgl(reference)),
                ] {
                    let value = row.value(&format!("reference {name}"));
                    assert_eq!(
                        value.to_bits(),
                        (expected as f32).to_bits(),
                        "{name}: {output}"
                    );
                }
            }
        }
    }

    impl FeatureRow {
        /// The value of that name.
        pub(super) fn value(&self, name: &str) -> f32 {
            let mut names = self.names.iter().flatten();
            let at = names.position(|other| other == name);
            self.values[at.unwrap_or_else(|| panic!("there is no {name}"))]
        }
    }
}
