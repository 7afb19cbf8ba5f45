//! What a closer look asks for: by which conditions questions are chosen, and who wrote what.

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
use crate::live::{LiveStudies, StudySnapshot};

/// How many closer looks at a study are kept.
const KEPT: usize = 8;

/// Which conditions a closer look takes for what. Names that no condition has change nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComprehensionAnalysisOptions {
    /// The condition that was simplified, and the others that people wrote, which are references of
    /// metrics. What is said of systems leaves all of these out.
    pub people: ReferenceConditions,
    /// The conditions whose readers choose the questions.
    pub answerable_in: Vec<String>,
}

/// A closer look at what readers answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ComprehensionAnalysis {
    /// The number of the newest event that it tells of.
    pub event: i64,
    /// What was asked.
    pub asked: ComprehensionAnalysisOptions,
    /// How many questions the chosen conditions make answerable.
    pub questions: usize,
    /// Answerability on these, by condition: by the answers to them, and by all answers as in the
    /// paper.
    pub answerability: Vec<(Proportion, Proportion)>,
    /// What the words are called that do not count as content.
    pub stop_words: String,
    /// Support as a predictor of *unanswerable*, over systems.
    pub support: Vec<SupportPredictor>,
    /// How metrics go with accuracy, over systems.
    pub metrics: Vec<(String, Result<Correlation, UndefinedReason>)>,
}

/// One variant of support as a predictor.
#[derive(Debug, Clone, PartialEq)]
pub struct SupportPredictor {
    /// What is looked for in the text.
    pub of: SupportTarget,
    /// Whether stop words do not count.
    pub content: bool,
    /// How well its lack tells *unanswerable* from right answers.
    pub found: Result<RocCurve, UndefinedReason>,
}

/// How metrics score texts, as long as these stay the same.
struct CachedTextScores {
    reading: Arc<StudyComprehension>,
    against: ReferenceConditions,
    scores: Vec<(TextMetric, MeanScores)>,
}

impl ComprehensionAnalysisOptions {
    /// What is asked where nobody says: conditions that have the names of the field's data sets.
    #[must_use]
    pub fn default_for(conditions: &[String]) -> Self {
        let named = |names: &[&str]| -> Vec<String> {
            let is = |condition: &&String| {
                let condition = condition.to_lowercase();
                names.iter().any(|name| condition.starts_with(name))
            };
            conditions.iter().filter(is).cloned().collect()
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
    /// A closer look at `reading`, computed once for all who ask the same before the next event.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load(
        live: &LiveStudies,
        store: &Store,
        study: StudyId,
        reading: Arc<StudyComprehension>,
        asked: ComprehensionAnalysisOptions,
    ) -> store::Result<Arc<Self>> {
        let make = move |held: &StudySnapshot| {
            let wanted = |it: &Self| it.asked == asked;
            let now = |it: &Self| it.event == reading.event;
            find_or_compute(held, "reading analyses", now, wanted, || {
                let scores = scores(held, &reading, &asked.people);
                Self::compute(&reading, asked.clone(), &scores.scores)
            })
        };
        live.read(store, (study, RatingScope::HandedIn), make).await
    }

    fn compute(
        reading: &StudyComprehension,
        asked: ComprehensionAnalysisOptions,
        scores: &[(TextMetric, MeanScores)],
    ) -> Self {
        let answers = &reading.answers;
        let numbers = |names: &[String]| -> Vec<usize> {
            let numbers = names.iter().filter_map(|name| answers.condition(name));
            numbers.collect()
        };
        let questions = answerable_questions(answers, &numbers(&asked.answerable_in));
        let on = |denominator| answerability_on(answers, &questions, denominator);
        let answerability = on(AnswerabilityDenominator::Chosen)
            .into_iter()
            .zip(on(AnswerabilityDenominator::Paper));
        let given = collect_answer_evidence(
            answers,
            main_passages(reading),
            &numbers(&asked.people.human_conditions()),
        );
        let stop_words = StopWords::english();
        let support = [None, Some(&stop_words)].into_iter().flat_map(|without| {
            SupportTarget::ALL.map(|of| SupportPredictor {
                of,
                content: without.is_some(),
                found: predict_unanswerable(
                    &given,
                    SupportVariant {
                        target: of,
                        without,
                    },
                ),
            })
        });
        let correlation = |(name, direction, scores): (&str, ScoreDirection, &MeanScores)| {
            let mut scores = orient_scores(scores, direction);
            let people = asked.people.human_conditions();
            scores.retain(|name, _| !people.contains(name));
            let found = correlate_with_accuracy(answers, &reading.conditions, &scores);
            (direction.label(name), found)
        };
        let bare = asked.people.references.is_empty();
        let of_texts = scores
            .iter()
            .filter(|(metric, _)| !(bare && metric.needs_references()))
            .map(|(metric, scores)| (metric.name(), metric.direction(), scores));
        let of_study = reading.scores.iter();
        let of_study = of_study.map(|of| (&of.name[..], of.direction, &of.scores));
        Self {
            event: reading.event,
            questions: questions.len(),
            answerability: answerability.collect(),
            support: support.collect(),
            stop_words: stop_words.name().to_owned(),
            metrics: of_texts.chain(of_study).map(correlation).collect(),
            asked,
        }
    }
}

/// The passages that are read for the study.
fn main_passages(reading: &StudyComprehension) -> impl Iterator<Item = &Passage> {
    let passages = reading.material.passages.iter();
    let passages = passages.map(|own| &own.passage);
    passages.filter(|own| own.purpose == PassagePurpose::Main)
}

/// How metrics score the texts: kept beyond the next answer, for it changes no text.
fn scores(
    held: &StudySnapshot,
    reading: &Arc<StudyComprehension>,
    against: &ReferenceConditions,
) -> Arc<CachedTextScores> {
    let wanted = |it: &CachedTextScores| it.against == *against;
    let same = |it: &CachedTextScores| it.reading.material == reading.material;
    find_or_compute(held, "reading texts", same, wanted, || CachedTextScores {
        scores: score_conditions(main_passages(reading), against, &TextMetric::ALL),
        against: against.clone(),
        reading: reading.clone(),
    })
}

/// The wanted one of what is kept under a name, which is made where it is not there. What is no longer
/// true is thrown away, and so is the oldest where there are many.
fn find_or_compute<T: Send + Sync + 'static>(
    held: &StudySnapshot,
    name: &str,
    is_true: impl Fn(&T) -> bool,
    wanted: impl Fn(&T) -> bool,
    make: impl FnOnce() -> T,
) -> Arc<T> {
    let known = held.cached::<Vec<Arc<T>>>(name);
    let mut known = known.map(|known| (*known).clone()).unwrap_or_default();
    known.retain(|it| is_true(it));
    if let Some(found) = known.iter().find(|it| wanted(it)) {
        return found.clone();
    }
    let new = Arc::new(make());
    known.push(new.clone());
    if known.len() > KEPT {
        known.remove(0);
    }
    held.insert_cached(name.to_owned(), known);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_the_field_s_data_sets_are_taken_for_what_they_are() {
        let of = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            let asked = ComprehensionAnalysisOptions::default_for(&names);
            (asked.people.original, asked.people.references)
        };
        let (original, references) = of(&["ChatGPT", "Elementary", "Original"]);
        assert_eq!(
            (&*original, &*references.concat()),
            ("Original", "Elementary")
        );
        let (original, references) = of(&["Advanced", "Intermediate", "Elementary"]);
        assert_eq!(original, "Advanced");
        assert_eq!(references, ["Intermediate", "Elementary"]);
        assert_eq!(of(&["T5", "BART"]), ("T5".to_owned(), vec![]));
        assert_eq!(of(&[]), (String::new(), vec![]));
    }
}
