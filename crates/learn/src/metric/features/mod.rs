//! The features of an output: some hundred and thirty numbers, each with its name.

mod edits;
mod gains;
mod overlap;
mod readability;
mod reference_edits;
mod similarity;
mod syntax;
mod text;
mod word_context;

use std::sync::Arc;

use domain::metrics::PreparedSource;

use self::text::FeatureText;
use super::{SourceGroup, WordFrequencies};
use crate::encoder::{EncodedText, Encoder, EncoderError};

/// The version of the features, raised with every change of their meaning.
pub(super) const VERSION: u32 = 2;

/// The column of the difference in grade level between output and source.
pub(super) const GRADE_DIFFERENCE: usize = 11;
/// The column of the ratio of characters.
pub(super) const CHARACTER_RATIO: usize = 27;

/// The groups whose texts are encoded together.
const GROUPS_PER_BATCH: usize = 8;

/// The resources that features are computed with.
#[derive(Debug, Clone)]
pub struct FeatureResources {
    /// How common words are.
    pub frequencies: WordFrequencies,
    /// The encoder. Without one a metric sees letters, words and edits only, and agrees less
    /// with people.
    pub encoder: Option<Encoder>,
}

/// Rows of features of one group: for each output one row for each reference that is not, letter
/// for letter, the output itself; one row without references.
pub(super) type GroupFeatures = Vec<Vec<Vec<f32>>>;

/// A row that is being built, with the names of its features.
#[derive(Debug, Default)]
pub(super) struct FeatureRow {
    prefix: &'static str,
    names: Vec<String>,
    values: Vec<f32>,
}

impl FeatureRow {
    /// Adds a feature; undefined values become 0.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "features have single precision"
    )]
    fn add(&mut self, name: &str, value: f64) {
        self.names.push(format!("{}{name}", self.prefix));
        self.values
            .push(if value.is_finite() { value as f32 } else { 0.0 });
    }
}

impl FeatureResources {
    /// The names of the features, in order.
    pub(super) fn feature_names(&self, references: bool) -> Result<Vec<String>, EncoderError> {
        let reference = ["A reference.".to_owned()];
        let group = SourceGroup {
            source: "A source.",
            references: if references { &reference } else { &[] },
            outputs: vec!["An output."],
        };
        let vectors = self.encode_groups(&[&group])?;
        Ok(self
            .compute_group_rows(&group, &vectors)
            .remove(0)
            .remove(0)
            .names)
    }

    /// The features of each group's outputs; `on_progress` receives the number of groups done, and stops by
    /// returning false: then there are fewer.
    pub(super) fn compute_rows(
        &self,
        groups: &[SourceGroup<'_>],
        mut on_progress: impl FnMut(usize) -> bool,
    ) -> Result<Vec<GroupFeatures>, EncoderError> {
        let mut all = Vec::with_capacity(groups.len());
        for batch in groups.chunks(GROUPS_PER_BATCH) {
            let batch: Vec<&SourceGroup<'_>> = batch.iter().collect();
            let vectors = self.encode_groups(&batch)?;
            let mut vectors = vectors.as_slice();
            for group in batch {
                let (own, others) = vectors.split_at(group_texts(group).count().min(vectors.len()));
                vectors = others;
                let rows = self.compute_group_rows(group, own).into_iter();
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

    /// The vectors of each group's texts, in the order of [`group_texts`]; none without an encoder.
    fn encode_groups(
        &self,
        groups: &[&SourceGroup<'_>],
    ) -> Result<Vec<Arc<EncodedText>>, EncoderError> {
        let Some(encoder) = &self.encoder else {
            return Ok(Vec::new());
        };
        let texts = groups.iter().flat_map(|group| group_texts(group));
        let cut: Vec<_> = texts
            .map(domain::text::tokenised_text::TokenisedText::new)
            .collect();
        let words: Vec<Vec<&str>> = cut.iter().map(|text| text.words().collect()).collect();
        let words: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
        encoder.encode(&words)
    }

    fn compute_group_rows(
        &self,
        group: &SourceGroup<'_>,
        vectors: &[Arc<EncodedText>],
    ) -> Vec<Vec<FeatureRow>> {
        let vectors = |at: usize| vectors.get(at).map(AsRef::as_ref);
        let text =
            |(at, text): (usize, &str)| FeatureText::new(text, &self.frequencies, vectors(at));
        let all: Vec<FeatureText> = group_texts(group).enumerate().map(text).collect();
        let (source, rest) = all.split_first().expect("the first text is the source");
        let (references, outputs) = rest.split_at(group.references.len());
        let references: Vec<ReferenceFeatures<'_>> = references
            .iter()
            .map(|text| ReferenceFeatures::new(source, text))
            .collect();
        outputs
            .iter()
            .map(|output| self.compute_output_rows(source, &references, output))
            .collect()
    }

    fn compute_output_rows(
        &self,
        source: &FeatureText,
        references: &[ReferenceFeatures<'_>],
        output: &FeatureText,
    ) -> Vec<FeatureRow> {
        let mut free = FeatureRow::default();
        readability::add(&mut free, source, output);
        overlap::add(
            &mut free,
            &PreparedSource::new("", &[source.text()]),
            source,
            output,
        );
        edits::add(&mut free, source, output, &self.frequencies);
        let matches = similarity::match_texts(source, output);
        let matches = matches.as_ref().map(|layers| &layers[..]);
        similarity::add(&mut free, source, output, matches);
        gains::add(&mut free, source, output, matches.map(|layers| &layers[0]));
        syntax::add(&mut free, source, output);
        word_context::add(&mut free, source, output, matches);
        // A reference that is the output itself would say that the output is perfect.
        let others = references
            .iter()
            .filter(|reference| reference.text.letters() != output.letters());
        let mut others: Vec<_> = others.collect();
        if others.is_empty() {
            others.extend(references);
        }
        if others.is_empty() {
            return vec![free];
        }
        let with = |reference: &ReferenceFeatures<'_>| {
            let mut row = FeatureRow {
                prefix: "reference ",
                names: free.names.clone(),
                values: free.values.clone(),
            };
            let gained = reference.closeness(output);
            for ((name, of_source), of_output) in reference.named_values().zip(gained.values) {
                row.add(name, f64::from(of_output));
                row.add(&format!("{name}, gained"), f64::from(of_output - of_source));
            }
            overlap::add_sari(&mut row, &reference.side, output);
            readability::add_differences(&mut row, reference.text, output);
            reference_edits::add(&mut row, source, reference.text, output);
            row
        };
        others.into_iter().map(with).collect()
    }
}

/// A reference, with how close the source itself comes to it.
struct ReferenceFeatures<'a> {
    side: PreparedSource,
    text: &'a FeatureText,
    of_source: FeatureRow,
}

impl<'a> ReferenceFeatures<'a> {
    fn new(source: &FeatureText, text: &'a FeatureText) -> Self {
        let mut features = Self {
            side: PreparedSource::new(source.text(), &[text.text()]),
            text,
            of_source: FeatureRow::default(),
        };
        features.of_source = features.closeness(source);
        features
    }

    /// How close a text comes to the reference.
    fn closeness(&self, text: &FeatureText) -> FeatureRow {
        let mut row = FeatureRow::default();
        overlap::add(&mut row, &self.side, self.text, text);
        let matches = similarity::match_texts(self.text, text);
        let matches = matches.as_ref().map(|layers| &layers[..]);
        similarity::add(&mut row, self.text, text, matches);
        row
    }

    fn named_values(&self) -> impl Iterator<Item = (&str, f32)> {
        let names = self.of_source.names.iter().map(String::as_str);
        names.zip(self.of_source.values.iter().copied())
    }
}

fn group_texts<'a>(group: &'a SourceGroup<'a>) -> impl Iterator<Item = &'a str> {
    let references = group.references.iter().map(String::as_str);
    std::iter::once(group.source)
        .chain(references)
        .chain(group.outputs.iter().copied())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A text whose words have these Zipf values, without an encoder.
    pub(super) fn text(text: &str, zipf: &[(&str, f32)]) -> FeatureText {
        FeatureText::new(text, &WordFrequencies::from_words(zipf), None)
    }

    impl FeatureRow {
        /// The value of that name.
        pub(super) fn value(&self, name: &str) -> f32 {
            let at = self.names.iter().position(|other| other == name);
            self.values[at.unwrap_or_else(|| panic!("there is no {name}"))]
        }
    }
}
