use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    super::{
        UndefinedReason,
        describe::mean,
        significance::{
            ContinuityCorrection, MannWhitneyTest, PairedTTest, WelchTest, WilcoxonOptions,
            WilcoxonTest, holm, mann_whitney, paired_t, welch, wilcoxon,
        },
    },
    WinTieLoss, win_tie_loss,
};

/// A description of the tests of [`compare`], to print beside its figures.
pub const TEST_DESCRIPTION: &str = "paired by source; two-sided; t: Student's paired t-test with its 95 % \
                         interval t(.975, n-1)*s/sqrt(n); Wilcoxon: signed ranks, zero differences \
                         dropped (Wilcoxon 1945), exact to 50 pairs without ties and zeros, else \
                         normal with tie correction and without continuity correction; rank-biserial \
                         (W+ - W-)/(W+ + W-); correction for many pairs: Holm (1979)";

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
    /// Mann and Whitney's U test, with continuity correction.
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
    /// The signed-rank test's p-value, corrected likewise.
    pub wilcoxon_holm: Option<f64>,
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
    let scores = |(system, outputs): (S, Vec<(K, f64)>)| (system, mean_by_source(outputs));
    outputs.into_iter().map(scores).collect()
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
    let score = |(source, scores): (K, Vec<f64>)| (source, mean(&scores));
    sources.into_iter().map(score).collect()
}

/// The pairs (a, b) of scores of the sources that both systems have; input and output are in the
/// order of sources.
#[must_use]
pub fn paired_sources<K: Ord>(a: &[(K, f64)], b: &[(K, f64)]) -> Vec<(f64, f64)> {
    let mut of_b = b.iter().peekable();
    let pair = |(source, of_a): &(K, f64)| {
        while of_b.next_if(|(other, _)| other < source).is_some() {}
        let (_, of_b) = of_b.next_if(|(other, _)| other == source)?;
        Some((*of_a, *of_b))
    };
    a.iter().filter_map(pair).collect()
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
        mann_whitney: mann_whitney(a, b, ContinuityCorrection::Continuity),
    }
}

/// Compares each system with each one after it, and corrects the p-values for all of them.
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
    let of_t = correct_p_values(&pairs, |pair| pair.t.ok().map(|test| test.p));
    let of_wilcoxon = correct_p_values(&pairs, |pair| pair.wilcoxon.ok().map(|test| test.p));
    for ((pair, t), wilcoxon) in pairs.iter_mut().zip(of_t).zip(of_wilcoxon) {
        (pair.t_holm, pair.wilcoxon_holm) = (t, wilcoxon);
    }
    pairs
}

/// The existing p-values, corrected as one family; same shape as `pairs`.
fn correct_p_values<S>(
    pairs: &[SystemPairComparison<S>],
    p: impl Fn(&PairedComparison) -> Option<f64>,
) -> Vec<Option<f64>> {
    let family: Vec<f64> = pairs.iter().filter_map(|pair| p(&pair.of)).collect();
    let mut family = holm(&family).into_iter();
    let each = |pair: &SystemPairComparison<S>| p(&pair.of).and_then(|_| family.next());
    pairs.iter().map(each).collect()
}
