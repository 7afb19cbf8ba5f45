//! The agreement of metrics with comparisons of outputs.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use serde::Serialize;

use super::{CorrelationEstimates, IntervalEstimate};
use crate::{
    comparison::ComparisonAnswer,
    statistics::{
        UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions, percentile_interval, resample},
        correlation::{pearson, spearman},
        pairwise::{ComparisonTable, bradley_terry},
        systems::WinTieLoss,
        tau_like::{OutputPreferences, TauLike},
    },
};

/// Raters' comparisons of outputs, in a form that serves any number of metrics. A choice of the best and the worst
/// counts as the pairs that it decides ([`ComparisonAnswer::pairs`]), and each answer on a pair as one vote.
#[derive(Debug, Clone)]
pub struct OutputComparisons<U> {
    outputs: Vec<U>,
    /// The votes of each rater, by source and pair of outputs.
    by_rater: Vec<BTreeMap<OutputPair, WinTieLoss>>,
    preferences: OutputPreferences<()>,
}

/// A source and two of its outputs, the smaller index first.
type OutputPair = (usize, (usize, usize));

/// The agreement of a metric with comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ComparisonEvaluation {
    /// The number of compared outputs.
    pub outputs: usize,
    /// The number of these without a score. They count against the metric, as it has no preference there.
    pub unscored: usize,
    /// Kendall-tau-like over the pairs of outputs that raters compared.
    pub tau: TauLike,
    /// Its percentile interval over sources.
    pub tau_interval: Result<BootstrapInterval, UndefinedReason>,
}

impl<U: Ord + Clone> OutputComparisons<U> {
    /// Collects (rater, source, answer) in any order.
    #[must_use]
    pub fn new<R: Ord, S: Ord>(
        answers: impl IntoIterator<Item = (R, S, ComparisonAnswer<U>)>,
    ) -> Self {
        let answers: Vec<_> = answers.into_iter().collect();
        let raters = numbered(answers.iter().map(|(rater, ..)| rater));
        let sources = numbered(answers.iter().map(|(_, source, _)| source));
        let outputs = numbered(answers.iter().flat_map(|(.., answer)| answer.shown()));

        let mut by_rater = vec![BTreeMap::<_, WinTieLoss>::new(); raters.len()];
        let mut by_source = vec![BTreeMap::<_, WinTieLoss>::new(); sources.len()];
        for (rater, source, answer) in &answers {
            let source = sources[source];
            for pair in answer.pairs() {
                let (a, b) = (outputs[*pair.a()], outputs[*pair.b()]);
                let (pair, outcome) = match a < b {
                    true => ((a, b), pair.outcome()),
                    false => ((b, a), pair.outcome().reversed()),
                };
                let of_source = by_source[source].entry(pair).or_default();
                let of_rater = by_rater[raters[rater]].entry((source, pair)).or_default();
                for votes in [of_source, of_rater] {
                    *votes = votes.plus(outcome.into());
                }
            }
        }

        Self {
            preferences: OutputPreferences::from_votes(&by_source),
            outputs: outputs.into_keys().cloned().collect(),
            by_rater,
        }
    }

    /// The compared outputs, in the order of their keys.
    #[must_use]
    pub fn outputs(&self) -> &[U] {
        &self.outputs
    }

    /// Evaluates a metric by its scores, one for each of [`Self::outputs`], `NaN` for outputs without one. Larger is
    /// better. Outputs of one source are compared whatever their category, as raters were asked to do.
    ///
    /// # Panics
    /// If there are not as many scores as outputs.
    #[must_use]
    pub fn evaluate(&self, scores: &[f64], resampling: ResamplingOptions) -> ComparisonEvaluation {
        assert_eq!(scores.len(), self.outputs.len(), "one score an output");
        let breakdown = self.preferences.judge(scores);
        ComparisonEvaluation {
            outputs: scores.len(),
            unscored: scores.iter().filter(|score| !score.is_finite()).count(),
            tau: breakdown.total(None),
            tau_interval: breakdown.interval(None, resampling),
        }
    }

    /// The agreement of each rater with the majority of the others, on the pairs that both decided: an upper limit for
    /// metrics. Ties of either side are skipped. A rater who shares no pair with others has zeros only.
    #[must_use]
    pub fn evaluate_held_out_raters(&self) -> Vec<TauLike> {
        let mut all = BTreeMap::<OutputPair, WinTieLoss>::new();
        for (pair, votes) in self.by_rater.iter().flatten() {
            let sum = all.entry(*pair).or_default();
            *sum = sum.plus(*votes);
        }

        self.by_rater
            .iter()
            .map(|own_votes| agreement_with_rest(own_votes, &all))
            .collect()
    }
}

/// The agreement of a rater's votes with the majority of all other votes.
fn agreement_with_rest(
    own_votes: &BTreeMap<OutputPair, WinTieLoss>,
    all: &BTreeMap<OutputPair, WinTieLoss>,
) -> TauLike {
    let mut counts = TauLike::default();
    for (pair, own) in own_votes {
        let together = all[pair];
        let rest = WinTieLoss {
            wins: together.wins - own.wins,
            ties: together.ties - own.ties,
            losses: together.losses - own.losses,
        };

        match (rest.majority(), own.majority()) {
            (Ordering::Equal, _) => counts.skipped += usize::from(rest.total() > 0),
            (_, Ordering::Equal) => counts.skipped += 1,
            (rest, own) if rest == own => counts.concordant += 1,
            _ => counts.discordant += 1,
        }
    }
    counts
}

/// The log strengths of systems on all sources, and on resamples of them; any number of metrics can be correlated with
/// them.
#[derive(Debug, Clone)]
pub struct ResampledStrengths {
    all: Result<Vec<f64>, UndefinedReason>,
    /// How often each resample draws each source, and the strengths on it.
    resamples: Vec<ResampledFit>,
    sources: usize,
    confidence: f64,
}

/// The mean score and the strength of each system.
type SystemPairs = Result<Vec<(f64, f64)>, UndefinedReason>;

/// A figure of pairs of values.
type CorrelationFigure = fn(&[(f64, f64)]) -> Result<f64, UndefinedReason>;

/// The strengths on one resample of sources.
#[derive(Debug, Clone)]
struct ResampledFit {
    times: Vec<u32>,
    strengths: Result<Vec<f64>, UndefinedReason>,
}

impl ResampledStrengths {
    /// Fits the model of Bradley and Terry with Davidson's ties ([`bradley_terry`]) on all sources of the table and on
    /// each resample.
    #[must_use]
    pub fn new<S>(table: &ComparisonTable<S>, resampling: ResamplingOptions) -> Self {
        let sources = table.sources();
        let mut indices = Vec::with_capacity(sources);
        let resamples = (0..resampling.replicates as u64).map(|replicate| {
            resample(resampling.seed, replicate, sources, &mut indices);
            ResampledFit {
                times: super::count_draws(&indices, sources),
                strengths: fit_strengths(table, indices.iter().copied()),
            }
        });

        Self {
            // A single source has no resamples that differ.
            resamples: resamples.take_while(|_| sources > 1).collect(),
            all: fit_strengths(table, 0..sources),
            sources,
            confidence: resampling.confidence,
        }
    }

    /// The correlations over systems of log strengths and a metric's mean scores. `scores` holds the score of each
    /// source's output by each system, in the order of the table, `NaN` where there is none; larger is better.
    ///
    /// Intervals are over sources; strengths and means are those of the same resample. Figures are undefined with fewer
    /// than three systems, for a metric whose means are all equal, and where the comparisons do not connect the systems;
    /// intervals also with fewer than two sources.
    ///
    /// # Panics
    /// If there are not as many rows as sources.
    #[must_use]
    pub fn correlate(&self, scores: &[Vec<f64>]) -> CorrelationEstimates {
        assert_eq!(scores.len(), self.sources, "one row a source");
        let once = vec![1; self.sources];
        let all = Self::pairs(&self.all, &once, scores);
        let resampled = self.resamples.iter();
        let resampled: Vec<_> = resampled
            .map(|resample| Self::pairs(&resample.strengths, &resample.times, scores))
            .collect();

        CorrelationEstimates {
            pearson: self.estimate(
                |pairs| pearson(pairs).map(|r| r.coefficient),
                &all,
                &resampled,
            ),
            spearman: self.estimate(
                |pairs| spearman(pairs).map(|rho| rho.coefficient),
                &all,
                &resampled,
            ),
        }
    }

    /// The figure of all sources, with the interval over resamples.
    fn estimate(
        &self,
        figure: CorrelationFigure,
        all: &SystemPairs,
        resampled: &[SystemPairs],
    ) -> IntervalEstimate {
        let enough = crate::undefined::require(2, self.sources);
        let value = compute_figure(figure, all);
        let replicates = resampled.iter().map(|pairs| compute_figure(figure, pairs));
        IntervalEstimate {
            value,
            interval: enough
                .and(value)
                .and_then(|_| percentile_interval(replicates, self.confidence)),
        }
    }

    /// The pairs of the systems with a score.
    fn pairs(
        strengths: &Result<Vec<f64>, UndefinedReason>,
        times: &[u32],
        scores: &[Vec<f64>],
    ) -> SystemPairs {
        let strengths = strengths.as_ref().map_err(|reason| *reason)?;
        let mut sums = vec![(0.0, 0.0); strengths.len()];
        for (times, row) in times.iter().zip(scores).filter(|(times, _)| **times > 0) {
            let weight = f64::from(*times);
            for ((sum, count), score) in sums.iter_mut().zip(row) {
                if score.is_finite() {
                    *sum += weight * score;
                    *count += weight;
                }
            }
        }

        let systems = sums.iter().zip(strengths);
        let systems = systems.filter(|((_, count), _)| *count > 0.0);
        Ok(systems
            .map(|((sum, count), strength)| (sum / count, *strength))
            .collect())
    }
}

fn fit_strengths<S>(
    table: &ComparisonTable<S>,
    sources: impl Iterator<Item = usize>,
) -> Result<Vec<f64>, UndefinedReason> {
    let fit = bradley_terry(&table.win_matrix_of(sources))?;
    Ok(fit.strengths)
}

fn compute_figure(figure: CorrelationFigure, pairs: &SystemPairs) -> Result<f64, UndefinedReason> {
    match pairs {
        Ok(pairs) => figure(pairs),
        Err(reason) => Err(*reason),
    }
}

/// The keys with their places in their order.
fn numbered<'a, K: Ord + 'a>(keys: impl Iterator<Item = &'a K>) -> BTreeMap<&'a K, usize> {
    let keys: BTreeSet<&K> = keys.collect();
    keys.into_iter().zip(0..).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{BestWorstChoice, ComparedPair, PairOutcome};

    fn pair(a: u32, b: u32, outcome: PairOutcome) -> ComparisonAnswer<u32> {
        ComparisonAnswer::Pair(ComparedPair::new(a, b, outcome).expect("two outputs"))
    }

    #[test]
    fn the_majority_decides_and_ties_of_the_metric_count_against_it() {
        let comparisons = OutputComparisons::new([
            ("x", 1, pair(1, 2, PairOutcome::A)),
            ("y", 1, pair(2, 1, PairOutcome::B)),
            ("z", 1, pair(1, 2, PairOutcome::B)),
            // One for each side: no majority.
            ("x", 2, pair(3, 4, PairOutcome::A)),
            ("y", 2, pair(3, 4, PairOutcome::Tie)),
            ("x", 3, pair(5, 6, PairOutcome::A)),
        ]);
        assert_eq!(comparisons.outputs(), [1, 2, 3, 4, 5, 6]);
        let evaluate = |scores: [f64; 6]| {
            let options = ResamplingOptions::default();
            comparisons.evaluate(&scores, options)
        };
        let right = evaluate([2.0, 1.0, 0.0, 0.0, 2.0, 1.0]);
        let counts = |tau: TauLike| (tau.concordant, tau.discordant, tau.metric_ties, tau.skipped);
        assert_eq!(counts(right.tau), (2, 0, 0, 1));
        assert_eq!(right.tau.tau(), Ok(1.0));
        let half = evaluate([2.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(counts(half.tau), (1, 1, 1, 1));
        let none = evaluate([f64::NAN, 1.0, 0.0, 0.0, 2.0, 1.0]);
        assert_eq!((none.unscored, counts(none.tau)), (1, (1, 1, 0, 1)));
        // The other two have no majority for x, nor for y. A tie of y is not an error.
        let held_out = comparisons.evaluate_held_out_raters();
        let held_out: Vec<_> = held_out.into_iter().map(counts).collect();
        assert_eq!(held_out, [(0, 0, 0, 2), (0, 0, 0, 2), (0, 1, 0, 0)]);
    }

    #[test]
    fn a_choice_counts_as_the_pairs_that_it_decides() {
        let choice = BestWorstChoice::new(vec![1, 2, 3, 4], &2, &4).expect("four outputs");
        let answer = ComparisonAnswer::BestWorst(choice);
        let comparisons = OutputComparisons::new([("x", 1, answer)]);
        let evaluation = comparisons.evaluate(&[2.0, 3.0, 2.0, 1.0], ResamplingOptions::default());
        assert_eq!(
            (evaluation.tau.concordant, evaluation.tau.discordant),
            (5, 0)
        );
        // One source says nothing about others.
        assert!(evaluation.tau_interval.is_err());
    }

    #[test]
    fn a_metric_whose_means_are_the_strengths_correlates_perfectly() {
        // The first of each pair wins two of three times.
        let outcome = |source: u32| match source % 3 {
            0 => PairOutcome::B,
            _ => PairOutcome::A,
        };
        let answers = (0..12).flat_map(|source| {
            [("p", "q"), ("q", "r"), ("p", "r")].map(|(a, b)| {
                let pair = ComparedPair::new(a, b, outcome(source)).expect("two systems");
                ("x", source, ComparisonAnswer::Pair(pair))
            })
        });
        let table = ComparisonTable::new(answers).expect("no contradiction");
        let strengths = bradley_terry(&table.win_matrix())
            .expect("connected")
            .strengths;
        let resampled = ResampledStrengths::new(&table, ResamplingOptions::default());
        let of_metric = |scores: &[f64]| resampled.correlate(&vec![scores.to_vec(); 12]);
        let same = of_metric(&strengths);
        let is = |value: Result<f64, _>, expected: f64| {
            value.is_ok_and(|value: f64| (value - expected).abs() < 1e-9)
        };
        assert!(is(same.pearson.value, 1.0) && is(same.spearman.value, 1.0));
        assert!(
            same.spearman
                .interval
                .is_ok_and(|interval| interval.high > 0.9)
        );
        let reverse = of_metric(&strengths.iter().map(|x| -x).collect::<Vec<_>>());
        assert!(is(reverse.spearman.value, -1.0));
        // A system without scores is left out, and two are too few.
        assert!(of_metric(&[f64::NAN, 1.0, 2.0]).pearson.value.is_err());
        assert_eq!(
            of_metric(&[1.0; 3]).pearson.value,
            Err(UndefinedReason::Constant)
        );
    }
}
