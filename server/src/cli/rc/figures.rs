//! What is computed of what was asked.

use std::fs;

use anyhow::Context as _;
use domain::{
    comprehension::{
        Answers, ConditionFigures, Denominator, Doubly, Draws, ItemFigures, MeanScores,
        ScoredAgainst, Stability, StopWords, SupportOf, Variant, answerability_on, answerable_in,
        by_condition, by_passage, by_question, double_agreement, evidence, metric_against_accuracy,
        orient_scores, predict_unanswerable, stability, text_scores,
    },
    metrics::{Direction, TextMetric},
    statistics::{
        Undefined, bootstrap::Resampling, correlation::Correlation, quality::Share, roc::Roc,
    },
};

use super::{By, ComprehensionOf, Read};

/// What is printed.
pub(super) struct Figures {
    pub(super) answers: Answers,
    pub(super) conditions: Vec<ConditionFigures>,
    pub(super) agreement: Doubly,
    pub(super) chosen: Option<Chosen>,
    pub(super) stability: Vec<Result<Stability, Undefined>>,
    pub(super) items: Option<Items>,
    pub(super) support: Option<Support>,
    pub(super) metrics: Option<Metrics>,
    pub(super) warnings: Vec<String>,
}

/// Answerability on the questions that chosen conditions make answerable.
pub(super) struct Chosen {
    pub(super) conditions: Vec<String>,
    pub(super) denominator: Denominator,
    pub(super) questions: usize,
    /// By condition.
    pub(super) shares: Vec<Share>,
}

/// Passage by passage, and question by question.
pub(super) struct Items {
    pub(super) passages: Vec<ItemFigures>,
    pub(super) questions: Vec<ItemFigures>,
}

/// Support as a predictor of *unanswerable*.
pub(super) struct Support {
    /// What the words are called that do not count.
    pub(super) stop_words: String,
    /// Of all words, then without stop words.
    pub(super) variants: Vec<(SupportOf, bool, Result<Roc, Undefined>)>,
}

/// How metrics go with accuracy.
pub(super) struct Metrics {
    pub(super) against: ScoredAgainst,
    /// By metric, with oriented scores.
    pub(super) found: Vec<(String, Direction, Result<Correlation, Undefined>)>,
}

impl ComprehensionOf {
    pub(super) fn figures(&self, read: Read) -> anyhow::Result<Figures> {
        let answers = &read.answers;
        let resampling = Resampling {
            seed: self.seed,
            ..Resampling::default()
        };
        let draws = Draws {
            count: self.draws,
            seed: self.seed,
        };
        let conditions = by_condition(answers, resampling);
        Ok(Figures {
            agreement: double_agreement(answers),
            chosen: self.chosen(answers)?,
            stability: stability(answers, &self.stability, draws),
            items: self.items.then(|| Items {
                passages: by_passage(answers),
                questions: by_question(answers),
            }),
            support: self.supported(&read)?,
            metrics: self.correlated(&read, &conditions)?,
            conditions,
            answers: read.answers,
            warnings: read.warnings,
        })
    }

    fn chosen(&self, answers: &Answers) -> anyhow::Result<Option<Chosen>> {
        if self.answerable_in.is_empty() {
            return Ok(None);
        }
        let questions = answerable_in(answers, &numbers(answers, &self.answerable_in)?);
        let denominator = match self.denominator {
            By::Chosen => Denominator::Chosen,
            By::Paper => Denominator::Paper,
        };
        Ok(Some(Chosen {
            conditions: self.answerable_in.clone(),
            denominator,
            questions: questions.len(),
            shares: answerability_on(answers, &questions, denominator),
        }))
    }

    fn supported(&self, read: &Read) -> anyhow::Result<Option<Support>> {
        if !self.support {
            return Ok(None);
        }
        let people = numbers(&read.answers, &self.people)?;
        let stop_words = match &self.stop_words {
            None => StopWords::english(),
            Some(path) => {
                let text = fs::read_to_string(path);
                let text = text.with_context(|| format!("{} cannot be read", path.display()))?;
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                StopWords::new(&name, text.lines())
            }
        };
        let given = evidence(&read.answers, &read.passages, &people);
        let variant = |(of, without): (SupportOf, Option<&StopWords>)| {
            let found = predict_unanswerable(&given, Variant { of, without });
            (of, without.is_some(), found)
        };
        let each = |without| SupportOf::ALL.map(|of| (of, without));
        let variants = each(None).into_iter().chain(each(Some(&stop_words)));
        Ok(Some(Support {
            variants: variants.map(variant).collect(),
            stop_words: stop_words.name().to_owned(),
        }))
    }

    fn correlated(
        &self,
        read: &Read,
        conditions: &[ConditionFigures],
    ) -> anyhow::Result<Option<Metrics>> {
        let Some(original) = &self.original else {
            return Ok(None);
        };
        let named = [original.clone()];
        for names in [&named[..], &self.references, &self.people] {
            numbers(&read.answers, names)?;
        }
        let against = ScoredAgainst {
            original: original.clone(),
            references: self.references.clone(),
        };
        let scored = text_scores(&read.passages, &against, &TextMetric::ALL);
        let of_texts = scored
            .into_iter()
            .filter(|(metric, _)| !metric.needs_references() || !self.references.is_empty())
            .map(|(metric, scores)| (metric.name().to_owned(), metric.direction(), scores));
        let correlation = |(name, direction, scores): (String, Direction, MeanScores)| {
            let mut scores = orient_scores(&scores, direction);
            scores.retain(|name, _| !self.people.contains(name));
            let found = metric_against_accuracy(&read.answers, conditions, &scores);
            (name, direction, found)
        };
        let of_study = read.scores.iter().cloned();
        let of_study = of_study.map(|of| (of.name, of.direction, of.scores));
        let mut found: Vec<_> = of_study.chain(of_texts).map(correlation).collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Some(Metrics { against, found }))
    }
}

/// The numbers of conditions.
fn numbers(answers: &Answers, names: &[String]) -> anyhow::Result<Vec<usize>> {
    let number = |name: &String| {
        answers.condition(name).with_context(|| {
            let known = answers.conditions().join(", ");
            format!("“{name}” is no condition here: use some of {known}")
        })
    };
    names.iter().map(number).collect()
}
