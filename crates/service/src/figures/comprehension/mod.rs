//! Reading comprehension of a study in figures.

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
use crate::live::{LiveStudies, StudySnapshot};

/// How many sizes of subsets the stability of the ranking is shown at.
const SIZES: usize = 12;

/// What a study's readers answered, as of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyComprehension {
    /// The number of the newest event that it tells of.
    pub event: i64,
    /// What was read.
    pub material: StudyMaterial,
    /// What to look at in it.
    pub doubts: Vec<MaterialWarning>,
    /// The answers that count.
    pub answers: AnswerTable,
    /// How well each condition was understood.
    pub conditions: Vec<ConditionFigures>,
    /// Agreement on what two readers answered.
    pub agreement: DoubleAgreement,
    /// Passage by passage.
    pub passages: Vec<ItemFigures>,
    /// Question by question.
    pub questions: Vec<ItemFigures>,
    /// How like the ranking is one on fewer passages, the fewest first.
    pub stability: Vec<Result<RankingStability, UndefinedReason>>,
    /// The participants, whether their answers count or not.
    pub entries: Vec<ParticipantEntry>,
    /// How those whose answers count went about it, in the order of [`Answers::participants`].
    pub conduct: Vec<ParticipantConduct>,
    /// How far each text has come.
    pub cells: Vec<CellProgress>,
    /// Mean scores of the study's metrics, where conditions have the names of its systems.
    pub scores: Vec<SystemMeanScores>,
}

/// A metric's mean scores of the study's systems.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemMeanScores {
    /// What the metric is called here, apart from its scores of passages.
    pub name: String,
    /// Which way its scores point.
    pub direction: ScoreDirection,
    /// As the metric gives them, by the system's name.
    pub scores: MeanScores,
}

impl StudyComprehension {
    /// The study as it is now, read and computed once for all who ask before its next event.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load(
        live: &LiveStudies,
        store: &Store,
        study: StudyId,
    ) -> store::Result<Arc<Self>> {
        // The number first: what is read after it is at least as new.
        let event = store.newest_event(study).await?.unwrap_or(0);
        let of = (study, RatingScope::HandedIn);
        let recall = |held: &StudySnapshot| held.cached::<Self>("reading");
        let known = live.read(store, of, recall).await?;
        if let Some(known) = known.filter(|known| known.event == event) {
            return Ok(known);
        }
        let material = store.comprehension_material(study).await?;
        let answers = store.comprehension_answers(study).await?;
        let entries = store.participants(study).await?;
        let cells = store.comprehension_cells(study).await?;
        let scores = study_scores(store, study).await?;
        let make = move |held: &StudySnapshot| {
            let of = Self {
                event,
                doubts: material_doubts(&material),
                conditions: figures_by_condition(&answers, ResamplingOptions::default()),
                agreement: double_agreement(&answers),
                passages: figures_by_passage(&answers),
                questions: figures_by_question(&answers),
                stability: stability(
                    &answers,
                    &subset_sizes(answers.passages().len(), SIZES),
                    StabilityOptions::default(),
                ),
                conduct: compute_conduct(&answers, &readers(&answers, &entries)),
                material,
                answers,
                entries,
                cells,
                scores,
            };
            held.insert_cached("reading".to_owned(), of)
        };
        live.read(store, of, make).await
    }
}

/// Mean scores of the study's own metrics by the name of the system, for conditions of these names.
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
            let of = sums.entry(score.metric).or_default();
            let (sum, count) = of.entry(system).or_default();
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

fn material_doubts(material: &StudyMaterial) -> Vec<MaterialWarning> {
    let passages = material.passages.iter().map(|own| &own.passage);
    let main = passages.filter(|own| own.purpose == PassagePurpose::Main);
    find_material_warnings(&main.cloned().collect::<Vec<_>>())
}

/// What is known of participants beside their answers.
fn readers(answers: &AnswerTable, entries: &[ParticipantEntry]) -> Vec<ParticipantActivity> {
    let by_label: HashMap<&str, &ParticipantEntry> = entries
        .iter()
        .map(|entry| (entry.label.as_str(), entry))
        .collect();
    let known = |label: &String| {
        let entry = by_label.get(label.as_str());
        entry.map_or_else(ParticipantActivity::default, |entry| ParticipantActivity {
            passages_ms: entry.passages_ms.clone(),
            checks: Proportion {
                count: entry.checks_passed as usize,
                total: entry.checks as usize,
            },
        })
    };
    answers.participants().iter().map(known).collect()
}
