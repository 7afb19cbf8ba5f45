//! Whether automatic metrics order systems as readers' accuracy does.

use std::collections::BTreeMap;

use super::{AnswerChoice, AnswerTable, ConditionFigures, MaterialName, Passage};
use crate::{
    metrics::{PreparedSource, ScoreDirection, TextMetric},
    statistics::{
        UndefinedReason,
        correlation::{Correlation, spearman},
        mean,
    },
};

/// The conditions against which the others are scored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReferenceConditions {
    /// The condition that was simplified.
    pub original: String,
    /// The conditions that serve as references; empty if only metrics without references are used.
    pub references: Vec<String>,
}

impl ReferenceConditions {
    /// The original, then the references.
    #[must_use]
    pub fn human_conditions(&self) -> Vec<String> {
        let original = std::iter::once(self.original.clone());
        original.chain(self.references.iter().cloned()).collect()
    }

    /// Whether it is the original or one of the references.
    fn includes(&self, condition: &MaterialName) -> bool {
        let mut people = self.references.iter().chain([&self.original]);
        people.any(|own| own == condition.as_str())
    }
}

/// A metric's mean score of each condition, by the condition's name.
pub type MeanScores = BTreeMap<String, f64>;

/// Mean scores oriented so that larger is better: negated if smaller ones are better.
#[must_use]
pub fn orient_scores(scores: &MeanScores, direction: ScoreDirection) -> MeanScores {
    let oriented = scores.iter();
    oriented
        .map(|(condition, score)| (condition.clone(), direction.orient(*score)))
        .collect()
}

/// Each metric's score of each condition: the mean over the passages that have the original, a
/// text in the condition, and one reference or more where the metric needs them. The original and
/// the references themselves are not scored. A passage counts as one text, however many sentences it
/// has.
#[must_use]
pub fn score_conditions<'a>(
    passages: impl IntoIterator<Item = &'a Passage>,
    against: &ReferenceConditions,
    metrics: &[TextMetric],
) -> Vec<(TextMetric, MeanScores)> {
    let mut scores = vec![BTreeMap::<&str, Vec<f64>>::new(); metrics.len()];
    for passage in passages {
        let Some(original) = find_text(passage, &against.original) else {
            continue;
        };
        let references: Vec<_> = against
            .references
            .iter()
            .filter_map(|name| find_text(passage, name))
            .collect();
        let source = PreparedSource::new(original, &references);

        let scored_texts = passage.texts.iter();
        let scored_texts = scored_texts.filter(|(name, _)| !against.includes(name));
        for (name, text) in scored_texts {
            for (metric, scores) in metrics.iter().zip(&mut scores) {
                if let Some(score) = metric.score(&source, text.as_str()) {
                    scores.entry(name.as_str()).or_default().push(score);
                }
            }
        }
    }

    let condition_means = scores.into_iter().map(|by_condition| {
        let means = by_condition
            .into_iter()
            .map(|(name, scores)| (name.to_owned(), mean(&scores)));
        means.collect()
    });
    metrics.iter().copied().zip(condition_means).collect()
}

/// The text of a passage in a condition.
fn find_text<'a>(passage: &'a Passage, condition: &str) -> Option<&'a str> {
    let mut texts = passage.texts.iter();
    let (_, text) = texts.find(|(own, _)| own.as_str() == condition)?;
    Some(text.as_str())
}

/// Spearman's ρ between a metric's score of each system and its readers' accuracy, over the
/// conditions that have both. Leave human-written conditions or an outlier out of `scores` to see
/// the metric without them.
///
/// # Errors
/// [`UndefinedReason::TooFew`] below three conditions, [`UndefinedReason::Constant`] where scores or accuracies
/// are all the same, [`UndefinedReason::NotFinite`].
pub fn correlate_with_accuracy(
    answers: &AnswerTable,
    figures: &[ConditionFigures],
    scores: &BTreeMap<String, f64>,
) -> Result<Correlation, UndefinedReason> {
    let pairs = figures.iter().filter_map(|condition| {
        let score = scores.get(&answers.conditions()[condition.condition])?;
        Some((*score, condition.tally.share(AnswerChoice::A).rate().ok()?))
    });
    spearman(&pairs.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comprehension::{NonBlankText, PassagePurpose};

    fn passage(name: &str, texts: &[(&str, &str)]) -> Passage {
        let text = |(condition, text): &(&str, &str)| {
            let text = NonBlankText::try_from((*text).to_owned()).unwrap();
            (condition.parse().unwrap(), text)
        };
        Passage {
            name: name.parse().unwrap(),
            title: String::new(),
            texts: texts.iter().map(text).collect(),
            questions: vec![],
            spans: vec![],
            purpose: PassagePurpose::Main,
        }
    }

    #[test]
    fn a_condition_has_the_mean_of_its_passages_and_people_have_none() {
        let passages = [
            passage(
                "1",
                &[("Original", "abcd"), ("System", "ab"), ("Human", "ab")],
            ),
            passage("2", &[("Original", "abcd"), ("System", "abcd")]),
            passage("without the original", &[("System", "a")]),
        ];
        let against = ReferenceConditions {
            original: "Original".to_owned(),
            references: vec!["Human".to_owned()],
        };
        let metrics = [TextMetric::Compression, TextMetric::BLEU];
        let scores = score_conditions(&passages, &against, &metrics);
        let system_mean = |mean| MeanScores::from([("System".to_owned(), mean)]);
        assert_eq!(scores[0], (TextMetric::Compression, system_mean(0.75)));
        // Only the first passage has a reference, and it is the output itself.
        assert_eq!(scores[1].1["System"].round(), 100.0);
        let bare = ReferenceConditions {
            references: vec![],
            ..against
        };
        let scores = score_conditions(&passages, &bare, &metrics);
        assert_eq!(scores[0].1["Human"], 0.5);
        assert!(scores[1].1.is_empty(), "BLEU needs a reference");
    }
}
