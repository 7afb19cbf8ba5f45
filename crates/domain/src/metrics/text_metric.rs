//! The metrics that need nothing but texts, by name.

use super::{
    CorpusCounts, DeletionMeasure, LengthUnit, LetterCase, MetricSignature, PreparedSource,
    ReferenceCount, SariScore, ScoreDirection, SourceCase, Tokenisation, WordTokeniser, bleu,
    bleu_signature, bleu_to_source, chrf, chrf_signature, compression, compression_signature,
    copy_rate, copy_rate_signature, edit_distance, edit_distance_signature, fkgl, fkgl_signature,
    levenshtein_ratio, levenshtein_signature, sari, sari_lens, sari_lens_signature, sari_signature,
};

/// A metric of one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextMetric {
    /// [`fn@sari`] with F1 of deletion.
    Sari,
    /// SARI's part for added words.
    SariAdd,
    /// SARI's part for kept words.
    SariKeep,
    /// SARI's part for deleted words.
    SariDelete,
    /// [`fn@sari_lens`] of the source as it is written.
    SariLens,
    /// [`fn@sari_lens`] of the source in lower case, as the paper has it.
    SariLensPaper,
    /// [`fn@bleu`] of these words.
    Bleu(Tokenisation),
    /// [`bleu_to_source`]: 100 is a copy.
    SelfBleu,
    /// [`fn@chrf`].
    Chrf,
    /// [`fn@fkgl`]: larger is harder.
    Fkgl,
    /// [`levenshtein_ratio`] to the source: 1 is a copy.
    Levenshtein,
    /// [`fn@edit_distance`] to the source: 0 is a copy.
    EditDistance,
    /// [`fn@compression`] in characters.
    Compression,
    /// [`fn@copy_rate`].
    CopyRate,
}

impl TextMetric {
    /// BLEU as it usually is: 13a's words, upper case kept.
    pub const BLEU: Self = Self::Bleu(Tokenisation::USUAL);

    /// All of them, BLEU as it usually is.
    pub const ALL: [Self; 14] = [
        Self::Sari,
        Self::SariAdd,
        Self::SariKeep,
        Self::SariDelete,
        Self::SariLens,
        Self::SariLensPaper,
        Self::BLEU,
        Self::SelfBleu,
        Self::Chrf,
        Self::Fkgl,
        Self::Levenshtein,
        Self::EditDistance,
        Self::Compression,
        Self::CopyRate,
    ];

    /// Its name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sari => "sari",
            Self::SariAdd => "sari-add",
            Self::SariKeep => "sari-keep",
            Self::SariDelete => "sari-delete",
            Self::SariLens => "sari-lens",
            Self::SariLensPaper => "sari-lens-paper",
            Self::Bleu(tokenisation) => bleu_name(tokenisation),
            Self::SelfBleu => "self-bleu",
            Self::Chrf => "chrf",
            Self::Fkgl => "fkgl",
            Self::Levenshtein => "levenshtein",
            Self::EditDistance => "edit-distance",
            Self::Compression => "compression",
            Self::CopyRate => "copy-rate",
        }
    }

    /// A short description of what it measures, for pages.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Sari => "SARI as EASSE has it, against references",
            Self::SariAdd => "its part of added words",
            Self::SariKeep => "its part of kept words",
            Self::SariDelete => "its part of deleted words",
            Self::SariLens => "SARI as the LENS repository has it, against references",
            Self::SariLensPaper => "the same of lower-cased sources, as in the LENS paper",
            Self::Bleu(_) => "sentence BLEU against references",
            Self::SelfBleu => "sentence BLEU against the source: 100 is a copy",
            Self::Chrf => "chrF2 against references",
            Self::Fkgl => "Flesch-Kincaid grade: a lower one reads easier",
            Self::Levenshtein => "similarity of characters with the source: 1 is a copy",
            Self::EditDistance => "share of characters changed: 0 is a copy",
            Self::Compression => "length in characters against the source’s",
            Self::CopyRate => "share of words that are the source’s",
        }
    }

    /// BLEU of other words than the usual ones.
    pub fn other_bleu() -> impl Iterator<Item = Self> {
        let others =
            Tokenisation::all().filter(|tokenisation| *tokenisation != Tokenisation::USUAL);
        others.map(Self::Bleu)
    }

    /// The metric of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let mut known = Self::ALL.into_iter().chain(Self::other_bleu());
        known.find(|metric| metric.name() == name)
    }

    /// Whether it is meaningless without references.
    #[must_use]
    pub const fn needs_references(self) -> bool {
        matches!(
            self,
            Self::Sari
                | Self::SariAdd
                | Self::SariKeep
                | Self::SariDelete
                | Self::SariLens
                | Self::SariLensPaper
                | Self::Bleu(_)
                | Self::Chrf
        )
    }

    /// The direction of its scores. How much of the source an output keeps does not say how good
    /// it is.
    #[must_use]
    pub const fn direction(self) -> ScoreDirection {
        match self {
            Self::Fkgl => ScoreDirection::LowerIsBetter,
            Self::SelfBleu
            | Self::Levenshtein
            | Self::EditDistance
            | Self::Compression
            | Self::CopyRate => ScoreDirection::Neither,
            Self::Sari
            | Self::SariAdd
            | Self::SariKeep
            | Self::SariDelete
            | Self::SariLens
            | Self::SariLensPaper
            | Self::Bleu(_)
            | Self::Chrf => ScoreDirection::HigherIsBetter,
        }
    }

    /// The score of an output; `None` if it is undefined: for an empty source or output, or without
    /// the references that it needs.
    #[must_use]
    pub fn score(self, side: &PreparedSource, output: &str) -> Option<f64> {
        if self.needs_references() && side.references().is_empty() {
            return None;
        }

        let source = side.source();
        match self {
            Self::Sari | Self::SariAdd | Self::SariKeep | Self::SariDelete => {
                Some(self.sari_part(sari(side, output, DeletionMeasure::F1)))
            }
            Self::SariLens => Some(sari_lens(side, output, SourceCase::Written).score),
            Self::SariLensPaper => Some(sari_lens(side, output, SourceCase::Lower).score),
            Self::Bleu(tokenisation) => Some(bleu(side, output, tokenisation).score),
            Self::SelfBleu => Some(bleu_to_source(side, output, LetterCase::Mixed).score),
            Self::Chrf => Some(chrf(side, output)),
            Self::Fkgl => Some(fkgl(output)),
            Self::Levenshtein => Some(levenshtein_ratio(source, output)),
            Self::EditDistance => Some(edit_distance(source, output)),
            Self::Compression => compression(source, output, LengthUnit::Characters),
            Self::CopyRate => copy_rate(source, output),
        }
    }

    /// The corpus score of outputs, for metrics that compute it from their counts; it is not the
    /// mean of their scores. `None` for other metrics.
    #[must_use]
    pub fn corpus_score<'a>(
        self,
        outputs: impl IntoIterator<Item = (&'a PreparedSource, &'a str)>,
    ) -> Option<f64> {
        let mut counts = CorpusCounts::new(self)?;
        for (side, output) in outputs {
            counts.add(side, output);
        }
        Some(counts.score())
    }

    /// The part of SARI that this metric is: the whole unless it is one of the three parts.
    pub(super) fn sari_part(self, sari: SariScore) -> f64 {
        match self {
            Self::SariAdd => sari.add,
            Self::SariKeep => sari.keep,
            Self::SariDelete => sari.delete,
            _ => sari.score,
        }
    }

    /// The signature of its scores.
    #[must_use]
    pub fn signature(self, references: ReferenceCount) -> MetricSignature {
        match self {
            Self::Sari | Self::SariAdd | Self::SariKeep | Self::SariDelete => {
                self.put_name(sari_signature(DeletionMeasure::F1, references))
            }
            Self::SariLens => sari_lens_signature(SourceCase::Written, references),
            Self::SariLensPaper => sari_lens_signature(SourceCase::Lower, references),
            Self::Bleu(tokenisation) => {
                self.put_name(bleu_signature(tokenisation, false, references))
            }
            Self::SelfBleu => MetricSignature {
                variant: "to-source-sacrebleu-sentence-exp".to_owned(),
                ..self.put_name(bleu_signature(
                    Tokenisation::USUAL,
                    false,
                    ReferenceCount::Each(0),
                ))
            },
            Self::Chrf => chrf_signature(references),
            Self::Fkgl => fkgl_signature(),
            Self::Levenshtein => levenshtein_signature(),
            Self::EditDistance => edit_distance_signature(),
            Self::Compression => compression_signature(LengthUnit::Characters),
            Self::CopyRate => copy_rate_signature(),
        }
    }

    /// The signature with this metric's name.
    fn put_name(self, signature: MetricSignature) -> MetricSignature {
        MetricSignature {
            name: self.name().to_owned(),
            ..signature
        }
    }
}

/// BLEU's name says what is not usual about its words.
const fn bleu_name(tokenisation: Tokenisation) -> &'static str {
    match (tokenisation.tokeniser, tokenisation.case) {
        (WordTokeniser::Mteval13a, LetterCase::Mixed) => "bleu",
        (WordTokeniser::Mteval13a, LetterCase::Lower) => "bleu-lc",
        (WordTokeniser::International, LetterCase::Mixed) => "bleu-intl",
        (WordTokeniser::International, LetterCase::Lower) => "bleu-lc-intl",
        (WordTokeniser::Characters, LetterCase::Mixed) => "bleu-char",
        (WordTokeniser::Characters, LetterCase::Lower) => "bleu-lc-char",
        (WordTokeniser::WhiteSpace, LetterCase::Mixed) => "bleu-none",
        (WordTokeniser::WhiteSpace, LetterCase::Lower) => "bleu-lc-none",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_metric_is_found_by_its_name_and_signs_with_it() {
        for metric in TextMetric::ALL.into_iter().chain(TextMetric::other_bleu()) {
            assert_eq!(TextMetric::from_name(metric.name()), Some(metric));
            assert_eq!(
                metric.signature(ReferenceCount::Each(1)).name,
                metric.name()
            );
        }
        assert_eq!(TextMetric::from_name("SARI"), None);
    }

    proptest! {
        #[test]
        fn every_score_is_a_number_on_its_scale(
            source in "\\PC{0,30}", output in "\\PC{0,30}|[ab ,.]{0,30}", reference in "\\PC{0,30}|[ab ,.]{0,30}",
        ) {
            let side = PreparedSource::new(&source, &[&reference, &output]);
            for metric in TextMetric::ALL.into_iter().chain(TextMetric::other_bleu()) {
                let score = metric.score(&side, &output).unwrap_or_default();
                prop_assert!((-1e-9..=100.000_001).contains(&score) || metric == TextMetric::Fkgl || metric == TextMetric::Compression, "{metric:?}: {score}");
                prop_assert!(score.is_finite());
            }
            let bare = PreparedSource::new::<&str>(&source, &[]);
            prop_assert_eq!(TextMetric::Sari.score(&bare, &output), None);
        }

        #[test]
        fn the_order_of_references_makes_no_difference(
            source in "[a-c ]{0,20}", output in "[a-d ]{0,20}", mut references in prop::collection::vec("[a-d ]{0,20}", 1..4),
        ) {
            let one = PreparedSource::new(&source, &references);
            references.reverse();
            let other = PreparedSource::new(&source, &references);
            for metric in TextMetric::ALL {
                let (one, other) = (metric.score(&one, &output), metric.score(&other, &output));
                prop_assert_eq!(one.map(|x| (x * 1e9).round()), other.map(|x| (x * 1e9).round()));
            }
        }
    }
}
