use std::collections::{BTreeMap, BTreeSet};

use domain::statistics::{
    RatingTable, UndefinedReason,
    agreement::{AlphaBootstrap, MeasurementLevel},
    bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap, percentile_interval, resample},
};

use super::{ProtocolFigures, ProtocolRatings, RatedDimension};

/// The difference between two protocols: the first one's figure minus the second one's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProtocolDifference {
    /// The index of the first study.
    pub first: usize,
    /// The index of the second one, which is greater.
    pub second: usize,
    /// The difference of Krippendorff's α of the ratings as they were entered.
    pub raw: AlphaDifference,
    /// The difference of Krippendorff's α of z-scores.
    pub z: AlphaDifference,
    /// The difference of active minutes per source, paired by rater; `None` unless both are arms of one experiment, and
    /// at least one rater has recorded time in both.
    pub minutes: Option<PairedMinutes>,
}

/// The difference of α on the compared dimension.
///
/// Its interval is the percentile interval at 95 % of 1,000 resamples of sources from the default seed. In a resample
/// both protocols have the same sources, because a source that is easy to agree on is so under both. So the interval
/// is as narrow as the sources allow, and two protocols may differ although their own intervals overlap. z-scores are
/// held fixed. Resamples in which one α is undefined are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaDifference {
    /// The difference.
    pub value: Result<f64, UndefinedReason>,
    /// The interval of the difference.
    pub interval: Result<BootstrapInterval, UndefinedReason>,
}

/// Active minutes per source in two arms of an experiment, paired by rater: for each rater with recorded time in
/// both, the mean over the shared sources that they submitted in the first arm minus that in the second; then the
/// mean over raters.
///
/// A rater who is slow is slow in both arms, so differences between raters cancel out. The Latin square gives every
/// source to as many raters in each arm, so differences between sources do, too. The interval is the percentile
/// interval at 95 % of 1,000 resamples of raters from the default seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedMinutes {
    /// The number of raters with recorded time in both.
    pub raters: usize,
    /// The mean over these raters in the first arm, in minutes.
    pub first: f64,
    /// The same in the second arm.
    pub second: f64,
    /// The mean difference, in minutes.
    pub difference: f64,
    /// The interval of the mean difference.
    pub interval: Result<BootstrapInterval, UndefinedReason>,
}

impl PairedMinutes {
    /// Computes the figures from the mean minutes of each rater in both arms; `None` without raters.
    #[must_use]
    pub fn new(pairs: &[[f64; 2]]) -> Option<Self> {
        if pairs.is_empty() {
            return None;
        }

        let mean =
            |pick: fn(&[f64; 2]) -> f64| pairs.iter().map(pick).sum::<f64>() / pairs.len() as f64;
        let interval = bootstrap(pairs.len(), ResamplingOptions::default(), |drawn| {
            let sum: f64 = drawn.iter().map(|at| pairs[*at][0] - pairs[*at][1]).sum();
            Ok(sum / drawn.len() as f64)
        });

        Some(Self {
            raters: pairs.len(),
            first: mean(|pair| pair[0]),
            second: mean(|pair| pair[1]),
            difference: mean(|pair| pair[0] - pair[1]),
            interval,
        })
    }
}

/// The differences of every two protocols. For each study, `compared` maps its compared sources to their shared
/// numbers, and `shared` does so for all of its sources that all studies have.
pub(super) fn compare_pairs(
    studies: &[ProtocolRatings],
    figures: &[ProtocolFigures],
    compared: &[BTreeMap<usize, usize>],
    shared: &[BTreeMap<usize, usize>],
) -> Vec<ProtocolDifference> {
    let replicates = |pick: fn(&RatedDimension) -> &RatingTable<usize, usize>| {
        let studies = studies.iter().zip(compared);
        let all = studies
            .map(|(study, sources)| alpha_replicates(study.compared_dimension(), pick, sources));
        all.collect::<Vec<_>>()
    };
    let (raw, z) = (
        replicates(|of| &of.ratings.raw),
        replicates(|of| &of.ratings.z),
    );

    let minutes: Vec<_> = studies
        .iter()
        .zip(shared)
        .map(|(study, sources)| mean_minutes(study, sources))
        .collect();
    let is_randomised = is_experiment(studies) && is_planned(studies);

    let mut differences = vec![];
    for first in 0..studies.len() {
        for second in first + 1..studies.len() {
            let alpha = |of: usize| {
                let agreement = &figures[of].agreement;
                (agreement.raw.agreement.alpha, agreement.z.agreement.alpha)
            };
            let pairs = || {
                let pair = |(row, one): (&i64, &f64)| Some([*one, *minutes[second].get(row)?]);
                let pairs: Vec<_> = minutes[first].iter().filter_map(pair).collect();
                PairedMinutes::new(&pairs)
            };

            let (one, other) = (alpha(first), alpha(second));
            differences.push(ProtocolDifference {
                first,
                second,
                raw: AlphaDifference::new([one.0, other.0], [&raw[first], &raw[second]]),
                z: AlphaDifference::new([one.1, other.1], [&z[first], &z[second]]),
                minutes: is_randomised.then(pairs).flatten(),
            });
        }
    }

    differences
}

/// Whether all ratings are by raters to whom the plan of the experiment gave their sources.
pub(super) fn is_planned(studies: &[ProtocolRatings]) -> bool {
    let mut experiments = studies.iter().map(|study| study.experiment.as_ref());
    experiments.all(|of| of.is_some_and(|of| !of.has_other_raters))
}

/// Whether all studies are arms of one experiment.
pub(super) fn is_experiment(studies: &[ProtocolRatings]) -> bool {
    let mut experiments = studies
        .iter()
        .map(|study| study.experiment.as_ref().map(|of| of.id));
    let first = experiments.next().flatten();
    first.is_some() && experiments.all(|other| other == first)
}

impl AlphaDifference {
    fn new(
        alphas: [Result<f64, UndefinedReason>; 2],
        replicates: [&[Result<f64, UndefinedReason>]; 2],
    ) -> Self {
        let subtract = |one: Result<f64, UndefinedReason>, other: Result<f64, UndefinedReason>| {
            Ok(one? - other?)
        };

        let [first, second] = replicates;
        let pairs = first.iter().zip(second);
        let replicates = pairs.map(|(one, other)| subtract(*one, *other));
        let confidence = ResamplingOptions::default().confidence;
        let value = subtract(alphas[0], alphas[1]);

        Self {
            value,
            interval: value.and_then(|_| percentile_interval(replicates, confidence)),
        }
    }
}

/// α of each resample of the compared sources. Sources are drawn by their shared numbers, so that a resample has the
/// same sources in every study. A source without values adds nothing; it may have none because its only rater gives
/// the same score everywhere and therefore has no z-scores. Empty for fewer than two sources.
fn alpha_replicates(
    dimension: &RatedDimension,
    pick: fn(&RatedDimension) -> &RatingTable<usize, usize>,
    sources: &BTreeMap<usize, usize>,
) -> Vec<Result<f64, UndefinedReason>> {
    let number = |unit: &usize| {
        sources
            .get(&dimension.ratings.outputs[unit].source)
            .copied()
    };

    let table = pick(dimension).retain(|_, unit| number(unit).is_some());
    let alpha = AlphaBootstrap::new(&table, MeasurementLevel::Interval, |unit| number(unit));

    let ResamplingOptions {
        replicates, seed, ..
    } = ResamplingOptions::default();

    if alpha.sources() < 2 {
        return vec![];
    }

    let with_values: BTreeSet<usize> = table.units().iter().filter_map(number).collect();
    let with_values: BTreeMap<usize, usize> = with_values.into_iter().zip(0..).collect();
    let compared: BTreeSet<usize> = sources.values().copied().collect();
    // The index in the table of each compared source.
    let places: Vec<Option<usize>> = compared
        .iter()
        .map(|number| with_values.get(number).copied())
        .collect();

    let (mut drawn, mut there) = (vec![], vec![]);
    let replicates = (0..replicates as u64).map(|replicate| {
        resample(seed, replicate, places.len(), &mut drawn);
        there.clear();
        there.extend(drawn.iter().filter_map(|index| places[*index]));
        alpha.replicate(&there)
    });

    replicates.collect()
}

/// The mean active minutes per source of each rater, by the rater's number in the experiment.
fn mean_minutes(study: &ProtocolRatings, shared: &BTreeMap<usize, usize>) -> BTreeMap<i64, f64> {
    let mut sums = BTreeMap::<i64, (u64, usize)>::new();
    let times = study.experiment.iter().flat_map(|of| &of.times);
    for (row, source, ms) in times {
        if shared.contains_key(source) {
            let (sum, count) = sums.entry(*row).or_default();
            *sum += ms;
            *count += 1;
        }
    }

    let mean = |(row, (ms, count)): (i64, (u64, usize))| (row, ms as f64 / 60_000.0 / count as f64);
    sums.into_iter().map(mean).collect()
}
