//! The contents of a column, as far as guesses need them.

use std::collections::HashSet;

use domain::{category::Category, study::SystemKind};

use crate::{
    mapping::FileField,
    numbers::{is_missing, number_in_cell},
};

/// The cells of a column in sample rows.
pub(super) struct ColumnContents<'a> {
    /// All cells; those that are missing are empty.
    pub(super) cells: Vec<&'a str>,
    /// The number of those that are not blank.
    filled: usize,
    /// The number of different ones among these.
    different: usize,
    words: usize,
    /// The numbers, if all cells that are not missing are numbers.
    numbers: Option<Vec<f64>>,
}

/// The fewest words of a long text, on average.
const LONG_TEXT_WORDS: f64 = 4.0;
/// The most words of a label, on average.
const LABEL_WORDS: f64 = 3.0;
/// The numbers that ratings are guessed to lie between.
const RATING_RANGE: std::ops::RangeInclusive<f64> = -10.0..=100.0;

impl<'a> ColumnContents<'a> {
    pub(super) fn read(rows: &'a [Vec<String>], place: usize) -> Self {
        let cell = |row: &'a Vec<String>| row.get(place).map_or("", |cell| cell.trim());
        let cells: Vec<&str> = rows.iter().map(cell).collect();
        let filled: Vec<&str> = cells
            .iter()
            .copied()
            .filter(|cell| !cell.is_empty())
            .collect();

        let different: HashSet<&str> = filled.iter().copied().collect();
        let stated = filled.iter().filter(|cell| !is_missing(cell));
        let numbers = stated.map(|cell| number_in_cell(cell));
        let numbers: Option<Vec<f64>> = numbers.collect();

        Self {
            filled: filled.len(),
            different: different.len(),
            words: filled
                .iter()
                .map(|cell| cell.split_whitespace().count())
                .sum(),
            numbers: numbers.filter(|numbers| !numbers.is_empty()),
            cells,
        }
    }

    /// Whether the contents allow a guess by name. An empty column allows any.
    pub(super) fn may_hold(&self, field: FileField) -> bool {
        let all = |fits: fn(&str) -> bool| {
            let mut filled = self.cells.iter().filter(|cell| !cell.is_empty());
            filled.all(|cell| fits(cell))
        };
        match field {
            _ if self.filled == 0 => true,
            FileField::Rating => self.numbers.is_some(),
            FileField::Category => all(|cell| cell.parse::<Category>().is_ok()),
            FileField::Kind => all(|cell| cell.parse::<SystemKind>().is_ok()),
            FileField::Source
            | FileField::ContextBefore
            | FileField::ContextAfter
            | FileField::Output
            | FileField::Reference => self.numbers.is_none(),
            FileField::System | FileField::Rater | FileField::Dimension => !self.has_long_texts(),
            FileField::SourceId => !self.has_long_texts(),
        }
    }

    pub(super) fn has_long_texts(&self) -> bool {
        self.numbers.is_none() && self.mean_words() >= LONG_TEXT_WORDS
    }

    /// Whether the cells are few short labels that repeat.
    pub(super) fn has_few_labels(&self) -> bool {
        self.numbers.is_none()
            && self.mean_words() <= LABEL_WORDS
            && self.different >= 2
            && self.repetition() >= 2.0
    }

    /// Whether the cells are numbers within the range of usual scales, some of them more than once.
    pub(super) fn has_bounded_numbers(&self) -> bool {
        let is_bounded = |numbers: &Vec<f64>| numbers.iter().all(|n| RATING_RANGE.contains(n));
        self.numbers.as_ref().is_some_and(is_bounded)
            && self.different >= 2
            && self.different < self.filled
    }

    /// The mean number of times that a text occurs.
    pub(super) fn repetition(&self) -> f64 {
        self.filled as f64 / self.different.max(1) as f64
    }

    pub(super) fn mean_length(&self) -> f64 {
        let letters: usize = self.cells.iter().map(|cell| cell.len()).sum();
        letters as f64 / self.filled.max(1) as f64
    }

    fn mean_words(&self) -> f64 {
        self.words as f64 / self.filled.max(1) as f64
    }
}
