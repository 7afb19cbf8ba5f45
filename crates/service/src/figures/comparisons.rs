//! Figures from comparisons of outputs, of a study or of a file.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
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

use super::disputed_comparisons::{DisputedComparison, find_disputed_comparisons};
use crate::{
    computation::{FigureError, compute},
    live::ScopedEventCache,
};

/// The figures of the comparisons on one dimension. Systems are numbered as in the table.
#[derive(Debug, Clone)]
pub struct ComparisonFigures {
    /// The dimension.
    pub name: String,
    /// The comparisons of systems.
    pub table: ComparisonTable<String>,
    /// The number of answers that raters gave.
    pub comparisons: usize,
    /// Wins and ties of each pair of systems.
    pub matrix: WinMatrix,
    /// Log strengths by the model of Bradley and Terry with Davidson's ties.
    pub fit: Result<BradleyTerryFit, UndefinedReason>,
    /// The systems, the strongest first; in the order of their names if there are no strengths.
    pub order: Vec<usize>,
    /// The rank of each system, 1 for the strongest; systems of the same strength share the smallest rank.
    pub ranks: Option<Vec<usize>>,
    /// The choices of the best and the worst, by system.
    pub best_worst: Vec<BestWorstCounts>,
    /// Percentile intervals over sources; `None` without resamples.
    pub intervals: Option<ComparisonIntervals>,
    /// Krippendorff's α at the nominal level; a unit is a pair of systems on a source.
    pub agreement: Agreement,
    /// The percentile interval of the agreement over sources; `None` without resamples.
    pub agreement_interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    /// A sign test over sources of each pair of systems that was compared.
    pub pairs: Vec<PairTest>,
}

/// The rater, the name of the source, and the rater's answer about systems.
pub type ComparedSystems = (String, String, ComparisonAnswer<String>);

/// The answers on one dimension.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DimensionComparisons {
    /// The answers as raters gave them.
    pub given: Vec<ComparedSystems>,
    /// The same answers for further systems whose outputs are identical. They count for the figures of systems, but not
    /// for agreement.
    pub shared: Vec<ComparedSystems>,
}

impl ComparisonFigures {
    /// Computes the figures of comparisons on a dimension.
    ///
    /// # Errors
    /// [`RatingTableError`] if a rater decides twice, in different ways, on the same systems of a source.
    pub fn compute(
        name: String,
        comparisons: DimensionComparisons,
        resampling: Option<ResamplingOptions>,
    ) -> Result<Self, RatingTableError> {
        let DimensionComparisons { given, shared } = comparisons;
        let answered = ComparisonTable::new(given.iter().cloned())?;
        let table = match shared.is_empty() {
            true => answered.clone(),
            false => ComparisonTable::new(given.into_iter().chain(shared))?,
        };

        let matrix = table.win_matrix();
        let fit = bradley_terry(&matrix);
        let ranks = fit.as_ref().ok().map(|fit| {
            // Equal strengths differ in their last digits, so they are rounded.
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
            comparisons: answered.comparisons(),
            agreement: answered.agreement(),
            agreement_interval: resampling
                .map(|resampling| answered.agreement_interval(resampling)),
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

/// The answers about outputs whose systems are not hidden. Hidden systems are dropped from a choice of the best and the
/// worst, unless it chose one of them: then the whole answer is dropped.
pub(crate) struct VisibleComparisons<'a> {
    comparisons: &'a [ComparisonRecord],
    systems: SystemsByOutput<'a>,
}

impl<'a> VisibleComparisons<'a> {
    pub(crate) fn new(of: &'a StudyComparisons) -> Self {
        Self {
            comparisons: &of.comparisons,
            systems: systems_by_output(of.outputs.iter().filter(|output| !output.is_hidden)),
        }
    }

    /// The remaining answers, each with its record.
    fn answers(&self) -> impl Iterator<Item = (&'a ComparisonRecord, ComparisonAnswer<OutputId>)> {
        let left = |comparison: &'a ComparisonRecord| {
            let answer = among_known(&comparison.answer, &self.systems)?;
            Some((comparison, answer))
        };
        self.comparisons.iter().filter_map(left)
    }

    /// The rater, source and answer of each comparison, by dimension.
    pub(crate) fn by_dimension(
        &self,
    ) -> BTreeMap<String, Vec<(String, String, ComparisonAnswer<OutputId>)>> {
        let mut by_dimension = BTreeMap::<_, Vec<_>>::new();
        for (comparison, answer) in self.answers() {
            let (rater, source) = (comparison.rater.clone(), comparison.source.clone());
            let of_dimension = by_dimension
                .entry(comparison.dimension.clone())
                .or_default();
            of_dimension.push((rater, source, answer));
        }
        by_dimension
    }
}

/// The comparisons of a study by dimension, between systems that are not hidden.
#[must_use]
pub fn compared_systems(of: &StudyComparisons) -> BTreeMap<String, DimensionComparisons> {
    let visible = VisibleComparisons::new(of);
    let mut by_dimension = BTreeMap::<String, DimensionComparisons>::new();
    // Only the first answer of a rater about the same systems counts, as in a file.
    let mut seen = HashSet::new();
    for (comparison, answer) in visible.answers() {
        let ComparisonRecord {
            rater,
            source,
            dimension,
            ..
        } = comparison;

        for (turn, answer) in answers_of_systems(&answer, &visible.systems)
            .into_iter()
            .enumerate()
        {
            let mut shown: Vec<_> = answer.shown().into_iter().cloned().collect();
            shown.sort_unstable();
            if !seen.insert((rater, source, dimension, shown)) {
                continue;
            }

            let comparisons = by_dimension.entry(dimension.clone()).or_default();
            let kept = match turn {
                0 => &mut comparisons.given,
                _ => &mut comparisons.shared,
            };
            kept.push((rater.clone(), source.clone(), answer));
        }
    }

    by_dimension
}

/// The answer, restricted to outputs that have systems; `None` if it then says nothing.
fn among_known(
    answer: &ComparisonAnswer<OutputId>,
    systems: &SystemsByOutput<'_>,
) -> Option<ComparisonAnswer<OutputId>> {
    let is_known = |output: &&OutputId| systems.contains_key(*output);
    match answer {
        ComparisonAnswer::BestWorst(choice) => {
            let shown = choice.shown().iter().filter(is_known).copied().collect();
            let known = BestWorstChoice::new(shown, choice.best(), choice.worst());
            known.ok().map(ComparisonAnswer::BestWorst)
        }
        ComparisonAnswer::Pair(_) => {
            let is_whole = answer.shown().iter().all(is_known);
            is_whole.then(|| answer.clone())
        }
    }
}

/// The figures of studies' comparisons. Cloning is cheap: all clones share them.
#[derive(Clone, Default)]
pub struct ComparisonFigureCache(ScopedEventCache<CachedFigures>);

/// The comparisons of a study, with their figures.
struct CachedFigures {
    of: StudyComparisons,
    figures: Arc<Vec<ComparisonFigures>>,
}

impl fmt::Debug for ComparisonFigureCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComparisonFigureCache")
            .finish_non_exhaustive()
    }
}

impl ComparisonFigureCache {
    /// The figures of the study's comparisons, one for each dimension that has any, as of its newest event. After an
    /// event the comparisons are read again; the figures are computed again only if comparisons changed.
    ///
    /// # Errors
    /// When the database fails, or computing panics.
    pub async fn get(
        &self,
        store: &Store,
        study: StudyId,
        scope: RatingScope,
    ) -> Result<Arc<Vec<ComparisonFigures>>, FigureError> {
        let cached = self.load(store, study, scope).await?;
        Ok(cached.figures.clone())
    }

    async fn load(
        &self,
        store: &Store,
        study: StudyId,
        scope: RatingScope,
    ) -> Result<Arc<CachedFigures>, FigureError> {
        let load = async |last: Option<(i64, Arc<CachedFigures>)>| {
            let of = store.study_comparisons(study, scope).await?;
            if let Some((_, last)) = last
                && last.of == of
            {
                let figures = last.figures.clone();
                return Ok(CachedFigures { of, figures });
            }
            let figures = move || {
                let figures = Arc::new(study_figures(&of, ResamplingOptions::default()));
                CachedFigures { of, figures }
            };
            compute(figures).await
        };

        self.0.get(store, study, scope, load).await
    }

    /// The study's comparisons on a dimension with each rater's choice, the largest disagreements first.
    ///
    /// # Errors
    /// When the database fails, or computing panics.
    pub async fn disputed(
        &self,
        store: &Store,
        study: StudyId,
        scope: RatingScope,
        dimension: &str,
    ) -> Result<Vec<DisputedComparison>, FigureError> {
        let cached = self.load(store, study, scope).await?;
        let dimension = dimension.to_owned();
        compute(move || find_disputed_comparisons(&cached.of, &dimension)).await
    }
}

/// The figures of a study's comparisons, one for each dimension that has any.
pub(crate) fn study_figures(
    of: &StudyComparisons,
    resampling: ResamplingOptions,
) -> Vec<ComparisonFigures> {
    let compute = |(name, comparisons)| {
        // Each rater has only one answer about the same systems, so none contradict each other.
        ComparisonFigures::compute(name, comparisons, Some(resampling)).ok()
    };

    let by_dimension = compared_systems(of).into_iter();
    by_dimension.filter_map(compute).collect()
}

/// The systems whose output is the judged one, by output, in the order of the file.
pub(crate) type SystemsByOutput<'a> = HashMap<OutputId, Vec<&'a str>>;

/// The systems of outputs, by the output that was judged for them.
pub fn systems_by_output<'a>(
    outputs: impl IntoIterator<Item = &'a ComparedOutput>,
) -> SystemsByOutput<'a> {
    let mut systems = SystemsByOutput::new();
    for output in outputs {
        systems
            .entry(output.judged_as)
            .or_default()
            .push(&output.system);
    }
    systems
}

/// The answer in terms of systems. There are as many answers as the output with the most systems has systems, each with
/// another one of them. Empty if one of the outputs has no system.
pub fn answers_of_systems(
    answer: &ComparisonAnswer<OutputId>,
    systems: &SystemsByOutput<'_>,
) -> Vec<ComparisonAnswer<String>> {
    let shown = answer.shown();
    let count = |output: &&OutputId| systems.get(*output).map(Vec::len);
    let Some(counts) = shown.iter().map(count).collect::<Option<Vec<_>>>() else {
        return vec![];
    };

    let most = counts.into_iter().max().unwrap_or(0);

    let of_turn = |turn: usize| {
        let name = |output: &OutputId| {
            let names = &systems[output];
            names[turn % names.len()].to_owned()
        };
        match answer {
            ComparisonAnswer::Pair(pair) => {
                ComparedPair::new(name(pair.a()), name(pair.b()), pair.outcome())
                    .map(ComparisonAnswer::Pair)
            }
            ComparisonAnswer::BestWorst(choice) => {
                let shown = choice.shown().iter().map(name).collect();
                BestWorstChoice::new(shown, &name(choice.best()), &name(choice.worst()))
                    .map(ComparisonAnswer::BestWorst)
            }
        }
    };
    // Each system wrote one output of a source, so no answer names a system twice.
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
            output: OutputId(Uuid::from_u128(judged_as)),
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
    fn an_answer_counts_for_every_system_and_once_for_agreement() {
        let of = StudyComparisons {
            comparisons: vec![pair(1, 2), pair(2, 3), pair(1, 9)],
            outputs: vec![
                written(1, "BART", false),
                written(2, "T5", false),
                written(1, "copy", false),
                written(3, "tutorial-1", true),
            ],
        };

        let compared = &compared_systems(&of)["overall"];
        let names = |answers: &[ComparedSystems]| {
            let shown = answers.iter().flat_map(|(_, _, answer)| answer.shown());
            shown.cloned().collect::<Vec<_>>()
        };

        // The hidden system, and an output that no longer exists, are left out.
        assert_eq!(names(&compared.given), ["BART", "T5"]);
        assert_eq!(names(&compared.shared), ["copy", "T5"]);

        let figures = ComparisonFigures::compute("overall".to_owned(), compared.clone(), None);
        let figures = figures.expect("figures");
        assert_eq!((figures.comparisons, figures.agreement.units), (1, 1));
        assert_eq!(figures.table.systems(), ["BART", "T5", "copy"]);
    }

    #[test]
    fn a_choice_among_hidden_systems_is_one_among_the_others() {
        let choose = |best, worst| {
            let choice = BestWorstChoice::new(
                [1, 2, 3].map(output).to_vec(),
                &output(best),
                &output(worst),
            );
            let answer = ComparisonAnswer::BestWorst(choice.expect("a choice"));
            let of = StudyComparisons {
                comparisons: vec![ComparisonRecord {
                    answer,
                    ..pair(1, 2)
                }],
                outputs: vec![
                    written(1, "BART", false),
                    written(2, "T5", false),
                    written(3, "tutorial-1", true),
                ],
            };
            let compared = compared_systems(&of);
            compared
                .get("overall")
                .map_or(0, |comparisons| comparisons.given.len())
        };

        assert_eq!((choose(1, 2), choose(1, 3), choose(3, 2)), (1, 0, 0));
    }
}
