//! The figures of a study's reading comprehension.

mod analysis;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use domain::{
    comprehension::{
        AnswerTable, ConditionFigures, DoubleAgreement, ItemFigures, MaterialWarning, MeanScores,
        ParticipantActivity, ParticipantConduct, PassagePurpose, RankingStability,
        StabilityOptions, compute_conduct, double_agreement, figures_by_condition,
        figures_by_passage, figures_by_question, find_material_warnings, stability, subset_sizes,
    },
    ids::StudyId,
    metrics::ScoreDirection,
    statistics::{UndefinedReason, bootstrap::ResamplingOptions, quality::Proportion},
};
use store::{
    Store,
    comprehension::{CellProgress, ParticipantEntry, StudyMaterial},
    rating_rows::RatingScope,
};

pub use self::analysis::{ComprehensionAnalysis, ComprehensionAnalysisOptions, SupportPredictor};
use crate::{
    computation::FigureError,
    live::{CacheKey, LiveStudies, StudySnapshot},
};

/// The number of subset sizes at which the stability of the ranking is shown.
const SUBSET_SIZES: usize = 12;

/// The key of a study's [`StudyComprehension`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ComprehensionKey;

impl CacheKey for ComprehensionKey {
    type Value = StudyComprehension;
}

/// The figures of a study's reading comprehension, as of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyComprehension {
    /// The number of the newest event that is included.
    pub event: i64,
    /// The passages and questions.
    pub material: Arc<StudyMaterial>,
    /// Possible faults of the material.
    pub doubts: Vec<MaterialWarning>,
    /// The answers that count.
    pub answers: AnswerTable,
    /// The figures of each condition.
    pub conditions: Vec<ConditionFigures>,
    /// Agreement between two readers of the same text.
    pub agreement: DoubleAgreement,
    /// The figures of each passage.
    pub passages: Vec<ItemFigures>,
    /// The figures of each question.
    pub questions: Vec<ItemFigures>,
    /// The similarity of the ranking to rankings on fewer passages, the fewest first.
    pub stability: Vec<Result<RankingStability, UndefinedReason>>,
    /// The participants, whether their answers count or not.
    pub entries: Vec<ParticipantEntry>,
    /// The conduct of participants whose answers count, in the order of [`AnswerTable::participants`].
    pub conduct: Vec<ParticipantConduct>,
    /// The progress of each text.
    pub cells: Vec<CellProgress>,
    /// Mean scores of the study's metrics by system, for conditions with the names of systems.
    pub scores: Vec<SystemMeanScores>,
}

/// A metric's mean scores of the study's systems.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemMeanScores {
    /// A name that distinguishes these scores from the metric's scores of passages.
    pub name: String,
    /// The direction of its scores.
    pub direction: ScoreDirection,
    /// The mean scores by system name, as the metric gives them.
    pub scores: MeanScores,
}

impl StudyComprehension {
    /// The study's current figures, read and computed once until its next event.
    ///
    /// # Errors
    /// When the database fails, or computing panics.
    pub async fn load(
        live: &LiveStudies,
        store: &Store,
        study: StudyId,
    ) -> Result<Arc<Self>, FigureError> {
        // The event number is read before the data, so that the data are at least as new as the number.
        let event = store.newest_event(study).await?.unwrap_or(0);

        // Answers do not depend on the scope of ratings, so one scope is enough to cache the figures in.
        let scope = RatingScope::HandedIn;
        let recall = |snapshot: &StudySnapshot| snapshot.cached(&ComprehensionKey);
        let cached = live.read(store, study, scope, recall).await?;
        if let Some(cached) = cached.filter(|cached| cached.event == event) {
            return Ok(cached);
        }

        let material = store.comprehension_material(study).await?;
        let answers = store.comprehension_answers(study).await?;
        let entries = store.participants(study).await?;
        let cells = store.comprehension_cells(study).await?;
        let scores = study_scores(store, study).await?;

        let compute = move |snapshot: &StudySnapshot| {
            let figures = Self {
                event,
                doubts: material_warnings(&material),
                conditions: figures_by_condition(&answers, ResamplingOptions::default()),
                agreement: double_agreement(&answers),
                passages: figures_by_passage(&answers),
                questions: figures_by_question(&answers),
                stability: stability(
                    &answers,
                    &subset_sizes(answers.passages().len(), SUBSET_SIZES),
                    StabilityOptions::default(),
                ),
                conduct: compute_conduct(&answers, &activities(&answers, &entries)),
                material: Arc::new(material),
                answers,
                entries,
                cells,
                scores,
            };
            snapshot.insert_cached(ComprehensionKey, figures)
        };

        live.read(store, study, scope, compute).await
    }
}

/// Mean scores of the study's own metrics by system name, for conditions that have these names.
///
/// # Errors
/// When the database fails.
pub async fn study_scores(store: &Store, study: StudyId) -> store::Result<Vec<SystemMeanScores>> {
    let metrics = store.metrics(study).await?;
    if metrics.is_empty() {
        return Ok(vec![]);
    }

    let outputs = store.output_entries(study).await?;
    let systems: HashMap<_, _> = outputs
        .iter()
        .map(|output| (output.output, &*output.system_name))
        .collect();

    let mut sums = HashMap::<_, BTreeMap<&str, (f64, f64)>>::new();
    let scores = store.metric_scores(study).await?;
    for score in &scores {
        if let Some(system) = systems.get(&score.output) {
            let by_system = sums.entry(score.metric).or_default();
            let (sum, count) = by_system.entry(system).or_default();
            *sum += score.value;
            *count += 1.0;
        }
    }

    let means = metrics.into_iter().filter_map(|metric| {
        let mean = |(name, (sum, count)): (&str, (f64, f64))| (name.to_owned(), sum / count);
        Some(SystemMeanScores {
            name: format!("{} of the study’s outputs", metric.name),
            direction: metric.direction,
            scores: sums.remove(&metric.id)?.into_iter().map(mean).collect(),
        })
    });

    Ok(means.collect())
}

fn material_warnings(material: &StudyMaterial) -> Vec<MaterialWarning> {
    let passages = material.passages.iter().map(|entry| &entry.passage);
    let main = passages.filter(|passage| passage.purpose == PassagePurpose::Main);
    find_material_warnings(&main.cloned().collect::<Vec<_>>())
}

/// The recorded activity of participants, in the order of the answers.
fn activities(answers: &AnswerTable, entries: &[ParticipantEntry]) -> Vec<ParticipantActivity> {
    let by_label: HashMap<&str, &ParticipantEntry> = entries
        .iter()
        .map(|entry| (entry.label.as_str(), entry))
        .collect();

    let activity = |label: &String| {
        let entry = by_label.get(label.as_str());
        entry.map_or_else(ParticipantActivity::default, |entry| ParticipantActivity {
            passages_ms: entry.passages_ms.clone(),
            checks: Proportion {
                count: entry.checks_passed as usize,
                total: entry.checks as usize,
            },
        })
    };

    answers.participants().iter().map(activity).collect()
}
