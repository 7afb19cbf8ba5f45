//! Planning which outputs of a source are compared, if that depends on the uncertainty that earlier comparisons left.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    computation::{FigureError, compute},
    figures::comparisons::compared_systems,
};
use domain::{
    comparison::PairOutcome,
    ids::{OutputId, StudyId},
    statistics::{
        pairwise::{StrengthUncertainty, WinMatrix},
        systems::WinTieLoss,
    },
    study::SourcePurpose,
    work::{comparison_plan::ComparisonPlan, task::AnnotationTask},
};
use store::{
    Store, comparison_plans::UnplannedSource, comparisons::StudyComparisons,
    rating_rows::RatingScope,
};

/// The time after which the comparisons of a study are read again, in milliseconds. A source more or less changes
/// little, and reading takes longer the more there are.
const FRESH_MS: i64 = 60_000;

/// Plans the comparisons of sources. Cloning is cheap: all clones share what they have read.
#[derive(Clone, Default)]
pub struct ComparisonPlanner(Arc<Mutex<HashMap<StudyId, Arc<ReadComparisons>>>>);

/// The uncertainty that the comparisons of a study left when they were read.
struct ReadComparisons {
    at_ms: i64,
    /// The index of each system.
    systems: HashMap<String, usize>,
    /// The uncertainty of each dimension.
    uncertainties: HashMap<String, StrengthUncertainty>,
}

impl fmt::Debug for ComparisonPlanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComparisonPlanner").finish_non_exhaustive()
    }
}

impl ComparisonPlanner {
    /// Plans the comparisons of a task whose pairs are chosen adaptively and not planned yet. Returns whether it did;
    /// if so, the task must be loaded again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn plan(
        &self,
        store: &Store,
        task: &AnnotationTask,
        now_ms: i64,
    ) -> store::Result<bool> {
        let Some(step) = task.protocol.compare_step() else {
            return Ok(false);
        };
        if !step.is_adaptive || task.purpose != SourcePurpose::Main {
            return Ok(false);
        }

        let Some(unplanned) = store.unplanned_source(task.assignment).await? else {
            return Ok(false);
        };

        let read = self.read(store, task.study, &unplanned, now_ms).await?;
        let of_dimension = |name: &String| {
            let open = read.uncertainties.get(name).cloned();
            open.unwrap_or_else(|| StrengthUncertainty::new(&WinMatrix::new(read.systems.len())))
        };
        let names = task.dimensions.iter().map(|dimension| &dimension.name);
        let mut uncertainties: Vec<_> = names.map(of_dimension).collect();

        let times = step.times.unwrap_or_default() as usize;
        let pairs = choose_pairs(&unplanned, &read.systems, &mut uncertainties, times);

        store.plan_comparisons(&unplanned, &pairs).await?;
        Ok(true)
    }

    /// The uncertainty that the study's comparisons leave. It is at most a minute old and covers all systems of the
    /// source.
    async fn read(
        &self,
        store: &Store,
        study: StudyId,
        unplanned: &UnplannedSource,
        now_ms: i64,
    ) -> store::Result<Arc<ReadComparisons>> {
        let last = self.lock().get(&study).cloned();
        let is_fresh = |read: &Arc<ReadComparisons>| {
            let mut systems = unplanned.outputs.iter().map(|(_, system)| system);
            now_ms - read.at_ms < FRESH_MS && systems.all(|name| read.systems.contains_key(name))
        };
        if let Some(last) = last.filter(is_fresh) {
            return Ok(last);
        }

        let comparisons = store
            .study_comparisons(study, RatingScope::IncludingOpen)
            .await?;

        let systems = number_systems(&comparisons);
        let systems_of_study = systems.clone();
        let uncertainties = compute(move || find_uncertainties(&comparisons, &systems_of_study));
        let read = Arc::new(ReadComparisons {
            at_ms: now_ms,
            systems,
            uncertainties: or_none(study, uncertainties.await)?,
        });
        self.lock().insert(study, read.clone());
        Ok(read)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<StudyId, Arc<ReadComparisons>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The index of each system.
fn number_systems(comparisons: &StudyComparisons) -> HashMap<String, usize> {
    let mut systems = HashMap::new();
    for output in &comparisons.outputs {
        let next = systems.len();
        systems.entry(output.system.clone()).or_insert(next);
    }
    systems
}

/// The uncertainty that the comparisons leave, by dimension.
fn find_uncertainties(
    comparisons: &StudyComparisons,
    systems: &HashMap<String, usize>,
) -> HashMap<String, StrengthUncertainty> {
    let by_dimension = compared_systems(comparisons).into_iter();
    by_dimension
        .map(|(name, compared)| {
            let mut matrix = WinMatrix::new(systems.len());
            for (_, _, answer) in &compared.given {
                for pair in answer.pairs() {
                    let outcome = count_outcome(pair.outcome());
                    matrix.add(systems[*pair.a()], systems[*pair.b()], outcome);
                }
            }
            (name, StrengthUncertainty::new(&matrix))
        })
        .collect()
}

/// The uncertainties, or none if they cannot be computed: annotators go on, and their pairs are chosen as in a study
/// without comparisons.
fn or_none(
    study: StudyId,
    uncertainties: Result<HashMap<String, StrengthUncertainty>, FigureError>,
) -> store::Result<HashMap<String, StrengthUncertainty>> {
    match uncertainties {
        Ok(uncertainties) => Ok(uncertainties),
        Err(FigureError::Database(error)) => Err(error),
        Err(error @ FigureError::Panicked(_)) => {
            tracing::error!(%study, %error, "pairs are chosen without earlier comparisons");
            Ok(HashMap::new())
        }
    }
}

/// One comparison, seen from its first output.
const fn count_outcome(outcome: PairOutcome) -> WinTieLoss {
    let (wins, ties, losses) = match outcome {
        PairOutcome::A => (1, 0, 0),
        PairOutcome::Tie => (0, 1, 0),
        PairOutcome::B => (0, 0, 1),
    };
    WinTieLoss { wins, ties, losses }
}

/// The pairs of a source: the planned ones, and further ones until each output is in `times` pairs on average.
fn choose_pairs(
    unplanned: &UnplannedSource,
    systems: &HashMap<String, usize>,
    uncertainties: &mut [StrengthUncertainty],
    times: usize,
) -> Vec<[OutputId; 2]> {
    let outputs = &unplanned.outputs;
    let place = |output: &OutputId| outputs.iter().position(|(one, _)| one == output);
    let places = |[a, b]: &[OutputId; 2]| {
        let (a, b) = (place(a)?, place(b)?);
        Some([a.min(b), a.max(b)])
    };

    let plan = ComparisonPlan {
        systems: &outputs
            .iter()
            .map(|(_, name)| systems[name])
            .collect::<Vec<_>>(),
        planned: unplanned.planned.iter().filter_map(places).collect(),
        target: (outputs.len() * times).div_ceil(2),
    };

    // The seed is the lower half of an id, which is random.
    let pairs = plan.choose(uncertainties, unplanned.source.0.as_u64_pair().1);
    let pair = |[a, b]: [usize; 2]| [outputs[a].0, outputs[b].0];
    pairs.into_iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn a_panic_leaves_pairs_to_be_chosen_without_earlier_comparisons() {
        let number = 7;
        let failed = compute(move || panic!("a variance of {number}")).await;
        let uncertainties = or_none(StudyId(Uuid::nil()), failed).expect("annotators go on");
        assert!(uncertainties.is_empty());

        let offline = Err(FigureError::Database(store::Error::Refused(
            "The study is closed.".to_owned(),
        )));
        assert!(or_none(StudyId(Uuid::nil()), offline).is_err());
    }
}
