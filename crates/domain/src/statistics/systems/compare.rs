use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    super::{
        UndefinedReason,
        describe::mean,
        letters::compact_letters,
        significance::{
            MannWhitneyPMethod, MannWhitneyTest, PairedTTest, WelchTest, WilcoxonOptions,
            WilcoxonTest, holm, mann_whitney, paired_t, welch, wilcoxon,
        },
    },
    WinTieLoss, win_tie_loss,
};

/// A description of the tests of [`compare`], printed with its figures.
pub const TEST_DESCRIPTION: &str = "paired by source; two-sided; t: Student's paired t-test with its 95 % \
                         interval t(.975, n-1)*s/sqrt(n); Wilcoxon: signed ranks, zero differences \
                         dropped (Wilcoxon 1945), exact to 50 pairs without ties and zeros and to \
                         25 other differences with some, else normal with tie correction and \
                         without continuity correction; rank-biserial (W+ - W-)/(W+ + W-); \
                         correction for many pairs: Holm (1979)";

/// A comparison of two systems on the sources for which both have a rated output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairedComparison {
    /// The number of these sources.
    pub sources: usize,
    /// The mean of a − b over them, in points or standard deviations; `NaN` without sources.
    pub difference: f64,
    /// The numbers of sources on which a is better, equal and worse.
    pub counts: WinTieLoss,
    /// Student's paired t-test, with the interval of the difference.
    pub t: Result<PairedTTest, UndefinedReason>,
    /// The signed-rank test with its rank-biserial correlation.
    pub wilcoxon: Result<WilcoxonTest, UndefinedReason>,
}

/// A comparison of two systems as independent samples of source scores, for systems that were rated on
/// different sources. If both share sources, [`compare`] has more power.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UnpairedComparison {
    /// The number of sources of a.
    pub sources_a: usize,
    /// The number of sources of b.
    pub sources_b: usize,
    /// Welch's t-test.
    pub welch: Result<WelchTest, UndefinedReason>,
    /// Mann and Whitney's U test.
    pub mann_whitney: Result<MannWhitneyTest, UndefinedReason>,
}

/// A comparison of two systems among several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SystemPairComparison<S> {
    /// The first system.
    pub a: S,
    /// The second system; a comes before b in the order of the keys.
    pub b: S,
    /// The comparison of a with b.
    pub of: PairedComparison,
    /// The t-test's p-value, corrected by [`holm`] among all pairs that have one.
    pub t_holm: Option<f64>,
    /// The signed-rank test's p-value, corrected by [`holm`] among the pairs that [can
    /// differ](Self::can_differ); `None` for the others.
    pub wilcoxon_holm: Option<f64>,
}

/// The level at which a corrected p-value shows a difference.
pub const SIGNIFICANCE_LEVEL: f64 = 0.05;

/// The fewest sources on which two systems can differ significantly by the signed-rank test: all five of
/// five may be chance (p = 2/32).
pub const FEWEST_SOURCES: usize = 6;

/// The outcome of a comparison of two systems, for the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairVerdict {
    /// It is better by more than chance.
    Better,
    /// It is worse by more than chance.
    Worse,
    /// The difference may be chance.
    Undecided,
}

impl PairVerdict {
    /// The outcome for the second system.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Better => Self::Worse,
            Self::Worse => Self::Better,
            Self::Undecided => Self::Undecided,
        }
    }
}

impl<S> SystemPairComparison<S> {
    /// Whether both systems have enough sources in common for the signed-rank test to show a difference.
    #[must_use]
    pub const fn can_differ(&self) -> bool {
        self.of.sources >= FEWEST_SOURCES
    }

    /// The outcome by the corrected signed-rank test; undecided without a test.
    #[must_use]
    pub fn verdict(&self) -> PairVerdict {
        let effect = self.of.wilcoxon.map_or(0.0, |test| test.rank_biserial);
        let significant = self.wilcoxon_holm.is_some_and(|p| p <= SIGNIFICANCE_LEVEL);
        match effect {
            effect if significant && effect > 0.0 => PairVerdict::Better,
            effect if significant && effect < 0.0 => PairVerdict::Worse,
            _ => PairVerdict::Undecided,
        }
    }
}

/// The [compact letters](compact_letters) of `systems` systems, numbered from the best, by the verdicts on
/// their pairs: systems that share a letter cannot be told apart. A pair that is missing shares a letter.
#[must_use]
pub fn system_letters(
    systems: usize,
    pairs: &[SystemPairComparison<usize>],
) -> Option<Vec<String>> {
    let decided = pairs
        .iter()
        .filter(|pair| pair.verdict() != PairVerdict::Undecided);
    let different: BTreeSet<_> = decided
        .map(|pair| (pair.a.min(pair.b), pair.a.max(pair.b)))
        .collect();
    compact_letters(systems, |a, b| different.contains(&(a, b)))
}

/// Each system's score of each source, by the order of sources: the mean over its outputs of the
/// source, in points or standard deviations, from (system, source, score) of outputs. A source
/// without a rated output is absent.
#[must_use]
pub fn scores_by_source<S: Ord, K: Ord>(
    scored: impl IntoIterator<Item = (S, K, f64)>,
) -> BTreeMap<S, Vec<(K, f64)>> {
    let mut outputs: BTreeMap<S, Vec<(K, f64)>> = BTreeMap::new();
    for (system, source, score) in scored {
        outputs.entry(system).or_default().push((source, score));
    }
    outputs
        .into_iter()
        .map(|(system, outputs)| (system, mean_by_source(outputs)))
        .collect()
}

fn mean_by_source<K: Ord>(mut outputs: Vec<(K, f64)>) -> Vec<(K, f64)> {
    outputs.sort_by(|a, b| a.0.cmp(&b.0));
    let mut sources = Vec::<(K, Vec<f64>)>::with_capacity(outputs.len());
    for (source, score) in outputs {
        match sources.last_mut() {
            Some((last, scores)) if *last == source => scores.push(score),
            _ => sources.push((source, vec![score])),
        }
    }

    sources
        .into_iter()
        .map(|(source, scores)| (source, mean(&scores)))
        .collect()
}

/// The pairs (a, b) of scores of the sources that both systems have; input and output are in the
/// order of sources.
#[must_use]
pub fn paired_sources<K: Ord>(a: &[(K, f64)], b: &[(K, f64)]) -> Vec<(f64, f64)> {
    let mut of_b = b.iter().peekable();
    let pairs = a.iter().filter_map(|(source, score_a)| {
        while of_b.next_if(|(other, _)| other < source).is_some() {}
        let (_, score_b) = of_b.next_if(|(other, _)| other == source)?;
        Some((*score_a, *score_b))
    });
    pairs.collect()
}

/// Compares pairs (a, b) of scores of the same source, with the tests of
/// [`TEST_DESCRIPTION`]; differences up to `tie_points` are ties in the counts only.
#[must_use]
pub fn compare(pairs: &[(f64, f64)], tie_points: f64) -> PairedComparison {
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    PairedComparison {
        sources: pairs.len(),
        difference: mean(&differences),
        counts: win_tie_loss(pairs, tie_points),
        t: paired_t(pairs),
        wilcoxon: wilcoxon(pairs, WilcoxonOptions::default()),
    }
}

/// Compares the source scores of two systems as independent samples.
#[must_use]
pub fn compare_unpaired(a: &[f64], b: &[f64]) -> UnpairedComparison {
    UnpairedComparison {
        sources_a: a.len(),
        sources_b: b.len(),
        welch: welch(a, b),
        mann_whitney: mann_whitney(a, b, MannWhitneyPMethod::Auto),
    }
}

/// Compares each system with each one after it, and corrects the p-values of each test as one family.
/// Pairs on fewer than [`FEWEST_SOURCES`] sources stay out of the signed-rank tests' family: they can never
/// be significant, so that they add no false finding and would only hide true ones (Tarone 1990).
#[must_use]
pub fn compare_each<S: Ord + Clone, K: Ord>(
    scores: &BTreeMap<S, Vec<(K, f64)>>,
    tie_points: f64,
) -> Vec<SystemPairComparison<S>> {
    let mut pairs = Vec::new();
    for (number, (a, of_a)) in scores.iter().enumerate() {
        for (b, of_b) in scores.iter().skip(number + 1) {
            pairs.push(SystemPairComparison {
                a: a.clone(),
                b: b.clone(),
                of: compare(&paired_sources(of_a, of_b), tie_points),
                t_holm: None,
                wilcoxon_holm: None,
            });
        }
    }

    let of_t = correct_p_values(&pairs, |pair| pair.of.t.ok().map(|test| test.p));
    let of_wilcoxon = correct_p_values(&pairs, |pair| {
        let test = pair.of.wilcoxon.ok().filter(|_| pair.can_differ());
        test.map(|test| test.p)
    });
    for ((pair, t), wilcoxon) in pairs.iter_mut().zip(of_t).zip(of_wilcoxon) {
        (pair.t_holm, pair.wilcoxon_holm) = (t, wilcoxon);
    }
    pairs
}

/// The existing p-values, corrected as one family; same shape as `pairs`.
fn correct_p_values<S>(
    pairs: &[SystemPairComparison<S>],
    p: impl Fn(&SystemPairComparison<S>) -> Option<f64>,
) -> Vec<Option<f64>> {
    let family: Vec<f64> = pairs.iter().filter_map(&p).collect();
    let mut family = holm(&family).into_iter();
    pairs
        .iter()
        .map(|pair| p(pair).and_then(|_| family.next()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair of systems on `sources` sources, on all of which a is better by the same difference.
    fn pair(a: usize, b: usize, sources: u32, difference: f64) -> SystemPairComparison<usize> {
        let scores =
            (0..sources).map(|source| (f64::from(source) * 1.5 + difference, f64::from(source)));
        let comparison = compare(&scores.collect::<Vec<_>>(), 0.0);
        let p = comparison.wilcoxon.ok().map(|test| test.p);
        SystemPairComparison {
            a,
            b,
            of: comparison,
            t_holm: p,
            wilcoxon_holm: p,
        }
    }

    #[test]
    fn a_verdict_needs_sources_and_has_two_sides() {
        for (sources, difference, verdict) in [
            (10, 1.0, PairVerdict::Better),
            (FEWEST_SOURCES as u32, 1.0, PairVerdict::Better),
            (FEWEST_SOURCES as u32 - 1, 1.0, PairVerdict::Undecided),
            (20, -40.0, PairVerdict::Worse),
            (0, 1.0, PairVerdict::Undecided),
        ] {
            let found = pair(0, 1, sources, difference).verdict();
            assert_eq!(found, verdict, "{sources} sources");
            assert_eq!(found.reversed().reversed(), found);
        }
        let mut corrected = pair(0, 1, 10, 1.0);
        corrected.wilcoxon_holm = Some(0.051);
        assert_eq!(corrected.verdict(), PairVerdict::Undecided);
    }

    #[test]
    fn pairs_that_can_never_differ_do_not_hide_others() {
        let on = |sources: std::ops::Range<u32>, bonus: f64| -> Vec<(u32, f64)> {
            let score = |source| (source, f64::from(source) * 1.5 + bonus);
            sources.map(score).collect()
        };
        // Two systems on eight sources, and ten more with one source each.
        let mut scores = BTreeMap::from([(0, on(0..8, 1.0)), (1, on(0..8, 0.0))]);
        scores.extend((2..12).map(|system| (system, on(0..1, f64::from(system)))));
        let pairs = compare_each(&scores, 0.0);
        let [first, others @ ..] = &pairs[..] else {
            panic!("66 pairs");
        };
        assert_eq!(first.verdict(), PairVerdict::Better);
        assert_eq!(
            first.wilcoxon_holm,
            first.of.wilcoxon.ok().map(|test| test.p)
        );
        assert_eq!(others.len(), 65);
        assert!(
            others
                .iter()
                .all(|pair| pair.wilcoxon_holm.is_none() && !pair.can_differ())
        );
    }

    #[test]
    fn systems_that_cannot_be_told_apart_share_a_letter() {
        let pairs = [pair(0, 1, 5, 1.0), pair(0, 2, 10, 1.0), pair(1, 2, 5, 1.0)];
        assert_eq!(system_letters(3, &pairs).unwrap(), ["a", "ab", "b"]);
        assert_eq!(system_letters(1, &[]).unwrap(), ["a"]);
    }
}
