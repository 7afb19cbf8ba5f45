//! Marks by system: how many, how good, and whether two systems differ in them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    super::{
        describe::mean,
        systems::{SystemPairComparison, compare_each, scores_by_source},
    },
    JudgedMarks, MarkScope,
};
use crate::span_marks::{
    SpanMark,
    taxonomy::{MarkLevel, SpanTaxonomy},
};

/// The marks of a system's outputs, by all of their raters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SystemMarks<S> {
    /// The system.
    pub system: S,
    /// The number of its outputs that were judged.
    pub outputs: usize,
    /// The number of judgements: an output that two raters judged has two.
    pub judgements: usize,
    /// The number of its judged outputs that equal their source but for white space.
    pub unchanged: usize,
    /// Marks of all types.
    pub all: LevelledMarks,
    /// Marks of each type of the taxonomy, in its order.
    pub types: Vec<LevelledMarks>,
}

/// Counts of marks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelledMarks {
    /// The number of marks of all raters.
    pub marks: usize,
    /// The mean over outputs of the mean over their raters of the number of marks.
    pub per_output: f64,
    /// How many marks have each level of the taxonomy, in its order.
    pub levels: Vec<usize>,
    /// The number of marks without a level, or with one that the taxonomy no longer has.
    pub without_level: usize,
    /// The mean of the values of the marks with a level; `None` where no mark has one.
    pub mean_value: Option<f64>,
    /// The mean over outputs of the mean over their raters of the sum of the values of an output's marks: where levels are
    /// penalties, the penalty of an output. A mark without a level adds nothing. `None` where the taxonomy has no levels.
    pub sum_per_output: Option<f64>,
}

impl LevelledMarks {
    /// The share of a level among the marks that have one, from 0 to 1; `None` where none has.
    ///
    /// # Panics
    /// If `level` is out of range.
    #[must_use]
    pub fn level_share(&self, level: usize) -> Option<f64> {
        let levelled: usize = self.levels.iter().sum();
        (levelled > 0).then(|| self.levels[level] as f64 / levelled as f64)
    }
}

/// Whether an output says the same as its source, white space aside.
#[must_use]
pub fn is_unchanged(source: &str, output: &str) -> bool {
    source.split_whitespace().eq(output.split_whitespace())
}

/// The marks of each system, in the order of their keys. `systems_of` names all systems that wrote an output: the
/// judgement of a text that several wrote counts for each.
///
/// Source: Štajner, Sheang and Saggion (2022), table 6, for the columns.
#[must_use]
pub fn summarise_systems<R: Ord, U, O: Ord, S: Ord>(
    taxonomy: &SpanTaxonomy,
    judged: &[JudgedMarks<'_, R, U, O>],
    mut systems_of: impl FnMut(&O) -> Vec<S>,
) -> Vec<SystemMarks<S>> {
    let mut by_system = BTreeMap::<S, Vec<&JudgedMarks<'_, R, U, O>>>::new();
    for judgement in judged {
        for system in systems_of(&judgement.output) {
            by_system.entry(system).or_default().push(judgement);
        }
    }

    by_system
        .into_iter()
        .map(|(system, judged)| summarise_system(taxonomy, system, &judged))
        .collect()
}

fn summarise_system<R, U, O: Ord, S>(
    taxonomy: &SpanTaxonomy,
    system: S,
    judged: &[&JudgedMarks<'_, R, U, O>],
) -> SystemMarks<S> {
    let outputs: BTreeSet<_> = judged.iter().map(|one| &one.output).collect();
    let unchanged = judged
        .iter()
        .filter(|one| is_unchanged(one.texts.0, one.texts.1));
    let unchanged: BTreeSet<_> = unchanged.map(|one| &one.output).collect();
    let types = taxonomy.types.iter();

    SystemMarks {
        system,
        outputs: outputs.len(),
        judgements: judged.len(),
        unchanged: unchanged.len(),
        all: LevelledMarks::count(taxonomy, judged, |_| true),
        types: types
            .map(|kind| LevelledMarks::count(taxonomy, judged, |mark| mark.kind == kind.name))
            .collect(),
    }
}

impl LevelledMarks {
    fn count<R, U, O: Ord>(
        taxonomy: &SpanTaxonomy,
        judged: &[&JudgedMarks<'_, R, U, O>],
        counts: impl Fn(&SpanMark) -> bool,
    ) -> Self {
        let mut levels = vec![0; taxonomy.levels.len()];
        let (mut marks, mut without_level, mut values) = (0, 0, vec![]);
        // The numbers of marks of its raters, and the sums of the marks' values.
        let mut by_output = BTreeMap::<&O, (Vec<f64>, Vec<f64>)>::new();
        for judgement in judged {
            let (mut own, mut sum) = (0, 0.0);
            for mark in judgement.marks.iter().filter(|mark| counts(mark)) {
                own += 1;
                match find_level(taxonomy, mark) {
                    Some((number, level)) => {
                        levels[number] += 1;
                        values.push(level.value);
                        sum += level.value;
                    }
                    None => without_level += 1,
                }
            }

            marks += own;
            let of_output = by_output.entry(&judgement.output).or_default();
            of_output.0.push(own as f64);
            of_output.1.push(sum);
        }

        let counts: Vec<_> = by_output.values().map(|(counts, _)| mean(counts)).collect();
        let sums: Vec<_> = by_output.values().map(|(_, sums)| mean(sums)).collect();
        Self {
            marks,
            per_output: if counts.is_empty() {
                0.0
            } else {
                mean(&counts)
            },
            levels,
            without_level,
            mean_value: (!values.is_empty()).then(|| mean(&values)),
            sum_per_output: (!taxonomy.levels.is_empty() && !sums.is_empty()).then(|| mean(&sums)),
        }
    }
}

fn find_level<'a>(taxonomy: &'a SpanTaxonomy, mark: &SpanMark) -> Option<(usize, &'a MarkLevel)> {
    let name = mark.level.as_deref()?;
    let mut levels = taxonomy.levels.iter().enumerate();
    levels.find(|(_, level)| level.name == name)
}

/// The value of an output by which systems are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkMeasure {
    /// The mean value of its marks: over its raters, of the mean over each one's marks with a level. A rater without
    /// such a mark is left out, and an output without any has no value.
    MeanValue,
    /// The number of its marks: the mean over its raters.
    Count,
}

/// Compares each system with each one after it, paired by source, with the tests and corrections of
/// [`compare_each`]. The score of a source is the mean over the system's outputs of it; a source without a
/// value of one of both systems is left out.
#[must_use]
pub fn compare_marks<R: Ord, U: Ord + Clone, O: Ord, S: Ord + Clone>(
    taxonomy: &SpanTaxonomy,
    judged: &[JudgedMarks<'_, R, U, O>],
    mut systems_of: impl FnMut(&O) -> Vec<S>,
    scope: MarkScope,
    measure: MarkMeasure,
) -> Vec<SystemPairComparison<S>> {
    let mut outputs = BTreeMap::<(&U, &O), Vec<f64>>::new();
    for one in judged {
        let marks = one.marks.iter();
        let marks = marks.filter(|mark| is_in_scope(mark, scope, taxonomy));
        let value = match measure {
            MarkMeasure::Count => Some(marks.count() as f64),
            MarkMeasure::MeanValue => {
                let levels = marks.filter_map(|mark| find_level(taxonomy, mark));
                let values: Vec<_> = levels.map(|(_, level)| level.value).collect();
                (!values.is_empty()).then(|| mean(&values))
            }
        };
        if let Some(value) = value {
            outputs
                .entry((&one.source, &one.output))
                .or_default()
                .push(value);
        }
    }

    let mut scores = vec![];
    for ((source, output), values) in outputs {
        for system in systems_of(output) {
            scores.push((system, source.clone(), mean(&values)));
        }
    }
    compare_each(&scores_by_source(scores), 0.0)
}

fn is_in_scope(mark: &SpanMark, scope: MarkScope, taxonomy: &SpanTaxonomy) -> bool {
    match scope {
        MarkScope::All => true,
        MarkScope::Type(number) => {
            let kind = taxonomy.types.get(number);
            kind.is_some_and(|kind| kind.name == mark.kind)
        }
    }
}
