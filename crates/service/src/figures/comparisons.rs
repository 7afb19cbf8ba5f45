//! Figures from comparisons of outputs: of a study, or of a file.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
};

use domain::{
    comparison::{BestWorstChoice, ComparedPair, ComparisonAnswer},
    ids::{OutputId, StudyId},
    statistics::{
        Agreement, RatingTableError, UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions},
        pairwise::{
            BestWorstCounts, BradleyTerryFit, ComparisonIntervals, ComparisonTable, PairTest,
            WinMatrix, bradley_terry,
        },
        ranks::competition_ranks,
    },
};
use store::{
    Store,
    comparisons::{ComparedOutput, ComparisonRecord, StudyComparisons},
    rating_rows::RatingScope,
};
use tokio::task::spawn_blocking;

use crate::live::EventCache;

/// The figures of the comparisons on one dimension. Systems are numbered as in the table.
#[derive(Debug, Clone)]
pub struct ComparisonFigures {
    /// The dimension.
    pub name: String,
    /// The comparisons.
    pub table: ComparisonTable<String>,
    /// Wins and ties of each pair of systems.
    pub matrix: WinMatrix,
    /// Log strengths by the model of Bradley and Terry with Davidson's ties.
    pub fit: Result<BradleyTerryFit, UndefinedReason>,
    /// The systems, the strongest first; in the order of their names where there are no strengths.
    pub order: Vec<usize>,
    /// 1 for the strongest; systems of the same strength share the smallest rank.
    pub ranks: Option<Vec<usize>>,
    /// Choices of the best and the worst, by system.
    pub best_worst: Vec<BestWorstCounts>,
    /// Percentile intervals over sources; `None` without resamples.
    pub intervals: Option<ComparisonIntervals>,
    /// Krippendorff's α at the nominal level; a unit is a pair of systems on a source.
    pub agreement: Agreement,
    /// Its percentile interval over sources; `None` without resamples.
    pub agreement_interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    /// A sign test over sources of each pair of systems that was compared.
    pub pairs: Vec<PairTest>,
}

/// An answer about systems, with the rater and the source before it.
pub type ComparedSystems = (String, String, ComparisonAnswer<String>);

impl ComparisonFigures {
    /// Computes the figures of comparisons on a dimension.
    ///
    /// # Errors
    /// [`RatingTableError`] where a rater decides twice on the same systems of a source, in different ways.
    pub fn compute(
        name: String,
        comparisons: impl IntoIterator<Item = ComparedSystems>,
        resampling: Option<ResamplingOptions>,
    ) -> Result<Self, RatingTableError> {
        let table = ComparisonTable::new(comparisons)?;
        let matrix = table.win_matrix();
        let fit = bradley_terry(&matrix);
        let ranks = fit.as_ref().ok().map(|fit| {
            // Equal strengths differ in their last digits.
            let rounded = fit.strengths.iter().map(|x| (x * 1e9).round());
            competition_ranks(&rounded.collect::<Vec<_>>())
        });
        let mut order: Vec<usize> = (0..table.systems().len()).collect();
        if let Some(ranks) = &ranks {
            order.sort_by_key(|system| ranks[*system]);
        }
        Ok(Self {
            order,
            ranks,
            best_worst: table.best_worst(),
            intervals: resampling.map(|resampling| table.intervals(resampling)),
            agreement: table.agreement(),
            agreement_interval: resampling.map(|resampling| table.agreement_interval(resampling)),
            pairs: table.pair_tests(),
            name,
            matrix,
            fit,
            table,
        })
    }

    /// Whether some comparisons are choices of the best and the worst.
    #[must_use]
    pub fn has_choices(&self) -> bool {
        self.best_worst.iter().any(|counts| counts.shown > 0)
    }
}

/// The comparisons of a study by dimension, between systems that are not hidden.
#[must_use]
pub fn compared_systems(of: &StudyComparisons) -> BTreeMap<String, Vec<ComparedSystems>> {
    let mut outputs = of.outputs.clone();
    outputs.retain(|output| !output.is_hidden);
    let systems = systems_by_output(&outputs);
    let mut by_dimension = BTreeMap::<String, Vec<ComparedSystems>>::new();
    for comparison in &of.comparisons {
        let ComparisonRecord { rater, source, .. } = comparison;
        let answers = answers_of_systems(&comparison.answer, &systems).into_iter();
        let answers = answers.map(|answer| (rater.clone(), source.clone(), answer));
        by_dimension
            .entry(comparison.dimension.clone())
            .or_default()
            .extend(answers);
    }
    by_dimension.retain(|_, comparisons| !comparisons.is_empty());
    by_dimension
}

/// The figures of studies' comparisons, kept until a study has a new event. Cloning is cheap: all clones share them.
#[derive(Clone, Default)]
pub struct ComparisonFigureCache {
    handed_in: Arc<EventCache<Vec<ComparisonFigures>>>,
    including_open: Arc<EventCache<Vec<ComparisonFigures>>>,
}

impl fmt::Debug for ComparisonFigureCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComparisonFigureCache")
            .finish_non_exhaustive()
    }
}

impl ComparisonFigureCache {
    /// The figures of the study's comparisons, one for each dimension with some, as of its newest event.
    ///
    /// # Errors
    /// When the database fails.
    ///
    /// # Panics
    /// When computing does.
    pub async fn get(
        &self,
        store: &Store,
        study: StudyId,
        scope: RatingScope,
    ) -> store::Result<Arc<Vec<ComparisonFigures>>> {
        let cache = match scope {
            RatingScope::HandedIn => &self.handed_in,
            RatingScope::IncludingOpen => &self.including_open,
        };
        let load = async |_| {
            let found = store.study_comparisons(study, scope).await?;
            let compute =
                spawn_blocking(move || study_figures(&found, ResamplingOptions::default()));
            Ok(compute.await.expect("computing does not panic"))
        };
        cache.get(store, study, load).await
    }
}

fn study_figures(of: &StudyComparisons, resampling: ResamplingOptions) -> Vec<ComparisonFigures> {
    let compute = |(name, comparisons)| {
        // The store keeps one answer of a rater about the same outputs.
        ComparisonFigures::compute(name, comparisons, Some(resampling)).ok()
    };
    let by_dimension = compared_systems(of).into_iter();
    by_dimension.filter_map(compute).collect()
}

/// The systems that an output stands for, in the order of the file.
pub(crate) type SystemsByOutput<'a> = HashMap<OutputId, Vec<&'a str>>;

/// The systems of outputs, by the output that was judged for them.
pub(crate) fn systems_by_output(outputs: &[ComparedOutput]) -> SystemsByOutput<'_> {
    let mut systems = SystemsByOutput::new();
    for output in outputs {
        systems
            .entry(output.judged_as)
            .or_default()
            .push(&output.system);
    }
    systems
}

/// The answer in terms of systems. An output that several systems wrote stands for each of them: the answer then counts
/// as often as the most systems wrote one of its outputs, each time with another system. Empty where one of the outputs
/// has no system.
pub(crate) fn answers_of_systems(
    answer: &ComparisonAnswer<OutputId>,
    systems: &SystemsByOutput<'_>,
) -> Vec<ComparisonAnswer<String>> {
    let shown = answer.shown();
    let written = |output: &&OutputId| systems.get(*output).filter(|names| !names.is_empty());
    let Some(written) = shown.iter().map(written).collect::<Option<Vec<_>>>() else {
        return vec![];
    };
    let most = written.iter().map(|names| names.len()).max().unwrap_or(0);
    let of_turn = |turn: usize| {
        let name = |output: &OutputId| {
            let names = &systems[output];
            names[turn % names.len()].to_owned()
        };
        match answer {
            ComparisonAnswer::Pair(pair) => {
                let named = ComparedPair::new(name(pair.a()), name(pair.b()), pair.outcome());
                named.map(ComparisonAnswer::Pair)
            }
            ComparisonAnswer::BestWorst(choice) => {
                let shown = choice.shown().iter().map(name).collect();
                let named =
                    BestWorstChoice::new(shown, &name(choice.best()), &name(choice.worst()));
                named.map(ComparisonAnswer::BestWorst)
            }
        }
    };
    // A system wrote one output of a source, so that no answer names it twice.
    (0..most).filter_map(|turn| of_turn(turn).ok()).collect()
}

#[cfg(test)]
mod tests {
    use domain::comparison::PairOutcome;
    use uuid::Uuid;

    use super::*;

    fn output(number: u128) -> OutputId {
        OutputId(Uuid::from_u128(number))
    }

    fn written(judged_as: u128, system: &str, is_hidden: bool) -> ComparedOutput {
        ComparedOutput {
            judged_as: output(judged_as),
            system: system.to_owned(),
            is_hidden,
        }
    }

    fn pair(a: u128, b: u128) -> ComparisonRecord {
        let answer = ComparedPair::new(output(a), output(b), PairOutcome::A).expect("two outputs");
        ComparisonRecord {
            rater: "annotator 1".to_owned(),
            source: "s1".to_owned(),
            dimension: "overall".to_owned(),
            answer: ComparisonAnswer::Pair(answer),
            recorded_at: 0,
        }
    }

    #[test]
    fn an_answer_counts_for_every_system_that_is_shown() {
        let of = StudyComparisons {
            comparisons: vec![pair(1, 2), pair(2, 3), pair(1, 9)],
            outputs: vec![
                written(1, "BART", false),
                written(2, "T5", false),
                written(1, "copy", false),
                written(3, "tutorial-1", true),
            ],
        };
        let compared = compared_systems(&of);
        let pairs: Vec<_> = compared["overall"]
            .iter()
            .flat_map(|(_, _, answer)| answer.shown())
            .collect();
        // The hidden system, and an output that is no longer there, are left out.
        assert_eq!(pairs, ["BART", "T5", "copy", "T5"]);
    }
}
