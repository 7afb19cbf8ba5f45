//! A source with its references, prepared once for all of its outputs, and an output, prepared once for all of its references.

use std::sync::OnceLock;

use super::{
    chrf::CharGrams,
    grams::{OutputGrams, SourceGrams},
    sari_lens::{LensGrams, SourceCase},
    signature::LetterCase,
    tokenisation::{Tokenisation, WordTokeniser},
};

/// A source and its references, with the tokens and n-gram counts that metrics need. Each is computed
/// when it is first used and then serves every output.
///
/// ```
/// use domain::metrics::{DeletionMeasure, LetterCase, PreparedSource, bleu, sari};
///
/// let source = PreparedSource::new("About 95 species are currently accepted.", &[
///     "About 95 species are currently known.",
///     "About 95 species are now accepted.",
/// ]);
/// for output in ["About 95 species are known.", "About 95 species."] {
///     let sari = sari(&source, output, DeletionMeasure::F1);
///     let bleu = bleu(&source, output, LetterCase::Mixed);
///     assert!(sari.score > 0.0 && bleu.score > 0.0);
/// }
/// ```
#[derive(Debug, Default)]
pub struct PreparedSource {
    source: String,
    references: Vec<String>,
    lower_grams: OnceLock<SourceGrams>,
    mixed_grams: OnceLock<SourceGrams>,
    /// N-grams of tokenisers other than 13a, by [`Tokenisation::place`]; hardly any source needs them.
    other_grams: OnceLock<Box<[OnceLock<SourceGrams>; Tokenisation::COUNT]>>,
    lens_grams: OnceLock<LensGrams>,
    lens_lower_grams: OnceLock<LensGrams>,
    char_grams: OnceLock<Vec<CharGrams>>,
}

impl PreparedSource {
    /// Prepares a source and its references, which may be empty.
    #[must_use]
    pub fn new<T: AsRef<str>>(source: &str, references: &[T]) -> Self {
        let references = references.iter().map(|text| text.as_ref().to_owned());
        Self {
            source: source.to_owned(),
            references: references.collect(),
            ..Self::default()
        }
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its references.
    #[must_use]
    pub fn references(&self) -> &[String] {
        &self.references
    }

    /// Counts of n-grams.
    pub(super) fn grams(&self, tokenisation: Tokenisation) -> &SourceGrams {
        let cell = match (tokenisation.tokeniser, tokenisation.case) {
            (WordTokeniser::Mteval13a, LetterCase::Mixed) => &self.mixed_grams,
            (WordTokeniser::Mteval13a, LetterCase::Lower) => &self.lower_grams,
            _ => &self.other_grams.get_or_init(Box::default)[tokenisation.place()],
        };
        cell.get_or_init(|| {
            let source = tokenisation.cut(&self.source);
            let references = self.references.iter();
            let references: Vec<_> = references.map(|text| tokenisation.cut(text)).collect();
            SourceGrams::new(
                split_words(&source),
                references.iter().map(|text| split_words(text)),
            )
        })
    }

    pub(super) fn lens_grams(&self, case: SourceCase) -> &LensGrams {
        let cell = match case {
            SourceCase::Written => &self.lens_grams,
            SourceCase::Lower => &self.lens_lower_grams,
        };
        cell.get_or_init(|| LensGrams::new(&self.source, &self.references, case))
    }

    pub(super) fn char_grams(&self) -> &[CharGrams] {
        self.char_grams.get_or_init(|| {
            self.references
                .iter()
                .map(|text| CharGrams::new(text))
                .collect()
        })
    }

    pub(super) fn output_grams(
        &self,
        output: &PreparedOutput,
        tokenisation: Tokenisation,
    ) -> OutputGrams {
        let grams = self.grams(tokenisation);
        match tokenisation.tokeniser {
            WordTokeniser::Mteval13a => grams.output(split_words(output.tokens(tokenisation.case))),
            _ => grams.output(split_words(&tokenisation.cut(&output.text))),
        }
    }
}

/// An output with the tokens and n-gram counts that metrics need, to be compared with several references one by one.
/// Each is computed when it is first used.
///
/// ```
/// use domain::metrics::{ChrfCounts, PreparedOutput, PreparedSource, chrf};
///
/// let output = PreparedOutput::new("About 95 species are known.");
/// for reference in ["About 95 species are currently known.", "95 are known."] {
///     let side = PreparedSource::new("", &[reference]);
///     let counts = ChrfCounts::count(&side, &output);
///     assert_eq!(counts.chrf(), chrf(&side, output.text()));
/// }
/// ```
#[derive(Debug, Default)]
pub struct PreparedOutput {
    text: String,
    lower_tokens: OnceLock<String>,
    mixed_tokens: OnceLock<String>,
    char_grams: OnceLock<CharGrams>,
}

impl PreparedOutput {
    /// Prepares an output.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    /// The output.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// 13a's tokens with a space between them.
    fn tokens(&self, case: LetterCase) -> &str {
        let cell = match case {
            LetterCase::Mixed => &self.mixed_tokens,
            LetterCase::Lower => &self.lower_tokens,
        };
        cell.get_or_init(|| tokenise_13a(&self.text, case))
    }

    pub(super) fn char_grams(&self) -> &CharGrams {
        self.char_grams.get_or_init(|| CharGrams::new(&self.text))
    }
}

/// 13a's tokens with a space between them.
pub(super) fn tokenise_13a(text: &str, case: LetterCase) -> String {
    Tokenisation::from(case).cut(text)
}

pub(super) fn split_words(cut: &str) -> impl Iterator<Item = &str> {
    cut.split(' ').filter(|word| !word.is_empty())
}
