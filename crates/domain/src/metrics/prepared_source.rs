//! A source with its references, prepared once for all of its outputs.

use std::sync::OnceLock;

use super::{
    chrf::CharGrams,
    grams::{OutputGrams, SourceGrams},
    sari_lens::{LensGrams, SourceCase},
    signature::LetterCase,
    tokens::mteval_13a,
};

/// A source and its references, with what metrics make of them: tokens and counts of n-grams. Each is
/// made when the first metric asks for it and then serves every output.
///
/// ```
/// use domain::metrics::{Case, Deletion, SourceSide, bleu, sari};
///
/// let side = SourceSide::new("About 95 species are currently accepted.", &[
///     "About 95 species are currently known.",
///     "About 95 species are now accepted.",
/// ]);
/// for output in ["About 95 species are known.", "About 95 species."] {
///     let (sari, bleu) = (sari(&side, output, Deletion::F1), bleu(&side, output, Case::Mixed));
///     assert!(sari.score > 0.0 && bleu.score > 0.0);
/// }
/// ```
#[derive(Debug, Default)]
pub struct PreparedSource {
    source: String,
    references: Vec<String>,
    lower_grams: OnceLock<SourceGrams>,
    mixed_grams: OnceLock<SourceGrams>,
    lens_grams: OnceLock<LensGrams>,
    lens_lower_grams: OnceLock<LensGrams>,
    char_grams: OnceLock<Vec<CharGrams>>,
}

impl PreparedSource {
    /// A source and its references, of which there may be none.
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

    /// The same source without the references that `output` is word for word; `None` where none is.
    /// For figures that leave such outputs no reference of their own.
    #[must_use]
    pub fn without_reference(&self, output: &str) -> Option<Self> {
        let others: Vec<_> = self
            .references
            .iter()
            .filter(|text| *text != output)
            .collect();
        (others.len() < self.references.len()).then(|| Self::new(&self.source, &others))
    }

    /// Counts of n-grams of 13a's tokens.
    pub(super) fn grams(&self, case: LetterCase) -> &SourceGrams {
        let cell = match case {
            LetterCase::Mixed => &self.mixed_grams,
            LetterCase::Lower => &self.lower_grams,
        };
        cell.get_or_init(|| {
            let source = tokenise_13a(&self.source, case);
            let references: Vec<_> = self
                .references
                .iter()
                .map(|text| tokenise_13a(text, case))
                .collect();
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

    pub(super) fn output_grams(&self, output: &str, case: LetterCase) -> OutputGrams {
        self.grams(case)
            .output(split_words(&tokenise_13a(output, case)))
    }
}

/// 13a's tokens with a space between them.
pub(super) fn tokenise_13a(text: &str, case: LetterCase) -> String {
    match case {
        LetterCase::Mixed => mteval_13a(text),
        LetterCase::Lower => mteval_13a(&text.to_lowercase()),
    }
}

pub(super) fn split_words(cut: &str) -> impl Iterator<Item = &str> {
    cut.split(' ').filter(|word| !word.is_empty())
}
