//! The table from which every figure about comparisons is computed.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::{
        MeasurementLevel, RatingTable, RatingTableError, UndefinedReason,
        agreement::{Agreement, AlphaBootstrap, agreement},
        bootstrap::{BootstrapInterval, ResamplingOptions},
    },
    BestWorstCounts, WinMatrix, WinTieLoss,
};
use crate::comparison::{ComparisonAnswer, PairOutcome};

/// Comparisons by rater and source, of systems numbered in the order of their keys.
#[derive(Debug, Clone)]
pub struct ComparisonTable<S> {
    systems: Vec<S>,
    pub(super) sources: Vec<SourceComparisons>,
    outcomes: RatingTable<usize, OutcomeUnit>,
    comparisons: usize,
}

/// A pair of systems among those that were shown together for a source: a unit of agreement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OutcomeUnit {
    /// The source, by index.
    source: usize,
    /// All systems shown, by index, ascending.
    shown: Vec<usize>,
    /// The pair, by index; the first is smaller.
    pair: (usize, usize),
}

/// The comparisons on one source, all raters together.
#[derive(Debug, Clone, Default)]
pub(super) struct SourceComparisons {
    /// The outcomes of a against b, for a < b.
    pub(super) pairs: BTreeMap<(usize, usize), WinTieLoss>,
    /// The choices of the best and the worst, by system.
    pub(super) choices: BTreeMap<usize, BestWorstCounts>,
}

impl<S: Ord + Clone> ComparisonTable<S> {
    /// Builds the table from (rater, source, comparison) in any order.
    ///
    /// # Errors
    /// [`RatingTableError::Conflict`] where a rater decides twice on the same outputs of a source, in
    /// different ways. An equal repetition counts twice, though not for agreement: leave repetitions out.
    pub fn new<R: Ord, U: Ord>(
        comparisons: impl IntoIterator<Item = (R, U, ComparisonAnswer<S>)>,
    ) -> Result<Self, RatingTableError> {
        let comparisons: Vec<_> = comparisons.into_iter().collect();
        let raters: BTreeSet<&R> = comparisons.iter().map(|(rater, _, _)| rater).collect();
        let raters = numbered(raters);
        let sources: BTreeSet<&U> = comparisons.iter().map(|(_, source, _)| source).collect();
        let sources = numbered(sources);
        let system_keys = comparisons.iter().flat_map(|(_, _, one)| one.shown());
        let systems = numbered(system_keys.collect());

        let mut by_source = vec![SourceComparisons::default(); sources.len()];
        let mut outcomes = Vec::new();
        for (rater, source, comparison) in &comparisons {
            let source = sources[source];
            by_source[source].add_choice(comparison, &systems);
            let mut shown_systems: Vec<usize> = comparison
                .shown()
                .into_iter()
                .map(|one| systems[one])
                .collect();
            shown_systems.sort_unstable();

            for pair in comparison.pairs() {
                let (a, b) = (systems[*pair.a()], systems[*pair.b()]);
                let (pair, outcome) = if a < b {
                    ((a, b), pair.outcome())
                } else {
                    ((b, a), pair.outcome().reversed())
                };
                let counts = by_source[source].pairs.entry(pair).or_default();
                *counts = counts.plus(WinTieLoss::from(outcome));

                let unit = OutcomeUnit {
                    source,
                    shown: shown_systems.clone(),
                    pair,
                };
                let value = match outcome {
                    PairOutcome::A => 1.0,
                    PairOutcome::Tie => 0.0,
                    PairOutcome::B => -1.0,
                };
                outcomes.push((raters[rater], unit, value));
            }
        }

        Ok(Self {
            systems: systems.keys().map(|system| (*system).clone()).collect(),
            sources: by_source,
            outcomes: RatingTable::new(outcomes)?,
            comparisons: comparisons.len(),
        })
    }
}

impl<S> ComparisonTable<S> {
    /// The systems, in the order of their keys. Figures refer to them by index.
    #[must_use]
    pub fn systems(&self) -> &[S] {
        &self.systems
    }

    /// The number of comparisons; a choice of the best and the worst is one.
    #[must_use]
    pub const fn comparisons(&self) -> usize {
        self.comparisons
    }

    /// The number of sources.
    #[must_use]
    pub const fn sources(&self) -> usize {
        self.sources.len()
    }

    /// The outcomes of every pair of systems.
    #[must_use]
    pub fn win_matrix(&self) -> WinMatrix {
        self.win_matrix_of(0..self.sources.len())
    }

    /// The outcomes on some of the sources, given by index, perhaps repeatedly.
    pub(crate) fn win_matrix_of(&self, sources: impl IntoIterator<Item = usize>) -> WinMatrix {
        let mut matrix = WinMatrix::new(self.systems.len());
        for source in sources {
            for ((a, b), counts) in &self.sources[source].pairs {
                matrix.add(*a, *b, *counts);
            }
        }
        matrix
    }

    /// The choices of the best and the worst by system; all zero where there are none.
    #[must_use]
    pub fn best_worst(&self) -> Vec<BestWorstCounts> {
        self.best_worst_of(0..self.sources.len())
    }

    /// The choices on some of the sources, given by index, perhaps repeatedly.
    pub(super) fn best_worst_of(
        &self,
        sources: impl IntoIterator<Item = usize>,
    ) -> Vec<BestWorstCounts> {
        let mut all = vec![BestWorstCounts::default(); self.systems.len()];
        for source in sources {
            for (system, counts) in &self.sources[source].choices {
                all[*system] = all[*system].plus(*counts);
            }
        }
        all
    }

    /// Krippendorff's α, nominal, on the outcomes. A unit is a pair of systems on a source, as part of the
    /// outputs that were shown together; its values are that the first system in the order of keys
    /// is better, that the second is, or a tie, whichever of them was shown first.
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        agreement(&self.outcomes, MeasurementLevel::Nominal)
    }

    /// The percentile interval of [`ComparisonTable::agreement`], sources resampled.
    ///
    /// # Errors
    /// As [`bootstrap`](super::super::bootstrap::bootstrap).
    pub fn agreement_interval(
        &self,
        resampling: ResamplingOptions,
    ) -> Result<BootstrapInterval, UndefinedReason> {
        AlphaBootstrap::new(&self.outcomes, MeasurementLevel::Nominal, |unit| {
            unit.source
        })
        .interval(resampling)
    }
}

impl SourceComparisons {
    fn add_choice<S: Ord>(
        &mut self,
        comparison: &ComparisonAnswer<S>,
        systems: &BTreeMap<&S, usize>,
    ) {
        let ComparisonAnswer::BestWorst(choice) = comparison else {
            return;
        };

        for system in choice.shown() {
            let counts = self.choices.entry(systems[system]).or_default();
            counts.shown += 1;
            counts.best += usize::from(system == choice.best());
            counts.worst += usize::from(system == choice.worst());
        }
    }
}

/// The keys with their places in their order.
fn numbered<K: Ord>(keys: BTreeSet<K>) -> BTreeMap<K, usize> {
    keys.into_iter().zip(0..).collect()
}
