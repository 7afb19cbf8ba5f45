//! The sources whose ratings narrow a ranking of systems most.
//!
//! A source tells two systems apart if it has outputs of both, so where sources have outputs of only some systems, it
//! matters which of them raters judge next. Systems that are told apart need no more of them; neighbours in the ranking
//! whose difference may be chance do, and so does a system that has too few rated sources for a place in the ranking, for
//! its own mean.
//!
//! **The choice.** For each such pair or system, the mean over n rated sources (of the difference, or of the system's
//! outputs) is off by a squared error that is expected to be
//!
//! v·(1 − R²)/(n + 1) + v·R²·m²/s²
//!
//! where v is the variance of differences between sources. Without a metric R² is 0, and only the number of sources counts:
//! another one takes v/((n + 1)(n + 2)) off the error. With a metric, R² is the share of v that its scores explain, s² the
//! variance of differences between its scores, and m how far their mean over the rated sources is from that over all
//! sources: a source that brings m towards 0 makes the rated ones more like the whole. The 1 added to n is what is known
//! before any rating, which keeps the first source from counting infinitely. A source is worth the sum of what it
//! takes off the errors of all pairs. Sources are chosen one after the other, and each counts as rated for the next.
//!
//! **What it assumes.** The choice looks at which systems wrote outputs of a source, at a metric's scores of these, and at
//! ratings of other sources, never at ratings of the source itself. So ratings are missing at random given these, and a mean
//! over rated sources represents all sources as long as differences between systems depend neither on which other systems the
//! source has outputs of, nor on the metric's scores other than in a straight line, which the balance of m takes care of.
//!
//! **What it costs.** A pair whose difference looks large by chance gets fewer sources from then on, so that while sources are
//! left, differences between neighbours come out somewhat too large where only some sources tell them apart (`benches/source_choice.rs`
//! says by how much). It vanishes once each source has its raters, which does not depend on their order.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    describe::{describe, mean},
    distribution::t_within,
    systems::FEWEST_SOURCES,
};

/// A source with its outputs of ranked systems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankedSource {
    /// The outputs, in the order of their systems' numbers, at most one of each system.
    pub outputs: Vec<RankedOutput>,
    /// Whether raters have it, or had it: then it is not chosen, and counts as rated.
    pub is_given: bool,
}

/// An output of a ranked system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedOutput {
    /// The number of its system.
    pub system: usize,
    /// The mean of its ratings, in points or standard deviations; `None` where nobody rated it.
    pub rating: Option<f64>,
    /// A metric's score, in any unit; `None` without one.
    pub score: Option<f64>,
}

/// Neighbours in the ranking are told apart once an interval of their difference with this confidence leaves 0 out. It is
/// wider than the one on pages, because it is looked at again and again, and a pair that looks settled by chance would get no
/// more sources.
const CERTAIN: f64 = 0.99;
/// The fewest differences from which the share that a metric explains is estimated.
const FEWEST_EXPLAINED: f64 = 20.0;
/// The weight of the variance of all pairs in that of one, as a number of differences.
const SHARED_WEIGHT: f64 = 5.0;
/// The most values that are looked at for one choice; with more, only some sources of each kind are looked at.
const MOST_VALUES: usize = 400_000;

/// Chooses up to `count` sources that are not given yet, as indices, the one that narrows the ranking most first. Equals
/// keep their order. Fewer, or none, where the other sources tell neighbours in the ranking apart.
///
/// # Panics
/// If the number of a system is not below `systems`.
#[must_use]
pub fn choose_sources(systems: usize, sources: &[RankedSource], count: usize) -> Vec<usize> {
    let mut contrasts = OpenContrasts::new(systems, sources);
    let open = sources.iter().enumerate();
    let open = open.filter(|(_, source)| !source.is_given);
    let open = open.map(|(index, source)| (index, contrasts.find_in(source)));
    let open: Vec<_> = open.filter(|(_, values)| !values.is_empty()).collect();
    let mut open = thin_out(open, contrasts.explained > 0.0);

    let mut choice = vec![];
    while choice.len() < count {
        // In reverse, because `max_by` takes the last of equals.
        let worth = open.iter().enumerate().rev();
        let worth = worth.map(|(place, (_, values))| (place, contrasts.worth(values)));
        let best = worth.max_by(|(_, a), (_, b)| a.total_cmp(b));
        let Some((place, _)) = best else { break };

        let (index, values) = open.remove(place);
        contrasts.count_source(&values);
        choice.push(index);
    }
    choice
}

/// The share of the variance between sources that the metric's scores explain, of what [`choose_sources`] narrows: 0 to 1, and
/// 0 where too little is rated to tell.
///
/// # Panics
/// If the number of a system is not below `systems`.
#[must_use]
pub fn explained_by_scores(systems: usize, sources: &[RankedSource]) -> f64 {
    explained_share(&ContrastSample::of_open(systems, sources))
}

/// Sources with their values of each contrast.
type OpenSources = Vec<(usize, Vec<ContrastValue>)>;

/// Leaves sources out where there are too many to look at each. Of those with outputs of the same systems, it keeps the
/// first ones or, where a metric tells them apart, some that lie evenly among them.
fn thin_out(open: OpenSources, differ: bool) -> OpenSources {
    let values: usize = open.iter().map(|(_, values)| values.len()).sum();
    if values <= MOST_VALUES {
        return open;
    }

    let limit = (open.len() * MOST_VALUES / values).max(1);
    let mut kinds = BTreeMap::<Vec<usize>, OpenSources>::new();
    for (index, values) in open {
        let kind = values.iter().map(|value| value.contrast).collect();
        kinds.entry(kind).or_default().push((index, values));
    }

    // Small kinds come first, so that larger ones share what these leave of the limit.
    let mut kinds: Vec<_> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| (kind.len(), kind[0].0));
    let (mut sample, mut kinds_left) = (vec![], kinds.len());
    for kind in kinds {
        let quota = limit
            .saturating_sub(sample.len())
            .div_ceil(kinds_left)
            .min(kind.len());
        kinds_left -= 1;

        let size = kind.len();
        let kept_before = |place: usize| match differ {
            true => (place * quota).div_ceil(size),
            false => place.min(quota),
        };
        let is_kept = |place: usize| kept_before(place) < kept_before(place + 1);
        let some = kind.into_iter().enumerate();
        let some = some.filter(|(place, _)| is_kept(*place));
        sample.extend(some.map(|(_, source)| source));
    }

    sample.sort_by_key(|(index, _)| *index);
    sample
}

/// Two systems, or one.
type ComparedSystems = (usize, Option<usize>);

/// A mean whose error is to become smaller: the difference between two systems or, where no source has outputs of both,
/// the mean of one of them.
#[derive(Debug, Clone)]
struct SystemContrast {
    systems: ComparedSystems,
    /// The variance between sources, as a multiple of that of all contrasts.
    variance: f64,
    /// The number of given sources.
    given: f64,
    /// The number of given sources that the metric scored.
    scored: f64,
    /// How far the metric's mean over given sources is from that over all, in standard deviations.
    imbalance: f64,
    /// The metric's mean over all sources.
    centre: f64,
    /// The metric's standard deviation between sources; 0 without a metric.
    deviation: f64,
}

/// The contribution of a source to a contrast.
#[derive(Debug, Clone, Copy)]
struct ContrastValue {
    contrast: usize,
    /// The metric's value, in standard deviations from its mean over all sources; `None` without one.
    standing: Option<f64>,
}

#[derive(Debug)]
struct OpenContrasts {
    all: Vec<SystemContrast>,
    /// The share of the variance between sources that the metric explains.
    explained: f64,
}

impl OpenContrasts {
    fn new(systems: usize, sources: &[RankedSource]) -> Self {
        let samples = ContrastSample::of_open(systems, sources);
        let shared = pooled_variance(&samples);
        let explained = explained_share(&samples);
        let contrasts = samples
            .iter()
            .map(|sample| sample.contrast(shared, explained));
        Self {
            all: contrasts.collect(),
            explained,
        }
    }

    /// The contributions of the source to the contrasts that it has the outputs for.
    fn find_in(&self, source: &RankedSource) -> Vec<ContrastValue> {
        let contrasts = self.all.iter().enumerate();
        contrasts
            .filter_map(|(number, contrast)| contrast.value_of(number, source))
            .collect()
    }

    /// How much the source is expected to take off the squared errors.
    fn worth(&self, values: &[ContrastValue]) -> f64 {
        values.iter().map(|value| self.gain(value)).sum()
    }

    /// How much a source is expected to take off the squared error of one contrast.
    fn gain(&self, value: &ContrastValue) -> f64 {
        let contrast = &self.all[value.contrast];
        let after = contrast.imbalance_with(value.standing);
        let of_number = 1.0 / ((contrast.given + 1.0) * (contrast.given + 2.0));
        let of_balance = contrast.imbalance.powi(2) - after.powi(2);
        contrast.variance * ((1.0 - self.explained) * of_number + self.explained * of_balance)
    }

    fn count_source(&mut self, values: &[ContrastValue]) {
        for value in values {
            let contrast = &mut self.all[value.contrast];
            contrast.imbalance = contrast.imbalance_with(value.standing);
            contrast.given += 1.0;
            contrast.scored += f64::from(u8::from(value.standing.is_some()));
        }
    }
}

impl SystemContrast {
    /// The contribution of the source to this contrast, which has the given number; `None` where it lacks an output.
    fn value_of(&self, number: usize, source: &RankedSource) -> Option<ContrastValue> {
        source.value(self.systems, |_| Some(0.0))?;
        let score = source.value(self.systems, |output| output.score);
        let score = score.filter(|_| self.deviation > 0.0);
        Some(ContrastValue {
            contrast: number,
            standing: score.map(|score| (score - self.centre) / self.deviation),
        })
    }

    /// The imbalance once one more source is given. One that the metric did not score leaves it as it is.
    fn imbalance_with(&self, standing: Option<f64>) -> f64 {
        match standing {
            None => self.imbalance,
            Some(standing) if self.scored > 0.0 => {
                (self.imbalance * self.scored + standing) / (self.scored + 1.0)
            }
            Some(standing) => standing,
        }
    }
}

impl RankedSource {
    fn output(&self, system: usize) -> Option<&RankedOutput> {
        let place = self
            .outputs
            .binary_search_by_key(&system, |output| output.system);
        Some(&self.outputs[place.ok()?])
    }

    /// The value of the contrast on this source, where `part` is known of all outputs that it needs.
    fn value(
        &self,
        (a, b): ComparedSystems,
        part: impl Fn(&RankedOutput) -> Option<f64>,
    ) -> Option<f64> {
        let of_a = part(self.output(a)?)?;
        match b {
            None => Some(of_a),
            Some(b) => Some(of_a - part(self.output(b)?)?),
        }
    }
}

/// The means that need more sources: of neighbours whose difference may be chance, and of each system with too few rated
/// sources for a place in the ranking.
fn open_contrasts(systems: usize, sources: &[RankedSource]) -> BTreeSet<ComparedSystems> {
    let mut ratings = vec![vec![]; systems];
    let mut has_outputs = vec![false; systems];
    for output in sources.iter().flat_map(|source| &source.outputs) {
        has_outputs[output.system] = true;
        ratings[output.system].extend(output.rating);
    }

    let with_outputs = (0..systems).filter(|system| has_outputs[*system]);
    let (mut ranked, unranked): (Vec<usize>, Vec<usize>) =
        with_outputs.partition(|system| ratings[*system].len() >= FEWEST_SOURCES);
    ranked.sort_by(|a, b| mean(&ratings[*b]).total_cmp(&mean(&ratings[*a])));

    let mut wanted: BTreeSet<_> = unranked.into_iter().map(|system| (system, None)).collect();
    for neighbours in ranked.windows(2) {
        let a = neighbours[0].min(neighbours[1]);
        let b = neighbours[0].max(neighbours[1]);
        let pair = (a, Some(b));
        let differences = sources.iter();
        let differences =
            differences.filter_map(|source| source.value(pair, |output| output.rating));
        let is_open = match describe(&differences.collect::<Vec<_>>()) {
            Ok(paired) if paired.n >= FEWEST_SOURCES => {
                let width = t_within(CERTAIN, paired.n as f64 - 1.0) * paired.standard_error;
                paired.mean.abs() <= width
            }
            _ => may_be_equal(&ratings[a], &ratings[b]),
        };

        let has_both = |source: &RankedSource| source.value(pair, |_| Some(0.0)).is_some();
        match (is_open, sources.iter().any(has_both)) {
            (false, _) => {}
            (true, true) => wanted.extend([pair]),
            (true, false) => wanted.extend([(a, None), (b, None)]),
        }
    }
    wanted
}

/// Whether the difference between two independent means may be chance, with the degrees of freedom of the smaller
/// sample.
fn may_be_equal(a: &[f64], b: &[f64]) -> bool {
    let (Ok(a), Ok(b)) = (describe(a), describe(b)) else {
        return true;
    };
    let error = a.standard_error.hypot(b.standard_error);
    let freedom = a.n.min(b.n) as f64 - 1.0;
    (a.mean - b.mean).abs() <= t_within(CERTAIN, freedom) * error
}

/// The data on a contrast.
#[derive(Debug)]
struct ContrastSample {
    systems: ComparedSystems,
    /// The value of each rated source.
    rated: Vec<f64>,
    /// The metric's and the rated value of each source that has both.
    scored: Vec<(f64, f64)>,
    /// The metric's value of each source, and whether it is given.
    scores: Vec<(f64, bool)>,
    /// The number of given sources.
    given: usize,
}

impl ContrastSample {
    /// The data on all contrasts that are to become more certain.
    fn of_open(systems: usize, sources: &[RankedSource]) -> Vec<Self> {
        let open = open_contrasts(systems, sources).into_iter();
        open.map(|systems| Self::new(systems, sources)).collect()
    }

    fn new(systems: ComparedSystems, sources: &[RankedSource]) -> Self {
        let mut sample = Self {
            systems,
            rated: vec![],
            scored: vec![],
            scores: vec![],
            given: 0,
        };
        for source in sources {
            if source.value(systems, |_| Some(0.0)).is_none() {
                continue;
            }

            sample.given += usize::from(source.is_given);
            let rating = source.value(systems, |output| output.rating);
            let score = source.value(systems, |output| output.score);
            sample.rated.extend(rating);
            sample
                .scores
                .extend(score.map(|score| (score, source.is_given)));
            sample.scored.extend(score.zip(rating));
        }
        sample
    }

    fn contrast(&self, shared: f64, explained: f64) -> SystemContrast {
        let (squares, freedom) = squares_and_freedom(&self.rated);
        let variance = match shared > 0.0 {
            true => (squares / shared + SHARED_WEIGHT) / (freedom + SHARED_WEIGHT),
            false => 1.0,
        };

        let all: Vec<f64> = self.scores.iter().map(|(score, _)| *score).collect();
        let given_scores = self.scores.iter().filter(|(_, is_given)| *is_given);
        let given_scores: Vec<f64> = given_scores.map(|(score, _)| *score).collect();
        let (squares, freedom) = squares_and_freedom(&all);
        let deviation = match explained > 0.0 && freedom > 0.0 {
            true => (squares / freedom).sqrt(),
            false => 0.0,
        };
        let centre = match all.is_empty() {
            true => 0.0,
            false => mean(&all),
        };
        let imbalance = match (deviation > 0.0, given_scores.is_empty()) {
            (false, _) => 0.0,
            // Before the first one, a source is expected to be one standard deviation off.
            (true, true) => 1.0,
            (true, false) => (mean(&given_scores) - centre) / deviation,
        };

        SystemContrast {
            systems: self.systems,
            variance,
            given: self.given as f64,
            scored: given_scores.len() as f64,
            imbalance,
            centre,
            deviation,
        }
    }
}

/// The sum of squared distances from the mean, with its degrees of freedom.
fn squares_and_freedom(values: &[f64]) -> (f64, f64) {
    if values.len() < 2 {
        return (0.0, 0.0);
    }
    let centre = mean(values);
    let squares = values.iter().map(|value| (value - centre).powi(2)).sum();
    (squares, values.len() as f64 - 1.0)
}

/// The variance within samples; 0 where none has two values.
fn pooled_variance(samples: &[ContrastSample]) -> f64 {
    let sums = samples
        .iter()
        .fold((0.0, 0.0), |(squares, freedom), sample| {
            let (more, free) = squares_and_freedom(&sample.rated);
            (squares + more, freedom + free)
        });
    match sums.1 > 0.0 {
        true => sums.0 / sums.1,
        false => 0.0,
    }
}

/// R² of rated values by the metric's, within contrasts and corrected for chance: 1 − (1 − r²)·f/(f − 1) with f degrees of
/// freedom. 0 where it would be negative, and below [`FEWEST_EXPLAINED`] degrees.
fn explained_share(samples: &[ContrastSample]) -> f64 {
    let [mut of_scores, mut of_ratings, mut of_both, mut freedom] = [0.0; 4];
    for sample in samples.iter().filter(|sample| sample.scored.len() > 1) {
        let (scores, ratings): (Vec<f64>, Vec<f64>) = sample.scored.iter().copied().unzip();
        let (centre, level) = (mean(&scores), mean(&ratings));
        of_scores += squares_and_freedom(&scores).0;
        let (squares, free) = squares_and_freedom(&ratings);
        of_ratings += squares;
        freedom += free;
        let products = sample.scored.iter();
        let products = products.map(|(score, rating)| (score - centre) * (rating - level));
        of_both += products.sum::<f64>();
    }

    if freedom < FEWEST_EXPLAINED || of_scores <= 0.0 || of_ratings <= 0.0 {
        return 0.0;
    }
    let squared = of_both.powi(2) / (of_scores * of_ratings);
    (1.0 - (1.0 - squared) * freedom / (freedom - 1.0)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests;
