//! Arguments and results of calls.

use domain::{
    edit::{Edit, EditKind},
    metrics::{ReferenceCount, ScoreDirection},
    span::Span,
    text::{
        align::{AlignerGrade, Alignment},
        categorise::AutomaticCategory,
        edits,
        tokenised_text::TokenisedText,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::CallError;
use crate::metrics::{MetricKind, ScoreMeaningReport};

/// Outputs to score.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScoreCall {
    /// The names of metrics.
    #[schema(min_items = 1, max_items = 20)]
    pub(crate) metrics: Vec<String>,
    pub(crate) sources: Vec<String>,
    /// Of each source, in the order of the sources.
    pub(crate) outputs: Vec<String>,
    /// Of each output; none where no metric needs any.
    #[serde(default)]
    pub(crate) references: Option<Vec<Vec<String>>>,
    /// Whether to say what scores mean, of metrics that know.
    #[serde(default)]
    pub(crate) meaning: bool,
    /// Whether to give the score of all outputs as one corpus, of metrics that are made of counts.
    #[serde(default)]
    pub(crate) corpus: bool,
    /// The number of references of the whole call, of which this is a slice.
    #[serde(skip)]
    #[schema(ignore)]
    pub(super) whole: Option<ReferenceCount>,
}

/// The scores of outputs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ScoreResult {
    pub(crate) scores: Vec<MetricScores>,
}

/// A metric's scores in the order of the outputs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetricScores {
    pub(crate) name: String,
    pub(crate) signature: Option<String>,
    #[schema(value_type = String)]
    pub(crate) direction: ScoreDirection,
    pub(crate) values: Vec<Option<f64>>,
    /// The score of all outputs as one corpus, where it was asked for and the metric is made of counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) corpus: Option<f64>,
    /// The meanings of the scores, in the same order, where they were asked for and the metric knows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) meanings: Vec<Option<ScoreMeaningReport>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RerankCall {
    pub(crate) sources: Vec<String>,
    pub(crate) candidates: Vec<Vec<String>>,
    #[serde(default)]
    pub(crate) model: Option<String>,
}

/// The choices of each source.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RerankResult {
    pub(crate) choices: Vec<CandidateChoice>,
}

/// The choice among the candidates of a source.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CandidateChoice {
    /// The place of the best candidate; of equally good ones the first.
    pub(crate) best: usize,
    /// `None` where the metric gives none: one candidate alone has no others to be compared with.
    pub(crate) scores: Vec<Option<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlignCall {
    pub(crate) sources: Vec<String>,
    pub(crate) outputs: Vec<String>,
    #[serde(default)]
    pub(crate) grade: Option<AlignerGrade>,
}

#[derive(Debug, Serialize)]
pub(crate) struct AlignResult {
    pub(crate) pairs: Vec<AlignedPair>,
    /// Reasons why the best aligner was not used.
    pub(crate) warnings: Vec<String>,
}

/// The numbers of a stretch's first character and of the one after its last.
type CharacterStretch = (usize, usize);

#[derive(Debug, Serialize)]
pub(crate) struct AlignedPair {
    source_words: Vec<CharacterStretch>,
    output_words: Vec<CharacterStretch>,
    /// The numbers of a source word and an output word, with the probability of their link.
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
pub(crate) struct CategoriseCall {
    pub(crate) sources: Vec<String>,
    pub(crate) outputs: Vec<String>,
    #[serde(default)]
    pub(crate) rule: Option<String>,
    #[serde(default)]
    pub(crate) threshold: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CategoriseResult {
    pub(crate) pairs: Vec<AutomaticCategory>,
    /// The rule with its threshold and version.
    pub(crate) rule: String,
}

/// The metrics that there are.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetricsResult {
    pub(crate) metrics: Vec<MetricDescription>,
}

/// A metric that outputs can be scored by.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetricDescription {
    pub(crate) name: &'static str,
    #[schema(value_type = String)]
    pub(crate) direction: ScoreDirection,
    pub(crate) needs_references: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct VersionResult {
    pub(crate) version: &'static str,
}

/// The longest text of a call, in bytes: some metrics compare each word with each other.
pub(crate) const MAX_TEXT_BYTES: usize = 20_000;

/// Refuses a list with a text that is too long; `name` is the list's.
pub(crate) fn check_texts(name: &str, texts: &[String]) -> Result<(), CallError> {
    match texts.iter().position(|text| text.len() > MAX_TEXT_BYTES) {
        None => Ok(()),
        Some(place) => Err(CallError::bad_arguments(format!(
            "{name}[{place}] has more than 20,000 bytes: give shorter texts, such as its sentences or paragraphs"
        ))),
    }
}

impl ScoreCall {
    /// A call for scores without their meanings, and without those of a corpus.
    pub(crate) const fn new(
        metrics: Vec<String>,
        sources: Vec<String>,
        outputs: Vec<String>,
        references: Option<Vec<Vec<String>>>,
    ) -> Self {
        Self {
            metrics,
            sources,
            outputs,
            references,
            meaning: false,
            corpus: false,
            whole: None,
        }
    }

    /// Its metrics.
    ///
    /// # Errors
    /// When a name is unknown.
    pub(crate) fn metric_kinds(&self) -> Result<Vec<MetricKind>, CallError> {
        let kinds = self.metrics.iter().map(|name| MetricKind::named(name));
        kinds
            .collect::<Result<_, _>>()
            .map_err(CallError::bad_arguments)
    }

    /// Refuses lists of different lengths.
    pub(super) fn check_lengths(&self) -> Result<(), CallError> {
        check_lengths(&self.sources, self.outputs.len(), "outputs")?;
        match &self.references {
            Some(lists) => check_lengths(&self.sources, lists.len(), "lists of references"),
            None => Ok(()),
        }
    }
}

impl RerankCall {
    /// A call that picks by the metric of the settings.
    pub(crate) const fn by_default_model(
        sources: Vec<String>,
        candidates: Vec<Vec<String>>,
    ) -> Self {
        Self {
            sources,
            candidates,
            model: None,
        }
    }
}

impl AlignedPair {
    pub(crate) fn new(source: &TokenisedText, output: &TokenisedText, found: &Alignment) -> Self {
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
            // A character ends before the next byte that begins one; spans lie on these borders.
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

/// Refuses lists whose length differs from that of the sources.
pub(crate) fn check_lengths(
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
