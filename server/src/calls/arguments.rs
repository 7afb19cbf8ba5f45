//! The arguments and the results of calls.

use domain::{
    edit::{Edit, EditKind},
    metrics::ScoreDirection,
    span::Span,
    text::{
        align::{AlignerGrade, Alignment},
        categorise::AutomaticCategory,
        edits,
        tokenised_text::TokenisedText,
    },
};
use serde::{Deserialize, Serialize};

use super::message::CallError;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScoreCall {
    pub(super) metrics: Vec<String>,
    pub(super) sources: Vec<String>,
    pub(super) outputs: Vec<String>,
    /// Of each output; none where no metric needs any.
    #[serde(default)]
    pub(super) references: Option<Vec<Vec<String>>>,
}

#[derive(Debug, Serialize)]
pub(super) struct ScoreResult {
    pub(super) scores: Vec<MetricScores>,
}

/// A metric's scores in the order of the outputs.
#[derive(Debug, Serialize)]
pub(super) struct MetricScores {
    pub(super) name: String,
    pub(super) signature: Option<String>,
    pub(super) direction: ScoreDirection,
    pub(super) values: Vec<Option<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RerankCall {
    pub(super) sources: Vec<String>,
    pub(super) candidates: Vec<Vec<String>>,
    #[serde(default)]
    pub(super) model: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct RerankResult {
    pub(super) choices: Vec<CandidateChoice>,
}

#[derive(Debug, Serialize)]
pub(super) struct CandidateChoice {
    /// The place of the best candidate; of equally good ones the first.
    pub(super) best: usize,
    /// `None` where the metric gives none: one candidate alone has no others to be compared with.
    pub(super) scores: Vec<Option<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AlignCall {
    pub(super) sources: Vec<String>,
    pub(super) outputs: Vec<String>,
    #[serde(default)]
    pub(super) grade: Option<AlignerGrade>,
}

#[derive(Debug, Serialize)]
pub(super) struct AlignResult {
    pub(super) pairs: Vec<AlignedPair>,
    /// Why words are not aligned by the best aligner.
    pub(super) warnings: Vec<String>,
}

/// The first character of a stretch, and the one after its last.
type CharacterStretch = (usize, usize);

#[derive(Debug, Serialize)]
pub(super) struct AlignedPair {
    source_words: Vec<CharacterStretch>,
    output_words: Vec<CharacterStretch>,
    /// Numbers of a source word and an output word, with the link's probability.
    links: Vec<(usize, usize, f64)>,
    edits: Vec<AlignedEdit>,
    grade: AlignerGrade,
    version: u32,
    /// Whether the texts were too long to compare every word with every other.
    banded: bool,
}

#[derive(Debug, Serialize)]
struct AlignedEdit {
    kind: EditKind,
    source: Vec<CharacterStretch>,
    output: Vec<CharacterStretch>,
    confidence: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CategoriseCall {
    pub(super) sources: Vec<String>,
    pub(super) outputs: Vec<String>,
    #[serde(default)]
    pub(super) rule: Option<String>,
    #[serde(default)]
    pub(super) threshold: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct CategoriseResult {
    pub(super) pairs: Vec<AutomaticCategory>,
    /// The rule with its threshold and version.
    pub(super) rule: String,
}

#[derive(Debug, Serialize)]
pub(super) struct MetricsResult {
    pub(super) metrics: Vec<MetricDescription>,
}

#[derive(Debug, Serialize)]
pub(super) struct MetricDescription {
    pub(super) name: &'static str,
    pub(super) direction: ScoreDirection,
    pub(super) needs_references: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct VersionResult {
    pub(super) version: &'static str,
}

impl AlignedPair {
    pub(super) fn new(source: &TokenisedText, output: &TokenisedText, found: &Alignment) -> Self {
        let in_source = CharacterCounts::new(source.text());
        let in_output = CharacterCounts::new(output.text());
        let words = |text: &TokenisedText, counts: &CharacterCounts| {
            let tokens = text.tokens().iter();
            tokens.map(|token| counts.stretch(token.span)).collect()
        };
        let edit = |edit: Edit| AlignedEdit {
            kind: edit.kind,
            source: in_source.stretches(&edit.source),
            output: in_output.stretches(&edit.output),
            confidence: edit.confidence,
        };
        let links = found.links.iter();
        Self {
            source_words: words(source, &in_source),
            output_words: words(output, &in_output),
            links: links
                .map(|link| (link.source, link.output, link.confidence))
                .collect(),
            edits: edits::derive_edits(source, output, found)
                .into_iter()
                .map(edit)
                .collect(),
            grade: found.grade,
            version: found.version,
            banded: found.banded,
        }
    }
}

/// The number of characters before each byte of a text.
struct CharacterCounts(Vec<usize>);

impl CharacterCounts {
    fn new(text: &str) -> Self {
        let mut counts = vec![0; text.len() + 1];
        let mut before = 0;
        for (at, byte) in text.bytes().enumerate() {
            counts[at] = before;
            // A character ends before the next byte that begins one; spans are on these borders.
            let ends = text.is_char_boundary(at + 1);
            before += usize::from(ends);
            debug_assert!(ends || byte >= 0x80, "only a longer character goes on");
        }
        counts[text.len()] = before;
        Self(counts)
    }

    fn stretch(&self, span: Span) -> CharacterStretch {
        (self.0[span.start], self.0[span.end])
    }

    fn stretches(&self, spans: &[Span]) -> Vec<CharacterStretch> {
        spans.iter().map(|span| self.stretch(*span)).collect()
    }
}

/// Refuses lists of other lengths than that of the sources.
pub(super) fn check_lengths(
    sources: &[String],
    others: usize,
    name: &str,
) -> Result<(), CallError> {
    if sources.len() == others {
        return Ok(());
    }
    Err(CallError::bad_arguments(format!(
        "there are {} sources and {others} {name}: each belongs to the source at the same place",
        sources.len()
    )))
}
