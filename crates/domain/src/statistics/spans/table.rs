//! The table from which the agreement on marked spans is computed.

use std::collections::BTreeMap;

use super::{
    super::{
        UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap},
    },
    JudgedMarks, MarkScope,
    characters::MarkedCharacters,
    overlap::{OverlapCounts, SourceOverlaps, mean_f1},
    unitised::{UnitisedCounts, alpha},
};

/// A description of the figures of [`SpanTable`], printed with them.
pub const SPAN_AGREEMENT_DESCRIPTION: &str = "on characters of source and output without white space; F1: characters that two raters both \
     marked with a type against those that each marked, pooled over outputs, mean over pairs of raters; \
     alpha: Krippendorff's unitised alpha (Krippendorff et al. 2016), nominal, of one type: marked or not, of all \
     types: the set of types of a character; intervals resample sources";

/// The marks of outputs that two raters or more judged, as sums by source.
#[derive(Debug, Clone)]
pub struct SpanTable {
    types: Vec<String>,
    /// All types, then each of them.
    scopes: Vec<ScopeCounts>,
    sources: usize,
    /// The number of pairs of raters with an output in common.
    pairs: usize,
    /// The number of outputs that two raters or more judged.
    pairable: usize,
}

/// The sums of one scope.
#[derive(Debug, Clone)]
struct ScopeCounts {
    scope: MarkScope,
    overlaps: Vec<SourceOverlaps>,
    unitised: Vec<UnitisedCounts>,
    /// The sets of types that a character has, numbered.
    values: BTreeMap<Vec<usize>, usize>,
}

impl SpanTable {
    /// Builds the table from each rater's marks of each output, in any order. `types` are those to list; a type of
    /// a mark that is not among them is added after them. Of two entries of a rater for an output the later counts.
    /// A source without an output that two raters judged is drawn in resamples like the others.
    #[must_use]
    pub fn new<'a, R: Ord, U: Ord + Clone, O: Ord>(
        types: &[impl AsRef<str>],
        judged: impl IntoIterator<Item = JudgedMarks<'a, R, U, O>>,
    ) -> Self {
        let mut types: Vec<String> = types.iter().map(|name| name.as_ref().to_owned()).collect();
        let mut outputs = BTreeMap::<(U, O), BTreeMap<R, MarkedCharacters>>::new();
        for one in judged {
            let characters = MarkedCharacters::new(&one, |name| {
                types
                    .iter()
                    .position(|known| known == name)
                    .unwrap_or_else(|| {
                        types.push(name.to_owned());
                        types.len() - 1
                    })
            });
            let raters = outputs.entry((one.source, one.output)).or_default();
            raters.insert(one.rater, characters);
        }

        let mut sources = BTreeMap::<U, usize>::new();
        for (source, _) in outputs.keys() {
            let next = sources.len();
            sources.entry(source.clone()).or_insert(next);
        }
        let mut numbers = BTreeMap::<R, usize>::new();
        let mut pairs = BTreeMap::<(usize, usize), usize>::new();
        let type_scopes = (0..types.len()).map(MarkScope::Type);
        let scopes = std::iter::once(MarkScope::All).chain(type_scopes);
        let mut scopes: Vec<_> = scopes
            .map(|scope| ScopeCounts::new(scope, sources.len()))
            .collect();

        let mut pairable = 0;
        for ((source, _), raters) in outputs {
            if raters.len() < 2 {
                continue;
            }

            pairable += 1;
            let (mut rater_numbers, mut characters) = (vec![], vec![]);
            for (rater, rater_characters) in raters {
                let next = numbers.len();
                rater_numbers.push(*numbers.entry(rater).or_insert(next));
                characters.push(rater_characters);
            }

            let rater_pairs = number_pairs(&rater_numbers, &mut pairs);
            for scope in &mut scopes {
                scope.add(sources[&source], &characters, &rater_pairs);
            }
        }

        Self {
            types,
            scopes,
            sources: sources.len(),
            pairs: pairs.len(),
            pairable,
        }
    }

    /// The types, which [`MarkScope::Type`] numbers: those listed for [`SpanTable::new`], then others that marks have.
    #[must_use]
    pub fn types(&self) -> &[String] {
        &self.types
    }

    /// The number of outputs that two raters or more judged.
    #[must_use]
    pub const fn pairable_outputs(&self) -> usize {
        self.pairable
    }

    /// The number of pairs of raters who judged an output in common.
    #[must_use]
    pub const fn rater_pairs(&self) -> usize {
        self.pairs
    }

    /// The number of sources, which is the number of draws of a resample.
    #[must_use]
    pub const fn sources(&self) -> usize {
        self.sources
    }

    /// F1 of overlap, from 0 to 1. For a pair of raters it is 2·|A∩B|/(|A|+|B|) over the outputs that both judged, where
    /// A and B are the characters that each marked with a type, of all types the pairs of a character and a type;
    /// the figure is the mean over pairs of raters. A pair that marked nothing in the scope is left out: nobody
    /// can say how far they agree on it. A character that two marks of one type cover counts once.
    ///
    /// # Errors
    /// [`UndefinedReason::NoPairableUnit`] if no output was judged by two raters, [`UndefinedReason::NoMark`] if
    /// nobody marked anything in the scope.
    ///
    /// # Panics
    /// If the number of the type is out of range.
    pub fn f1(&self, scope: MarkScope) -> Result<f64, UndefinedReason> {
        mean_f1(self.pairs, self.counts(scope).overlaps.iter())
    }

    /// The percentile interval of [`SpanTable::f1`], sources resampled.
    ///
    /// # Errors
    /// As for [`bootstrap`].
    ///
    /// # Panics
    /// If the number of the type is out of range.
    pub fn f1_interval(
        &self,
        scope: MarkScope,
        resampling: ResamplingOptions,
    ) -> Result<BootstrapInterval, UndefinedReason> {
        let overlaps = &self.counts(scope).overlaps;
        bootstrap(self.sources, resampling, |drawn| {
            mean_f1(self.pairs, drawn.iter().map(|source| &overlaps[*source]))
        })
    }

    /// Krippendorff's unitised α, nominal (ᵤα), at most 1: agreement on which characters are marked, beyond
    /// chance. The continuum is the characters of all outputs that two raters or more judged, each output after its
    /// source, and each with the raters who judged it. A character's value is the set of types with which a rater
    /// marked it: so marks that overlap need no rule for which of them counts, and a character with two types
    /// differs from one with either alone. With a single type the value is marked or not.
    ///
    /// With N values nᵥ of each kind, α = 1 − D·(N − C/N)/(N² − Σnᵥ²). D sums, over characters, the ordered pairs of
    /// raters who differ there over the number of raters less one. C is the number of pairs of characters within
    /// the same unit of the same rater, which cannot be paired by chance: L² for a unit of L marked characters, 1
    /// for each character without a mark. Characters that the same marks of the scope cover and that follow each
    /// other in a text are a unit. If every unit were one character long, this would be the ordinary α.
    ///
    /// Source: Krippendorff, Mathet, Bouvry and Widlöcher (2016), Quality & Quantity 50, 2347–2364; Krippendorff
    /// (2019), Content Analysis, 4th edition, equations 32 to 34.
    ///
    /// # Errors
    /// [`UndefinedReason::NoPairableUnit`] if no output was judged by two raters, [`UndefinedReason::Constant`] if all
    /// characters have the same value, as where nobody marked anything in the scope.
    ///
    /// # Panics
    /// If the number of the type is out of range.
    pub fn alpha(&self, scope: MarkScope) -> Result<f64, UndefinedReason> {
        let counts = self.counts(scope);
        alpha(counts.values.len(), counts.unitised.iter())
    }

    /// The percentile interval of [`SpanTable::alpha`], sources resampled.
    ///
    /// # Errors
    /// As for [`bootstrap`].
    ///
    /// # Panics
    /// If the number of the type is out of range.
    pub fn alpha_interval(
        &self,
        scope: MarkScope,
        resampling: ResamplingOptions,
    ) -> Result<BootstrapInterval, UndefinedReason> {
        let counts = self.counts(scope);
        bootstrap(self.sources, resampling, |drawn| {
            let sources = drawn.iter().map(|source| &counts.unitised[*source]);
            alpha(counts.values.len(), sources)
        })
    }

    fn counts(&self, scope: MarkScope) -> &ScopeCounts {
        match scope {
            MarkScope::All => &self.scopes[0],
            MarkScope::Type(number) => &self.scopes[number + 1],
        }
    }
}

/// The pairs of an output's raters: the number of the pair, and the places of both. New pairs get the next number.
fn number_pairs(
    raters: &[usize],
    pairs: &mut BTreeMap<(usize, usize), usize>,
) -> Vec<(usize, usize, usize)> {
    let mut output_pairs = vec![];
    for (first, a) in raters.iter().enumerate() {
        for (second, b) in raters.iter().enumerate().skip(first + 1) {
            let next = pairs.len();
            let pair = pairs.entry((*a.min(b), *a.max(b))).or_insert(next);
            output_pairs.push((*pair, first, second));
        }
    }
    output_pairs
}

impl ScopeCounts {
    fn new(scope: MarkScope, sources: usize) -> Self {
        Self {
            scope,
            overlaps: vec![SourceOverlaps::new(); sources],
            unitised: vec![UnitisedCounts::default(); sources],
            values: BTreeMap::new(),
        }
    }

    /// Adds an output of a source. `pairs` are the pairs of its raters: their number, and the places of both.
    fn add(&mut self, source: usize, raters: &[MarkedCharacters], pairs: &[(usize, usize, usize)]) {
        let values: Vec<_> = raters
            .iter()
            .map(|rater| rater.values(self.scope))
            .collect();
        for (pair, first, second) in pairs {
            let counts = OverlapCounts::count(&values[*first], &values[*second]);
            self.overlaps[source].entry(*pair).or_default().add(counts);
        }

        let numbers = &mut self.values;
        self.unitised[source].add(raters, &values, self.scope, |value| {
            if let Some(number) = numbers.get(value) {
                return *number;
            }
            let next = numbers.len();
            numbers.insert(value.to_vec(), next);
            next
        });
    }
}
