//! Writers of SimpEval files, row by row, in the form of the released ones.

use std::io::{self, Write};

use super::{COLUMNS_2022, PAST_COLUMNS, PAST_Z, SHARED_RATINGS, Z_IN_2022};
use crate::{
    csv_writer::{CsvWriter, FormulaEscaping},
    slot_raters::HEADER,
};

/// One rating and its z-score, as texts; empty where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SlotRating<'a> {
    /// From 0 to 100.
    pub rating: &'a str,
    /// In standard deviations from the rater's mean.
    pub z: &'a str,
}

/// A row of the past shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimpEvalPastRow<'a> {
    /// The row's own number; it may have gaps.
    pub id: &'a str,
    /// The source.
    pub original: &'a str,
    /// The output as the system wrote it.
    pub generation: &'a str,
    /// The output as raters see it.
    pub processed_generation: &'a str,
    /// The source's key.
    pub original_id: &'a str,
    /// The system that wrote the output.
    pub system: &'a str,
    /// One per rater, as many as the writer was opened with.
    pub slots: &'a [SlotRating<'a>],
    /// The columns of ratings given to an identical output, separated by spaces, if the writer lists them.
    pub shared_ratings: Option<&'a str>,
}

/// Writes the past shape: one column per rater, empty where the rater gave no rating.
pub struct SimpEvalPastWriter<W: Write>(CsvWriter<W>);

impl<W: Write> SimpEvalPastWriter<W> {
    /// Writes the header for `raters` raters.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn new(out: W, raters: usize, cells: FormulaEscaping) -> io::Result<Self> {
        CsvWriter::new(out, header(&PAST_COLUMNS, raters, PAST_Z), cells).map(Self)
    }

    /// As [`Self::new`], with a last column that lists shared ratings.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn listing_shared(out: W, raters: usize, cells: FormulaEscaping) -> io::Result<Self> {
        let mut header = header(&PAST_COLUMNS, raters, PAST_Z);
        header.push(SHARED_RATINGS.to_owned());
        CsvWriter::new(out, header, cells).map(Self)
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Where `out` fails, or the row has more or fewer slots than the header.
    pub fn write(&mut self, row: &SimpEvalPastRow<'_>) -> io::Result<()> {
        let texts = [
            row.id,
            row.original,
            row.generation,
            row.processed_generation,
            row.original_id,
            row.system,
        ];
        let cells = texts.into_iter().chain(cells(row.slots));
        self.0.write(cells.chain(row.shared_ratings))
    }

    /// Number of [formula cells](crate::is_formula) written so far.
    pub const fn formula_cells(&self) -> u64 {
        self.0.formula_cells()
    }

    /// Writes what is buffered and returns the output.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

/// A row of the 2022 shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimpEval2022Row<'a> {
    /// The source's key.
    pub original_id: &'a str,
    /// The source.
    pub original: &'a str,
    /// The output.
    pub generation: &'a str,
    /// The system that wrote the output.
    pub system: &'a str,
    /// Its category, as [`domain::category::Category::sentence_type`] names it; empty for none.
    pub sentence_type: &'a str,
    /// As many as the writer was opened with; the rater of each goes to a [`SlotRaterWriter`].
    pub slots: &'a [SlotRating<'a>],
    /// As in [`SimpEvalPastRow`].
    pub shared_ratings: Option<&'a str>,
}

/// Writes the 2022 shape, whose raters go to a [`SlotRaterWriter`].
pub struct SimpEval2022Writer<W: Write>(CsvWriter<W>);

impl<W: Write> SimpEval2022Writer<W> {
    /// Writes the header for `slots` slots.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn new(out: W, slots: usize, cells: FormulaEscaping) -> io::Result<Self> {
        CsvWriter::new(out, header(&COLUMNS_2022, slots, Z_IN_2022), cells).map(Self)
    }

    /// As [`Self::new`], with a last column that lists shared ratings.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn listing_shared(out: W, slots: usize, cells: FormulaEscaping) -> io::Result<Self> {
        let mut header = header(&COLUMNS_2022, slots, Z_IN_2022);
        header.push(SHARED_RATINGS.to_owned());
        CsvWriter::new(out, header, cells).map(Self)
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Where `out` fails, or the row has more or fewer slots than the header.
    pub fn write(&mut self, row: &SimpEval2022Row<'_>) -> io::Result<()> {
        let texts = [
            row.original_id,
            row.original,
            row.generation,
            row.system,
            row.sentence_type,
        ];
        let cells = texts.into_iter().chain(cells(row.slots));
        self.0.write(cells.chain(row.shared_ratings))
    }

    /// Number of [formula cells](crate::is_formula) written so far.
    pub const fn formula_cells(&self) -> u64 {
        self.0.formula_cells()
    }

    /// Writes what is buffered and returns the output.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

/// Writes the companion file, which names the rater of each rating in a SimpEval file of either shape.
pub struct SlotRaterWriter<W: Write>(CsvWriter<W>);

impl<W: Write> SlotRaterWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn new(out: W, cells: FormulaEscaping) -> io::Result<Self> {
        CsvWriter::new(out, HEADER, cells).map(Self)
    }

    /// Names the rater of the rating in column `rating_{slot}` (from 1) of an output.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn write(&mut self, key: &str, system: &str, slot: usize, rater: &str) -> io::Result<()> {
        self.0.write([key, system, &slot.to_string(), rater])
    }

    /// Number of [formula cells](crate::is_formula) written so far.
    pub const fn formula_cells(&self) -> u64 {
        self.0.formula_cells()
    }

    /// Writes what is buffered and returns the output.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

fn header(texts: &[&str], slots: usize, z: &str) -> Vec<String> {
    let texts = texts.iter().map(ToString::to_string);
    let ratings = (1..=slots).map(|slot| format!("rating_{slot}"));
    let zs = (1..=slots).map(|slot| format!("rating_{slot}{z}"));
    texts.chain(ratings).chain(zs).collect()
}

fn cells<'a>(slots: &'a [SlotRating<'a>]) -> impl Iterator<Item = &'a str> {
    let ratings = slots.iter().map(|slot| slot.rating);
    ratings.chain(slots.iter().map(|slot| slot.z))
}
