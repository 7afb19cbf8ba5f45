//! Guesses the fields that the columns of a file hold, from their names and contents.

mod column_contents;
mod name_words;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::mapping::{ColumnMapping, FileField};
use column_contents::ColumnContents;

/// A guess at the field that a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnGuess {
    /// The field.
    pub field: FileField,
    /// The reason for it.
    pub origin: GuessOrigin,
}

/// The reason for a guess, from certain to doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuessOrigin {
    /// The column has the field's own name.
    FieldName,
    /// The words in the column's name.
    Words,
    /// The column's contents alone.
    Contents,
}

/// The fields that contents can reveal, in the order in which a column is sought for each.
const BY_CONTENTS: [FileField; 4] = [
    FileField::Source,
    FileField::Output,
    FileField::System,
    FileField::Rating,
];

/// Guesses the field of each column, for the user to check. Names decide first, as far as the contents of
/// the sample rows allow; contents decide the rest: texts that repeat are sources, other long
/// texts are outputs, few short values that repeat are systems, and numbers in a small range are ratings.
#[must_use]
pub fn guess_columns(header: &[String], rows: &[Vec<String>]) -> Vec<Option<ColumnGuess>> {
    let columns: Vec<_> = (0..header.len())
        .map(|place| ColumnContents::read(rows, place))
        .collect();

    let mut guesses = GuessTable {
        columns: &columns,
        found: vec![None; header.len()],
    };
    let named: Vec<_> = header
        .iter()
        .map(|name| name_words::guess_by_name(name))
        .collect();

    for origin in [GuessOrigin::FieldName, GuessOrigin::Words] {
        for (place, guess) in named.iter().enumerate() {
            if let Some(guess) = guess.filter(|guess| guess.origin == origin) {
                guesses.add(place, guess);
            }
        }
    }

    for field in BY_CONTENTS {
        if !guesses.has(field) {
            guesses.add_by_contents(field, &named);
        }
    }

    guesses.drop_useless_names();
    guesses.found
}

impl ColumnMapping {
    /// The mapping that the names of columns suggest, for the user to correct.
    #[must_use]
    pub fn suggest<T: AsRef<str>>(header: &[T]) -> Self {
        let header: Vec<_> = header.iter().map(|name| name.as_ref().to_owned()).collect();
        let mut mapping = Self::default();
        for (name, guess) in header.iter().zip(guess_columns(&header, &[])) {
            if let Some(guess) = guess {
                let added = mapping.fields.add(guess.field, name);
                added.expect("a field of one column is guessed once");
            }
        }
        mapping
    }
}

/// The guesses so far.
struct GuessTable<'a> {
    columns: &'a [ColumnContents<'a>],
    found: Vec<Option<ColumnGuess>>,
}

impl GuessTable<'_> {
    fn place_of(&self, field: FileField) -> Option<usize> {
        let is_it = |guess: &Option<ColumnGuess>| guess.is_some_and(|guess| guess.field == field);
        self.found.iter().position(is_it)
    }

    fn has(&self, field: FileField) -> bool {
        self.place_of(field).is_some()
    }

    /// Keeps a guess by name, unless another column has the field or the contents contradict.
    fn add(&mut self, place: usize, guess: ColumnGuess) {
        let may_repeat = matches!(guess.field, FileField::Reference | FileField::Rating);
        let is_free = self.found[place].is_none() && (may_repeat || !self.has(guess.field));
        if is_free && self.columns[place].may_hold(guess.field) {
            self.found[place] = Some(guess);
        }
    }

    /// Looks for a column of this field among those whose names suggest nothing.
    fn add_by_contents(&mut self, field: FileField, named: &[Option<ColumnGuess>]) {
        let open = (0..self.columns.len())
            .filter(|place| self.found[*place].is_none() && named[*place].is_none());
        let contents = |place: &usize| &self.columns[*place];
        let texts = || {
            open.clone()
                .filter(|place| contents(place).has_long_texts())
        };
        let most = |key: fn(&ColumnContents<'_>) -> f64| {
            texts().max_by(|a, b| key(contents(a)).total_cmp(&key(contents(b))))
        };

        let place = match field {
            // The texts that repeat most. If none repeats: the longest, where the output is known or there are
            // several.
            FileField::Source => {
                let repeating = most(|of| of.repetition());
                let repeats = |place: &usize| contents(place).repetition() > 1.0;
                let is_clear = self.has(FileField::Output) || texts().count() > 1;
                let longest = || most(|of| of.mean_length()).filter(|_| is_clear);
                repeating.filter(repeats).or_else(longest)
            }
            FileField::Output if self.has(FileField::Source) => most(|of| -of.repetition()),
            FileField::System if self.has(FileField::Output) => open
                .clone()
                .find(|place| contents(place).has_few_labels() && self.tells_rows_apart(*place)),
            FileField::Rating if self.has(FileField::Output) => open
                .clone()
                .find(|place| contents(place).has_bounded_numbers()),
            _ => None,
        };

        if let Some(place) = place {
            let origin = GuessOrigin::Contents;
            self.found[place] = Some(ColumnGuess { field, origin });
        }
    }

    /// Whether no source has the same label with different outputs, as is the case for systems.
    fn tells_rows_apart(&self, place: usize) -> bool {
        let cells = |field| self.place_of(field).map(|place| &self.columns[place].cells);
        let (Some(sources), Some(outputs)) = (cells(FileField::Source), cells(FileField::Output))
        else {
            return false;
        };

        let mut texts = HashMap::new();
        let mut rows = sources.iter().zip(&self.columns[place].cells).zip(outputs);
        rows.all(|((source, label), output)| {
            *texts.entry((source, label)).or_insert(output) == output
        })
    }

    /// Drops a guess of source names if they do not identify the sources: different texts share a name, or
    /// there are more names than texts.
    fn drop_useless_names(&mut self) {
        let (Some(names), Some(sources)) = (
            self.place_of(FileField::SourceId),
            self.place_of(FileField::Source),
        ) else {
            return;
        };

        let pairs = || {
            let names = self.columns[names].cells.iter();
            let rows = names.zip(&self.columns[sources].cells);
            // A row without its text is a bad row and says nothing about names.
            rows.filter(|(_, text)| !text.is_empty())
        };

        let mut texts = HashMap::new();
        let is_shared = pairs().any(|(name, text)| *texts.entry(name).or_insert(text) != text);
        let different: HashSet<_> = pairs().map(|(_, text)| text).collect();
        if is_shared || texts.len() > different.len() {
            self.found[names] = None;
        }
    }
}
