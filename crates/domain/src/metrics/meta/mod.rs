//! The agreement of metrics with raters.
//!
//! [`HumanJudgements`] holds the raters' preferences and means in a form that serves any number of
//! metrics: [`HumanJudgements::evaluate`] evaluates one, [`HumanJudgements::compare`] compares two.
//! [`evaluate_held_out_raters`] gives the agreement of a rater with the others. [`OutputComparisons`] and
//! [`ResampledStrengths`] do the same for comparisons of outputs and the strengths of systems. For figures on human-written outputs
//! only, or without outputs that equal a reference, select those ratings first
//! ([`RatingTable::retain`]).

mod compare;
mod compared;
mod correlate;
mod held_out;

use serde::Serialize;

use self::correlate::CorrelationSample;
pub use self::{
    compare::{MetricComparison, MetricDifference},
    compared::{ComparisonEvaluation, OutputComparisons, ResampledStrengths},
    held_out::{HeldOutRater, UpperLimit, evaluate_held_out_raters},
};
use crate::statistics::{
    RatingTable, UndefinedReason,
    bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap},
    correlation::{Correlation, KendallPMethod, TauVariant, fisher_interval, kendall, pearson},
    describe::mean,
    tau_like::{OutputPreferences, PreferenceRule, TauLike},
};

/// The groups that an output belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputGrouping<S, C> {
    /// Its source.
    pub source: S,
    /// Its system; without one, it counts for no system.
    pub system: Option<String>,
    /// Its category: only outputs of one source in one category are compared.
    pub category: C,
}

/// The raters' judgements of outputs: their preferences and mean ratings.
#[derive(Debug, Clone)]
pub struct HumanJudgements<C> {
    preferences: OutputPreferences<C>,
    means: Vec<f64>,
    /// The source of each output, as an index in the order of the sources' keys.
    source_of: Vec<usize>,
    sources: usize,
    system_of: Vec<Option<usize>>,
}

/// The agreement of a metric with raters. All intervals are over sources.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetaEvaluation<C> {
    /// The number of rated outputs.
    pub outputs: usize,
    /// The number of rated outputs without a score. They count against the metric in τ, as it
    /// has no preference there, and are left out of correlations.
    pub unscored: usize,
    /// Kendall-tau-like over all categories, each pair within one.
    pub tau: TauLike,
    /// Its interval.
    pub tau_interval: Result<BootstrapInterval, UndefinedReason>,
    /// Kendall-tau-like by category, in their order.
    pub by_category: Vec<(C, TauLike)>,
    /// Correlations of scores and mean ratings over outputs.
    pub segment: CorrelationEstimates,
    /// Fisher's 95 % interval of Pearson's r over outputs, which assumes independent outputs.
    pub fisher: Result<(f64, f64), UndefinedReason>,
    /// Kendall's τ-b of scores and mean ratings over all outputs, whatever their source.
    pub kendall: Result<Correlation, UndefinedReason>,
    /// Correlations over systems, of the means of their outputs.
    pub system: CorrelationEstimates,
}

/// The correlation of two variables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CorrelationEstimates {
    /// Pearson's r.
    pub pearson: IntervalEstimate,
    /// Spearman's ρ.
    pub spearman: IntervalEstimate,
}

/// A figure with its interval over sources.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IntervalEstimate {
    /// The figure.
    pub value: Result<f64, UndefinedReason>,
    /// Its percentile interval.
    pub interval: Result<BootstrapInterval, UndefinedReason>,
}

impl<C: Ord + Clone> HumanJudgements<C> {
    /// Derives preferences from ratings. Pass raw ratings, since the tie threshold is in points.
    /// Outputs are the units of the table, in its order.
    #[must_use]
    pub fn new<R, U, S: Ord + Clone>(
        ratings: &RatingTable<R, U>,
        rule: PreferenceRule,
        mut place: impl FnMut(&U) -> OutputGrouping<S, C>,
    ) -> Self {
        let places: Vec<OutputGrouping<S, C>> = ratings.units().iter().map(&mut place).collect();
        let mut at = places.iter();
        let preferences = OutputPreferences::new(ratings, rule, |_| {
            let place = at.next().expect("one place a unit, asked for in order");
            (place.source.clone(), place.category.clone())
        });

        let (source_of, sources) = number_keys(places.iter().map(|place| Some(&place.source)));
        let (system_of, _) = number_keys(places.iter().map(|place| place.system.as_ref()));
        Self {
            preferences,
            means: ratings
                .by_unit()
                .map(|(_, unit)| mean(unit.values))
                .collect(),
            source_of: source_of.into_iter().flatten().collect(),
            sources,
            system_of,
        }
    }

    /// Replaces the mean raw ratings used for correlations, for example by mean z-scores; one
    /// an output.
    #[must_use]
    pub fn with_means(mut self, means: Vec<f64>) -> Self {
        assert_eq!(means.len(), self.means.len(), "one mean an output");
        self.means = means;
        self
    }

    /// The number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.means.len()
    }

    /// The number of sources.
    #[must_use]
    pub fn sources(&self) -> usize {
        self.sources
    }

    /// Evaluates a metric by its scores, one an output, `NaN` for outputs without one. Larger is
    /// better: orient the scores first ([`ScoreDirection::orient`](super::ScoreDirection::orient)).
    ///
    /// # Panics
    /// If there are not as many scores as outputs.
    #[must_use]
    pub fn evaluate(&self, scores: &[f64], resampling: ResamplingOptions) -> MetaEvaluation<C> {
        assert_eq!(scores.len(), self.outputs(), "one score an output");
        let breakdown = self.preferences.judge(scores);
        let categories = breakdown.categories().iter();
        let values = self.values(scores);
        let sample = self.correlation_sample(scores);
        let sources = self.sources;

        MetaEvaluation {
            outputs: self.outputs(),
            unscored: scores.iter().filter(|score| !score.is_finite()).count(),
            tau: breakdown.total(None),
            tau_interval: breakdown.interval(None, resampling),
            by_category: categories
                .map(|category| (category.clone(), breakdown.total(Some(category))))
                .collect(),
            segment: CorrelationEstimates {
                pearson: estimate(CorrelationSample::pearson, &sample, sources, resampling),
                spearman: estimate(CorrelationSample::spearman, &sample, sources, resampling),
            },
            fisher: pearson(&values).map(|r| fisher_interval(&r, resampling.confidence)),
            kendall: kendall(&values, TauVariant::B, KendallPMethod::Auto),
            system: CorrelationEstimates {
                pearson: estimate(
                    CorrelationSample::pearson_of_systems,
                    &sample,
                    sources,
                    resampling,
                ),
                spearman: estimate(
                    CorrelationSample::spearman_of_systems,
                    &sample,
                    sources,
                    resampling,
                ),
            },
        }
    }

    /// Score and mean rating of each output that has a score.
    fn values(&self, scores: &[f64]) -> Vec<(f64, f64)> {
        let values = scores.iter().zip(&self.means);
        values
            .filter(|(score, _)| score.is_finite())
            .map(|(score, mean)| (*score, *mean))
            .collect()
    }

    /// Scores and mean ratings of the outputs that have a score, by source and system.
    fn correlation_sample(&self, scores: &[f64]) -> CorrelationSample {
        CorrelationSample::new(
            (0..scores.len())
                .filter(|at| scores[*at].is_finite())
                .map(|at| {
                    let place = (self.source_of[at], self.system_of[at]);
                    (place, (scores[at], self.means[at]))
                }),
        )
    }
}

/// The figure of all sources, with its bootstrap interval over them.
fn estimate(
    figure: fn(&CorrelationSample, &[u32]) -> Result<f64, UndefinedReason>,
    sample: &CorrelationSample,
    sources: usize,
    resampling: ResamplingOptions,
) -> IntervalEstimate {
    IntervalEstimate {
        value: figure(sample, &vec![1; sources]),
        interval: bootstrap(sources, resampling, |drawn| {
            figure(sample, &count_draws(drawn, sources))
        }),
    }
}

/// How often each source was drawn.
fn count_draws(drawn: &[usize], sources: usize) -> Vec<u32> {
    let mut times = vec![0; sources];
    drawn.iter().for_each(|source| times[*source] += 1);
    times
}

/// The index of each key in sorted order, and the number of distinct keys.
fn number_keys<'a, K: Ord + 'a>(
    keys: impl Iterator<Item = Option<&'a K>> + Clone,
) -> (Vec<Option<usize>>, usize) {
    let mut sorted_keys: Vec<&K> = keys.clone().flatten().collect();
    sorted_keys.sort_unstable();
    sorted_keys.dedup();

    let numbers = keys.map(|key| key.map(|key| sorted_keys.partition_point(|other| *other < key)));
    (numbers.collect(), sorted_keys.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three sources of two outputs each, by two systems; system b is better everywhere.
    fn people() -> HumanJudgements<char> {
        let ratings = (0..6).map(|unit| {
            let points = [20.0, 60.0, 30.0, 50.0, 10.0, 90.0][unit];
            ("rater", unit, points)
        });
        let ratings = RatingTable::new(ratings).expect("each once");
        HumanJudgements::new(&ratings, PreferenceRule::default(), |unit| OutputGrouping {
            source: unit / 2,
            system: Some(["a", "b"][unit % 2].to_owned()),
            category: if *unit < 2 { 's' } else { 'p' },
        })
    }

    #[test]
    fn a_metric_that_knows_is_perfect_and_its_opposite_the_reverse() {
        let people = people();
        let scores = [2.0, 6.0, 3.0, 5.0, 1.0, 9.0];
        let evaluation = people.evaluate(&scores, ResamplingOptions::default());
        assert_eq!(evaluation.tau.tau(), Ok(1.0));
        assert_eq!(evaluation.by_category.len(), 2);
        assert!(
            evaluation
                .kendall
                .is_ok_and(|correlation| correlation.coefficient > 0.999)
        );
        assert!(
            evaluation
                .fisher
                .is_ok_and(|(low, high)| low <= 1.0 && high >= low)
        );
        let near_one =
            |estimate: IntervalEstimate| estimate.value.is_ok_and(|r| (r - 1.0).abs() < 1e-12);
        assert!(near_one(evaluation.segment.pearson) && near_one(evaluation.segment.spearman));
        // Two systems are too few for a correlation.
        assert!(evaluation.system.pearson.value.is_err());
        let reverse = people.evaluate(&scores.map(|x| -x), ResamplingOptions::default());
        assert_eq!(reverse.tau.tau(), Ok(-1.0));
        assert!(
            reverse
                .segment
                .pearson
                .value
                .is_ok_and(|r| (r + 1.0).abs() < 1e-12)
        );
    }

    #[test]
    fn what_has_no_score_counts_against_tau_and_in_no_correlation() {
        let evaluation = people().evaluate(
            &[f64::NAN, 6.0, 3.0, 5.0, 1.0, 9.0],
            ResamplingOptions::default(),
        );
        assert_eq!((evaluation.outputs, evaluation.unscored), (6, 1));
        assert_eq!(
            (evaluation.tau.concordant, evaluation.tau.discordant),
            (2, 1)
        );
        assert!(
            evaluation
                .segment
                .pearson
                .value
                .is_ok_and(|r| (r - 1.0).abs() < 1e-12)
        );
    }

    #[test]
    fn a_metric_does_not_differ_from_itself_and_does_from_its_opposite() {
        let people = people();
        let scores = [2.0, 6.0, 3.0, 5.0, 1.0, 9.0];
        let same = people.compare(&scores, &scores, ResamplingOptions::default());
        assert_eq!(same.tau.value, Ok(0.0));
        assert_eq!(same.tau.permutation_p, Ok(1.0));
        let reverse = people.compare(&scores, &scores.map(|x| -x), ResamplingOptions::default());
        assert_eq!(reverse.tau.value, Ok(2.0));
        assert!(
            reverse
                .tau
                .interval
                .is_ok_and(|interval| interval.low > 0.0)
        );
        // With three sources, each permutation is one of eight.
        assert!(
            reverse
                .tau
                .permutation_p
                .is_ok_and(|p| (0.15..0.35).contains(&p))
        );
    }
}
