//! The raters' preferences between outputs.

use std::{cmp::Ordering, collections::BTreeMap};

use serde::{Deserialize, Serialize};

use super::{
    super::{RatingTable, ratings::UnitRatings, systems::WinTieLoss},
    TauLike, TauLikeBreakdown,
};

/// The agreement among raters that makes a preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consensus {
    /// More than half of those who rated both prefer it.
    #[default]
    Majority,
    /// All of those who rated both prefer it, as reported in paper 000.
    All,
}

/// The rule that turns ratings into preferences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PreferenceRule {
    /// The required agreement.
    pub consensus: Consensus,
    /// The largest difference of two ratings of a rater that is a tie, in points of the scale:
    /// [`TieThreshold`](super::TieThreshold) gives it for any scale.
    pub tie_points: f64,
}

impl Default for PreferenceRule {
    /// The majority, with ties up to 5 points, on a scale from 0 to 100 (paper 000, section 4.1, for
    /// the threshold).
    fn default() -> Self {
        Self {
            consensus: Consensus::Majority,
            tie_points: 5.0,
        }
    }
}

/// The raters' preferences over all pairs of outputs of one source and category. Built once from
/// ratings, they evaluate any number of metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputPreferences<C> {
    categories: Vec<C>,
    sources: Vec<Vec<PreferenceGroup>>,
}

/// The outputs of one source in one category.
#[derive(Debug, Clone, PartialEq, Default)]
struct PreferenceGroup {
    category: usize,
    /// (better, worse), as indices of units.
    preferred: Vec<(usize, usize)>,
    skipped: usize,
}

impl<C: Ord + Clone> OutputPreferences<C> {
    /// Compares every two outputs that `place` puts in the same source and category. Pass raw
    /// ratings, as `tie_points` are points. A pair without a rater who rated both is skipped.
    #[must_use]
    pub fn new<R, U, S: Ord>(
        ratings: &RatingTable<R, U>,
        rule: PreferenceRule,
        mut place: impl FnMut(&U) -> (S, C),
    ) -> Self {
        let mut sources: BTreeMap<S, BTreeMap<C, Vec<usize>>> = BTreeMap::new();
        for (unit, key) in ratings.units().iter().enumerate() {
            let (source, category) = place(key);
            sources
                .entry(source)
                .or_default()
                .entry(category)
                .or_default()
                .push(unit);
        }

        let mut categories: Vec<C> = sources.values().flat_map(BTreeMap::keys).cloned().collect();
        categories.sort_unstable();
        categories.dedup();

        let sources = sources.values().map(|source| {
            let groups = source.iter().map(|(category, units)| {
                let category = categories.partition_point(|other| other < category);
                PreferenceGroup::new(category, units, ratings, rule)
            });
            groups.collect()
        });
        Self {
            sources: sources.collect(),
            categories,
        }
    }

    /// Evaluates a metric by its scores, one for each unit of the ratings in their order; larger is
    /// better. A `NaN` expresses no preference, which counts against the metric.
    ///
    /// # Panics
    /// If there are fewer scores than units.
    #[must_use]
    pub fn judge(&self, scores: &[f64]) -> TauLikeBreakdown<C> {
        self.count_pairs(scores, |counts, better, worse| {
            if better > worse {
                counts.concordant += 1;
            } else {
                counts.discordant += 1;
                counts.metric_ties += usize::from(better == worse);
            }
        })
    }

    /// Evaluates a rater whose ratings did not make the preferences, by one rating for each unit in their order. A pair
    /// is skipped where either side has no preference: the rater has none between ratings that differ by at most
    /// `tie_points`.
    ///
    /// # Panics
    /// If there are fewer ratings than units.
    #[must_use]
    pub fn judge_rater(&self, ratings: &[f64], tie_points: f64) -> TauLikeBreakdown<C> {
        self.count_pairs(ratings, |counts, better, worse| {
            if prefers(better, worse, tie_points) {
                counts.concordant += 1;
            } else if prefers(worse, better, tie_points) {
                counts.discordant += 1;
            } else {
                counts.skipped += 1;
            }
        })
    }

    /// Has `count` add each pair of (better, worse) scores to the counts of its source and category.
    fn count_pairs(
        &self,
        scores: &[f64],
        count: impl Fn(&mut TauLike, f64, f64),
    ) -> TauLikeBreakdown<C> {
        let counts = |group: &PreferenceGroup| {
            let mut counts = TauLike {
                skipped: group.skipped,
                ..TauLike::default()
            };
            for (better, worse) in &group.preferred {
                count(&mut counts, scores[*better], scores[*worse]);
            }
            (group.category, counts)
        };

        TauLikeBreakdown {
            categories: self.categories.clone(),
            sources: self
                .sources
                .iter()
                .map(|groups| groups.iter().map(counts).collect())
                .collect(),
        }
    }
}

impl OutputPreferences<()> {
    /// The majority's preferences by source, from the outcomes of each pair of units that raters compared: (a, b) with
    /// the votes of a against b. Pairs without a majority are skipped.
    pub(crate) fn from_votes(sources: &[BTreeMap<(usize, usize), WinTieLoss>]) -> Self {
        let groups = sources.iter().map(PreferenceGroup::from_votes);
        Self {
            categories: vec![()],
            sources: groups.map(|group| vec![group]).collect(),
        }
    }
}

impl PreferenceGroup {
    /// Compares every two of the units, which are indices of the ratings.
    fn new<R, U>(
        category: usize,
        units: &[usize],
        ratings: &RatingTable<R, U>,
        rule: PreferenceRule,
    ) -> Self {
        let mut group = Self {
            category,
            ..Self::default()
        };
        for (i, a) in units.iter().enumerate() {
            for b in &units[i + 1..] {
                match preference(ratings.unit(*a), ratings.unit(*b), rule) {
                    0 => group.skipped += 1,
                    1 => group.preferred.push((*a, *b)),
                    _ => group.preferred.push((*b, *a)),
                }
            }
        }
        group
    }

    fn from_votes(votes: &BTreeMap<(usize, usize), WinTieLoss>) -> Self {
        let mut group = Self::default();
        for ((a, b), votes) in votes {
            match votes.majority() {
                Ordering::Greater => group.preferred.push((*a, *b)),
                Ordering::Less => group.preferred.push((*b, *a)),
                Ordering::Equal => group.skipped += 1,
            }
        }
        group
    }
}

/// The rounding error of a difference of decimals: 3.2 − 3 is above 0.2.
const ROUNDING: f64 = 1e-9;

/// Whether a rater who gave two outputs these ratings prefers the first.
fn prefers(rating: f64, other: f64, tie_points: f64) -> bool {
    rating - other > tie_points + ROUNDING
}

/// 1 where raters prefer `a`, −1 where they prefer `b`, else 0.
fn preference(a: UnitRatings<'_>, b: UnitRatings<'_>, rule: PreferenceRule) -> i8 {
    let (mut raters, mut for_a, mut for_b) = (0, 0, 0);
    let mut ratings_of_b = b.raters.iter().zip(b.values).peekable();
    for (rater, x) in a.raters.iter().zip(a.values) {
        while ratings_of_b.next_if(|(other, _)| *other < rater).is_some() {}
        let Some((_, y)) = ratings_of_b.next_if(|(other, _)| *other == rater) else {
            continue;
        };

        raters += 1;
        for_a += usize::from(prefers(*x, *y, rule.tie_points));
        for_b += usize::from(prefers(*y, *x, rule.tie_points));
    }

    i8::from(rule.consensus.is_reached(for_a, raters))
        - i8::from(rule.consensus.is_reached(for_b, raters))
}

impl Consensus {
    fn is_reached(self, votes: usize, raters: usize) -> bool {
        match self {
            Self::Majority => 2 * votes > raters,
            Self::All => votes == raters && votes > 0,
        }
    }
}
