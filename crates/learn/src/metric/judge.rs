//! What a new metric is judged by before a study takes it: sources that were held out.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
};

use domain::{
    metrics::{
        degenerate::SEED,
        learned::{Comparison, CurvePoint},
    },
    statistics::{
        Undefined,
        bootstrap::{Resampling, bootstrap},
    },
};

use super::{
    Group, Metric, Model, Plan, Source,
    hybrid::{Hybrid, by_source},
    table::Table,
    train::{FEWEST, Made, made},
    validate::{figures, fitted, ordered, share, tau},
};
use crate::encoder::EncoderError;

/// Of how many good outputs of a source worse ones are made.
const GOOD: usize = 3;

/// The numbers of rated outputs that a learning curve looks at, 0 for none but those of the metric that it
/// went on from.
const SIZES: [usize; 8] = [0, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];

impl Model {
    /// The metric against another of its kind, on those of `sources`, by fingerprint, that it held out
    /// and the other did not learn from. The interval is over sources.
    ///
    /// # Errors
    /// [`Undefined`] where there are fewer than two such sources, or no two outputs of one are apart.
    ///
    /// # Panics
    /// If the other one sees outputs in another way; [`Model::is_like`] tells.
    pub fn compare(
        &self,
        other: &Self,
        sources: &HashSet<String>,
        resampling: Resampling,
    ) -> Result<Comparison, Undefined> {
        assert!(self.is_like(other), "metrics of one kind are compared");
        let learned: HashSet<String> = other.trained_on().into_iter().collect();
        let judged =
            self.held_out_of(|source| sources.contains(source) && !learned.contains(source));
        let counts = |model: &Hybrid| -> Vec<(usize, usize)> {
            let scores = scores(model, &judged);
            let of_source = |group| ordered(&judged, &scores, group, f64::MIN);
            by_source(&judged).map(of_source).collect()
        };
        compared(&counts(&self.hybrid), &counts(&other.hybrid), resampling)
    }

    /// Whether the other one sees outputs in the same way, so that the two can be compared.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let references = |model: &Self| model.card.settings.references;
        self.card.features == other.card.features && references(self) == references(other)
    }

    /// How metrics do that learned in the same way from fewer rated outputs of `sources`, and from all
    /// that it knows beside; the last point is the metric itself. Sources come in the order of their
    /// fingerprints. `tell` hears of each point, and stops by answering with a break.
    pub fn learning_curve(
        &self,
        sources: &HashSet<String>,
        mut tell: impl FnMut(&CurvePoint) -> ControlFlow<()>,
    ) -> Vec<CurvePoint> {
        let judged = self.held_out_of(|source| sources.contains(source));
        let learned = self.trained_on();
        let (mut own, beside): (Vec<String>, Vec<String>) =
            learned.into_iter().partition(|it| sources.contains(it));
        own.sort_unstable();
        let outputs = self.outputs_by_source();
        let all = own.iter().map(|source| outputs[source]).sum();
        let mut curve = Vec::new();
        if judged.outputs.is_empty() {
            return curve;
        }
        for wanted in SIZES.into_iter().take_while(|size| *size < all) {
            let (mut chosen, mut own_outputs) = (HashSet::new(), 0);
            for source in &own {
                if own_outputs >= wanted {
                    break;
                }
                own_outputs += outputs[source];
                chosen.insert(source);
            }
            chosen.extend(&beside);
            let part = self.only(&chosen);
            if part.outputs() < FEWEST || part.sources.len() < 2 {
                continue;
            }
            let model = fitted(&part, &self.card.settings);
            let point = CurvePoint {
                outputs: own_outputs,
                figures: figures(&judged, &scores(&model, &judged)),
            };
            curve.push(point);
            if tell(&point).is_break() {
                return curve;
            }
        }
        let whole = CurvePoint {
            outputs: all,
            figures: figures(&judged, &scores(&self.hybrid, &judged)),
        };
        let _ = tell(&whole);
        curve.push(whole);
        curve
    }

    fn outputs_by_source(&self) -> HashMap<&String, usize> {
        let mut counts = HashMap::new();
        for output in self.table.outputs.iter().filter(|it| !it.made) {
            let source = &self.table.sources[output.source];
            *counts.entry(source).or_default() += 1;
        }
        counts
    }

    fn only(&self, chosen: &HashSet<&String>) -> Table {
        let sources = &self.table.sources;
        self.table.only(|source| chosen.contains(&sources[source]))
    }

    fn held_out_of(&self, chosen: impl Fn(&str) -> bool) -> Table {
        let known = &self.card.sources;
        let chosen = |source: usize| known[source].held_out && chosen(&known[source].fingerprint);
        self.table.only(chosen).rated()
    }
}

impl Metric {
    /// The share of cases in which a good output of a held-out source outranks what was made of it to be
    /// worthless: cut, doubled, shuffled and the like; `None` where there is no good one.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn guarded(&self, sources: &[Source], plan: &Plan) -> Result<Option<f64>, EncoderError> {
        let held_out = |it: &&Source| plan.holds_out(&it.fingerprint());
        guarded(sources.iter().filter(held_out), |groups| {
            self.scores(groups, |_| true)
        })
    }
}

/// One metric against another on the same sources: of each source how many pairs the one, and the other,
/// orders as people do, and how many there are.
///
/// # Errors
/// [`Undefined`] where there are fewer than two sources, or no two outputs of one are apart.
pub(crate) fn compared(
    own: &[(usize, usize)],
    others: &[(usize, usize)],
    resampling: Resampling,
) -> Result<Comparison, Undefined> {
    let sum = |counts: &[(usize, usize)], drawn: &[usize]| {
        let drawn = drawn.iter().map(|at| counts[*at]);
        let sum = drawn.fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
        tau(sum).ok_or(Undefined::NoPreference)
    };
    let all: Vec<usize> = (0..own.len()).collect();
    Ok(Comparison {
        interval: bootstrap(own.len(), resampling, |drawn| {
            Ok(sum(own, drawn)? - sum(others, drawn)?)
        })?,
        tau: sum(own, &all)?,
        other: sum(others, &all)?,
        sources: own.len(),
    })
}

/// The share of cases in which a good output of these sources outranks what was made of it to be
/// worthless; `scores` gives those of the outputs of each group.
pub(crate) fn guarded<'a, E>(
    sources: impl Iterator<Item = &'a Source>,
    scores: impl FnOnce(&[Group<'_>]) -> Result<Vec<Vec<f64>>, E>,
) -> Result<Option<f64>, E> {
    let cases: Vec<(&Source, Vec<Made>)> = sources
        .map(|source| (source, made(source, GOOD, SEED)))
        .filter(|(_, made)| !made.is_empty())
        .collect();
    let groups = cases.iter().map(|(source, made)| with(source, made));
    let groups: Vec<Group<'_>> = groups.collect();
    let mut outranked = (0, 0);
    for ((source, made), scores) in cases.iter().zip(scores(&groups)?) {
        let (rated, worse) = scores.split_at(source.outputs.len());
        for (made, score) in made.iter().zip(worse) {
            outranked.0 += usize::from(rated[made.good] > *score);
            outranked.1 += 1;
        }
    }
    Ok(share(outranked))
}

fn with<'a>(source: &'a Source, made: &'a [Made]) -> Group<'a> {
    let mut group = source.as_group();
    group.outputs.extend(made.iter().map(|it| it.text.as_str()));
    group
}

fn scores(model: &Hybrid, table: &Table) -> Vec<f64> {
    let score = |output| model.score(table.rows_of(output));
    table.outputs.iter().map(score).collect()
}
