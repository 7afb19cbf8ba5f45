//! Raters' answers to the outputs of a source, grouped by output.

use std::{
    collections::{BTreeMap, HashMap},
    iter::repeat_n,
};

use domain::{
    category::{Category, majority_category},
    ids::{OutputId, RaterId},
    rater_groups::RaterGroup,
    span_marks::SpanMark,
    study::Dimension,
};
use store::{AnswerValue, Rater, SourceAnswer};

use crate::rater_names::RaterNames;

/// The answers to one output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutputJudgements {
    /// The ratings of each dimension by rater's pseudonym, in the order of the raters.
    pub ratings: BTreeMap<String, Vec<(String, f64)>>,
    /// The spans that each rater marked, in the order of the raters.
    pub marks: Vec<(String, Vec<SpanMark>)>,
    /// The raters who could not judge it, with the reason in words.
    pub unjudged: Vec<(String, String)>,
    /// The categories that annotators moved it to.
    pub moved: BTreeMap<RaterId, Category>,
}

impl OutputJudgements {
    /// The category that most annotators who handed in put it in, with their number. An annotator who has not
    /// moved it agrees with the automatic one.
    pub fn majority(&self, automatic: Category, annotators: usize) -> (Category, usize) {
        let kept = annotators.saturating_sub(self.moved.len());
        let votes = || {
            self.moved
                .values()
                .copied()
                .chain(repeat_n(automatic, kept))
        };
        let category = majority_category(votes(), automatic);
        (category, votes().filter(|vote| *vote == category).count())
    }
}

/// The answers by output.
pub fn by_output(answers: Vec<SourceAnswer>) -> BTreeMap<OutputId, OutputJudgements> {
    let mut by_output = BTreeMap::<OutputId, OutputJudgements>::new();
    for answer in answers {
        let about = by_output.entry(answer.output).or_default();
        match answer.value {
            AnswerValue::Rating(dimension, value) => {
                about
                    .ratings
                    .entry(dimension)
                    .or_default()
                    .push((answer.label, value));
            }
            AnswerValue::Marks(marks) => about.marks.push((answer.label, marks)),
            AnswerValue::Unjudged(reason, note) => {
                let words = match note.is_empty() {
                    true => reason.label().to_owned(),
                    false => format!("{} (“{note}”)", reason.label()),
                };
                about.unjudged.push((answer.label, words));
            }
            AnswerValue::Category(category) => {
                about.moved.insert(answer.rater, category);
            }
        }
    }

    // As in figures and exports, a rater who could not judge an output has no marks in it.
    for about in by_output.values_mut() {
        let is_judged =
            |(rater, _): &(String, _)| about.unjudged.iter().all(|(other, _)| other != rater);
        about.marks.retain(is_judged);
    }

    by_output
}

/// Group names by rater pseudonym, for raters who are in a group.
pub fn group_names(raters: &[Rater], groups: &[RaterGroup]) -> HashMap<String, String> {
    let name = |rater: &Rater| {
        let mut groups = groups.iter();
        let group = groups.find(|group| Some(&group.id) == rater.group.as_ref())?;
        Some((rater.label.clone(), group.name.clone()))
    };
    raters.iter().filter_map(name).collect()
}

/// The rater as the page names them, with the name of their group.
pub fn label_with_group(
    pseudonym: &str,
    names: &RaterNames,
    groups: &HashMap<String, String>,
) -> String {
    let label = names.label(pseudonym);
    match groups.get(pseudonym) {
        Some(group) => format!("{label}, {group}"),
        None => label,
    }
}

/// The names of the rated dimensions: those of the study in order, then others.
pub fn rated_dimensions(
    about: &BTreeMap<OutputId, OutputJudgements>,
    dimensions: &[Dimension],
) -> Vec<String> {
    let mut names: Vec<_> = dimensions
        .iter()
        .map(|dimension| dimension.name.clone())
        .collect();

    for name in about.values().flat_map(|about| about.ratings.keys()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }

    names
}

/// A rating as entered: whole numbers without a fraction.
pub fn format_rating(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_majority_decides_and_a_tie_goes_to_the_automatic_group() {
        use Category::{Deletion, Paraphrase, Split};
        let check = |moved: &[Category], annotators, expect| {
            let moved = (0..)
                .zip(moved)
                .map(|(n, to)| (RaterId(Uuid::from_u128(n)), *to))
                .collect();
            let about = OutputJudgements {
                moved,
                ..OutputJudgements::default()
            };
            assert_eq!(about.majority(Paraphrase, annotators), expect);
        };
        check(&[], 0, (Paraphrase, 0));
        check(&[], 3, (Paraphrase, 3));
        check(&[Split], 2, (Paraphrase, 1));
        check(&[Split, Split], 3, (Split, 2));
        check(&[Split, Deletion], 3, (Paraphrase, 1));
        check(&[Split, Deletion], 2, (Paraphrase, 0));
    }

    #[test]
    fn a_rating_is_shown_as_it_was_written() {
        for (value, text) in [
            (88.0, "88"),
            (0.0, "0"),
            (-2.0, "-2"),
            (3.5, "3.5"),
            (100.0, "100"),
        ] {
            assert_eq!(format_rating(value), text);
        }
    }
}
