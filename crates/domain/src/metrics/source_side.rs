//! A source with its references, prepared once for all of its outputs.

use std::sync::OnceLock;

use super::{
    chrf::Chars,
    grams::{Grams, OutputGrams},
    sari_lens::{LensGrams, SourceCase},
    signature::Case,
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
pub struct SourceSide {
    source: String,
    references: Vec<String>,
    lower: OnceLock<Grams>,
    mixed: OnceLock<Grams>,
    lens: OnceLock<LensGrams>,
    lens_lower: OnceLock<LensGrams>,
    chars: OnceLock<Vec<Chars>>,
}

impl SourceSide {
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
    pub fn without(&self, output: &str) -> Option<Self> {
        let others: Vec<_> = self
            .references
            .iter()
            .filter(|text| *text != output)
            .collect();
        (others.len() < self.references.len()).then(|| Self::new(&self.source, &others))
    }

    /// Counts of n-grams of 13a's tokens.
    pub(super) fn grams(&self, case: Case) -> &Grams {
        let cell = match case {
            Case::Mixed => &self.mixed,
            Case::Lower => &self.lower,
        };
        cell.get_or_init(|| {
            let source = cut(&self.source, case);
            let references: Vec<_> = self.references.iter().map(|text| cut(text, case)).collect();
            Grams::new(words(&source), references.iter().map(|text| words(text)))
        })
    }

    pub(super) fn lens(&self, case: SourceCase) -> &LensGrams {
        let cell = match case {
            SourceCase::Written => &self.lens,
            SourceCase::Lower => &self.lens_lower,
        };
        cell.get_or_init(|| LensGrams::new(&self.source, &self.references, case))
    }

    pub(super) fn chars(&self) -> &[Chars] {
        self.chars.get_or_init(|| {
            self.references
                .iter()
                .map(|text| Chars::new(text))
                .collect()
        })
    }

    pub(super) fn output(&self, output: &str, case: Case) -> OutputGrams {
        self.grams(case).output(words(&cut(output, case)))
    }
}

/// 13a's tokens with a space between them.
pub(super) fn cut(text: &str, case: Case) -> String {
    match case {
        Case::Mixed => mteval_13a(text),
        Case::Lower => mteval_13a(&text.to_lowercase()),
    }
}

pub(super) fn words(cut: &str) -> impl Iterator<Item = &str> {
    cut.split(' ').filter(|word| !word.is_empty())
}
