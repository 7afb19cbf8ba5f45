//! Whether one metric agrees with people better than another.

use serde::Serialize;

use super::{HumanJudgements, correlate::CorrelationSample, count_draws};
use crate::{
    random::SeededRandom,
    statistics::{
        UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions, percentile_interval, resample},
        mean,
        tau_like::TauLike,
    },
};

/// Two metrics, a − b, on the same outputs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricComparison {
    /// The difference in Kendall-tau-like.
    pub tau: MetricDifference,
    /// The difference in Pearson's r over the outputs that both score. Both metrics are standardised
    /// first, so that their scores can be swapped.
    pub pearson: MetricDifference,
}

/// A difference with two tests over sources: the bootstrap tests how it generalises to similar
/// sources, the permutation test whether it may be due to chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MetricDifference {
    /// a − b.
    pub value: Result<f64, UndefinedReason>,
    /// The paired bootstrap's percentile interval: both metrics are computed on the same resamples.
    pub interval: Result<BootstrapInterval, UndefinedReason>,
    /// The paired bootstrap's two-sided p: twice the share of resamples on the other side of 0.
    pub bootstrap_p: Result<f64, UndefinedReason>,
    /// The two-sided p of the paired permutation test, which swaps the metrics source by source:
    /// the share of permutations, the observed one included, with a difference at least as large.
    pub permutation_p: Result<f64, UndefinedReason>,
}

impl<C: Ord + Clone> HumanJudgements<C> {
    /// Compares metric `a` with metric `b` by their scores, as for [`HumanJudgements::evaluate`].
    ///
    /// # Panics
    /// If the number of scores is not the number of outputs.
    #[must_use]
    pub fn compare(&self, a: &[f64], b: &[f64], resampling: ResamplingOptions) -> MetricComparison {
        MetricComparison {
            tau: self.compare_tau(a, b, resampling),
            pearson: self.compare_pearson(a, b, resampling),
        }
    }

    fn compare_tau(&self, a: &[f64], b: &[f64], resampling: ResamplingOptions) -> MetricDifference {
        let (a, b) = (self.counts_by_source(a), self.counts_by_source(b));
        difference(
            self.sources,
            resampling,
            |drawn| {
                let tau_a = tau_of_sum(drawn.iter().map(|source| a[*source]))?;
                let tau_b = tau_of_sum(drawn.iter().map(|source| b[*source]))?;
                Ok(tau_a - tau_b)
            },
            |swapped| Ok(swapped_tau(&a, &b, swapped)? - swapped_tau(&b, &a, swapped)?),
        )
    }

    fn counts_by_source(&self, scores: &[f64]) -> Vec<TauLike> {
        let breakdown = self.preferences.judge(scores);
        (0..breakdown.sources())
            .map(|source| breakdown.sum_over(None, &[source]))
            .collect()
    }

    fn compare_pearson(
        &self,
        a: &[f64],
        b: &[f64],
        resampling: ResamplingOptions,
    ) -> MetricDifference {
        let scored_outputs: Vec<usize> = (0..self.outputs())
            .filter(|at| a[*at].is_finite() && b[*at].is_finite())
            .collect();
        let (a, b) = (
            standardised(a, &scored_outputs),
            standardised(b, &scored_outputs),
        );

        let of_a = self.sample_of(&scored_outputs, |at| a[at]);
        let of_b = self.sample_of(&scored_outputs, |at| b[at]);
        let once = vec![1; self.sources];
        difference(
            self.sources,
            resampling,
            |drawn| {
                let times = count_draws(drawn, self.sources);
                Ok(of_a.pearson(&times)? - of_b.pearson(&times)?)
            },
            |swapped| {
                let is_swapped = |at: usize| swapped[self.source_of[scored_outputs[at]]];
                let score_a = |at| if is_swapped(at) { b[at] } else { a[at] };
                let score_b = |at| if is_swapped(at) { a[at] } else { b[at] };
                let of_a = self.sample_of(&scored_outputs, score_a);
                let of_b = self.sample_of(&scored_outputs, score_b);
                Ok(of_a.pearson(&once)? - of_b.pearson(&once)?)
            },
        )
    }

    /// The mean rating of each output, with the score that `score` gives for its position among `outputs`.
    fn sample_of(&self, outputs: &[usize], score: impl Fn(usize) -> f64) -> CorrelationSample {
        CorrelationSample::new(outputs.iter().enumerate().map(|(at, output)| {
            let place = (self.source_of[*output], None);
            (place, (score(at), self.means[*output]))
        }))
    }
}

fn tau_of_sum(counts: impl Iterator<Item = TauLike>) -> Result<f64, UndefinedReason> {
    counts.fold(TauLike::default(), TauLike::plus).tau()
}

/// τ by the counts of one metric, or of the other on sources where both are swapped.
fn swapped_tau(
    one: &[TauLike],
    other: &[TauLike],
    swapped: &[bool],
) -> Result<f64, UndefinedReason> {
    let sources = swapped.iter().enumerate();
    tau_of_sum(sources.map(|(at, swap)| if *swap { other[at] } else { one[at] }))
}

/// Both tests: `resampled` computes the difference on resampled sources, `permuted` on sources some
/// of which have the metrics swapped.
fn difference(
    sources: usize,
    resampling: ResamplingOptions,
    resampled: impl Fn(&[usize]) -> Result<f64, UndefinedReason>,
    permuted: impl Fn(&[bool]) -> Result<f64, UndefinedReason>,
) -> MetricDifference {
    let all: Vec<usize> = (0..sources).collect();
    let value = resampled(&all);

    let mut resample_indices = Vec::new();
    let replicates: Vec<_> = (0..resampling.replicates as u64)
        .map(|replicate| {
            resample(resampling.seed, replicate, sources, &mut resample_indices);
            resampled(&resample_indices)
        })
        .collect();

    MetricDifference {
        value,
        interval: value
            .and_then(|_| percentile_interval(replicates.iter().copied(), resampling.confidence)),
        bootstrap_p: value.and_then(|_| bootstrap_p(&replicates)),
        permutation_p: value.map(|observed| permutation_p(observed, sources, resampling, permuted)),
    }
}

fn bootstrap_p(replicates: &[Result<f64, UndefinedReason>]) -> Result<f64, UndefinedReason> {
    let values: Vec<f64> = replicates.iter().filter_map(|value| value.ok()).collect();
    if values.is_empty() {
        return Err(UndefinedReason::TooFew {
            found: 0,
            needed: 1,
        });
    }

    let not_above = values.iter().filter(|value| **value <= 0.0).count() + 1;
    let not_below = values.iter().filter(|value| **value >= 0.0).count() + 1;
    let least = not_above.min(not_below);
    Ok((2.0 * least as f64 / (values.len() + 1) as f64).min(1.0))
}

fn permutation_p(
    observed: f64,
    sources: usize,
    resampling: ResamplingOptions,
    permuted: impl Fn(&[bool]) -> Result<f64, UndefinedReason>,
) -> f64 {
    /// The rounding error below which differences count as equal.
    const ROUNDING: f64 = 1e-12;

    let mut random = SeededRandom::new(resampling.seed);
    let mut swapped = vec![false; sources];
    let mut as_large = 1;
    for _ in 0..resampling.replicates {
        swapped
            .iter_mut()
            .for_each(|swap| *swap = random.below(2) == 1);
        let difference = permuted(&swapped).unwrap_or(0.0);
        as_large += usize::from(difference.abs() >= observed.abs() - ROUNDING);
    }
    as_large as f64 / (resampling.replicates + 1) as f64
}

/// The scores of `outputs`, standardised to mean 0 and standard deviation 1; unchanged if all are equal.
fn standardised(scores: &[f64], outputs: &[usize]) -> Vec<f64> {
    let scores: Vec<f64> = outputs.iter().map(|output| scores[*output]).collect();
    let number = scores.len() as f64;
    let mean = mean(&scores);
    let variance = scores
        .iter()
        .map(|score| (score - mean).powi(2))
        .sum::<f64>()
        / number;
    if variance > 0.0 {
        let deviation = variance.sqrt();
        scores
            .iter()
            .map(|score| (score - mean) / deviation)
            .collect()
    } else {
        scores
    }
}
