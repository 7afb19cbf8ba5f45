//! What trees and ranker see of an output: some hundred numbers, each with its name.

mod alone;
mod changed;
mod overlap;
mod text;
mod towards;
mod vectors;

use std::sync::Arc;

use domain::metrics::SourceSide;

use self::text::Text;
use super::{Frequencies, Group};
use crate::encoder::{Encoded, Encoder, EncoderError};

/// Counts up with every change of what a feature means.
pub(super) const VERSION: u32 = 1;

/// The groups whose texts are encoded together.
const TOGETHER: usize = 8;

/// What features are made with.
#[derive(Debug, Clone)]
pub struct Means {
    /// How common words are.
    pub frequencies: Frequencies,
    /// What vectors come from. Without one a metric sees letters, words and edits only, and agrees less
    /// with people.
    pub encoder: Option<Encoder>,
}

/// Rows of features of one group: for each output one row for each reference that is not, letter
/// for letter, the output itself; one row without references.
pub(super) type Rows = Vec<Vec<Vec<f32>>>;

/// A row that is being made, with the names of its features.
#[derive(Debug, Default)]
pub(super) struct Row {
    prefix: &'static str,
    names: Vec<String>,
    values: Vec<f32>,
}

impl Row {
    /// Adds a feature. What cannot be told is 0.
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

impl Means {
    /// The names of the features, in order.
    pub(super) fn names(&self, references: bool) -> Result<Vec<String>, EncoderError> {
        let reference = ["A reference.".to_owned()];
        let group = Group {
            source: "A source.",
            references: if references { &reference } else { &[] },
            outputs: vec!["An output."],
        };
        let made = self.encoded(&[&group])?;
        Ok(self.group(&group, &made).remove(0).remove(0).names)
    }

    /// The features of each group's outputs; `tell` hears how many groups are done, and stops by
    /// answering false: then there are fewer.
    pub(super) fn rows(
        &self,
        groups: &[Group<'_>],
        mut tell: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Rows>, EncoderError> {
        let mut all = Vec::with_capacity(groups.len());
        for some in groups.chunks(TOGETHER) {
            let some: Vec<&Group<'_>> = some.iter().collect();
            let vectors = self.encoded(&some)?;
            let mut vectors = vectors.as_slice();
            for group in some {
                let (own, others) = vectors.split_at(texts(group).count().min(vectors.len()));
                vectors = others;
                let rows = self.group(group, own).into_iter();
                all.push(
                    rows.map(|rows| rows.into_iter().map(|row| row.values).collect())
                        .collect(),
                );
            }
            if !tell(all.len()) {
                break;
            }
        }
        Ok(all)
    }

    /// The vectors of each group's texts, in the order of [`texts`]; none without an encoder.
    fn encoded(&self, groups: &[&Group<'_>]) -> Result<Vec<Arc<Encoded>>, EncoderError> {
        let Some(encoder) = &self.encoder else {
            return Ok(Vec::new());
        };
        let texts = groups.iter().flat_map(|group| texts(group));
        let cut: Vec<_> = texts.map(domain::text::tokenised::Tokenised::new).collect();
        let words: Vec<Vec<&str>> = cut.iter().map(|text| text.words().collect()).collect();
        let words: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
        encoder.encode(&words)
    }

    fn group(&self, group: &Group<'_>, vectors: &[Arc<Encoded>]) -> Vec<Vec<Row>> {
        let vectors = |at: usize| vectors.get(at).map(AsRef::as_ref);
        let text = |(at, text): (usize, &str)| Text::new(text, &self.frequencies, vectors(at));
        let all: Vec<Text> = texts(group).enumerate().map(text).collect();
        let (source, rest) = all.split_first().expect("the first text is the source");
        let (references, outputs) = rest.split_at(group.references.len());
        let references: Vec<Reference<'_>> = references
            .iter()
            .map(|text| Reference::new(source, text))
            .collect();
        outputs
            .iter()
            .map(|output| self.output(source, &references, output))
            .collect()
    }

    fn output(&self, source: &Text, references: &[Reference<'_>], output: &Text) -> Vec<Row> {
        let mut free = Row::default();
        alone::add(&mut free, source, output);
        overlap::add(
            &mut free,
            &SourceSide::new("", &[source.text()]),
            source,
            output,
        );
        changed::add(&mut free, source, output, &self.frequencies);
        vectors::add(&mut free, source, output);
        let others = references
            .iter()
            .filter(|it| it.text.letters() != output.letters());
        let mut others: Vec<_> = others.collect();
        if others.is_empty() {
            others.extend(references);
        }
        if others.is_empty() {
            return vec![free];
        }
        let with = |reference: &Reference<'_>| {
            let mut row = Row {
                prefix: "reference ",
                names: free.names.clone(),
                values: free.values.clone(),
            };
            let gained = reference.closeness(output);
            for ((name, of_source), of_output) in reference.named().zip(gained.values) {
                row.add(name, f64::from(of_output));
                row.add(&format!("{name}, gained"), f64::from(of_output - of_source));
            }
            overlap::add_sari(&mut row, &reference.side, output);
            alone::add_differences(&mut row, reference.text, output);
            towards::add(&mut row, source, reference.text, output);
            row
        };
        others.into_iter().map(with).collect()
    }
}

/// A reference, with how close the source itself comes to it.
struct Reference<'a> {
    side: SourceSide,
    text: &'a Text,
    of_source: Row,
}

impl<'a> Reference<'a> {
    fn new(source: &Text, text: &'a Text) -> Self {
        let mut made = Self {
            side: SourceSide::new(source.text(), &[text.text()]),
            text,
            of_source: Row::default(),
        };
        made.of_source = made.closeness(source);
        made
    }

    /// How close a text comes to the reference.
    fn closeness(&self, text: &Text) -> Row {
        let mut row = Row::default();
        overlap::add(&mut row, &self.side, self.text, text);
        vectors::add(&mut row, self.text, text);
        row
    }

    fn named(&self) -> impl Iterator<Item = (&str, f32)> {
        let names = self.of_source.names.iter().map(String::as_str);
        names.zip(self.of_source.values.iter().copied())
    }
}

fn texts<'a>(group: &'a Group<'a>) -> impl Iterator<Item = &'a str> {
    let references = group.references.iter().map(String::as_str);
    std::iter::once(group.source)
        .chain(references)
        .chain(group.outputs.iter().copied())
}
