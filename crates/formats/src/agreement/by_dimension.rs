//! Files in which a row is a rating, or an output with a rating on each of several dimensions.
//!
//! A file is read once. The scale of a dimension may follow from all of its ratings, and decides which of them are bad
//! rows, so ratings are kept as numbers until the file ends.

use std::collections::BTreeMap;

use domain::{
    category::{Category, majority_category},
    dimensions::RatedRange,
    score::RatingScale,
    statistics::{IndexedRating, RatingTable},
    study::Dimension,
};
use rustc_hash::FxHashMap;

use super::{
    FileRatings, OutputUse, RatedOutput, RatingsWarning, SharedRating, constant_raters,
    pair_set::PairSet,
};
use crate::{
    columns::check_scale,
    dimension_places::DimensionPlaces,
    error::{BadRow, FatalReadError, clip},
    format::FileFormat,
    row_remarks::RowRemarks,
    row_view::{OutputView, RatingView, RowView},
    source_key::SourceSpellings,
    text_table::TextTable,
    visible_form,
};

/// The ratings of a file, dimension by dimension.
#[derive(Default)]
pub(super) struct DimensionCollector {
    /// Names of sources and systems, sources and outputs.
    texts: TextTable,
    /// For sources without a name: from the number of a text to that of its first spelling.
    first_texts: FxHashMap<u32, u32>,
    spellings: SourceSpellings,
    raters: TextTable,
    columns: TextTable,
    dimensions: DimensionPlaces,
    ranges: Vec<RatedRange>,
    unit_ids: FxHashMap<RatedUnit, u32>,
    /// The units, the lines on which they come first, and the texts that they have there.
    units: Vec<RatedUnit>,
    lines: Vec<u64>,
    output_texts: Vec<u32>,
    rows: Vec<RatedRow>,
    ratings: Vec<KeptRating>,
    /// The file's own z-scores, each with the number of its rating.
    z_scores: Vec<(usize, f64)>,
    /// The numbers of ratings that were given to an identical output, in order.
    shared: Vec<usize>,
    /// The categories of outputs by rater, where rows have a category for each rating.
    categories: BTreeMap<u32, BTreeMap<u32, Category>>,
    /// The texts of all ratings, concatenated.
    written: String,
    /// Bad rows, each with the number of ratings that came before it.
    bad_rows: Vec<(usize, BadRow)>,
    /// The number of ratings without a rater, and the line of the first.
    without_rater: Option<(u64, u64)>,
    has_rows: bool,
}

/// An output, identified by the numbers of its texts; its own text is in visible form.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct RatedUnit {
    source: u32,
    system: u32,
    text: u32,
}

/// A row with an output.
struct RatedRow {
    line: u64,
    unit: u32,
    source_text: u32,
    category: Option<Category>,
}

/// A rating with a named rater.
struct KeptRating {
    value: f64,
    /// The end of its text.
    written_end: usize,
    row: u32,
    rater: u32,
    dimension: u32,
    column: u32,
}

/// The ratings on one dimension that enter figures.
struct CountedRatings {
    raw: Vec<IndexedRating>,
    z: Vec<IndexedRating>,
    /// Those that were given to an identical output, with their rows and the file's own z-scores.
    shared: Vec<(IndexedRating, u32, Option<f64>)>,
    /// The pairs of rater and unit so far: rows of several lines may be one unit.
    seen: PairSet,
    /// The last row of each unit with a rating.
    last_rows: Vec<Option<u32>>,
}

impl DimensionCollector {
    /// Keeps a row that cannot be read.
    pub(super) fn leave_out(&mut self, bad: BadRow) {
        self.has_rows = true;
        self.bad_rows.push((self.ratings.len(), bad));
    }

    /// Keeps the ratings of a row.
    pub(super) fn add(&mut self, row: &RowView<'_>) {
        self.has_rows = true;
        let Some(output) = &row.output else { return };

        let number = u32::try_from(self.rows.len()).expect("memory holds fewer rows");
        let rated_row = self.rated_row(row, output);
        self.rows.push(rated_row);

        for rating in &output.ratings {
            match &rating.rater {
                Some(rater) => self.add_rating(number, rater, rating),
                None => self.without_rater.get_or_insert((0, row.line)).0 += 1,
            }
        }
    }

    fn rated_row(&mut self, row: &RowView<'_>, output: &OutputView<'_>) -> RatedRow {
        let before = self.rows.last();
        let source_before = before.map(|row| row.source_text);
        let unit_before = before.map_or(0, |row| row.unit);
        let key_before = before.map(|row| self.units[row.unit as usize].source);

        let text = self.texts.id_after(source_before, row.source);
        let (source, source_text) = match row.key.as_deref() {
            Some(key) => (self.texts.id_after(key_before, key), text),
            None => {
                let first = self.first_text(text, row.source);
                (first, first)
            }
        };

        RatedRow {
            line: row.line,
            unit: self.unit(source, output, unit_before, row.line),
            source_text,
            category: output.category,
        }
    }

    /// The number of the first spelling of a source without a name, given the number of its text here.
    fn first_text(&mut self, id: u32, text: &str) -> u32 {
        if let Some(first) = self.first_texts.get(&id) {
            return *first;
        }
        let first = self.spellings.first_spelling(text);
        let first = self.texts.id(first);
        self.first_texts.insert(id, first);
        first
    }

    /// The index of an output, added if new. `before` is the index of the previous row's.
    fn unit(&mut self, source: u32, output: &OutputView<'_>, before: u32, line: u64) -> u32 {
        let system = output.system.as_deref().unwrap_or_default();

        // Ratings of an output often follow each other, and raters often rate outputs in the same order.
        // Comparing texts then takes a fraction of the time of a look-up in tables too large for a cache.
        let is_same = |index: &u32| {
            let unit = self.units.get(*index as usize);
            unit.is_some_and(|unit| {
                unit.source == source
                    && **self.texts.text(unit.system) == *system
                    && **self.texts.text(self.output_texts[*index as usize]) == *output.text
            })
        };
        if let Some(index) = [before, before + 1].into_iter().find(is_same) {
            return index;
        }

        let unit = RatedUnit {
            source,
            system: self.texts.id(system),
            text: self.texts.id(&visible_form(output.text)),
        };

        let next = u32::try_from(self.units.len()).expect("memory holds fewer outputs");
        let index = *self.unit_ids.entry(unit).or_insert(next);
        if index == next {
            self.units.push(unit);
            self.lines.push(line);
            self.output_texts.push(self.texts.id(output.text));
        }
        index
    }

    fn add_rating(&mut self, row: u32, rater: &str, rating: &RatingView<'_>) {
        let before = self.ratings.last();
        self.written.push_str(rating.value.text);
        let z = rating.z.map(|z| (self.ratings.len(), z.value));
        self.z_scores.extend(z);
        self.shared
            .extend(rating.shared.then_some(self.ratings.len()));

        let dimension = self.dimensions.count(rating, &mut self.ranges);
        let kept_rating = KeptRating {
            value: rating.value.value,
            written_end: self.written.len(),
            row,
            rater: self
                .raters
                .id_after(before.map(|rating| rating.rater), rater),
            dimension: u32::try_from(dimension).expect("memory holds fewer dimensions"),
            column: self
                .columns
                .id_after(before.map(|rating| rating.column), &rating.column),
        };

        if let Some(category) = rating.category {
            let unit = self.rows[row as usize].unit;
            let of_unit = self.categories.entry(unit).or_default();
            of_unit.insert(kept_rating.rater, category);
        }

        self.ratings.push(kept_rating);
    }

    /// Makes the tables.
    pub(super) fn finish(
        mut self,
        format: FileFormat,
        outputs: OutputUse,
        remarks: &RowRemarks,
    ) -> Result<Vec<(Dimension, FileRatings)>, FatalReadError> {
        if !self.has_rows {
            return Err(FatalReadError::NoRows);
        }
        if self.rows.is_empty() && !self.bad_rows.is_empty() {
            let bad_rows = self.bad_rows.into_iter().map(|(_, bad)| bad);
            return Err(FatalReadError::NoUsableRow(bad_rows.collect()));
        }
        if self.ranges.is_empty() {
            return Err(FatalReadError::NoRatings);
        }

        let common_warnings = self.common_warnings(remarks);
        let scales: Vec<_> = self.ranges.iter().map(scale_of).collect();
        let (counted, bad_rows) = self.count(&scales);
        let raters = self.raters.to_strings();

        let ranges = std::mem::take(&mut self.ranges);
        let mut files = Vec::new();
        for ((range, scale), ratings) in ranges.into_iter().zip(scales).zip(counted) {
            let table = |ratings: &[IndexedRating]| {
                RatingTable::from_indices(&raters, &self.lines, ratings)
                    .map_err(FatalReadError::Ratings)
            };

            let mut warnings = common_warnings.clone();
            warnings.extend(RatingsWarning::of_scale(&range, scale));
            warnings.extend(constant_raters(&raters, &ratings.raw));

            let name = range.name;
            let file = FileRatings {
                format,
                raw: table(&ratings.raw)?,
                z: table(&ratings.z)?,
                outputs: match outputs {
                    OutputUse::Listed => self.rated_outputs(&ratings.last_rows),
                    OutputUse::LeftOut => BTreeMap::new(),
                },
                shared: self.shared_ratings(&raters, &ratings.shared),
                warnings,
                bad_rows: bad_rows.clone(),
            };
            files.push((Dimension::new(name, scale), file));
        }

        Ok(files)
    }

    /// The warnings that concern all dimensions.
    fn common_warnings(&self, remarks: &RowRemarks) -> Vec<RatingsWarning> {
        let remarks = remarks.list().into_iter().chain(self.spellings.remark());
        let mut warnings: Vec<_> = remarks.map(RatingsWarning::Remark).collect();
        if let Some((ratings, line)) = self.without_rater {
            warnings.push(RatingsWarning::WithoutRater { ratings, line });
        }
        warnings
    }

    /// The ratings that count, by dimension, and all bad rows in the order of the file.
    fn count(&mut self, scales: &[RatingScale]) -> (Vec<CountedRatings>, Vec<BadRow>) {
        let counted = || CountedRatings {
            raw: Vec::new(),
            z: Vec::new(),
            shared: Vec::new(),
            seen: PairSet::new(self.raters.len(), self.units.len()),
            last_rows: vec![None; self.units.len()],
        };

        let mut by_dimension: Vec<_> = scales.iter().map(|_| counted()).collect();
        let mut bad_rows = Vec::new();
        let mut unread = std::mem::take(&mut self.bad_rows).into_iter().peekable();
        let mut z_scores = std::mem::take(&mut self.z_scores).into_iter().peekable();
        let mut shared = std::mem::take(&mut self.shared).into_iter().peekable();
        let mut written_start = 0;

        for (number, rating) in self.ratings.iter().enumerate() {
            while let Some((_, bad)) = unread.next_if(|(before, _)| *before <= number) {
                bad_rows.push(bad);
            }

            let written = &self.written[written_start..rating.written_end];
            written_start = rating.written_end;
            let row = &self.rows[rating.row as usize];
            let z = z_scores.next_if(|(of_rating, _)| *of_rating == number);
            let is_shared = shared.next_if_eq(&number).is_some();

            let dimension = rating.dimension as usize;
            let part = &mut by_dimension[dimension];
            let reason = match check_scale(Some(scales[dimension]), rating.value, written) {
                Err(reason) => reason,
                Ok(()) if part.seen.insert(rating.rater, row.unit) => {
                    part.add(rating, z.map(|(_, z)| z), row.unit, is_shared);
                    continue;
                }
                Ok(()) => {
                    let rater = clip(self.raters.text(rating.rater));
                    format!("“{rater}” rated this output before: one rater gives one rating")
                }
            };

            let column = self.columns.text(rating.column);
            bad_rows.push(BadRow::new(row.line, Some(column), reason));
        }

        bad_rows.extend(unread.map(|(_, bad)| bad));
        (by_dimension, bad_rows)
    }

    /// The outputs of units with a rating, as their last row has them.
    fn rated_outputs(&self, last_rows: &[Option<u32>]) -> BTreeMap<u64, RatedOutput> {
        let lines = self.lines.iter().zip(last_rows);
        let rated_output =
            |(line, last_row): (&u64, &Option<u32>)| Some((*line, self.rated_output((*last_row)?)));
        lines.filter_map(rated_output).collect()
    }

    /// The output of a row.
    fn rated_output(&self, row: u32) -> RatedOutput {
        let row = &self.rows[row as usize];
        let unit = &self.units[row.unit as usize];
        let text = |id: u32| self.texts.text(id).clone();
        RatedOutput {
            system: text(unit.system),
            id: None,
            source: text(unit.source),
            category: self.category(row),
            source_text: text(row.source_text),
            text: text(self.output_texts[row.unit as usize]),
        }
    }

    /// The category of a row's output: that of most raters where rows have theirs; ties go to the row's own.
    fn category(&self, row: &RatedRow) -> Option<Category> {
        match (self.categories.get(&row.unit), row.category) {
            (Some(given), Some(automatic)) => {
                Some(majority_category(given.values().copied(), automatic))
            }
            (_, category) => category,
        }
    }

    fn shared_ratings(
        &self,
        raters: &[String],
        ratings: &[(IndexedRating, u32, Option<f64>)],
    ) -> Vec<SharedRating> {
        let shared = |(rating, row, z): &(IndexedRating, u32, Option<f64>)| SharedRating {
            rater: raters[rating.rater as usize].clone(),
            unit: self.lines[rating.unit as usize],
            output: self.rated_output(*row),
            value: rating.value,
            z: *z,
        };
        ratings.iter().map(shared).collect()
    }
}

impl CountedRatings {
    fn add(&mut self, rating: &KeptRating, z: Option<f64>, unit: u32, is_shared: bool) {
        let rater = rating.rater;
        let indexed = |value| IndexedRating { rater, unit, value };
        if is_shared {
            self.shared.push((indexed(rating.value), rating.row, z));
            return;
        }
        self.raw.push(indexed(rating.value));
        self.z.extend(z.map(indexed));
        self.last_rows[unit as usize] = Some(rating.row);
    }
}

/// The scale that is stated, or the usual one for its ratings.
fn scale_of(range: &RatedRange) -> RatingScale {
    let inferred = || RatingScale::infer(&range.name, range.low, range.high);
    range.stated.unwrap_or_else(inferred)
}
