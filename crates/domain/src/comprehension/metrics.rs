//! Whether automatic metrics order systems as readers' accuracy does.

use std::collections::BTreeMap;

use super::{Answers, Choice, ConditionFigures};
use crate::statistics::{
    Undefined,
    correlation::{Correlation, spearman},
};

/// Spearman's ρ between a metric's score of each system and its readers' accuracy, over the
/// conditions that have both. Leave human-written conditions or an outlier out of `scores` to see
/// the metric without them.
///
/// # Errors
/// [`Undefined::TooFew`] below three conditions, [`Undefined::Constant`] where scores or accuracies
/// are all the same, [`Undefined::NotFinite`].
pub fn metric_against_accuracy(
    answers: &Answers,
    figures: &[ConditionFigures],
    scores: &BTreeMap<String, f64>,
) -> Result<Correlation, Undefined> {
    let pair = |of: &ConditionFigures| {
        let score = scores.get(&answers.conditions()[of.condition])?;
        Some((*score, of.tally.share(Choice::A).rate().ok()?))
    };
    spearman(&figures.iter().filter_map(pair).collect::<Vec<_>>())
}
