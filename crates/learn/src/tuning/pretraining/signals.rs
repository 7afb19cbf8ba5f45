//! The signals that a cross-encoder is pre-trained on, computed by automatic metrics and a language model.

use domain::metrics::{
    DeletionMeasure, LetterCase, PreparedSource, bertscore, bleu, bleu_to_source, cosine, fkgl,
    sari,
};
use serde::{Deserialize, Serialize};

use super::{candidates::CandidateSet, perplexity::PairPerplexity};
use crate::{
    embeddings::{TextEmbedding, embed_texts},
    encoder::{Encoder, EncoderError},
};

/// A figure of a source and an output.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum PretrainingSignal {
    /// The cosine of the embeddings of source and output.
    Similarity,
    /// BLEU of the output against the source.
    SelfBleu,
    /// BERTScore (F1) of the output against the source.
    #[serde(rename = "self-bertscore")]
    SelfBertScore,
    /// The natural logarithm of the perplexity of the source.
    SourcePerplexity,
    /// The natural logarithm of the perplexity of the output.
    OutputPerplexity,
    /// The grade level (FKGL) of the source.
    SourceFkgl,
    /// The grade level of the output.
    OutputFkgl,
    /// SARI.
    Sari,
    /// BLEU against the references.
    Bleu,
    /// The greatest BERTScore (F1) over the references.
    #[serde(rename = "bertscore")]
    BertScore,
}

/// The aspect of quality that a signal measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalKind {
    /// The output's fidelity to the source's meaning.
    Meaning,
    /// The well-formedness of source and output.
    Fluency,
    /// The readability of source and output.
    Simplicity,
    /// The closeness of the output to references.
    References,
}

impl PretrainingSignal {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Similarity,
        Self::SelfBleu,
        Self::SelfBertScore,
        Self::SourcePerplexity,
        Self::OutputPerplexity,
        Self::SourceFkgl,
        Self::OutputFkgl,
        Self::Sari,
        Self::Bleu,
        Self::BertScore,
    ];

    /// Its name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Similarity => "similarity",
            Self::SelfBleu => "self-bleu",
            Self::SelfBertScore => "self-bertscore",
            Self::SourcePerplexity => "source-perplexity",
            Self::OutputPerplexity => "output-perplexity",
            Self::SourceFkgl => "source-fkgl",
            Self::OutputFkgl => "output-fkgl",
            Self::Sari => "sari",
            Self::Bleu => "bleu",
            Self::BertScore => "bertscore",
        }
    }

    /// The signal of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.name() == name)
    }

    /// The aspect of quality that it measures.
    #[must_use]
    pub const fn kind(self) -> SignalKind {
        match self {
            Self::Similarity | Self::SelfBleu | Self::SelfBertScore => SignalKind::Meaning,
            Self::SourcePerplexity | Self::OutputPerplexity => SignalKind::Fluency,
            Self::SourceFkgl | Self::OutputFkgl => SignalKind::Simplicity,
            Self::Sari | Self::Bleu | Self::BertScore => SignalKind::References,
        }
    }

    /// Whether it compares with references.
    #[must_use]
    pub const fn needs_references(self) -> bool {
        matches!(self.kind(), SignalKind::References)
    }

    /// Whether it compares embeddings.
    pub(super) const fn needs_encoder(self) -> bool {
        matches!(
            self,
            Self::Similarity | Self::SelfBertScore | Self::BertScore
        )
    }

    /// Whether it is computed by a language model.
    pub(super) const fn needs_language_model(self) -> bool {
        matches!(self.kind(), SignalKind::Fluency)
    }
}

/// The signals of each candidate of each source, in the order of `signals`. `perplexities` are those of the same candidates,
/// if a signal needs them. `on_progress` receives the number of sources done, and stops the computation by returning
/// false; then the result is `None`.
///
/// # Errors
/// The encoder fails.
pub(super) fn compute_signals(
    sets: &[CandidateSet],
    signals: &[PretrainingSignal],
    encoder: &Encoder,
    perplexities: &[Vec<PairPerplexity>],
    on_progress: &mut dyn FnMut(usize) -> bool,
) -> Result<Option<Vec<Vec<Vec<f64>>>>, EncoderError> {
    let with_encoder = signals.iter().any(|signal| signal.needs_encoder());
    let mut all = Vec::with_capacity(sets.len());
    for set in sets {
        let embedded = match with_encoder {
            true => SetEmbeddings::new(set, encoder)?,
            false => SetEmbeddings::default(),
        };

        let candidates = 0..set.candidates.len();
        let perplexities = perplexities.get(all.len());
        all.push(
            candidates
                .map(|number| {
                    let perplexity = perplexities.map(|perplexities| perplexities[number]);
                    compute_candidate(set, number, &embedded, perplexity, signals)
                })
                .collect(),
        );

        if !on_progress(all.len()) {
            return Ok(None);
        }
    }
    Ok(Some(all))
}

/// The signals of each candidate of a source, in the order of `signals`, which must not need a model.
pub(super) fn compute_texts(set: &CandidateSet, signals: &[PretrainingSignal]) -> Vec<Vec<f64>> {
    let embedded = SetEmbeddings::default();
    (0..set.candidates.len())
        .map(|number| compute_candidate(set, number, &embedded, None, signals))
        .collect()
}

/// The scale of each signal over the candidates of the `training` sources, and the standardised signals of all sources.
pub(super) fn standardise_signals(
    values: &[Vec<Vec<f64>>],
    training: &[usize],
) -> (Vec<SignalScale>, Vec<Vec<Vec<f64>>>) {
    let signals = values.iter().flatten().map(Vec::len).next().unwrap_or(0);
    let scales: Vec<SignalScale> = (0..signals)
        .map(|signal| {
            let candidates = training.iter().flat_map(|source| &values[*source]);
            SignalScale::new(&candidates.map(|values| values[signal]).collect::<Vec<_>>())
        })
        .collect();

    let targets = values
        .iter()
        .map(|candidates| {
            candidates
                .iter()
                .map(|values| standardise_values(values, &scales))
                .collect()
        })
        .collect();
    (scales, targets)
}

fn standardise_values(values: &[f64], scales: &[SignalScale]) -> Vec<f64> {
    let pairs = values.iter().zip(scales);
    pairs
        .map(|(value, scale)| scale.standardise(*value))
        .collect()
}

/// The embeddings of a source's texts; empty if no signal needs them.
#[derive(Default)]
struct SetEmbeddings {
    /// Source and output of each candidate.
    candidates: Vec<[TextEmbedding; 2]>,
    references: Vec<TextEmbedding>,
}

impl SetEmbeddings {
    fn new(set: &CandidateSet, encoder: &Encoder) -> Result<Self, EncoderError> {
        let candidates = set.candidates.iter();
        let texts = candidates.flat_map(|candidate| [&*candidate.source, &*candidate.output]);
        let references = set.references.iter().map(String::as_str);
        let texts: Vec<&str> = texts.chain(references).collect();
        let mut embeddings = embed_texts(encoder, &texts, |_| ())?;
        let references = embeddings.split_off(2 * set.candidates.len());
        let (pairs, _) = embeddings.as_chunks();
        Ok(Self {
            candidates: pairs.to_vec(),
            references,
        })
    }
}

fn compute_candidate(
    set: &CandidateSet,
    number: usize,
    embedded: &SetEmbeddings,
    perplexity: Option<PairPerplexity>,
    signals: &[PretrainingSignal],
) -> Vec<f64> {
    let candidate = &set.candidates[number];
    let references = set.references_for(candidate);
    let texts: Vec<&String> = references.iter().map(|at| &set.references[*at]).collect();
    let prepared = PreparedSource::new(&candidate.source, &texts);
    let output = &candidate.output;

    // Embeddings and perplexities are missing if no signal needs them.
    let pair = || &embedded.candidates[number];
    let perplexity = || perplexity.expect("a language model judged the candidates");
    let compute = |signal: &PretrainingSignal| match signal {
        PretrainingSignal::Similarity => cosine(&pair()[0].embedding, &pair()[1].embedding),
        PretrainingSignal::SelfBleu => bleu_to_source(&prepared, output, LetterCase::Mixed).score,
        PretrainingSignal::SelfBertScore => bertscore(&pair()[1].words, &pair()[0].words).f1,
        PretrainingSignal::SourcePerplexity => perplexity()[0],
        PretrainingSignal::OutputPerplexity => perplexity()[1],
        PretrainingSignal::SourceFkgl => fkgl(&candidate.source),
        PretrainingSignal::OutputFkgl => fkgl(output),
        PretrainingSignal::Sari => sari(&prepared, output, DeletionMeasure::F1).score,
        PretrainingSignal::Bleu => bleu(&prepared, output, LetterCase::Mixed).score,
        PretrainingSignal::BertScore => find_best_score(embedded, number, &references),
    };
    signals.iter().map(compute).collect()
}

/// The greatest BERTScore (F1) of a candidate's output over these references; 0 without any.
fn find_best_score(embedded: &SetEmbeddings, number: usize, references: &[usize]) -> f64 {
    let [_, output] = &embedded.candidates[number];
    references
        .iter()
        .map(|at| bertscore(&output.words, &embedded.references[*at].words).f1)
        .fold(0.0, f64::max)
}

/// The mean and deviation by which a signal is standardised.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SignalScale {
    /// The mean.
    pub mean: f64,
    /// The population standard deviation; 1 if all values are the same.
    pub deviation: f64,
}

impl SignalScale {
    /// The scale of some values; without values, one that leaves values unchanged.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "values stay far under 2⁵³")]
    pub fn new(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / count).sqrt();
        Self {
            mean,
            deviation: if deviation > 1e-9 { deviation } else { 1.0 },
        }
    }

    /// A value in deviations from the mean.
    #[must_use]
    pub fn standardise(&self, value: f64) -> f64 {
        (value - self.mean) / self.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::pretraining::candidates::CandidatePair;

    fn compute(
        source: &str,
        output: &str,
        references: &[&str],
        own_reference: Option<usize>,
        signals: &[PretrainingSignal],
    ) -> Vec<f64> {
        let set = CandidateSet {
            candidates: vec![CandidatePair {
                source: source.to_owned(),
                output: output.to_owned(),
                own_reference,
            }],
            references: references.iter().map(|&text| text.to_owned()).collect(),
        };
        compute_texts(&set, signals).remove(0)
    }

    fn assert_near(values: &[f64], expected: &[f64]) {
        assert_eq!(values.len(), expected.len());
        for (value, expected) in values.iter().zip(expected) {
            assert!(
                (value - expected).abs() < 1e-9,
                "{values:?}, not {expected:?}"
            );
        }
    }

    /// Source: 6 words of one syllable, 1 sentence with its period as a 7th token; FKGL counts it as a word.
    #[test]
    fn grade_level_and_bleu_by_hand() {
        use PretrainingSignal::{OutputFkgl, SelfBleu, SourceFkgl};
        let values = compute(
            "a b c d e f",
            "a b c x e f",
            &[],
            None,
            &[SelfBleu, SourceFkgl, OutputFkgl],
        );
        // Of 6 words 5 are in the source, of 5 pairs 3, of 4 triples 1, of 3 quadruples none: 1 / (2 × 3).
        let bleu = 100.0 * (5.0 / 6.0 * 3.0 / 5.0 * 1.0 / 4.0 * 1.0 / 6.0_f64).powf(0.25);
        // Six words of a syllable each: .39 × 6 + 11.8 − 15.59, and no grade below 0.
        assert_near(&values, &[bleu, 0.0, 0.0]);
        let long = ["utilisation"; 2].join(" ");
        let grade = compute(&long, "go", &[], None, &[SourceFkgl, OutputFkgl]);
        // Two words of five syllables.
        assert_near(&grade, &[0.39 * 2.0 + 11.8 * 5.0 - 15.59, 0.0]);
    }

    #[test]
    fn a_candidate_made_of_a_reference_is_compared_with_the_others() {
        use PretrainingSignal::{Bleu, Sari};
        let references = ["a b c d", "w x y z"];
        let other = compute("s", "a b c d", &references, Some(0), &[Bleu]);
        assert_near(&other, &[0.0]);
        let all = compute("s", "a b c d", &references, None, &[Bleu]);
        assert_near(&all, &[100.0]);
        // As the only reference has it: the one word is deleted, four are added, none is kept.
        let sari = compute("s", "a b c d", &["a b c d"], None, &[Sari]);
        let (add, delete) = (100.0, 100.0 / 4.0);
        assert_near(&sari, &[(add + delete) / 3.0]);
    }

    #[test]
    fn a_signal_is_standardised_by_mean_and_deviation() {
        let scale = SignalScale::new(&[1.0, 3.0, 5.0, 7.0]);
        assert_near(&[scale.mean, scale.deviation], &[4.0, 5.0_f64.sqrt()]);
        assert_near(&[scale.standardise(9.0)], &[5.0_f64.sqrt()]);
        assert_eq!(SignalScale::new(&[2.0, 2.0]).deviation, 1.0);
        assert_eq!(SignalScale::new(&[]).standardise(0.5), 0.5);
    }

    /// Sources 0 and 1 are learned from, so that their values alone are the scale.
    #[test]
    fn targets_are_standardised_over_what_is_learned_from() {
        let values = [
            vec![vec![1.0], vec![3.0]],
            vec![vec![5.0]],
            vec![vec![30.0]],
        ];
        let (scales, targets) = standardise_signals(&values, &[0, 1]);
        let deviation = (8.0_f64 / 3.0).sqrt();
        assert_near(&[scales[0].mean, scales[0].deviation], &[3.0, deviation]);
        let flat: Vec<f64> = targets.concat().concat();
        assert_near(
            &flat,
            &[-2.0 / deviation, 0.0, 2.0 / deviation, 27.0 / deviation],
        );
    }

    #[test]
    fn every_signal_is_found_by_its_name() {
        for signal in PretrainingSignal::ALL {
            assert_eq!(PretrainingSignal::from_name(signal.name()), Some(signal));
            let written = serde_json::to_value(signal).expect("a name");
            assert_eq!(written, signal.name());
        }
        assert_eq!(PretrainingSignal::from_name("readability"), None);
    }
}
