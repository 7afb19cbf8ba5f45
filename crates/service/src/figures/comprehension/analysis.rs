//! A closer analysis of reading comprehension: answerability of chosen questions, support as a predictor,
//! and the correlation of metrics with accuracy.

use std::sync::Arc;

use domain::{
    comprehension::{
        AnswerabilityDenominator, MeanScores, Passage, PassagePurpose, ReferenceConditions,
        StopWords, SupportTarget, SupportVariant, answerability_on, answerable_questions,
        collect_answer_evidence, correlate_with_accuracy, orient_scores, predict_unanswerable,
        score_conditions,
    },
    ids::StudyId,
    metrics::{ScoreDirection, TextMetric},
    statistics::{UndefinedReason, correlation::Correlation, quality::Proportion, roc::RocCurve},
};
use store::{Store, rating_rows::RatingScope};

use super::StudyComprehension;
use crate::{
    computation::FigureError,
    live::{CacheKey, LiveStudies, StudySnapshot},
};

/// The most analyses, and sets of text scores, that are cached for a study.
const MAX_CACHED: usize = 8;

/// The roles of conditions in an analysis. Names that no condition has are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComprehensionAnalysisOptions {
    /// The original condition that was simplified, and the other human-written conditions, which serve metrics as
    /// references. Figures over systems leave all of these out.
    pub people: ReferenceConditions,
    /// The conditions whose readers decide which questions are answerable.
    pub answerable_in: Vec<String>,
}

/// An analysis of the answers under the given options.
#[derive(Debug, Clone, PartialEq)]
pub struct ComprehensionAnalysis {
    /// The number of the newest event that is included.
    pub event: i64,
    /// The options.
    pub asked: ComprehensionAnalysisOptions,
    /// The number of questions that are answerable in the chosen conditions.
    pub questions: usize,
    /// The answerability of these questions by condition, with two denominators: the answers to them, and all answers,
    /// as in the paper.
    pub answerability: Vec<(Proportion, Proportion)>,
    /// The name of the list of stop words, which do not count as content.
    pub stop_words: String,
    /// Support as a predictor of *unanswerable*, over systems.
    pub support: Vec<SupportPredictor>,
    /// The correlation of each metric with accuracy, over systems.
    pub metrics: Vec<(String, Result<Correlation, UndefinedReason>)>,
}

/// One variant of support as a predictor.
#[derive(Debug, Clone, PartialEq)]
pub struct SupportPredictor {
    /// The words that are searched for in the text.
    pub of: SupportTarget,
    /// Whether only content words count, without stop words.
    pub content: bool,
    /// The ROC curve of low support as a sign of *unanswerable* instead of right answers.
    pub found: Result<RocCurve, UndefinedReason>,
}

/// The key of the latest analyses of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AnalysesKey;

impl CacheKey for AnalysesKey {
    type Value = Vec<Arc<ComprehensionAnalysis>>;
}

/// The key of the latest text scores of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TextScoresKey;

impl CacheKey for TextScoresKey {
    type Value = Vec<Arc<CachedTextScores>>;
}

/// Metric scores of the texts, which are valid as long as the material does not change.
struct CachedTextScores {
    reading: Arc<StudyComprehension>,
    conditions: ReferenceConditions,
    scores: Vec<(TextMetric, MeanScores)>,
}

impl ComprehensionAnalysisOptions {
    /// The default options, which recognise conditions by their names in the field's datasets.
    #[must_use]
    pub fn default_for(conditions: &[String]) -> Self {
        let named = |names: &[&str]| -> Vec<String> {
            let is_named = |condition: &&String| {
                let condition = condition.to_lowercase();
                names.iter().any(|name| condition.starts_with(name))
            };
            conditions.iter().filter(is_named).cloned().collect()
        };
        let first = || conditions.first().cloned().unwrap_or_default();

        let originals = named(&["original", "source", "advanced"]);
        let original = originals.into_iter().next().unwrap_or_else(first);
        let mut references = named(&["elementary", "intermediate", "human", "reference"]);
        references.retain(|name| *name != original);
        let people = ReferenceConditions {
            original,
            references,
        };

        Self {
            answerable_in: people.human_conditions(),
            people,
        }
    }
}

impl ComprehensionAnalysis {
    /// The analysis of `reading` under these options, computed once until the next event.
    ///
    /// # Errors
    /// When the database fails, or computing panics.
    pub async fn load(
        live: &LiveStudies,
        store: &Store,
        study: StudyId,
        reading: Arc<StudyComprehension>,
        options: ComprehensionAnalysisOptions,
    ) -> Result<Arc<Self>, FigureError> {
        let analyse = move |snapshot: &StudySnapshot| {
            let is_current = |analysis: &Self| analysis.event == reading.event;
            let is_wanted = |analysis: &Self| analysis.asked == options;
            find_or_compute(snapshot, AnalysesKey, is_current, is_wanted, || {
                let scores = text_scores(snapshot, &reading, &options.people);
                Self::compute(&reading, options.clone(), &scores.scores)
            })
        };
        live.read(store, study, RatingScope::HandedIn, analyse)
            .await
    }

    fn compute(
        reading: &StudyComprehension,
        options: ComprehensionAnalysisOptions,
        text_scores: &[(TextMetric, MeanScores)],
    ) -> Self {
        let answers = &reading.answers;
        let indices = |names: &[String]| -> Vec<usize> {
            let indices = names.iter().filter_map(|name| answers.condition(name));
            indices.collect()
        };

        let questions = answerable_questions(answers, &indices(&options.answerable_in));
        let on = |denominator| answerability_on(answers, &questions, denominator);
        let answerability = on(AnswerabilityDenominator::Chosen)
            .into_iter()
            .zip(on(AnswerabilityDenominator::Paper));

        let evidence = collect_answer_evidence(
            answers,
            main_passages(reading),
            &indices(&options.people.human_conditions()),
        );
        let stop_words = StopWords::english();

        let support = [None, Some(&stop_words)].into_iter().flat_map(|without| {
            SupportTarget::ALL.map(|target| SupportPredictor {
                of: target,
                content: without.is_some(),
                found: predict_unanswerable(&evidence, SupportVariant { target, without }),
            })
        });

        let correlation = |(name, direction, scores): (&str, ScoreDirection, &MeanScores)| {
            let mut scores = orient_scores(scores, direction);
            let people = options.people.human_conditions();
            scores.retain(|name, _| !people.contains(name));
            let correlation = correlate_with_accuracy(answers, &reading.conditions, &scores);
            (direction.label(name), correlation)
        };

        let has_references = !options.people.references.is_empty();
        let of_texts = text_scores
            .iter()
            .filter(|(metric, _)| has_references || !metric.needs_references())
            .map(|(metric, scores)| (metric.name(), metric.direction(), scores));
        let of_study = reading.scores.iter();
        let of_study = of_study.map(|system| (&system.name[..], system.direction, &system.scores));

        Self {
            event: reading.event,
            questions: questions.len(),
            answerability: answerability.collect(),
            support: support.collect(),
            stop_words: stop_words.name().to_owned(),
            metrics: of_texts.chain(of_study).map(correlation).collect(),
            asked: options,
        }
    }
}

/// The main passages, without practice and attention checks.
fn main_passages(reading: &StudyComprehension) -> impl Iterator<Item = &Passage> {
    let passages = reading.material.passages.iter();
    let passages = passages.map(|entry| &entry.passage);
    passages.filter(|passage| passage.purpose == PassagePurpose::Main)
}

/// Metric scores of the texts. They stay valid after new answers, which change no text.
fn text_scores(
    snapshot: &StudySnapshot,
    reading: &Arc<StudyComprehension>,
    conditions: &ReferenceConditions,
) -> Arc<CachedTextScores> {
    let is_current = |cached: &CachedTextScores| cached.reading.material == reading.material;
    let is_wanted = |cached: &CachedTextScores| cached.conditions == *conditions;

    find_or_compute(snapshot, TextScoresKey, is_current, is_wanted, || {
        CachedTextScores {
            scores: score_conditions(main_passages(reading), conditions, &TextMetric::ALL),
            conditions: conditions.clone(),
            reading: reading.clone(),
        }
    })
}

/// The wanted entry of a cached list, computed if the list lacks it. Entries that are no longer current are dropped,
/// and the oldest one if there are too many.
fn find_or_compute<K, T>(
    snapshot: &StudySnapshot,
    key: K,
    is_current: impl Fn(&T) -> bool,
    is_wanted: impl Fn(&T) -> bool,
    compute: impl FnOnce() -> T,
) -> Arc<T>
where
    K: CacheKey<Value = Vec<Arc<T>>>,
{
    let mut entries = snapshot
        .cached(&key)
        .map(|entries| entries.to_vec())
        .unwrap_or_default();
    entries.retain(|entry| is_current(entry));

    if let Some(entry) = entries.iter().find(|entry| is_wanted(entry)) {
        return entry.clone();
    }

    let entry = Arc::new(compute());
    entries.push(entry.clone());
    if entries.len() > MAX_CACHED {
        entries.remove(0);
    }

    snapshot.insert_cached(key, entries);
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_known_datasets_get_their_roles() {
        let roles = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            let people = ComprehensionAnalysisOptions::default_for(&names).people;
            (people.original, people.references)
        };

        let (original, references) = roles(&["ChatGPT", "Elementary", "Original"]);
        assert_eq!(
            (&*original, &*references.concat()),
            ("Original", "Elementary")
        );

        let (original, references) = roles(&["Advanced", "Intermediate", "Elementary"]);
        assert_eq!(original, "Advanced");
        assert_eq!(references, ["Intermediate", "Elementary"]);

        assert_eq!(roles(&["T5", "BART"]), ("T5".to_owned(), vec![]));
        assert_eq!(roles(&[]), (String::new(), vec![]));
    }
}
